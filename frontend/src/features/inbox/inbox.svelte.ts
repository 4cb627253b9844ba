import { backend, cancelled, faultOf, type InboxView, type NearView, type ProposalView } from '../../lib/backend';
import { t } from '../../lib/i18n';
import { Live } from '../../lib/live.svelte';
import { CHANGE, changed } from '../../lib/undo';
import { toasts } from '../../lib/toasts.svelte';

/** Inbox is what was proposed: where one is in it, and what is decided. */
export class Inbox extends Live<InboxView> {
  cursor = $state(0);
  marked = $state.raw<ReadonlySet<string>>(new Set());
  near = $state.raw<NearView[]>([]);
  busy = $state(false);
  /** looking says that the conversations are being read. */
  looking = $state(false);

  /** about is what is listed: 'memories', 'changes', or '' for both. */
  about = $state('');

  constructor(private readonly wanted = { about: '' }) {
    super(() => backend.Inbox.List(wanted.about), ['library']);
  }

  readonly items = $derived<ProposalView[]>(this.value?.items ?? []);
  readonly at = $derived<ProposalView | undefined>(this.items[Math.min(this.cursor, this.items.length - 1)]);
  /** What a decision is about: everything marked, or the one that is shown. */
  readonly chosen = $derived<string[]>(this.marked.size > 0 ? this.items.filter((p) => this.marked.has(p.id)).map((p) => p.id) : this.at ? [this.at.id] : []);

  /** open is what of it can be accepted: a change of a memory that is not as it was cannot. */
  readonly open = $derived<string[]>(this.items.filter((p) => this.chosen.includes(p.id) && !p.change?.standing).map((p) => p.id));
  /** changing says how many of what is chosen change memories. */
  readonly changing = $derived<number>(this.items.filter((p) => this.chosen.includes(p.id) && p.change).length);

  async filter(about: string): Promise<void> {
    this.wanted.about = this.about = about;
    this.cursor = 0;
    this.marked = new Set();
    await this.refresh();
  }

  move(step: number): void {
    this.cursor = Math.max(0, Math.min(this.items.length - 1, this.cursor + step));
  }

  mark(id: string): void {
    const next = new Set(this.marked);
    if (!next.delete(id)) next.add(id);
    this.marked = next;
  }

  /** sameRule is what one rule proposed. */
  sameRule(rule: string): string[] {
    return this.items.filter((p) => p.rule === rule).map((p) => p.id);
  }

  /** markRule marks everything that the same rule proposed, or nothing any more. */
  markRule(rule: string): void {
    const same = this.sameRule(rule);
    this.marked = same.every((id) => this.marked.has(id)) ? new Set() : new Set(same);
  }

  /** lookNear asks which memories say nearly what is shown. */
  async lookNear(id: string): Promise<void> {
    this.near = [];
    try {
      const near = await backend.Inbox.Near(id);
      if (this.at?.id === id) this.near = near;
    } catch {
      // The index may still be in the making; a proposal can be decided without.
    }
  }

  allow(on: boolean): Promise<void> {
    return this.decide(async () => {
      this.looking = on;
      try {
        const looked = await backend.Inbox.Allow(on);
        await this.refresh();
        if (!on) return t('inbox.stopped');
        const found = t('inbox.looked', { count: looked.new, messages: looked.messages });
        return looked.rejected > 0 ? `${found} ${t('inbox.looked.rejected', { count: looked.rejected })}` : found;
      } catch (error) {
        if (!cancelled(error)) throw error;
        await this.refresh();
        return t('inbox.stopped');
      } finally {
        this.looking = false;
      }
    }, false);
  }

  /** stop ends a look that goes on; what it has found by then waits here. */
  async stop(): Promise<void> {
    await backend.Inbox.Allow(false).catch((error: unknown) => toasts.show({ fault: faultOf(error) }));
  }

  accept(): Promise<void> {
    const ids = this.open;
    if (ids.length === 0) return Promise.resolve();
    const said = this.changing === 0 ? 'inbox.accepted' : this.changing === this.chosen.length ? 'inbox.change.accepted' : 'inbox.accepted.mixed';
    return this.decide(async () => t(said, { count: await backend.Inbox.AcceptAll(ids) }));
  }

  keepAs({ id, tags }: ProposalView, content: string, type: string): Promise<void> {
    return this.decide(async () => {
      await backend.Inbox.Accept(id, { content, type, tags });
      return t('inbox.accepted', { count: 1 });
    });
  }

  reject(): Promise<void> {
    const ids = this.chosen;
    return this.decide(async () => t('inbox.rejected', { count: await backend.Inbox.Reject(ids) }));
  }

  merge(id: string, into: string): Promise<void> {
    return this.decide(async () => {
      await backend.Inbox.Merge(id, into);
      return t('inbox.merged');
    });
  }

  private async decide(what: () => Promise<string>, undoable = true): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    try {
      const text = await what();
      this.marked = new Set();
      if (undoable) changed(text);
      else toasts.show({ text, about: CHANGE });
    } catch (error) {
      toasts.show({ fault: faultOf(error) });
    } finally {
      this.busy = false;
    }
  }
}
