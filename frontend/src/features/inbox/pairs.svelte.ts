import { backend, faultOf, type PairedMemoryView, type ReviewPairView, type ReviewView } from '../../lib/backend';
import { t } from '../../lib/i18n';
import { Live } from '../../lib/live.svelte';
import { toasts } from '../../lib/toasts.svelte';
import { CHANGE, changed } from '../../lib/undo';

export const KINDS = ['near', 'contradict', 'relations'] as const;

export const keyOf = (pair: ReviewPairView): string => `${pair.a.id} ${pair.b.id}`;

/** Pairs is the memories to compare, two by two: where one is in them, and what is decided. */
export class Pairs extends Live<ReviewView> {
  cursor = $state(0);
  busy = $state(false);

  constructor() {
    super(() => backend.Inbox.Pairs(), ['library']);
  }

  readonly items = $derived<ReviewPairView[]>(this.value?.pairs ?? []);
  readonly at = $derived<ReviewPairView | undefined>(this.items[Math.min(this.cursor, this.items.length - 1)]);

  move(step: number): void {
    this.cursor = Math.max(0, Math.min(this.items.length - 1, this.cursor + step));
  }

  /** keep takes one of two that say the same, or the one that is right of two that contradict each other. */
  async keep(pair: ReviewPairView, kept: PairedMemoryView): Promise<void> {
    const other = kept.id === pair.a.id ? pair.b : pair.a;
    if (pair.kind === 'near') {
      await this.decide(pair, async () => {
        await backend.Inbox.MergeMemories(kept.id, other.id);
        changed(t('pairs.merged'));
      });
    } else if (pair.kind === 'contradict') {
      await this.decide(pair, async () => {
        await backend.Library.SetStatus(other.id, 'retracted', '');
        changed(t('pairs.retracted'));
      });
    }
  }

  /** replace lets the newer of two that contradict each other take the place of the older. */
  async replace(pair: ReviewPairView): Promise<void> {
    if (pair.kind !== 'contradict') return;
    await this.decide(pair, async () => {
      await backend.Library.SetStatus(pair.a.id, 'superseded', pair.b.id);
      changed(t('pairs.replaced'));
    });
  }

  async relate(pair: ReviewPairView): Promise<void> {
    if (pair.kind === 'near') return;
    await this.decide(pair, async () => {
      await backend.Library.Relate(pair.b.id, pair.kind === 'contradict' ? 'contradicts' : 'related_to', pair.a.id);
      changed(t('pairs.related'));
    });
  }

  async pass(pair: ReviewPairView): Promise<void> {
    await this.decide(pair, async () => {
      await backend.Inbox.Pass(pair.a.id, pair.b.id, true);
      toasts.show({ about: CHANGE, text: t('pairs.passed'), action: t('undo.do'), onaction: () => void this.unpass(pair) });
    });
  }

  private async unpass(pair: ReviewPairView): Promise<void> {
    await this.decide(pair, () => backend.Inbox.Pass(pair.a.id, pair.b.id, false));
    await this.refresh();
  }

  /** decide takes the pair away at once: to compare all memories again can take seconds. */
  private async decide(pair: ReviewPairView, what: () => Promise<void>): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    try {
      await what();
      const left = this.items.filter((one) => keyOf(one) !== keyOf(pair));
      if (this.value && left.length < this.items.length) this.set({ ...this.value, pairs: left, total: this.value.total - 1 });
    } catch (error) {
      toasts.show({ fault: faultOf(error) });
    } finally {
      this.busy = false;
    }
  }
}
