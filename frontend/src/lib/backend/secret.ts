const NAME = 'keepsake-secret';

/** How long another page of ours may take to answer, in milliseconds. */
const PATIENCE = 700;

type Said = { secret: string } | { ask: true; not: string };

/**
 * Secret is what Go asks of this page with every request. It lives in sessionStorage
 * and travels over a BroadcastChannel: both belong to this origin with its port, so
 * that no other program on this computer can read it, as it could a cookie.
 */
export class Secret {
  value = sessionStorage.getItem(NAME) ?? '';
  /** settled is done when no call is under way that is answered with a new secret. */
  settled: Promise<unknown> = Promise.resolve();
  private readonly channel = new BroadcastChannel(NAME);
  private waiting: (() => void)[] = [];

  constructor() {
    this.channel.onmessage = ({ data }: MessageEvent<Said>) => this.hear(data);
    const meta = document.querySelector<HTMLMetaElement>(`meta[name="${NAME}"]`);
    if (!meta) return;
    this.set(meta.content);
    meta.remove();
    history.replaceState(null, '', `/${location.hash}`); // the address has done its work
  }

  /** set takes a secret that Go has just given, and tells the other pages. */
  set(value: string): void {
    this.keep(value);
    this.channel.postMessage({ secret: value } satisfies Said);
  }

  /** renewedBy lets other requests wait for a call that is answered with a new secret. */
  renewedBy<T>(answer: Promise<T>): Promise<T> {
    this.settled = answer.catch(() => undefined);
    return answer;
  }

  /** newerThan waits for another secret than one that Go refused; false where no page has one. */
  async newerThan(refused: string): Promise<boolean> {
    if (this.value === refused) {
      this.channel.postMessage({ ask: true, not: refused } satisfies Said);
      await this.change(refused, PATIENCE);
    }
    return this.value !== refused;
  }

  /** change waits until the secret is another one, and no longer than some milliseconds. */
  async change(from: string, atMost: number): Promise<void> {
    if (this.value !== from) return;
    await new Promise<void>((done) => {
      this.waiting.push(done);
      setTimeout(done, atMost);
    });
  }

  private keep(value: string): void {
    this.value = value;
    sessionStorage.setItem(NAME, value);
    for (const done of this.waiting.splice(0)) done();
  }

  private hear(said: Said): void {
    if ('secret' in said) this.keep(said.secret);
    else if (this.value !== '' && this.value !== said.not) this.channel.postMessage({ secret: this.value } satisfies Said);
  }
}
