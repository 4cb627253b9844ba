import { backend, faultOf, type FaultView, type ManyChangedView, type ManyEditView, type MemoryRowView } from '../../lib/backend';
import type { Library } from './library.svelte';
import { everything, view } from './query';

/** What a change of many can be; the rest stays as it is. */
export type Deed = Partial<Pick<ManyEditView, 'addTags' | 'removeTags' | 'exportable' | 'status' | 'undoStatus' | 'type'>>;

const STEP = 200; // rows of one answer

/**
 * Marks are the memories chosen to be changed together: some by their ids, or all
 * that the list shows, however many these are.
 */
export class Marks {
  private chosen = $state.raw<ReadonlySet<string>>(new Set());
  /** Everything the list shows is marked. */
  all = $state(false);
  busy = $state(false);
  /** Where Shift begins to mark a run of rows. */
  private from = -1;

  constructor(private readonly library: Library) {}

  get count(): number {
    return this.all ? this.library.total : this.chosen.size;
  }

  has(id: string): boolean {
    return this.all || this.chosen.has(id);
  }

  toggle(row: MemoryRowView | undefined, index: number): void {
    if (!row) return;
    const next = new Set(this.all ? this.here() : this.chosen);
    if (!next.delete(row.id)) next.add(row.id);
    this.set(next, index);
  }

  /** extend marks every row from where marking began to index. */
  extend(index: number): void {
    const start = this.from < 0 ? Math.max(0, this.library.cursor) : this.from;
    const next = new Set(this.chosen);
    for (let i = Math.min(start, index); i <= Math.max(start, index); i++) {
      const row = this.library.row(i);
      if (row) next.add(row.id);
    }
    this.set(next, start);
  }

  everything(): void {
    this.all = true;
  }

  clear(): void {
    this.set(new Set(), -1);
  }

  private set(chosen: ReadonlySet<string>, from: number): void {
    this.chosen = chosen;
    this.all = false;
    this.from = from;
  }

  private here(): string[] {
    return Array.from({ length: this.library.total }, (_, i) => this.library.row(i)?.id ?? '').filter((id) => id !== '');
  }

  /** list are the marked ids; none where all are. */
  get list(): string[] {
    return this.all ? [] : [...this.chosen];
  }

  /** join puts all that is marked into a circle, or takes it out; it returns how many changed. */
  async join(entity: string, into: boolean): Promise<number | FaultView> {
    this.busy = true;
    try {
      const changed = await backend.Library.JoinCircle(entity, this.all ? await this.everyId() : this.list, into);
      this.clear();
      return changed;
    } catch (error) {
      return faultOf(error);
    } finally {
      this.busy = false;
    }
  }

  private async everyId(): Promise<string[]> {
    const ids = new Set<string>();
    for (let offset = 0, total = 1; offset < total; offset += STEP) {
      const page = await backend.Library.List(view(this.library.query, offset, STEP));
      page.items.forEach((row) => ids.add(row.id));
      total = page.total;
    }
    return [...ids];
  }

  /** apply does one thing to all that is marked, as one change. */
  async apply(deed: Deed): Promise<ManyChangedView | FaultView> {
    this.busy = true;
    try {
      const query = view(this.all ? this.library.query : everything, 0, 0);
      const done = await backend.Library.EditMany({ ids: this.list, query, addTags: [], removeTags: [], status: '', undoStatus: false, type: '', customType: '', ...deed });
      this.clear();
      return done;
    } catch (error) {
      return faultOf(error);
    } finally {
      this.busy = false;
    }
  }
}
