const NAME = 'keepsake-secret';

/** How long another page of ours may take to answer, in milliseconds. */
const PATIENCE = 700;

/** How many secrets a page tries before it asks the others. */
const MOST = 8;

/** given: Go has just given it. held: a page has it, which may be an old one. */
type Said = { given: string } | { held: string } | { ask: true; not: string };

/**
 * Secret is what Go asks of this page with every request. It lives in sessionStorage
 * and travels over a BroadcastChannel: both belong to this origin with its port, so
 * that no other program on this computer can read it, as it could a cookie.
 *
 * Only Go tells which secret is right: a page that was restored, or that heard of two
 * unlocks in the wrong order, has an old one. What other pages say is tried; what Go has
 * refused is never tried again.
 */
export class Secret {
  /** settled is done when no call is under way that is answered with a new secret. */
  settled: Promise<unknown> = Promise.resolve();
  private readonly channel = new BroadcastChannel(NAME);
  private readonly refused = new Set<string>();
  private candidates: string[] = [];
  private waiting: (() => void)[] = [];

  constructor() {
    this.add(sessionStorage.getItem(NAME) ?? '', 'first');
    this.channel.onmessage = ({ data }: MessageEvent<Said>) => this.hear(data);
    const meta = document.querySelector<HTMLMetaElement>(`meta[name="${NAME}"]`);
    if (!meta) return;
    this.set(meta.content);
    meta.remove();
    history.replaceState(null, '', `/${location.hash}`); // the address has done its work
  }

  /** value goes with the next request; '' where there is none. */
  get value(): string {
    return this.candidates[0] ?? '';
  }

  /** set takes a secret that Go has just given, and tells the other pages. */
  set(value: string): void {
    this.add(value, 'first');
    this.channel.postMessage({ given: value } satisfies Said);
  }

  /** renewedBy lets other requests wait for a call that is answered with a new secret. */
  renewedBy<T>(answer: Promise<T>): Promise<T> {
    this.settled = answer.catch(() => undefined);
    return answer;
  }

  /** otherThan finds another secret than one that Go refused; false where no page has one. */
  async otherThan(refused: string): Promise<boolean> {
    this.refused.add(refused);
    this.put(this.candidates.filter((one) => one !== refused));
    if (this.value === '') {
      this.channel.postMessage({ ask: true, not: refused } satisfies Said);
      await this.change('', PATIENCE);
    }
    return this.value !== '';
  }

  /** change waits until the secret is another one, and no longer than some milliseconds. */
  async change(from: string, atMost: number): Promise<void> {
    if (this.value !== from) return;
    await new Promise<void>((done) => {
      this.waiting.push(done);
      setTimeout(done, atMost);
    });
  }

  private add(value: string, place: 'first' | 'last'): void {
    if (value === '' || this.refused.has(value)) return;
    this.put([...new Set(place === 'first' ? [value, ...this.candidates] : [...this.candidates, value])]);
  }

  private put(candidates: string[]): void {
    const before = this.value;
    this.candidates = candidates.slice(0, MOST);
    if (this.value === before) return;
    sessionStorage.setItem(NAME, this.value);
    for (const done of this.waiting.splice(0)) done();
  }

  private hear(said: Said): void {
    if ('given' in said) this.add(said.given, 'first');
    else if ('held' in said) this.add(said.held, 'last');
    else if (this.value !== '' && this.value !== said.not) this.channel.postMessage({ held: this.value } satisfies Said);
  }
}
