import { allMemories, backend, cancelled, faultOf, type ConversationHeadView, type FaultView, type MemoryRowView, type MessageView, type StandsView, type TextView } from '../../lib/backend';
import { missing, spans, spansOf } from '../../lib/places';
import { NOWHERE } from './find';
import { Heights } from './heights';
import { cutOf, shapeOf } from './shape';

// How many messages are asked for at a time; the answer may hold fewer.
const STEP = 60;

/**
 * Reader is one way through one conversation. Messages come in windows, when they
 * are to be seen.
 */
export class Reader {
  head = $state.raw<ConversationHeadView | undefined>(undefined);
  total = $state(0);
  /** said is how many of them a person sees. */
  said = $state(0);
  leaf = $state('');
  /** Addresses under which the conversation was shown to others. */
  shared = $state.raw<string[]>([]);
  /** What the conversation goes on from, where that is here. */
  continues = $state.raw<{ id: string; message: string } | undefined>(undefined);
  fault = $state.raw<FaultView | undefined>(undefined);
  /** Grows when messages or heights changed: both live outside of Svelte's reach. */
  version = $state(0);
  /** Memories that came from this conversation, by id. */
  memories = $state.raw<Map<string, MemoryRowView>>(new Map());
  /** The message to be brought into view, -1 for none. */
  target = $state(-1);
  /** Words that led here stand in what tools answered, not all in what was said. */
  beside = $state(false);

  heights = new Heights(0, () => 0);
  private messages: (MessageView | undefined)[] = [];
  /** Long messages that are shown as far as they are here. */
  private readonly unfolded = new Set<string>();
  private readonly asked = new Set<number>();
  private run = 0;
  private readonly asker = `reader-${Math.random()}`;
  private through = '';

  message(index: number): MessageView | undefined {
    void this.version;
    return this.messages[index];
  }

  /** open shows a conversation, at a message where one is given, read as far as words stand in it. */
  async open(id: string, message = '', words: readonly string[] = []): Promise<void> {
    const mine = ++this.run;
    if (this.head?.id !== id) this.memories = new Map();
    const at = await this.enter(id, message, mine);
    if (mine !== this.run || this.fault) return;
    await this.aim(at, mine, words);
    if (this.memories.size === 0 && this.head && this.head.derived > 0) await this.remember(id, mine);
  }

  /** turn takes the other way at a fork, and keeps the fork in view. */
  async turn(sibling: string): Promise<void> {
    if (!this.head) return;
    const mine = ++this.run;
    const at = await this.enter(this.head.id, sibling, mine);
    if (mine === this.run) await this.aim(at, mine);
  }

  // The position of the message that it leads through, -1 for none.
  private async enter(id: string, through: string, mine: number): Promise<number> {
    try {
      const thread = await backend.Conversations.Thread(id, through, 0, STEP);
      if (mine !== this.run) return -1;
      this.through = through;
      this.head = thread.head;
      this.total = thread.total;
      this.said = thread.said;
      this.leaf = thread.leaf;
      this.shared = thread.shared;
      this.continues = thread.continues;
      this.fault = undefined;
      this.target = -1;
      this.beside = false;
      this.messages = new Array<MessageView | undefined>(thread.total).fill(undefined);
      this.asked.clear();
      this.unfolded.clear();
      this.heights = new Heights(thread.total, () => 160);
      this.put(0, thread.messages);
      return thread.at;
    } catch (error) {
      if (mine === this.run) this.fault = faultOf(error);
      return -1;
    }
  }

  /** need loads the messages of a window that are not here. */
  async need(from: number, to: number): Promise<void> {
    const mine = this.run;
    for (let at = from; at < Math.min(to, this.total); at++) {
      if (this.messages[at] || this.asked.has(at)) continue;
      for (let k = at; k < at + STEP; k++) this.asked.add(k);
      await this.fetch(at, mine);
    }
  }

  private async fetch(offset: number, mine: number): Promise<number> {
    if (!this.head) return 0;
    try {
      const thread = await backend.Conversations.Thread(this.head.id, this.through, offset, STEP);
      if (mine !== this.run) return 0;
      this.put(thread.offset, thread.messages);
      // What the answer had no room for is asked for when it is needed.
      for (let k = offset + thread.messages.length; k < offset + STEP; k++) this.asked.delete(k);
      return thread.messages.length;
    } catch (error) {
      if (mine === this.run) this.fault = faultOf(error);
      return 0;
    }
  }

  private put(offset: number, messages: MessageView[]): void {
    messages.forEach((message, i) => {
      this.messages[offset + i] = kept(this.messages[offset + i], message);
      if (!this.heights.measured(offset + i)) this.heights.guess(offset + i, guess(message));
    });
    this.version++;
  }

  /** measure keeps the drawn height of a message and returns by how much it moved what is below. */
  measure(index: number, height: number): number {
    const change = this.heights.set(index, height);
    if (change !== 0) this.version++;
    return change;
  }

  /** all loads every message up to count that is missing; it stops when another conversation is opened. */
  private async all(count: number): Promise<void> {
    const mine = this.run;
    for (let at = 0; at < Math.min(count, this.total) && mine === this.run; at++) {
      if (!this.messages[at] && (await this.fetch(at, mine)) === 0) return;
    }
  }

  /** ends loads every message up to count, and of long ones what did not come with them. */
  async ends(count = this.total): Promise<void> {
    const mine = this.run;
    await this.all(count);
    for (let at = 0; at < Math.min(count, this.total) && mine === this.run; at++) {
      if (!(await this.readOn(at, mine, () => false))) return;
    }
  }

  /** whole says whether a long message is shown as far as it is here. */
  whole(message: MessageView): boolean {
    void this.version;
    return this.unfolded.has(message.id);
  }

  /** more goes on with a long message: what is here is shown, and then what is not. Of tools all that is here is shown. */
  async more(index: number, part: number): Promise<void> {
    const message = this.messages[index];
    if (!message) return;
    if (part >= message.parts.length || this.unfolded.has(message.id)) await this.further(index, part, this.run);
    else this.unfold(message);
  }

  /** reach loads a message as far as the nth place of a text in it, and unfolds it where one is folded. */
  async reach(index: number, text: string, nth: number): Promise<void> {
    const mine = this.run;
    if (!this.messages[index] && (await this.fetch(index, mine)) === 0) return;
    const count = (inside: string) => spans(inside, text).length;
    let left = nth + 1 - (this.messages[index]?.parts.reduce((sum, part) => sum + count(part.text), 0) ?? 0);
    if (left > 0) await this.readOn(index, mine, (more) => (left -= count(more)) <= 0);
    const message = this.messages[index];
    if (message && mine === this.run) this.unfoldWhere(message, (inside) => spans(inside, text));
  }

  private unfold(message: MessageView): void {
    this.unfolded.add(message.id);
    this.version++;
  }

  private unfoldWhere(message: MessageView, places: (inside: string) => [number, number][]): void {
    const beyond = message.parts.some(({ text }) => cutOf(text) < text.length && places(text).some(([, to]) => to > cutOf(text)));
    if (beyond && !this.unfolded.has(message.id)) this.unfold(message);
  }

  // The first part that does not end with what is here, of what is said or of what tools say; -1 for none.
  private clipped(index: number, beside = false): number {
    const message = this.messages[index];
    if (!message) return -1;
    return textsOf(message).findIndex(({ clipped }, part) => clipped && beside === part >= message.parts.length);
  }

  /** further loads the next piece of a part and returns it; '' where there is none. */
  private async further(index: number, part: number, mine: number): Promise<string> {
    const before = this.messages[index];
    const from = before && textsOf(before)[part]?.next;
    if (!this.head || !before || from === undefined || mine !== this.run) return '';
    try {
      const more = await backend.Conversations.Further(this.head.id, before.id, part, from);
      const message = this.messages[index];
      // Somebody else may have asked for the same meanwhile.
      if (mine === this.run && message && textsOf(message)[part]?.next === from) {
        this.messages[index] = longer(message, part, more);
        this.version++;
      }
      return more.text;
    } catch (error) {
      if (mine === this.run) this.fault = faultOf(error);
      return '';
    }
  }

  // Reads until all words were seen, in what is said and then in what tools say, and says whether what is said has them.
  private async readTo(index: number, words: readonly string[], mine: number): Promise<boolean> {
    const message = this.messages[index];
    if (!message) return words.length === 0;
    const said = [...message.parts.map(({ text }) => text), ...message.attachments.map(({ name }) => name)];
    let left = await this.seek(index, missing(said.join('\n'), words), mine);
    if (left.length === 0) return true;
    left = missing(textsOf(message).slice(message.parts.length).map(({ text }) => text).join('\n'), left);
    await this.seek(index, left, mine, true);
    return false;
  }

  // Reads on for words that are not in what is here, and returns those that nothing has. One may stand where two pieces meet.
  private async seek(index: number, left: string[], mine: number, beside = false): Promise<string[]> {
    if (left.length > 0) await this.readOn(index, mine, (more, before) => (left = missing(before.slice(-200) + more, left)).length === 0, beside);
    return left;
  }

  // Reads on in what is said, or in what tools say, until enough, which is asked with each piece and what stood before it.
  // False where a piece could not be had.
  private async readOn(index: number, mine: number, enough: (more: string, before: string) => boolean, beside = false): Promise<boolean> {
    for (let part = this.clipped(index, beside); part >= 0; part = this.clipped(index, beside)) {
      const message = this.messages[index];
      const before = message ? (textsOf(message)[part]?.text ?? '') : '';
      const more = await this.further(index, part, mine);
      if (more === '') return false;
      if (enough(more, before)) return true;
    }
    return true;
  }

  /** find says where a text stands on this way; undefined where another one is looked for by now. */
  async find(text: string): Promise<StandsView | undefined> {
    const mine = this.run;
    if (!this.head || text.trim() === '') return NOWHERE;
    try {
      const found = await backend.Conversations.Find(this.asker, this.head.id, this.through, text);
      return mine === this.run ? found : undefined;
    } catch (error) {
      if (mine === this.run && !cancelled(error)) this.fault = faultOf(error);
      return undefined;
    }
  }

  private async aim(at: number, mine: number, words: readonly string[] = []): Promise<void> {
    if (at < 0 || (!this.messages[at] && (await this.fetch(at, mine)) === 0)) return;
    const read = await this.readTo(at, words, mine);
    const message = this.messages[at];
    if (!message || mine !== this.run) return;
    this.beside = !read;
    this.unfoldWhere(message, (inside) => spansOf(inside, words));
    this.target = at;
  }

  /** remembered looks again at what came from this conversation: there is one more. */
  async remembered(): Promise<void> {
    const { head } = this;
    if (!head) return;
    const mine = this.run;
    await this.remember(head.id, mine);
    let next = 0;
    for (const at of [...this.messages.keys()].filter((at) => this.messages[at])) {
      if (mine !== this.run) return;
      if (at >= next) next = at + Math.max(1, await this.fetch(at, mine)); // what is not here stays where it is
    }
  }

  private async remember(id: string, mine: number): Promise<void> {
    try {
      const page = await backend.Library.List({ ...allMemories, conversation: id, sort: 'created', limit: 200 });
      if (mine === this.run) this.memories = new Map(page.items.map((row) => [row.id, row]));
    } catch {
      // The marks in the margin then stay without their words.
    }
  }
}

// The texts of a message as Further counts them: its parts, then what each tool was asked and answered.
const textsOf = (message: MessageView): TextView[] => [...message.parts, ...message.toolCalls.flatMap(({ input, output }) => [input, output])];

// A message with other texts, in the same order.
function withTexts(message: MessageView, change: <T extends TextView>(old: T, part: number) => T): MessageView {
  const parts = message.parts.map(change);
  const toolCalls = message.toolCalls.map((call, i) => {
    const at = parts.length + 2 * i;
    return { ...call, input: change(call.input, at), output: change(call.output, at + 1) };
  });
  return { ...message, parts, toolCalls };
}

const longer = (message: MessageView, at: number, more: TextView) => withTexts(message, (old, part) => (part === at ? { ...old, ...more, text: old.text + more.text } : old));

// What of a long text was loaded piece by piece stays when its message comes again.
function kept(before: MessageView | undefined, now: MessageView): MessageView {
  if (before?.id !== now.id) return now;
  const texts = textsOf(before);
  return withTexts(now, (text, part) => {
    const had = texts[part];
    return text.clipped && had && had.next > text.next ? { ...text, ...had } : text;
  });
}

// A first guess, so that the scrollbar of a long conversation does not lie much.
function guess(message: MessageView): number {
  const shape = shapeOf(message);
  if (shape === 'empty') return 0;
  if (shape !== 'said') return 48;
  const length = message.parts.reduce((sum, { text }) => sum + cutOf(text), 0);
  return 72 + Math.ceil(length / 72) * 27 + message.attachments.length * 56;
}
