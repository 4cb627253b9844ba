import { backend, faultOf, type FaultView, type HitView, type SearchView } from '../../lib/backend';

const PAGE = 50;
const DEBOUNCE = 60;

export const PLACES = ['all', 'memories', 'messages'] as const;
export type Where = (typeof PLACES)[number];

export const TIMES = ['any', 'month', 'year'] as const;
export type When = (typeof TIMES)[number];

const DAYS: Record<When, number> = { any: 0, month: 31, year: 366 };

/**
 * Finder is a search as it is typed. There is one for the page, so that coming
 * back from what was found finds it as it was left.
 */
export class Finder {
  text = $state('');
  where = $state<Where>('all');
  when = $state<When>('any');
  hits = $state.raw<HitView[]>([]);
  total = $state(0);
  exact = $state(true);
  widened = $state.raw<string[]>([]);
  missing = $state(0);
  fault = $state.raw<FaultView | undefined>(undefined);
  /** What the hits are an answer to. */
  answered = $state('');
  cursor = $state(-1);
  /** Counts how often the field was asked for. */
  wanted = $state(0);

  private run = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private more = false;

  /** start listens for what becomes searchable meanwhile. */
  start(): () => void {
    const again = () => void this.refresh();
    const stops = [backend.on('search', again), backend.on('library', again)];
    again();
    return () => {
      stops.forEach((stop) => stop());
      clearTimeout(this.timer);
    };
  }

  focus(): void {
    this.wanted++;
  }

  type(text: string): void {
    this.text = text;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.ask(), DEBOUNCE);
  }

  look(where: Where): void {
    this.where = where;
    void this.ask();
  }

  since(when: When): void {
    this.when = when;
    void this.ask();
  }

  /** ask begins a new answer. */
  async ask(): Promise<void> {
    this.cursor = -1;
    await this.load(0, PAGE);
  }

  /** refresh asks for as much as is shown already, and keeps the place in it. */
  private async refresh(): Promise<void> {
    await this.load(0, Math.min(200, Math.max(PAGE, this.hits.length)));
  }

  /** further loads what comes after the hits that are here. */
  async further(): Promise<void> {
    if (this.more || this.hits.length >= this.total) return;
    this.more = true;
    await this.load(this.hits.length, PAGE);
    this.more = false;
  }

  /** forget drops what came out of a vault that is locked now. */
  forget(): void {
    this.run++;
    clearTimeout(this.timer);
    this.text = '';
    this.clear();
  }

  private clear(): void {
    this.hits = [];
    this.total = 0;
    this.exact = true;
    this.widened = [];
    this.missing = 0;
    this.answered = '';
    this.cursor = -1;
    this.fault = undefined;
  }

  private async load(offset: number, limit: number): Promise<void> {
    const mine = ++this.run;
    if (this.text.trim() === '') return this.clear();
    const asked = this.text;
    try {
      const found = await backend.Search.Find(this.query(offset, limit));
      if (mine !== this.run) return;
      this.hits = offset === 0 ? found.hits : [...this.hits, ...found.hits];
      this.total = found.total;
      this.exact = found.exact;
      this.widened = found.widened;
      this.missing = found.missing;
      this.answered = asked;
      this.fault = undefined;
    } catch (error) {
      if (mine === this.run) this.fault = faultOf(error);
    }
  }

  private query(offset: number, limit: number): SearchView {
    const days = DAYS[this.when];
    const since = days === 0 ? '' : new Date(Date.now() - days * 86_400_000).toISOString();
    return { text: this.text, asYouType: true, in: this.where, platforms: [], since, until: '', offset, limit };
  }
}

export const finder = new Finder();
