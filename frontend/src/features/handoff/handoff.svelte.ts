import { backend, cancelled, faultOf, type CircleView, type FaultView, type HandoffOptionsView, type HandoffPartView, type HandoffTargetView, type HandoffView, type SavedView } from '../../lib/backend';
import { copy } from '../../lib/clipboard';
import { locale } from '../../lib/i18n';

/** Choices are made for one text, and kept nowhere but here. */
type Choices = { without: readonly string[]; edits: ReadonlyMap<string, string> };
const NONE: Choices = { without: [], edits: new Map() };

/** HandOff is what one assistant would be told, and what was done with it. */
export class HandOff {
  targets = $state.raw<readonly HandoffTargetView[]>([]);
  target = $state('');
  made = $state.raw<HandoffView | undefined>(undefined);
  fault = $state.raw<FaultView | undefined>(undefined);
  saved = $state.raw<(SavedView & { part: string }) | undefined>(undefined);
  busy = $state(false);
  redact = $state(true);
  keep = $state.raw<string[]>([]);
  addresses = $state(false);
  circles = $state.raw<readonly CircleView[]>([]);
  /** Entity of the circle that the text is for, '' for what the assistant may have. */
  circle = $state('');
  /** Of the headings; that of the window at first. */
  language = $state(locale.language === 'pt-BR' ? 'pt-BR' : 'en');
  private choices = $state.raw<Readonly<Record<string, Choices>>>({});
  /** The message that was copied last, as "part 0". */
  copied = $state('');

  readonly known = $derived(this.targets.find((t) => t.target === this.target));
  readonly chosen = $derived(this.choices[this.target] ?? NONE);
  private asking = 0;

  /** begin shows a target; '' is the first. */
  async begin(target: string): Promise<void> {
    try {
      if (this.targets.length === 0) [this.targets, { circles: this.circles }] = await Promise.all([backend.Handoffs.Targets(), backend.Library.Circles()]);
      const chosen = this.targets.find((t) => t.target === target) ?? this.targets[0];
      if (!chosen || chosen.target === this.target) return;
      this.target = chosen.target;
      this.made = undefined;
      await this.look();
    } catch (error) {
      this.fault = faultOf(error);
    }
  }

  private options(part = ''): HandoffOptionsView {
    const edits = [...this.chosen.edits].map(([id, text]) => ({ id, text }));
    return { redact: this.redact ? 'on' : 'off', keep: this.keep, addresses: this.addresses, part, for: this.circle, language: this.language, without: [...this.chosen.without], edits };
  }

  private choose(change: Partial<Choices>): Promise<void> {
    this.choices = { ...this.choices, [this.target]: { ...this.chosen, ...change } };
    return this.look();
  }

  /** tick takes a memory into the text, or leaves it out. */
  tick(id: string, on: boolean): Promise<void> {
    const others = this.chosen.without.filter((other) => other !== id);
    return this.choose({ without: on ? others : [...others, id] });
  }

  /** edit says something else in place of a memory; '' says the memory again. */
  edit(id: string, text: string): Promise<void> {
    const edits = new Map(this.chosen.edits);
    if (text.trim() === '') edits.delete(id);
    else edits.set(id, text);
    return this.choose({ edits });
  }

  /** restart ticks all and takes back all edits. */
  restart(): Promise<void> {
    return this.choose(NONE);
  }

  /** give makes the text for a circle, or for the assistant. */
  give(circle: string): void {
    this.circle = circle;
    void this.look();
  }

  speak(language: string): void {
    this.language = language;
    void this.look();
  }

  /** look makes the text again. */
  async look(): Promise<void> {
    const mine = ++this.asking;
    this.saved = undefined;
    this.copied = '';
    try {
      const made = await backend.Handoffs.Preview(this.target, this.options());
      if (mine !== this.asking) return;
      this.made = made;
      this.fault = undefined;
    } catch (error) {
      if (mine !== this.asking) return;
      this.made = undefined;
      this.fault = faultOf(error);
    }
  }

  hide(on: boolean): void {
    this.redact = on;
    void this.look();
  }

  keeping(keep: string[]): void {
    this.keep = keep;
    void this.look();
  }

  alsoAddresses(addresses: boolean): void {
    this.addresses = addresses;
    void this.look();
  }

  /** take copies one message; the log notes that the text left. */
  async take(part: HandoffPartView, message: number): Promise<void> {
    try {
      const taken = await backend.Handoffs.Take(this.target, this.options(part.name));
      const text = taken.parts[0]?.messages[message];
      if (text !== undefined && (await copy(text))) this.copied = `${part.name} ${message}`;
    } catch (error) {
      this.fault = faultOf(error);
    }
  }

  async save(part: string): Promise<void> {
    this.busy = true;
    try {
      this.saved = { ...(await backend.Handoffs.Save(this.target, this.options(part))), part };
    } catch (error) {
      if (!cancelled(error)) this.fault = faultOf(error);
    }
    this.busy = false;
  }

  async reveal(): Promise<void> {
    try {
      if (this.saved) await backend.Exports.Reveal(this.saved.token);
    } catch (error) {
      this.fault = faultOf(error);
    }
  }

  /** rule changes what the target may be given, or how long its parts may be. */
  async rule(change: Partial<HandoffTargetView['rules']>): Promise<void> {
    if (!this.known) return;
    try {
      await backend.Handoffs.SetRules(this.target, { ...this.known.rules, ...change });
      this.targets = await backend.Handoffs.Targets();
      await this.look();
    } catch (error) {
      this.fault = faultOf(error);
    }
  }

  /** limit sets how long a part may be; 0 goes back to what is known. */
  limit(part: string, units: number): Promise<void> {
    const others = (this.known?.rules.limits ?? []).filter((l) => l.name !== part);
    return this.rule({ limits: units > 0 ? [...others, { name: part, count: units }] : others });
  }
}
