import type {
  AccountView, ChangeView, ConversationHeadView, ConversationPageView, ConversationQueryView, EditView, ExportOptionsView,
  ExportPreviewView, ExportResultView, FacetsView, FaultView, FindingsView, ForgetQueryView, IndexView, LinkView, MemoryPageView, MemoryRowView, MemoryView, MessageView,
  GraphView, InsightsView, ManyChangedView, ManyEditView, MemoryChangeView, NewMemoryView, QueryView, SensitiveMarkView, SimilarView, StandsView, TextView, ThreadView, TopicsView, TypeView, VerifyView,
} from './types';
import { MEMORIES } from './sample';
import { blank, certaintyOf, memoryOf, now, sorted } from './sampleMemories';
import { changedBy, graphOf, historyOf, insightsOf, manyChanged, relations, SampleViews, steppedBack, tally, type Relation } from './sampleOverview';
import { circlesOfSample, type SampleCircle } from './sampleCircles';
import { buildsOn, EXPORTS, fileNameOf, reasonToStay, REGISTERED } from './sampleExports';
import { FOUND, FOUND_IN_CONVERSATIONS, findingsIn, redacts } from './sampleFindings';
import { marked, marksOf, sensitiveOf, type Said } from './sampleSensitive';
import { topicsOf } from './sampleTopics';
import { folded, likeOf, textsOf, type SampleText } from './sampleSearch';
import { COVERS, NOT_COVERED, verification, WORDS } from './sampleVerify';
import { CONVERSATIONS, longConversation, pathThrough, pieceOf, standsIn, type SampleConversation, type SampleMessage } from './sampleConversations';

// A vault in memory for tests and for looking at the page without Go. It keeps
// the rules that the page must not be able to break: legal steps, closed lists,
// one undo after the other.

/** Reviews is what was said of memories in the portrait, by id. */
export type Reviews = Readonly<Record<string, { reviewed?: boolean; asked?: boolean; chapter?: string }>>;
type State = { memories: MemoryView[]; relations: Relation[]; said: Said; circles: readonly SampleCircle[]; reviews: Reviews };
type Saved = State & { change: ChangeView };

const NEXT: Record<string, string[]> = {
  active: ['superseded', 'deprecated', 'retracted', 'archived'],
  superseded: ['archived'],
  deprecated: ['retracted', 'archived'],
};

export class SampleVault {
  private state: State;
  private readonly history: Saved[] = [];
  private undone: Saved[] = [];
  readonly views = new SampleViews();
  private conversations: SampleConversation[];
  private count = 0;
  private readonly described = new Map<string, string>();

  /** size: how many memories; beyond the written ones they repeat, numbered. */
  constructor(size = MEMORIES.length, private readonly changed: () => void = () => {}, circles?: number) {
    this.state = { memories: Array.from({ length: size }, (_, i) => memoryOf(i)), relations: relations(size), said: {}, circles: circlesOfSample(size, circles), reviews: {} };
    this.conversations = [...CONVERSATIONS, longConversation(4_000)];
  }

  // Library

  list(query: QueryView): MemoryPageView {
    const found = this.select(query);
    const limit = query.limit > 0 ? Math.min(query.limit, 200) : 200;
    return { items: found.slice(query.offset, query.offset + limit).map((m) => this.rowOf(m)), total: found.length };
  }

  facets(query: QueryView): FacetsView {
    const without = (part: Partial<QueryView>) => this.select({ ...query, ...part });
    return {
      types: tally(without({ types: [] }).map((m) => m.type)),
      statuses: tally(without({ statuses: [] }).map((m) => m.status)),
      accounts: tally(without({ accounts: [] }).flatMap((m) => (m.provenance.platformUserId ? [m.provenance.platformUserId] : []))),
      platforms: tally(without({ platforms: [] }).map((m) => m.provenance.platform)),
      tags: tally(without({ tags: [] }).flatMap((m) => m.tags)).slice(0, 100),
      projects: tally(without({ projects: [] }).flatMap((m) => this.projectOf(m))),
      years: tally(without({ years: [] }).map((m) => m.createdAt.slice(0, 4))).sort((a, b) => Number(b.name) - Number(a.name)),
      confidence: tally(without({ confidence: [] }).map(certaintyOf)),
      related: without({ hasRelations: true }).length,
    };
  }

  get(id: string): MemoryView {
    const memory = this.find(id);
    const head = this.conversations.find((c) => c.id === memory.provenance.conversationRef);
    const view: MemoryView = {
      ...structuredClone(memory),
      next: NEXT[memory.status] ?? [],
      relations: this.state.relations
        .filter((r) => r.from === id || r.to === id)
        .map((r) => ({ id: r.id, type: r.type, outgoing: r.from === id, createdAt: r.createdAt, other: this.rowOf(this.find(r.from === id ? r.to : r.from)), words: r.words ?? [] })),
    };
    if (head) view.conversation = this.headOf(head);
    return view;
  }

  add(m: NewMemoryView): MemoryView {
    if (m.content.trim() === '') throw fault('invalid', 'no-content', 'A memory needs some text.');
    const id = this.id();
    this.commit('add', [id], (s) => s.memories.unshift({ ...blank(id), type: m.type, customType: m.customType, content: m.content, tags: m.tags, provenance: { ...blank(id).provenance, conversationRef: m.conversation ?? '', messageRef: m.message ?? '' } }));
    return this.get(id);
  }

  edit(id: string, edit: EditView): MemoryView {
    if (edit.content !== undefined && edit.content.trim() === '') throw fault('invalid', 'no-content', 'A memory needs some text.');
    const given = { ...Object.fromEntries(Object.entries(edit).filter(([, value]) => value !== undefined)), ...((edit.importance ?? 0) < 0 && { importance: undefined }) };
    this.commit('edit', [id], (s) => {
      const at = this.index(s, id);
      const memory = s.memories[at];
      if (memory) s.memories[at] = { ...memory, ...given, corrected: memory.corrected || (memory.sources.length > 0 && (edit.content ?? memory.content) !== memory.content), updatedAt: now(), versions: memory.versions + 1 };
    });
    return this.get(id);
  }

  setStatus(id: string, status: string, by: string): MemoryView {
    if (!NEXT[this.find(id).status]?.includes(status)) throw fault('refused', 'illegal-step', 'That step of the lifecycle is not possible.');
    this.commit('set-status', [id], (s) => {
      const at = this.index(s, id);
      const memory = s.memories[at];
      if (memory) s.memories[at] = { ...memory, status, supersededBy: by, was: memory.status, updatedAt: now(), versions: memory.versions + 1 };
      if (by !== '') s.relations.push({ id: this.id(), from: by, to: id, type: 'supersedes', createdAt: now() });
    });
    return this.get(id);
  }

  undoStatus(id: string): MemoryView {
    if (this.find(id).was === '') throw fault('conflict', 'no-step-back', 'Keepsake keeps no earlier status of this memory.');
    this.commit('set-status', [id], (s) => (s.memories = s.memories.map((m) => (m.id === id ? steppedBack(m) : m))));
    return this.get(id);
  }

  relate(from: string, type: string, to: string): MemoryView {
    if (from === to) throw fault('invalid', 'relation-self', 'A memory cannot be related to itself.');
    if (this.state.relations.some((r) => r.from === from && r.to === to && r.type === type)) throw fault('conflict', 'relation-exists', 'These two are already related this way.');
    this.find(to);
    this.commit('relate', [from, to], (s) => s.relations.push({ id: this.id(), from, to, type, createdAt: now() }));
    return this.get(from);
  }

  changeRelation(id: string, relation: string, kind: string): MemoryView {
    this.commit('relation-kind', [id], (s) => (s.relations = s.relations.map((r) => (r.id === relation ? { ...r, type: kind } : r))));
    return this.get(id);
  }

  unrelate(id: string, relation: string): MemoryView {
    this.commit('unrelate', [id], (s) => {
      s.relations = s.relations.filter((r) => r.id !== relation);
    });
    return this.get(id);
  }

  undo(): ChangeView {
    const last = this.history.pop();
    if (!last) throw fault('not_found', 'nothing-to-undo', 'There is nothing to take back.');
    const { change, ...state } = last;
    this.undone.push({ ...this.state, change });
    this.state = state;
    this.changed();
    return change;
  }

  redo(): ChangeView {
    const last = this.undone.pop();
    if (!last) throw fault('not_found', 'nothing-to-redo', 'There is nothing to redo.');
    const { change, ...state } = last;
    this.history.push({ ...this.state, change });
    this.state = state;
    this.changed();
    return change;
  }

  versionsOf(id: string): MemoryChangeView[] {
    const states = [...this.history.map((saved) => saved.memories), this.state.memories];
    return historyOf(states.flatMap((memories) => memories.find((m) => m.id === id) ?? []));
  }

  editMany(edit: ManyEditView): ManyChangedView {
    const ids = new Set(edit.ids.length > 0 ? edit.ids : this.select(edit.query).map((m) => m.id));
    let changed = 0;
    this.commit('edit-many', [...ids], (s) => {
      s.memories = s.memories.map((m) => {
        const next = ids.has(m.id) ? changedBy(m, edit, NEXT[m.status] ?? []) : m;
        if (next !== m) changed++;
        return next;
      });
    });
    return manyChanged(ids.size, changed);
  }

  graph(query: QueryView): GraphView {
    return graphOf(this.select({ ...query, hasRelations: false }), this.state.relations, query.offset, query.hasRelations);
  }

  insights(): InsightsView {
    return insightsOf(this.state.memories, this.conversations.map((c) => this.headOf(c)), this.state.relations);
  }

  readonly topics = (missing: number): TopicsView => topicsOf(this.state.memories, missing);

  sensitive(id: string): SensitiveMarkView[] {
    return marksOf(this.find(id), this.state.said);
  }

  markSensitive(id: string, topic: string, answer: string): SensitiveMarkView[] {
    this.commit('mark-sensitive', [id], (s) => (s.said = marked(s.said, id, topic, answer)));
    return this.sensitive(id);
  }

  lastChange(): ChangeView {
    return this.history.at(-1)?.change ?? { id: '', at: '', kind: '', subjects: [] };
  }

  /** selectedForForgetting is what a plan shows: rows and heads. */
  selectedForForgetting(query: ForgetQueryView): { memories: MemoryRowView[]; conversations: ConversationHeadView[] } {
    const early = (at: string) => query.before !== '' && at < query.before;
    const found = query.library ? this.select({ ...query.library, offset: 0, limit: 0 }) : this.state.memories.filter((m) => query.ids.includes(m.id) || early(m.createdAt));
    const talks = query.library ? [] : this.conversations.filter((c) => query.ids.includes(c.id) || early(c.createdAt));
    return { memories: found.map((m) => this.rowOf(m)), conversations: talks.map((c) => this.headOf(c)) };
  }

  /** forget takes out for good: what was done before cannot bring it back. */
  forget(memories: readonly string[], conversations: readonly string[]): void {
    this.history.length = 0;
    this.state = {
      ...this.state,
      memories: this.state.memories.filter((m) => !memories.includes(m.id)),
      relations: this.state.relations.filter((r) => !memories.includes(r.from) && !memories.includes(r.to)),
    };
    this.conversations = this.conversations.filter((c) => !conversations.includes(c.id));
    this.changed();
  }

  // Conversations

  listConversations(query: ConversationQueryView): ConversationPageView {
    const words = folded(query.text);
    const heads = this.conversations
      .map((c) => this.headOf(c))
      .filter((h) => folded(h.title).includes(words) && (query.platforms.length === 0 || query.platforms.includes(h.platform)) && (query.accounts.length === 0 || query.accounts.includes(h.account)));
    const down = query.sort.startsWith('-') || query.sort === '';
    const by = query.sort.replace(/^-/, '') || 'updated';
    const valueOf = (h: ConversationHeadView) => (by === 'title' ? h.title : by === 'messages' ? h.messages : by === 'created' ? h.createdAt : h.updatedAt);
    heads.sort((a, b) => (valueOf(a) < valueOf(b) ? -1 : 1) * (down ? -1 : 1));
    return { items: heads.slice(query.offset, query.offset + (query.limit || 200)), total: heads.length };
  }

  thread(id: string, leaf: string, offset: number, limit: number): ThreadView {
    const conversation = this.conversation(id);
    const path = pathThrough(conversation, leaf);
    const messages = path.slice(offset, offset + Math.min(limit || 200, 200)).map((m) => this.messageOf(conversation, m));
    return { head: this.headOf(conversation), messages, offset, total: path.length, said: path.length, leaf: path.at(-1)?.id ?? '', at: path.findIndex((m) => m.id === leaf), shared: conversation.shared ?? [] };
  }

  stands(id: string, leaf: string, text: string): StandsView {
    return standsIn(pathThrough(this.conversation(id), leaf), text);
  }

  private conversation(id: string): SampleConversation {
    const conversation = this.conversations.find((c) => c.id === id);
    if (!conversation) throw fault('not_found', 'no-conversation', 'There is no such conversation in the vault.');
    return conversation;
  }

  further(id: string, message: string, part: number, from: number): TextView {
    const text = this.conversations.find((c) => c.id === id)?.messages.find((m) => m.id === message)?.text ?? '';
    return part === 0 ? pieceOf(text, from) : pieceOf('', 0);
  }

  checkLink(address: string): LinkView {
    const url = new URL(address);
    if (!/^(https?|mailto):$/.test(url.protocol)) throw fault('refused', 'link-refused', 'Only web and mail addresses are opened.');
    return { url: url.href, scheme: url.protocol.slice(0, -1), host: url.host || url.pathname };
  }

  /** texts is all that a search looks through. */
  texts(): SampleText[] {
    return textsOf(this.state.memories, this.conversations);
  }

  indexState(): Omit<IndexView, 'missing' | 'onBattery'> {
    const records = this.state.memories.length + this.conversations.length;
    return { compares: true, records, vectors: records };
  }

  similar(id: string): SimilarView[] {
    return likeOf(this.state.memories, id, this.conversations.find((c) => c.id === id)?.title);
  }

  // Exports

  preview(options: ExportOptionsView): ExportPreviewView {
    const excluded = new Map<string, number>();
    const leaving = this.state.memories.filter((m) => {
      const reason = reasonToStay(m, options, this.state);
      if (reason !== '') excluded.set(reason, (excluded.get(reason) ?? 0) + 1);
      return reason === '';
    });
    const parts = options.includeConversations || options.includeEmbeddings;
    const base = options.incremental ? EXPORTS.find((e) => buildsOn(e) && (options.base === '' || options.base === e.id)) : undefined;
    return {
      memories: leaving.length,
      relations: this.state.relations.length,
      conversations: options.for !== '' ? 0 : options.conversations.length || this.conversations.length,
      titles: options.for !== '' || options.includeConversations ? 0 : options.conversations.length || this.conversations.length,
      excluded: [...excluded].map(([name, count]) => ({ name, count })),
      fileName: fileNameOf(options, parts),
      ...this.found(options), todos: options.format === 'mif' ? 3 : 0, embeddings: options.includeEmbeddings ? 12 : 0, hasEmbeddings: true, sensitive: sensitiveOf(leaving, this.state.said), baseId: base?.id ?? '', since: base?.at ?? '',
    };
  }

  findings(options: ExportOptionsView): FindingsView {
    const on = redacts(options);
    const unread = on || !options.includeConversations ? 0 : this.conversations.length;
    return { ...findingsIn(on && options.includeConversations ? [...FOUND, ...FOUND_IN_CONVERSATIONS] : FOUND, on, options.keep), unread };
  }

  private found(options: ExportOptionsView) {
    const { total, hidden, kinds, unread } = this.findings(options);
    return { findings: total, hidden, kinds, unread };
  }

  export(options: ExportOptionsView): ExportResultView {
    const preview = this.preview(options);
    return {
      token: 'export-1', url: '', name: preview.fileName, folder: '/home/marina/Documents', bytes: 184_311, exportId: 'a1f2',
      exportDate: now(), incremental: preview.baseId !== '', since: preview.since, memories: preview.memories, titles: options.withoutTitles ? 0 : preview.titles, excluded: preview.excluded,
      checksum: `sha256:${'9f2c61b07ad4e835'.repeat(4)}`,
      signed: options.format === '', format: options.format, todos: preview.todos, hidden: preview.hidden, encrypted: options.passphrase !== '', did: 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK',
      fingerprint: '4F7A 91C2 0B6E D358', words: WORDS, covers: options.includeConversations ? [...COVERS, ...NOT_COVERED] : COVERS,
      notCovered: options.includeConversations ? [] : NOT_COVERED, verdict: 'own',
    };
  }

  // Accounts and types

  accounts(): AccountView[] {
    return [];
  }

  types(): TypeView[] {
    const counts = new Map(tally(this.state.memories.map((m) => m.customType)).map((c) => [c.name, c.count]));
    const names = new Set([...counts.keys(), ...this.described.keys(), ...Object.keys(REGISTERED)].filter((name) => name !== ''));
    return [...names].sort().map((customType) => ({
      type: 'custom', customType, description: this.described.get(customType) ?? REGISTERED[customType] ?? '',
      status: customType in REGISTERED ? 'registered' : 'unregistered', own: this.described.has(customType), memories: counts.get(customType) ?? 0,
    }));
  }

  describeType(name: string, description: string): TypeView[] {
    if (name.trim() === '') throw fault('invalid', 'type-name-length', 'A type needs a name of at most 64 bytes.');
    this.described.set(name, description);
    return this.types();
  }

  forgetType(name: string): TypeView[] {
    this.described.delete(name);
    return this.types();
  }

  verify(token: string): VerifyView {
    return verification(token);
  }

  // Inside

  private select(query: QueryView): MemoryView[] {
    const words = folded(query.text).split(/\s+/).filter((w) => w !== '');
    const related = new Set(this.state.relations.flatMap((r) => [r.from, r.to]));
    const oneOf = <T>(names: T[], ...own: T[]) => names.length === 0 || own.some((name) => names.includes(name));
    const found = this.state.memories.filter(
      (m) =>
        oneOf(query.types, m.type) && oneOf(query.statuses, m.status) && oneOf(query.platforms, m.provenance.platform) && oneOf(query.accounts, m.provenance.platformUserId) &&
        oneOf(query.tags, ...m.tags) && oneOf(query.projects, ...this.projectOf(m)) && oneOf(query.years, Number(m.createdAt.slice(0, 4))) && oneOf(query.confidence, certaintyOf(m)) &&
        (query.conversation === '' || m.provenance.conversationRef === query.conversation) &&
        (!query.hasRelations || related.has(m.id)) && words.every((w) => folded(`${m.content} ${m.tags.join(' ')}`).includes(w)),
    );
    return sorted(found, query.sort || '-created');
  }

  private projectOf(m: MemoryView): string[] {
    const project = this.conversations.find((c) => c.id === m.provenance.conversationRef)?.project;
    return project ? [project] : [];
  }

  private rowOf(m: MemoryView): MemoryRowView {
    return {
      id: m.id, type: m.type, customType: m.customType, content: m.content.slice(0, 1200), clipped: m.content.length > 1200, status: m.status,
      tags: m.tags, platform: m.provenance.platform, createdAt: m.createdAt, updatedAt: m.updatedAt, confidence: m.confidence?.now ?? -1,
      relations: this.state.relations.filter((r) => r.from === m.id || r.to === m.id).length, exportable: m.exportable, removed: m.removed,
    };
  }

  private headOf(c: SampleConversation): ConversationHeadView {
    const path = pathThrough(c, '');
    return {
      id: c.id, platform: c.platform, title: c.title, createdAt: c.createdAt, updatedAt: path.at(-1)?.at ?? c.createdAt, messages: c.messages.length,
      branches: c.messages.length - path.length, derived: this.state.memories.filter((m) => m.provenance.conversationRef === c.id).length,
      model: c.model, project: c.project ?? '', account: '', archived: false, timeIsDerived: false, removed: c.removed ?? false, importId: 'import-1',
    };
  }

  private messageOf(c: SampleConversation, m: SampleMessage): MessageView {
    const siblings = c.messages.filter((o) => o.parent === m.parent).map((o) => o.id);
    const text = { type: m.code ? 'code' : 'text', ...pieceOf(m.text, 0), language: m.code ?? '', mimeType: '', url: '' };
    return {
      id: m.id, role: m.role, createdAt: m.at, model: m.model ?? '', isThought: m.thought ?? false, hidden: m.hidden ?? '', parts: m.text === '' ? [] : [text],
      attachments: m.attachments ?? [], citations: m.citations ?? [], toolCalls: m.tools ?? [], siblings: siblings.length > 1 ? siblings : [],
      memories: this.state.memories.filter((o) => o.provenance.conversationRef === c.id && o.provenance.messageRef === m.id).map((o) => o.id),
      ...(m.rating ? { rating: m.rating } : {}),
    };
  }

  private find(id: string): MemoryView {
    const memory = this.state.memories.find((m) => m.id === id);
    if (!memory) throw fault('not_found', 'no-memory', 'There is no such memory in the vault.');
    return memory;
  }

  private index(state: State, id: string): number {
    this.find(id);
    return state.memories.findIndex((m) => m.id === id);
  }

  private id(): string {
    return `new-${++this.count}`;
  }

  readonly shared = (): State => this.state;

  commit(kind: string, subjects: string[], change: (state: State) => void): void {
    const before = { ...this.state, memories: [...this.state.memories], relations: [...this.state.relations] };
    change(this.state);
    this.history.push({ ...before, change: { id: this.id(), at: now(), kind, subjects } });
    this.undone = [];
    this.changed();
  }
}

/** fault is an error as the real backend throws it. */
export function fault(code: string, reason: string, message: string, args: Record<string, string> = {}): Error & { fault: FaultView } {
  const view: FaultView = { code, reason, message, hint: '', args };
  return Object.assign(new Error(JSON.stringify(view)), { fault: view });
}
