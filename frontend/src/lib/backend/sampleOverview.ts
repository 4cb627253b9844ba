import { RELATIONS } from './sample';
import { topicOf } from './sampleTopics';
import type { CountView, FocusView, GraphView, InsightsView, ManyChangedView, ManyEditView, MemoryChangeView, MemoryView, QueryView, SavedQueryView } from './types';

// What is told of the made-up vault as a whole.

/** historyOf compares the states that a memory went through, the newest first. */
export function historyOf(versions: readonly MemoryView[]): MemoryChangeView[] {
  const told: [path: string, of: (m: MemoryView) => unknown][] = [
    ['/content', (m) => m.content], ['/status', (m) => m.status], ['/type', (m) => m.type], ['/tags', (m) => m.tags],
    ['/summary', (m) => m.summary], ['/access/exportable', (m) => m.exportable], ['/access/visibility', (m) => m.visibility],
  ];
  return versions.slice(1).flatMap((after, i) => {
    const before = versions[i];
    if (!before) return [];
    const fields = told.map(([path, of]) => ({ path, ours: JSON.stringify(of(before)), theirs: JSON.stringify(of(after)) })).filter((f) => f.ours !== f.theirs);
    return fields.length > 0 ? [{ at: after.updatedAt, fields }] : [];
  }).reverse();
}

/** changedBy is a memory after a change of many, itself when nothing changes. */
export function changedBy(m: MemoryView, edit: ManyEditView, next: readonly string[]): MemoryView {
  const status = edit.undoStatus && m.was !== '' ? m.was : next.includes(edit.status) ? edit.status : m.status;
  const was = status === m.status || edit.undoStatus ? '' : m.status;
  const type = edit.type || m.type;
  const tags = [...new Set([...m.tags, ...edit.addTags.map((tag) => tag.toLowerCase())])].filter((tag) => !edit.removeTags.includes(tag));
  const exportable = edit.exportable ?? m.exportable;
  if (status === m.status && type === m.type && exportable === m.exportable && tags.join() === m.tags.join()) return m;
  return { ...m, status, was, type, tags, exportable, versions: m.versions + 1, updatedAt: new Date().toISOString() };
}

/** tally counts names, the most frequent first. */
export function tally(names: string[]): CountView[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
}

/** steppedBack is a memory without the last step of its lifecycle. */
export function steppedBack(m: MemoryView): MemoryView {
  return { ...m, status: m.was, was: '', supersededBy: '', versions: m.versions + 1, updatedAt: new Date().toISOString() };
}

export function manyChanged(all: number, changed: number): ManyChangedView {
  return { changed, left: all - changed };
}

/** Views keeps named queries, by name. */
export class SampleViews {
  private all: SavedQueryView[] = [];

  list(): SavedQueryView[] {
    return this.all;
  }

  save(name: string, query: QueryView): SavedQueryView[] {
    this.all = [...this.all.filter((v) => v.name !== name), { name, query }].sort((a, b) => (a.name < b.name ? -1 : 1));
    return this.all;
  }

  drop(name: string): SavedQueryView[] {
    this.all = this.all.filter((v) => v.name !== name);
    return this.all;
  }
}

type Line = { from: string; to: string; type: string };

/** graphOf is a window of a thousand points and lines. joined leaves out what nothing joins, unless that is all. */
export function graphOf(all: readonly MemoryView[], relations: readonly Line[], offset: number, joined: boolean): GraphView {
  const degrees = new Map(all.map((m) => [m.id, 0]));
  for (const r of relations) for (const id of [r.from, r.to]) if (degrees.has(id)) degrees.set(id, (degrees.get(id) ?? 0) + 1);
  const edges = [...relations, ...conversationLines(all)].filter((r) => degrees.has(r.from) && degrees.has(r.to));
  const ends = new Set(edges.flatMap((r) => [r.from, r.to]));
  const kept = all.filter((m) => !joined || degrees.get(m.id) !== 0 || ends.has(m.id) || topicOf(m) !== '');
  const nodes = (kept.length > 0 ? kept : all).toSorted((a, b) => (degrees.get(b.id) ?? 0) - (degrees.get(a.id) ?? 0));
  return {
    totalNodes: nodes.length, totalEdges: edges.length,
    nodes: nodes.slice(offset, offset + 1000).map((m) => ({ id: m.id, type: m.type, status: m.status, platform: m.provenance.platform, label: m.content.length > 120 ? `${m.content.slice(0, 119)}…` : m.content, topic: topicOf(m), degree: degrees.get(m.id) ?? 0 })),
    edges: edges.slice(offset, offset + 1000).map(({ from, to, type }) => ({ from, to, type })),
  };
}

/** conversationLines join each memory to the next of its conversation. */
function conversationLines(all: readonly MemoryView[]): Line[] {
  const last = new Map<string, string>();
  return all.flatMap(({ id, provenance: { conversationRef } }) => {
    const from = last.get(conversationRef);
    if (conversationRef !== '') last.set(conversationRef, id);
    return from === undefined ? [] : [{ from, to: id, type: 'same_conversation' }];
  });
}

export type Relation = { id: string; from: string; to: string; type: string; createdAt: string; words?: string[] };

/** relations are those of a made-up vault. */
export function relations(size: number): Relation[] {
  const near = RELATIONS.map(([from, type, to]) => ({ from: `m-${from}`, to: `m-${to}`, type }));
  return [...near, ...farRelations(size)].map((line, i) => ({ ...line, id: `r-${i}`, createdAt: '2025-10-12T10:00:00Z', ...(i === 2 && { words: ['grows_at'] }) }));
}

/** farRelations join the memories of a large made-up vault, the same every time. */
function farRelations(size: number): Line[] {
  const types = ['supports', 'contradicts', 'extends', 'supersedes', 'related_to', 'derived_from'];
  const start = RELATIONS.length * 6;
  return Array.from({ length: Math.max(0, size - start) }, (_, i) => {
    const at = start + i;
    return { from: `m-${at}`, to: `m-${Math.floor(at / 7) + ((at * 31) % 5)}`, type: types[at % types.length] ?? 'supports' };
  });
}

const FOCUS: FocusView[] = [
  { platform: 'chatgpt', chapter: 'work', count: 14, of: 24, since: '', before: 0, ofBefore: 0 },
  { platform: 'claude', chapter: 'home', count: 7, of: 9, since: '2026-05', before: 2, ofBefore: 14 },
];

/** insightsOf counts memories and conversations. */
export function insightsOf(memories: readonly MemoryView[], talks: readonly { createdAt: string; messages: number; model: string }[], relations: readonly Line[]): InsightsView {
  const types = new Map<string, Map<string, number>>();
  const months = new Map<string, number>();
  const confidence = new Array<number>(10).fill(0);
  const active = new Set<string>();
  let fading = 0;
  let stale = 0;
  for (const m of memories) {
    const statuses = types.get(m.type) ?? new Map<string, number>();
    types.set(m.type, statuses.set(m.status, (statuses.get(m.status) ?? 0) + 1));
    const key = `${m.createdAt.slice(0, 7)} ${m.provenance.platform}`;
    months.set(key, (months.get(key) ?? 0) + 1);
    if (m.status !== 'active') continue;
    active.add(m.id);
    const band = Math.min(9, Math.floor((m.confidence?.now ?? 1) * 10));
    confidence[band] = (confidence[band] ?? 0) + 1;
    if (m.confidence?.decayModel.startsWith('time')) fading++;
    if (Date.now() - Date.parse(m.updatedAt || m.createdAt) > 365 * 86_400_000) stale++;
  }
  const days = new Map<string, { day: string; conversations: number; messages: number }>();
  const models = new Map<string, number>();
  for (const c of talks) {
    const day = c.createdAt.slice(0, 10);
    const seen = days.get(day) ?? { day, conversations: 0, messages: 0 };
    days.set(day, { day, conversations: seen.conversations + 1, messages: seen.messages + c.messages });
    if (c.model) models.set(c.model, (models.get(c.model) ?? 0) + 1);
  }
  const counted = (counts: ReadonlyMap<string, number>) => [...counts].map(([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count);
  const sum = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((a, b) => a + b, 0);
  return {
    memories: memories.length, confidence, fading, stale, exportable: memories.filter((m) => m.exportable).length,
    types: [...types].sort(([, a], [, b]) => sum(b) - sum(a)).map(([type, statuses]) => ({ type, statuses: counted(statuses) })),
    months: [...months].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, count]) => ({ month: key.slice(0, 7), platform: key.slice(8), count })),
    contradicting: relations.filter((r) => r.type === 'contradicts' && active.has(r.from) && active.has(r.to)).length,
    days: [...days.values()].sort((a, b) => (a.day < b.day ? -1 : 1)), models: counted(models), focus: memories.length > 0 ? FOCUS : [],
  };
}
