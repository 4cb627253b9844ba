import { allMemories, backend, faultOf, type ConversationPageView, type FaultView, type FoundSoFarView, type FoundView, type HitView, type SearchView } from '../../lib/backend';
import { isOfLast, lackOf, type Lack } from './unfinished';

const PAGE = 50;
const MOST = 200; // what one answer may hold
const DEBOUNCE = 60; // milliseconds
const REST = 1000; // milliseconds without a key, after which what was typed is meant
const DAY = 86_400_000;

export const PLACES = ['all', 'memories', 'messages'] as const;
export type Where = (typeof PLACES)[number];

export const TIMES = ['any', 'month', 'months12', 'thisYear', 'lastYear'] as const;
export type When = (typeof TIMES)[number];

/** Categories of the Personal Memory Specification, and 'any'. */
export const CATEGORIES = ['any', 'conversation', 'work_pattern', 'preference', 'learned_context'] as const;
export type Category = (typeof CATEGORIES)[number];

/** How close a hit must be, and the least score that means: a share of the best hit's. */
export const CLOSE = ['any', 'half', 'most'] as const;
export type Close = (typeof CLOSE)[number];
const LEAST: Record<Close, number> = { any: 0, half: 0.5, most: 0.8 };

/** spanOf is a choice of time as instants; '' has no end. */
export function spanOf(when: When, now = new Date()): { since: string; until: string } {
  const year = (n: number) => new Date(n, 0, 1).toISOString();
  switch (when) {
    case 'month':
      return { since: new Date(now.getTime() - 31 * DAY).toISOString(), until: '' };
    case 'months12':
      return { since: new Date(now.getFullYear() - 1, now.getMonth(), now.getDate()).toISOString(), until: '' };
    case 'thisYear':
      return { since: year(now.getFullYear()), until: '' };
    case 'lastYear':
      return { since: year(now.getFullYear() - 1), until: year(now.getFullYear()) };
    default:
      return { since: '', until: '' };
  }
}

/** A line of the answer: a hit, or the line below it that stands for so many with the same words. */
export type Line = { key: string; hit: HitView; same: number; open: boolean };

/** Groups of hits, in their order; what is close in meaning may also be the last. */
export type Group = 'memory' | 'close' | 'conversation' | 'message' | 'tool';

export function groupOf(hit: HitView): Group {
  if (hit.close) return 'close';
  if (hit.toolCalls) return 'tool';
  return hit.kind === 'memory' || hit.kind === 'conversation' ? hit.kind : 'message';
}

const keyOf = (hit: HitView | undefined) => (hit ? `${hit.kind}/${hit.conversationId}/${hit.id}` : '');

/**
 * Finder is a search as it is typed. There is one for the page, so that coming
 * back from what was found finds it as it was left.
 */
export class Finder {
  text = $state('');
  where = $state<Where>('all');
  when = $state<When>('any');
  category = $state<Category>('any');
  close = $state<Close>('any');
  /** Chosen platforms; none is all. */
  platforms = $state.raw<string[]>([]);
  /** Platforms that the vault knows. */
  known = $state.raw<string[]>([]);
  hits = $state.raw<HitView[]>([]);
  /** How many have the words, here and on further pages. */
  byWords = $state(0);
  /** How many of the hits are close in meaning only. */
  readonly byMeaning = $derived(closeIn(this.hits));
  /** Where the page after the hits begins; 0 when there is none. */
  next = $state(0);
  exact = $state(true);
  widened = $state.raw<string[]>([]);
  missing = $state(0);
  /** Archived memories that fit too, and were left out. */
  archived = $state(0);
  fault = $state.raw<FaultView | undefined>(undefined);
  /** What was refused is being typed, and may be right in a moment. */
  private mild = $state(false);
  private rested = $state(true);
  /** The fault, once it is one of what somebody means. */
  readonly alarm = $derived(this.mild && !this.rested ? undefined : this.fault);
  /** What the question lacks, where it finds nothing yet; the hits are those of before. */
  lack = $state<Lack>('');
  /** What the hits are an answer to. */
  answered = $state('');
  /** The hits are those found so far: texts are still being read. */
  looking = $state(false);
  /** Hits whose alike are shown below them. */
  private unfolded = $state.raw<ReadonlySet<string>>(new Set());
  /** The hits in groups, each with a line for those with the same words, or those themselves. */
  readonly lines = $derived(this.hits.flatMap((hit) => this.linesOf(hit)));
  /** The line that is chosen. */
  cursor = $state(-1);
  /** Counts how often the field was asked for. */
  wanted = $state(0);
  /** The memory or conversation that was opened from here, '' for none: from it a way leads back. */
  left = $state('');
  /** Where the list was scrolled to when it was left, in CSS pixels. */
  scroll = 0;
  /** Counts the questions that were answered: each answer begins at its top. */
  turned = $state(0);

  private readonly asker = `search-${Math.random()}`;
  private run = 0;
  private asked = ''; // by the run
  private shown = ''; // the question that the hits answer
  private within = ''; // what it was narrowed to
  private sound = ''; // the last text that was not refused
  private over = 0; // the run that was answered last
  private timer: ReturnType<typeof setTimeout> | undefined;
  private resting: ReturnType<typeof setTimeout> | undefined;
  private more = false;
  private rows = PAGE; // how many hits are wanted
  private renewing = false;
  private stale = false;

  /** start listens for what becomes searchable meanwhile. */
  start(): () => void {
    const again = () => void this.again();
    const stops = [backend.on('found', (part) => this.meanwhile(part)), backend.on('search', again), backend.on('library', again), backend.on('library', () => void this.look())];
    again();
    void this.look();
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
    clearTimeout(this.resting);
    this.rested = false;
    this.resting = setTimeout(() => this.settle(), REST);
  }

  /** settle means what was typed as it is. */
  settle(): void {
    clearTimeout(this.resting);
    this.rested = true;
  }

  choose(change: { where?: Where; when?: When; category?: Category; close?: Close; platforms?: string[] }): void {
    Object.assign(this, change);
    clearTimeout(this.timer);
    void this.ask();
  }

  toggle(platform: string): void {
    const without = this.platforms.filter((name) => name !== platform);
    this.choose({ platforms: without.length < this.platforms.length ? without : [...without, platform] });
  }

  /** everywhere looks in everything, at any time. */
  everywhere(): void {
    this.choose({ where: 'all', when: 'any', category: 'any', close: 'any', platforms: [] });
  }

  /** ask begins a new answer. */
  private async ask(): Promise<void> {
    this.cursor = -1;
    this.rows = PAGE;
    await this.load(0);
  }

  /** again asks the same once more, for as many hits as are here; what happens meanwhile is asked for after. */
  private async again(): Promise<void> {
    this.stale = this.renewing;
    if (this.renewing) return;
    this.renewing = true;
    do {
      this.stale = false;
      this.rows = Math.max(this.rows, this.hits.length);
      await this.load(0);
    } while (this.stale);
    this.renewing = false;
  }

  /** further loads what comes after the hits that are here. */
  async further(): Promise<void> {
    if (this.more || this.looking || this.next === 0 || this.question(this.text) !== this.shown) return;
    this.rows = this.hits.length + PAGE;
    if (this.renewing) return; // which comes that far
    this.more = true;
    await this.load(this.next);
    this.more = false;
  }

  /** unfold shows or hides those with the words of a hit. */
  unfold(hit: HitView): void {
    const key = keyOf(hit);
    const without = [...this.unfolded].filter((other) => other !== key);
    this.unfolded = new Set(without.length < this.unfolded.size ? without : [...without, key]);
  }

  private linesOf(hit: HitView): Line[] {
    const own = { key: keyOf(hit), hit, same: 0, open: false };
    if (hit.alike.length === 0) return [own];
    const open = this.unfolded.has(own.key);
    const fold = { key: `${own.key}/alike`, hit, same: hit.alike.length, open };
    return [own, fold, ...(open ? hit.alike.map((other) => ({ ...hit, ...other, snippet: [], alike: [] })).map((one) => ({ key: keyOf(one), hit: one, same: 0, open: false })) : [])];
  }

  /** forget drops what came out of a vault that is locked now. */
  forget(): void {
    this.run++;
    clearTimeout(this.timer);
    this.text = this.asked = '';
    this.platforms = [];
    this.known = [];
    this.left = '';
    this.missing = 0;
    this.rows = PAGE;
    this.sound = '';
    this.unfolded = new Set();
    this.settle();
    this.looking = false;
    this.take(nothing, 0, '');
  }

  private async load(offset: number): Promise<void> {
    const mine = ++this.run;
    const asked = (this.asked = this.text);
    try {
      const found = await this.pages(offset, mine);
      if (!found) return;
      this.end(mine);
      this.sound = asked;
      if (asked.trim() === '') this.take({ ...nothing, missing: found.missing }, 0, asked);
      else if (offset === 0 && this.awaits(found)) this.wait(found);
      else this.take(found, offset, asked);
    } catch (error) {
      if (mine !== this.run) return;
      this.end(mine);
      this.fault = faultOf(error);
      this.mild = isOfLast(asked, this.fault, this.sound);
      this.lack = '';
    }
  }

  /** pages asks for the hits that are wanted from offset on, and counts those that have the words; nothing where something else is asked meanwhile. */
  private async pages(offset: number, mine: number): Promise<FoundView | undefined> {
    const here = offset === 0 ? 0 : this.hits.length;
    let hits: HitView[] = [];
    for (let from = offset; ; ) {
      // Nothing asked finds nothing, and tells what is not searchable yet.
      const limit = this.asked.trim() === '' ? 1 : Math.min(MOST, this.rows - here - hits.length);
      const found = await backend.Search.Find(this.query(from, limit));
      if (mine !== this.run) return undefined;
      hits = joined(hits, found.hits);
      if (found.next === 0 || here + hits.length >= this.rows) return { ...found, total: found.total - closeIn(found.hits), hits };
      from = found.next;
    }
  }

  private awaits(found: FoundView): boolean {
    return found.hits.length === 0 && found.archived === 0 && lackOf(this.asked) !== '';
  }

  /** wait keeps the hits, unless they come from elsewhere than is looked in now. */
  private wait(found: FoundView): void {
    if (this.within !== this.narrowing()) this.take(nothing, 0, '');
    this.missing = found.missing;
    this.fault = undefined;
    this.lack = lackOf(this.asked);
  }

  private end(run: number): void {
    this.over = run;
    this.looking = false;
  }

  /** meanwhile shows what was found so far. It may come after the answer, by another way. */
  private meanwhile({ asker, run, found }: FoundSoFarView): void {
    if (asker !== this.asker || run !== this.run || run === this.over || found.hits.length === 0) return;
    if (!this.looking && this.question(this.asked) === this.shown) return; // all of it is here
    this.looking = true;
    this.take(found, 0, this.asked);
  }

  private take(found: FoundView, offset: number, asked: string): void {
    const on = this.lines[this.cursor]?.key;
    this.hits = offset === 0 ? found.hits : joined(this.hits, found.hits);
    this.cursor = on === undefined ? -1 : this.lines.findIndex((line) => line.key === on);
    this.byWords = Math.max(found.total, this.hits.length - this.byMeaning);
    this.next = found.next;
    this.exact = found.exact;
    this.widened = found.widened;
    this.missing = found.missing;
    this.archived = found.archived;
    this.answered = asked;
    this.fault = undefined;
    this.lack = '';
    this.turn();
  }

  /** turn begins at the top where the hits answer another question than those before. */
  private turn(): void {
    this.within = this.narrowing();
    const question = this.question(this.asked);
    if (question === this.shown) return;
    this.unfolded = new Set();
    this.shown = question;
    this.scroll = 0;
    this.turned++;
  }

  // Memories are counted by platform. Of conversations the newest tell theirs; where
  // there are older ones, each platform that was imported is counted.
  private async look(): Promise<void> {
    try {
      const [facets, heads] = await Promise.all([backend.Library.Facets(allMemories), talks([], MOST)]);
      const seen = new Set([...facets.platforms.map((p) => p.name), ...heads.items.map((head) => head.platform)]);
      const older = heads.total > heads.items.length ? await olderThan(seen) : [];
      this.known = [...seen, ...older].sort();
    } catch {
      // The search works without its chips.
    }
  }

  private question(text: string): string {
    return this.narrowing() + text;
  }

  private narrowing(): string {
    return JSON.stringify([this.where, this.when, this.category, this.close, this.platforms]);
  }

  private query(offset: number, limit: number): SearchView {
    const categories = this.category === 'any' ? [] : [this.category];
    return { text: this.text, asYouType: true, in: this.where, platforms: this.platforms, categories, minScore: LEAST[this.close], ...spanOf(this.when), offset, limit, asker: this.asker, run: this.run };
  }
}

function talks(platforms: string[], limit: number): Promise<ConversationPageView> {
  return backend.Conversations.List({ text: '', platforms, accounts: [], since: '', until: '', sort: '', offset: 0, limit });
}

/** olderThan are the platforms of conversations that were not seen yet. */
async function olderThan(seen: ReadonlySet<string>): Promise<string[]> {
  const reports = await backend.Imports.List();
  const imported = new Set(reports.flatMap((report) => report.sources.map((source) => source.provider)));
  const names = [...imported].filter((name) => name !== '' && !seen.has(name));
  const counted = await Promise.all(names.map((name) => talks([name], 1)));
  return names.filter((_, i) => (counted[i]?.total ?? 0) > 0);
}

/** joined puts a page after those before; what says the same as a hit there goes below that one. */
function joined(before: readonly HitView[], page: readonly HitView[]): HitView[] {
  const all = new Map(before.map((hit) => [hit.same, hit]));
  for (const hit of page) {
    const first = all.get(hit.same);
    if (first?.close) all.delete(hit.same); // it has the words, too, and goes where those are
    all.set(hit.same, first && !first.close ? { ...first, alike: [...first.alike, hit, ...hit.alike] } : hit);
  }
  return grouped([...all.values()]);
}

/** grouped keeps what is close in meaning behind the last of the group that it follows, whatever came after it. */
function grouped(hits: HitView[]): HitView[] {
  const words = hits.filter((hit) => !hit.close);
  const before = words[hits.findIndex((hit) => hit.close) - 1];
  if (!before) return hits;
  const end = words.findLastIndex((hit) => groupOf(hit) === groupOf(before)) + 1;
  return [...words.slice(0, end), ...hits.filter((hit) => hit.close), ...words.slice(end)];
}

function closeIn(hits: readonly HitView[]): number {
  return hits.filter((hit) => hit.close).length;
}

const nothing: FoundView = { hits: [], next: 0, total: 0, exact: true, widened: [], missing: 0, archived: 0 };

export const finder = new Finder();
