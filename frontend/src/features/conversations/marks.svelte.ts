/** Marks are the conversations chosen to leave or to be printed together. */
export class Marks {
  private chosen = $state.raw<ReadonlySet<string>>(new Set());
  /** Where Shift begins to mark a run of rows. */
  private from = -1;

  get list(): string[] {
    return [...this.chosen];
  }

  get count(): number {
    return this.chosen.size;
  }

  has(id: string): boolean {
    return this.chosen.has(id);
  }

  toggle(id: string, index: number): void {
    const next = new Set(this.chosen);
    if (!next.delete(id)) next.add(id);
    this.chosen = next;
    this.from = index;
  }

  /** extend marks every row from where marking began to index. */
  extend(index: number, idAt: (index: number) => string | undefined): void {
    const start = this.from < 0 ? index : this.from;
    const run = Array.from({ length: Math.abs(index - start) + 1 }, (_, i) => idAt(Math.min(start, index) + i));
    this.chosen = new Set([...this.chosen, ...run.filter((id) => id !== undefined)]);
    this.from = start;
  }

  clear(): void {
    this.chosen = new Set();
    this.from = -1;
  }
}
