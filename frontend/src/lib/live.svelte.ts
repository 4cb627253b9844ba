import { backend, faultOf, type EventName, type FaultView, type Stop } from './backend';

/**
 * Live is the pattern of every store: an initial get, events that say it may be
 * stale, and a setter for what a call has just returned. An answer to an older
 * question never replaces a newer one.
 */
export class Live<T> {
  value = $state.raw<T | undefined>(undefined);
  fault = $state.raw<FaultView | undefined>(undefined);
  private asked = 0;

  constructor(
    private readonly get: () => Promise<T>,
    private readonly events: readonly EventName[] = [],
  ) {}

  /** start asks now and at every event; the result stops it. */
  start(): Stop {
    void this.refresh();
    const stops = this.events.map((event) => backend.on(event, () => void this.refresh()));
    return () => stops.forEach((stop) => stop());
  }

  /** startIn starts after some milliseconds, unless it is stopped before. */
  startIn(delay: number): Stop {
    let stop: Stop = () => {};
    const timer = setTimeout(() => (stop = this.start()), delay);
    return () => {
      clearTimeout(timer);
      stop();
    };
  }

  async refresh(): Promise<void> {
    const mine = ++this.asked;
    try {
      const value = await this.get();
      if (mine !== this.asked) return;
      this.value = value;
      this.fault = undefined;
    } catch (error) {
      if (mine === this.asked) this.fault = faultOf(error);
    }
  }

  /** set takes what a call has just answered. */
  set(value: T): void {
    this.asked++;
    this.value = value;
    this.fault = undefined;
  }
}
