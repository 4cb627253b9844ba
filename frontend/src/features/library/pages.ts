// A long list of which only parts are here. Rows come in whole pages; what was
// asked for once is not asked for again until the list is emptied.

export const PAGE = 100;

export class Pages<T> {
  total = 0;
  private readonly rows = new Map<number, T>();
  private readonly asked = new Set<number>();

  reset(total = 0): void {
    this.total = total;
    this.rows.clear();
    this.asked.clear();
  }

  /** stale lets every page be asked for again; rows stay to be seen until then. */
  stale(): void {
    this.asked.clear();
  }

  at(index: number): T | undefined {
    return this.rows.get(index);
  }

  get loaded(): number {
    return this.rows.size;
  }

  /** missing lists the offsets of pages that [from, to) needs, and marks them asked for. */
  missing(from: number, to: number): number[] {
    const offsets: number[] = [];
    const last = Math.min(to, this.total);
    for (let page = Math.floor(Math.max(0, from) / PAGE); page * PAGE < last; page++) {
      if (this.asked.has(page)) continue;
      this.asked.add(page);
      offsets.push(page * PAGE);
    }
    return offsets;
  }

  put(offset: number, items: readonly T[], total: number): void {
    this.total = total;
    this.asked.add(Math.floor(offset / PAGE));
    for (const index of this.rows.keys()) if (index >= total) this.rows.delete(index);
    items.forEach((item, i) => this.rows.set(offset + i, item));
  }

  /** failed lets a page be asked for again. */
  failed(offset: number): void {
    this.asked.delete(Math.floor(offset / PAGE));
  }

  /** find returns the index of a row that is here, -1 when none is. */
  find(matches: (row: T) => boolean): number {
    for (const [index, row] of this.rows) if (matches(row)) return index;
    return -1;
  }
}
