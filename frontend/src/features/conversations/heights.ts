// Heights of messages in a long conversation: measured where they were drawn,
// guessed elsewhere. A binary indexed tree keeps sums cheap with thousands.

export class Heights {
  private readonly values: number[];
  private readonly tree: number[];
  private readonly known: boolean[];

  constructor(
    readonly count: number,
    guess: (index: number) => number,
  ) {
    this.values = Array.from({ length: count }, (_, i) => guess(i));
    this.known = new Array<boolean>(count).fill(false);
    this.tree = new Array<number>(count + 1).fill(0);
    this.values.forEach((value, i) => this.add(i, value));
  }

  get total(): number {
    return this.top(this.count);
  }

  /** top is the sum of all heights above index. */
  top(index: number): number {
    let sum = 0;
    for (let i = Math.min(index, this.count); i > 0; i -= i & -i) sum += this.tree[i] ?? 0;
    return sum;
  }

  measured(index: number): boolean {
    return this.known[index] ?? false;
  }

  height(index: number): number {
    return this.values[index] ?? 0;
  }

  /** guess replaces a guess by a better one; what was measured stays. */
  guess(index: number, height: number): void {
    if (this.known[index]) return;
    this.set(index, height);
    this.known[index] = false;
  }

  /** set keeps a measured height and returns by how much it differs from the one before. */
  set(index: number, height: number): number {
    const before = this.values[index];
    if (before === undefined) return 0;
    this.known[index] = true;
    const change = height - before;
    if (change === 0) return 0;
    this.values[index] = height;
    this.add(index, change);
    return change;
  }

  /** at is the index of the message that covers y. */
  at(y: number): number {
    let index = 0;
    let left = y;
    for (let step = 1 << Math.floor(Math.log2(Math.max(1, this.count))); step > 0; step >>= 1) {
      const next = index + step;
      const sum = this.tree[next];
      if (next <= this.count && sum !== undefined && sum <= left) {
        index = next;
        left -= sum;
      }
    }
    return Math.min(index, Math.max(0, this.count - 1));
  }

  /** window is the range [from, to) to draw for a viewport, with spare pixels on both sides. */
  window(scroll: number, viewport: number, spare = 600): [from: number, to: number] {
    if (this.count === 0) return [0, 0];
    const from = this.at(Math.max(0, scroll - spare));
    return [from, Math.min(this.count, this.at(scroll + viewport + spare) + 1)];
  }

  private add(index: number, change: number): void {
    for (let i = index + 1; i <= this.count; i += i & -i) this.tree[i] = (this.tree[i] ?? 0) + change;
  }
}
