import { TYPES } from '../taxonomy';
import { BackendError } from './fault';
import type { SampleConversation } from './sampleConversations';
import type { FoundView, HitView, MemoryView, PieceView, SearchView, SimilarView } from './types';

// A search for the fake, in the way of the real one: words, "phrases", begin*,
// -not, OR and filters, over a few thousand texts in memory.

export type SampleText = Omit<HitView, 'snippet' | 'alike' | 'same'> & { text: string; tags: string[] };

type Term = { words: string[]; open: boolean };
type Part = { any: Term[]; not: boolean };
type Filter = { name: string; values: string[]; not: boolean };
type Asked = { parts: Part[]; filters: Filter[] };
type Near = Map<string, string[]>; // by word: what else stands for it

const FILTERS = ['type', 'status', 'tag', 'platform', 'role', 'in', 'date', 'before', 'since', 'after', 'until'];
const ALLOWED: Record<string, readonly string[]> = { type: TYPES, in: ['memories', 'conversations', 'messages', 'titles'] };
const AROUND = 70; // characters of a snippet before what was found
const SNIPPET = 220;

/** textsOf is all that a search looks through. */
export function textsOf(all: readonly MemoryView[], conversations: readonly SampleConversation[]): SampleText[] {
  const none = { conversationId: '', title: '', role: '', type: '', status: '', toolCalls: false, close: false, tags: [] };
  const titles = new Map(conversations.map((c) => [c.id, c.title]));
  const memories = all.map((m): SampleText => ({
    ...none, kind: 'memory', id: m.id, text: m.content, conversationId: m.provenance.conversationRef, title: titles.get(m.provenance.conversationRef) ?? '',
    platform: m.provenance.platform, type: m.type, status: m.status, tags: m.tags, createdAt: m.createdAt,
  }));
  const said = conversations.flatMap((c) => {
    const of = { ...none, conversationId: c.id, title: c.title, platform: c.platform };
    const messages = c.messages.map((m): SampleText => ({ ...of, kind: 'message', id: m.id, text: m.text, role: m.role, toolCalls: m.role === 'tool', createdAt: m.at }));
    return [{ ...of, kind: 'conversation', id: c.id, text: c.title, createdAt: c.createdAt }, ...messages];
  });
  return [...memories, ...said].filter((text) => text.text !== '');
}

/** likeOf is memories that have a long word of a memory or of a conversation's title. */
export function likeOf(memories: readonly MemoryView[], id: string, title = ''): SimilarView[] {
  const text = memories.find((m) => m.id === id)?.content ?? title;
  const words = (text.match(/\p{L}{6,}/gu) ?? []).map((word) => word.toLowerCase());
  const like = memories.filter((m) => m.id !== id && m.status === 'active' && words.some((word) => m.content.toLowerCase().includes(word)));
  return like.slice(0, 5).map((m, i) => ({ id: m.id, type: m.type, customType: m.customType, content: m.content, similarity: 0.95 - i * 0.05 }));
}

/** findIn answers a query from texts: memories, titles, messages, tools; of each the newest first. */
export function findIn(texts: readonly SampleText[], query: SearchView): Omit<FoundView, 'missing'> {
  const asked = read(query.text, query.asYouType);
  if (asked.parts.length + asked.filters.length === 0) return { hits: [], next: 0, total: 0, exact: true, widened: [], archived: 0 };
  const among = texts
    .filter((text) => narrowed(text, query) && asked.filters.every((f) => filtered(text, f) !== f.not))
    .map((text) => ({ text, words: wordsOf(text.text) }));
  const terms = asked.parts.filter((part) => !part.not).flatMap((part) => part.any);
  const near: Near = new Map();
  for (const term of terms) widen(term, among, near);
  const all = among
    .filter(({ words }) => asked.parts.every((part) => part.any.some((term) => places(words, term, near).length > 0) !== part.not))
    .sort((a, b) => tierOf(a.text) - tierOf(b.text) || (a.text.createdAt < b.text.createdAt ? 1 : -1));
  const found = asked.filters.some((f) => f.name === 'status') ? all : all.filter(({ text }) => text.status !== 'archived');
  const hits = new Map<string, HitView>();
  let taken = query.offset;
  for (const { text, words } of found.slice(query.offset)) {
    const same = JSON.stringify([text.kind, text.status, text.toolCalls, text.text]);
    const first = hits.get(same);
    if (!first && hits.size === (query.limit || 20)) break;
    if (first) first.alike.push(text);
    else hits.set(same, { ...hitOf(text, words, terms, near), same });
    taken++;
  }
  return { hits: [...hits.values()], next: taken < found.length ? taken : 0, total: found.length, exact: true, widened: [...near.keys()], archived: all.length - found.length };
}

// Words that are asked for, and what the texts say that the fake takes for close in meaning.
const MEANT: [asked: RegExp, said: RegExp][] = [
  [/^(drinks?|bebidas?)$/, /\btea\b/i],
  [/^(vehicles?|veículos?)$/, /bicycle|trains to planes/i],
  [/^(pets?|bichos?)$/, /\bcat\b/i],
];
const MOST_CLOSE = 5;

/** withClose adds to a first page what is close in meaning: behind the memories that have the words, or at the end. */
export function withClose(found: Omit<FoundView, 'missing'>, texts: readonly SampleText[], query: SearchView): Omit<FoundView, 'missing'> {
  const asked = query.text.toLowerCase().split(/\s+/);
  const said = MEANT.find(([word]) => asked.some((one) => word.test(one)))?.[1];
  if (!said || query.offset > 0) return found;
  const here = new Set(found.hits.map((hit) => hit.id));
  const close = texts
    .filter((text) => text.kind !== 'conversation' && text.status !== 'archived' && !here.has(text.id) && said.test(text.text) && narrowed(text, query))
    .slice(0, MOST_CLOSE)
    .map((text): HitView => ({ ...hitOf({ ...text, close: true }, [], [], new Map()), same: `${text.kind} ${text.id}` }));
  const at = found.hits.findIndex((hit) => hit.kind !== 'memory');
  return { ...found, hits: found.hits.toSpliced(at < 0 ? found.hits.length : at, 0, ...close), total: found.total + close.length };
}

function tierOf(text: SampleText): number {
  return text.toolCalls ? 3 : ['memory', 'conversation', 'message'].indexOf(text.kind);
}

function read(text: string, asYouType: boolean): Asked {
  const asked: Asked = { parts: [], filters: [] };
  let or = false;
  for (const [whole, minus = '', quoted, bare = ''] of text.matchAll(/(-?)(?:"([^"]*)"?|([^\s"()]+))/g)) {
    const [, name = '', value = ''] = /^(\w+):(.*)$/.exec(bare) ?? [];
    if (bare === 'OR') or = asked.parts.length > 0;
    else if (FILTERS.includes(name)) {
      if (value !== '') asked.filters.push(filterOf(name, value, minus !== ''));
    }
    else {
      const open = asYouType && text.endsWith(whole) && quoted === undefined && bare.length > 1;
      const term = termOf(quoted ?? bare, open);
      if (term.words.length === 0) continue;
      if (or) asked.parts.at(-1)?.any.push(term);
      else asked.parts.push({ any: [term], not: minus !== '' });
      or = false;
    }
  }
  return asked;
}

function termOf(text: string, open: boolean): Term {
  const begun = text.endsWith('*');
  if (begun && text.length < 3) throw refusal('search-prefix-short', 'The beginning of a word needs at least two letters before the star.');
  return { words: wordsOf(text).map((w) => w.word), open: begun || open };
}

function filterOf(name: string, value: string, not: boolean): Filter {
  if (['since', 'before', 'after', 'until', 'date'].includes(name) && !/^\d{4}(-\d\d){0,2}$/.test(value)) {
    throw refusal('search-date', `The filter ${name} takes a date such as 2024, 2024-05 or 2024-05-31.`, { field: name });
  }
  const values = value.toLowerCase().split(',');
  const allowed = ALLOWED[name] ?? values;
  if (values.some((one) => !allowed.includes(one))) {
    throw refusal('search-value', `The filter ${name} takes one of these: ${allowed.join(', ')}.`, { field: name, allowed: allowed.join(', ') });
  }
  return { name, values, not };
}

function refusal(reason: string, message: string, args: Record<string, string> = {}): BackendError {
  return new BackendError({ code: 'invalid', reason, message, hint: '', args });
}

function narrowed(text: SampleText, query: SearchView): boolean {
  const kind = query.in === 'memories' ? text.kind === 'memory' : query.in === 'messages' ? text.kind !== 'memory' : true;
  const platform = query.platforms.length === 0 || query.platforms.includes(text.platform);
  const category = query.categories.length === 0 || query.categories.includes(categoryOf(text));
  return kind && platform && category && (query.since === '' || text.createdAt >= query.since) && (query.until === '' || text.createdAt < query.until);
}

function categoryOf(text: SampleText): string {
  if (text.kind !== 'memory') return 'conversation';
  return text.type === 'preference' || text.type === 'instruction' ? 'preference' : 'learned_context';
}

function filtered(text: SampleText, { name, values }: Filter): boolean {
  const [date = ''] = values;
  switch (name) {
    case 'in':
      return values.some((v) => ({ memories: 'memory', messages: 'message', titles: 'conversation' })[v] === text.kind || (v === 'conversations' && text.kind !== 'memory'));
    case 'tag':
      return values.some((v) => text.tags.includes(v));
    case 'since':
      return text.createdAt >= date;
    case 'before':
      return text.createdAt < date;
    case 'after':
      return text.createdAt.slice(0, date.length) > date;
    case 'until':
      return text.createdAt.slice(0, date.length) <= date;
    case 'date':
      return text.createdAt.startsWith(date);
    default:
      return values.includes(text[name as 'type' | 'status' | 'platform' | 'role']);
  }
}

type Word = { word: string; start: number; end: number };

function wordsOf(text: string): Word[] {
  return [...text.matchAll(/[\p{L}\p{N}]+/gu)].map((m) => ({ word: folded(m[0]), start: m.index, end: m.index + m[0].length }));
}

/** places are where a term stands, as its first and last word. */
function places(words: readonly Word[], term: Term, near: Near): [number, number][] {
  const others = term.words.length === 1 ? (near.get(term.words[0] ?? '') ?? []) : [];
  const is = (word: string, i: number) => {
    const wanted = term.words[i] ?? '';
    return word === wanted || others.includes(word) || (term.open && i === term.words.length - 1 && word.startsWith(wanted));
  };
  return words.flatMap((_, at): [number, number][] => (term.words.every((_, i) => is(words[at + i]?.word ?? '', i)) ? [[at, at + term.words.length - 1]] : []));
}

// A word that nobody wrote may be one slip away from one that somebody did.
function widen(term: Term, among: readonly { words: Word[] }[], near: Near): void {
  const [word = ''] = term.words;
  if (term.words.length !== 1 || word.length < 4 || !/^\p{L}+$/u.test(word)) return;
  if (among.some(({ words }) => places(words, term, near).length > 0)) return;
  near.set(word, [...new Set(among.flatMap(({ words }) => words.map((w) => w.word)).filter((w) => oneSlip(w, word)))]);
}

function oneSlip(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let i = 0;
  while (i < a.length && a[i] === b[i]) i++;
  let j = 0;
  while (j < Math.min(a.length, b.length) - i && a[a.length - 1 - j] === b[b.length - 1 - j]) j++;
  const [left, right] = [a.slice(i, a.length - j), b.slice(i, b.length - j)];
  return Math.max(left.length, right.length) <= 1 || (left.length === 2 && left[0] === right[1] && left[1] === right[0]);
}

function hitOf(from: SampleText, words: Word[], terms: Term[], near: Near): HitView {
  const marks = terms.flatMap((term) => places(words, term, near)).map(([a, b]): [number, number] => [words[a]?.start ?? 0, words[b]?.end ?? 0]);
  const { kind, id, conversationId, title, platform, role, type, status, createdAt, toolCalls, close } = from;
  return { kind, id, conversationId, title, platform, role, type, status, createdAt, toolCalls, close, alike: [], same: '', snippet: pieces(from.text, marks.sort((a, b) => a[0] - b[0])) };
}

function pieces(text: string, marks: readonly [number, number][]): PieceView[] {
  const from = Math.max(0, (marks[0]?.[0] ?? 0) - AROUND);
  const begin = from === 0 ? 0 : text.indexOf(' ', from) + 1;
  const end = Math.min(text.length, begin + SNIPPET);
  const made: PieceView[] = [];
  const say = (piece: string, marked: boolean) => piece !== '' && made.push({ text: piece, marked });
  let at = begin;
  if (begin > 0) say('… ', false);
  for (const [start, stop] of marks) {
    if (start < at || stop > end) continue;
    say(text.slice(at, start), false);
    say(text.slice(start, stop), true);
    at = stop;
  }
  say(`${text.slice(at, end)}${end < text.length ? ' …' : ''}`, false);
  return made;
}

export function folded(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}
