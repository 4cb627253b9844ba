import { backend, faultOf, type ConversationHeadView, type ConversationQueryView, type FaultView } from '../../lib/backend';

const PAGE = 100;
const DEBOUNCE = 120;

export const SORTS = ['-updated', '-created', 'title', '-messages'] as const;
export type Sort = (typeof SORTS)[number];

/** Conversations is the list: heads by window, a search in titles, an order. */
export class Conversations {
  text = $state('');
  platform = $state('');
  sort = $state<Sort>('-updated');
  total = $state(0);
  version = $state(0);
  ready = $state(false);
  fault = $state.raw<FaultView | undefined>(undefined);
  cursor = $state(-1);

  private heads: ConversationHeadView[] = [];
  private readonly asked = new Set<number>();
  private run = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  start(): () => void {
    void this.refresh();
    const stop = backend.on('library', () => void this.refresh());
    return () => {
      stop();
      clearTimeout(this.timer);
    };
  }

  at(index: number): ConversationHeadView | undefined {
    void this.version;
    return this.heads[index];
  }

  type(text: string): void {
    this.text = text;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh(), DEBOUNCE);
  }

  order(sort: Sort): void {
    this.sort = sort;
    void this.refresh();
  }

  async refresh(): Promise<void> {
    const mine = ++this.run;
    this.asked.clear();
    await this.load(0, mine, true);
    this.ready = true;
  }

  /** need loads the heads of a window that are not here. */
  need(from: number, to: number): void {
    for (let page = Math.floor(from / PAGE); page * PAGE < Math.min(to, this.total); page++) {
      if (!this.asked.has(page)) void this.load(page * PAGE, this.run, false);
    }
  }

  private async load(offset: number, mine: number, first: boolean): Promise<void> {
    this.asked.add(offset / PAGE);
    try {
      const page = await backend.Conversations.List(this.query(offset));
      if (mine !== this.run) return;
      if (first) this.heads = [];
      page.items.forEach((head, i) => (this.heads[offset + i] = head));
      this.total = page.total;
      this.fault = undefined;
    } catch (error) {
      if (mine !== this.run) return;
      this.asked.delete(offset / PAGE);
      this.fault = faultOf(error);
    }
    this.version++;
  }

  private query(offset: number): ConversationQueryView {
    const platforms = this.platform === '' ? [] : [this.platform];
    return { text: this.text.trim(), platforms, accounts: [], since: '', until: '', sort: this.sort, offset, limit: PAGE };
  }
}
