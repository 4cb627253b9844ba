// How fast bytes are read and how long the rest will take. Nothing is said in
// the first two seconds: a guess from so little would only jump.

const SILENT = 2_000;
const WINDOW = 6_000;

type Sample = { at: number; done: number };

export class Pace {
  private samples: Sample[] = [];
  private begun = 0;

  constructor(private readonly clock: () => number = () => performance.now()) {}

  begin(): void {
    this.begun = this.clock();
    this.samples = [{ at: this.begun, done: 0 }];
  }

  note(done: number): void {
    const at = this.clock();
    if (this.samples.length === 0) this.begin();
    this.samples.push({ at, done });
    while (this.samples.length > 2 && at - (this.samples[0]?.at ?? at) > WINDOW) this.samples.shift();
  }

  /** rate in bytes a second, undefined while it is too early. */
  rate(): number | undefined {
    const first = this.samples[0];
    const last = this.samples.at(-1);
    if (!first || !last || last.at - this.begun < SILENT || last.at <= first.at) return undefined;
    const rate = ((last.done - first.done) * 1000) / (last.at - first.at);
    return rate > 0 ? rate : undefined;
  }

  /** left is how many seconds the rest takes at this rate. */
  left(total: number): number | undefined {
    const rate = this.rate();
    const done = this.samples.at(-1)?.done ?? 0;
    return rate === undefined || total <= done ? undefined : Math.ceil((total - done) / rate);
  }
}
