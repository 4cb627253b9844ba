// Where the rows of a long list stand, in CSS pixels. All rows are of one
// height; a row that opens a group carries a head above it. Groups are known
// only where rows are loaded, so heads may turn up later and push rows down.

export type Slot = { index: number; top: number; head: boolean };

export class Layout {
  /** heads: indices of rows that open a group, ascending. */
  constructor(
    readonly count: number,
    readonly row: number,
    readonly head: number,
    readonly heads: readonly number[],
  ) {}

  get height(): number {
    return this.count * this.row + this.heads.length * this.head;
  }

  /** top of the row's block: of its head where it has one. */
  top(index: number): number {
    return index * this.row + lowerBound(this.heads, index) * this.head;
  }

  hasHead(index: number): boolean {
    return this.heads[lowerBound(this.heads, index)] === index;
  }

  /** at is the index of the block that covers y. */
  at(y: number): number {
    let low = 0;
    let high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.top(middle) <= y) low = middle;
      else high = middle - 1;
    }
    return Math.max(0, low);
  }

  /** window lists the blocks to draw for a viewport, with some to spare. */
  window(scroll: number, viewport: number, spare = 8): Slot[] {
    if (this.count === 0) return [];
    const first = Math.max(0, this.at(scroll) - spare);
    const last = Math.min(this.count - 1, this.at(scroll + viewport) + spare);
    const slots: Slot[] = [];
    for (let index = first; index <= last; index++) slots.push({ index, top: this.top(index), head: this.hasHead(index) });
    return slots;
  }

  /** group is the index of the row whose head covers the group of index, -1 before the first. */
  group(index: number): number {
    return this.heads[lowerBound(this.heads, index + 1) - 1] ?? -1;
  }

  /** reveal is the scroll position that shows a row whole, below the stuck head. */
  reveal(index: number, scroll: number, viewport: number): number {
    const bottom = this.top(index) + this.row + (this.hasHead(index) ? this.head : 0);
    const above = this.hasHead(index) ? this.top(index) : this.top(index) - (this.heads.length > 0 ? this.head : 0);
    if (above < scroll) return Math.max(0, above);
    return bottom > scroll + viewport ? bottom - viewport : scroll;
  }
}

/**
 * withHeads finds the rows of [from, to) that open a group, and keeps the heads
 * outside of it. group names the group of a row, undefined where it is not here.
 */
export function withHeads(heads: readonly number[], from: number, to: number, group: (index: number) => string | undefined): number[] {
  const found: number[] = [];
  // The row behind the last one may open a group, now that its neighbour is known.
  for (let index = from; index <= to; index++) {
    const name = group(index);
    const before = index === 0 ? '' : group(index - 1);
    if (name !== undefined && before !== undefined && name !== before) found.push(index);
  }
  return [...heads.filter((h) => h < from), ...found, ...heads.filter((h) => h > to)];
}

function lowerBound(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
