import { backend, faultOf, type EditView, type FacetsView, type FaultView, type MemoryPageView, type MemoryRowView, type MemoryView, type NewMemoryView } from '../../lib/backend';
import { groupKey, groupOf } from './grouping';
import { withHeads } from './layout';
import { PAGE, Pages } from './pages';
import { clear, everything, FACETS, key, narrowed, toggle, view, type Facet, type Query, type Sort } from './query';

// Long enough to swallow a fast typist's keys, short enough to feel like none.
const DEBOUNCE = 40; // milliseconds

const noFacets: FacetsView = { types: [], statuses: [], platforms: [], accounts: [], tags: [], projects: [], years: [], confidence: [], related: 0 };

// Filters keep their places: a group that nothing fits stays with what it had,
// at zero, and what was chosen can always be let go.
function settled(before: FacetsView, now: FacetsView, query: Query): FacetsView {
  const kept = { ...now };
  for (const facet of FACETS) {
    const names = now[facet].length === 0 && narrowed(query) ? [...before[facet].map((c) => c.name), ...query[facet]] : query[facet];
    const missing = [...new Set(names)].filter((name) => !now[facet].some((c) => c.name === name));
    kept[facet] = [...now[facet], ...missing.map((name) => ({ name, count: 0 }))];
  }
  return kept;
}

/** Done is told after a change, so that it can be named and taken back. */
export type Done = { kind: 'add' | 'edit' | 'relate' | 'relation-kind' | 'unrelate' | 'back' | 'mark-sensitive' | 'circle' } | { kind: 'status'; status: string };

/**
 * Library is what the screen shows of the memories. Typing changes the query at
 * once and asks the vault a moment later; an answer to an older question is
 * dropped.
 */
export class Library {
  query = $state.raw<Query>(everything);
  facets = $state.raw<FacetsView>(noFacets);
  total = $state(0);
  /** Grows with every answer: the rows live outside of Svelte's reach. */
  version = $state(0);
  ready = $state(false);
  /** The search that the rows answer; the box may be a few keys ahead. */
  private shownText = $state('');
  fault = $state.raw<FaultView | undefined>(undefined);

  /** The rows that open a group, as far as rows are here. */
  heads = $state.raw<number[]>([]);

  cursor = $state(-1);
  selected = $state('');
  memory = $state.raw<MemoryView | undefined>(undefined);
  memoryFault = $state.raw<FaultView | undefined>(undefined);

  private readonly pages = new Pages<MemoryRowView>();
  private asking = 0;
  /** A row that was moved to and is not here yet; -1 when none is. */
  private awaited = -1;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asked = '';

  constructor(private readonly onDone: (done: Done) => void = () => {}) {}

  /** orderKey changes when the list shows something else from the top. */
  readonly orderKey = $derived(key({ ...this.query, text: this.shownText }));

  /** start loads the first rows and follows changes; the result stops following. */
  start(): () => void {
    void this.refresh();
    const stop = backend.on('library', () => void this.refresh());
    return () => {
      stop();
      clearTimeout(this.timer);
    };
  }

  /** rowOf finds a memory among the rows that are here. */
  rowOf(id: string): MemoryRowView | undefined {
    return this.row(this.pages.find((row) => row.id === id));
  }

  row(index: number): MemoryRowView | undefined {
    void this.version;
    return this.pages.at(index);
  }

  /** need loads the rows of a window that are not here yet. */
  need(from: number, to: number): void {
    for (const offset of this.pages.missing(from, to)) void this.load(offset, this.asking);
  }

  type(text: string): void {
    this.query = { ...this.query, text };
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.ask(), DEBOUNCE);
  }

  toggle(facet: Facet, name: string): void {
    this.change(toggle(this.query, facet, name));
  }

  only(facet: Facet, name: string): void {
    this.change({ ...clear(this.query), [facet]: [name] });
  }

  related(): void {
    this.change({ ...this.query, related: !this.query.related });
  }

  sort(sort: Sort): void {
    this.change({ ...this.query, sort });
  }

  clear(): void {
    this.change(clear(this.query));
  }

  /** show asks for exactly this. */
  show(query: Query): void {
    this.change(query);
  }

  private change(query: Query): void {
    this.query = query;
    clearTimeout(this.timer);
    void this.ask();
  }

  private async ask(): Promise<void> {
    if (key(this.query) !== this.asked) await this.refresh(true);
  }

  /** refresh asks again; the rows shown stay until the answer is here. */
  async refresh(top = false): Promise<void> {
    const mine = ++this.asking;
    const query = this.query;
    this.asked = key(query);
    const first = top ? 0 : Math.max(0, Math.floor(this.cursor / PAGE)) * PAGE;
    try {
      const [page, facets] = await Promise.all([backend.Library.List(view(query, first, PAGE)), backend.Library.Facets(view(query, 0, 0))]);
      if (mine !== this.asking) return;
      if (top) this.pages.reset();
      else this.pages.stale();
      this.shownText = query.text.trim();
      this.put(first, page);
      this.facets = settled(this.facets, facets, query);
      this.fault = undefined;
      this.cursor = this.pages.find((r) => r.id === this.selected);
      if (this.selected !== '') void this.reload();
    } catch (error) {
      if (mine === this.asking) this.fault = faultOf(error);
    }
    this.ready = true;
    this.version++;
  }

  private async load(offset: number, mine: number): Promise<void> {
    try {
      const page = await backend.Library.List(view(this.query, offset, PAGE));
      if (mine !== this.asking) return;
      this.put(offset, page);
    } catch (error) {
      if (mine !== this.asking) return;
      this.pages.failed(offset);
      this.fault = faultOf(error);
    }
    this.version++;
  }

  private put(offset: number, page: MemoryPageView): void {
    this.pages.put(offset, page.items, page.total);
    this.total = page.total;
    const known = this.pages.loaded === page.items.length ? [] : this.heads.filter((head) => head < page.total);
    this.heads = withHeads(known, offset, offset + page.items.length, (index) => {
      const row = this.pages.at(index);
      return row && groupKey(groupOf(row, this.query.sort));
    });
    const row = this.awaited < 0 ? undefined : this.pages.at(this.awaited);
    if (row) this.select(row.id, this.awaited);
  }

  /** select shows a memory; index is where it stands in the list, -1 when unknown. */
  select(id: string, index = this.pages.find((r) => r.id === id)): void {
    this.cursor = index;
    this.awaited = -1;
    if (this.selected === id) return;
    this.selected = id;
    this.memory = undefined;
    this.memoryFault = undefined;
    if (id !== '') void this.reload();
  }

  /** move puts the cursor on a row and shows it once it is here. */
  move(index: number): void {
    const row = this.pages.at(index);
    if (row) return this.select(row.id, index);
    this.cursor = this.awaited = index;
    this.need(index, index + 1);
  }

  private async reload(): Promise<void> {
    const id = this.selected;
    try {
      const memory = await backend.Library.Get(id);
      if (id === this.selected) this.memory = memory;
    } catch (error) {
      if (id !== this.selected) return;
      this.memory = undefined;
      this.memoryFault = faultOf(error);
    }
  }

  /** search finds memories to relate to or to be replaced by, leaving one out. */
  async search(text: string, without: string): Promise<MemoryRowView[]> {
    const page = await backend.Library.List(view({ ...everything, text }, 0, 12));
    return page.items.filter((row) => row.id !== without).slice(0, 8);
  }

  add(memory: NewMemoryView): Promise<FaultView | undefined> {
    return this.apply({ kind: 'add' }, async () => {
      const added = await backend.Library.Add(memory);
      this.selected = added.id;
      return added;
    });
  }

  edit(id: string, edit: EditView): Promise<FaultView | undefined> {
    return this.apply({ kind: 'edit' }, () => backend.Library.Edit(id, edit));
  }

  /** join puts a memory into a circle, or takes it out of it. */
  join(id: string, entity: string, into: boolean): Promise<FaultView | undefined> {
    return this.apply({ kind: 'circle' }, async () => {
      await backend.Library.JoinCircle(entity, [id], into);
      return backend.Library.Get(id);
    });
  }

  /** makeCircle makes a circle and puts a memory into it. */
  makeCircle(id: string, name: string): Promise<FaultView | undefined> {
    return this.apply({ kind: 'circle' }, async () => {
      const { entity } = await backend.Library.MakeCircle({ name, types: [], tags: [], domains: [], topics: [], without: [] });
      await backend.Library.JoinCircle(entity, [id], true);
      return backend.Library.Get(id);
    });
  }

  /** markSensitive says whether a memory is about a sensitive topic; '' leaves it to the program. */
  markSensitive(id: string, topic: string, answer: '' | 'yes' | 'no'): Promise<FaultView | undefined> {
    return this.apply({ kind: 'mark-sensitive' }, async () => {
      await backend.Library.MarkSensitive(id, topic, answer);
      return backend.Library.Get(id);
    });
  }

  setStatus(id: string, status: string, by = ''): Promise<FaultView | undefined> {
    return this.apply({ kind: 'status', status }, () => backend.Library.SetStatus(id, status, by));
  }

  /** undoStatus takes the last step of the lifecycle back. */
  undoStatus(id: string): Promise<FaultView | undefined> {
    return this.apply({ kind: 'back' }, () => backend.Library.UndoStatus(id));
  }

  /** relate draws the edge; turned means that it comes from the other memory. */
  relate(id: string, type: string, other: string, turned: boolean): Promise<FaultView | undefined> {
    return this.apply({ kind: 'relate' }, async () => {
      const [from, to] = turned ? [other, id] : [id, other];
      const related = await backend.Library.Relate(from, type, to);
      return turned ? backend.Library.Get(id) : related;
    });
  }

  /** changeRelation gives a relation of a memory another kind. */
  changeRelation(id: string, relation: string, kind: string): Promise<FaultView | undefined> {
    return this.apply({ kind: 'relation-kind' }, () => backend.Library.ChangeRelation(id, relation, kind));
  }

  unrelate(id: string, relation: string): Promise<FaultView | undefined> {
    return this.apply({ kind: 'unrelate' }, () => backend.Library.Unrelate(id, relation));
  }

  private async apply(done: Done, change: () => Promise<MemoryView>): Promise<FaultView | undefined> {
    try {
      const memory = await change();
      if (memory.id === this.selected) this.memory = memory;
      void this.refresh();
      this.onDone(done);
      return undefined;
    } catch (error) {
      return faultOf(error);
    }
  }
}
