import { allMemories } from './queries';
import { blank, now } from './sampleMemories';
import type { SampleVault } from './sampleVault';
import type { MemoryView, PortraitMethods, PortraitPartView, SentenceView, StatementsView, StatementView } from './types';

const CHAPTERS = ['you', 'people', 'home', 'work', 'projects', 'health', 'tastes', 'answers', 'goals', 'tools'];
const OF_TYPE: Record<string, string> = { relationship: 'people', goal: 'goals', instruction: 'answers', project: 'projects', preference: 'tastes', environment: 'tools', skill: 'work', context: 'home', custom: 'health' };
const UNCHANGED = { query: allMemories, addTags: [], removeTags: [], status: '', undoStatus: false, type: '', customType: '' };
const FIRST = 12;
const PAGE = 200;

/** SamplePortrait is the portrait of the made-up vault. It places by type alone. */
export class SamplePortrait {
  /** news: there is some, and something to delete at an assistant. */
  constructor(private readonly data: SampleVault, private readonly news = false) {}

  methods(): PortraitMethods {
    return {
      Read: async () => {
        const parts = this.parts();
        const sum = (of: (part: PortraitPartView) => number) => parts.reduce((all, part) => all + of(part), 0);
        return { chapters: parts.map((part) => ({ ...part, sentences: part.sentences.slice(0, FIRST) })), total: sum((part) => part.total), left: sum((part) => part.left) };
      },
      Chapter: async (name, offset) => {
        const part = this.parts().find((one) => one.chapter === name) ?? { chapter: name, total: 0, left: 0, sentences: [] };
        return { ...part, sentences: part.sentences.slice(offset, offset + PAGE) };
      },
      Confirm: async (ids) => this.say('review', ids, { reviewed: true }),
      Retract: async (ids) => this.data.editMany({ ...UNCHANGED, ids, status: 'retracted' }).changed,
      End: async (id, since, instead) => this.end(id, since, instead.trim()),
      Keep: async (ids, stays) => this.data.editMany({ ...UNCHANGED, ids, exportable: !stays }).changed,
      Move: async (ids, chapter) => this.say('move', ids, { chapter }),
      PlanSplit: async (id) => ({ facts: factsOf(this.data.get(id).content) }),
      Split: async (id, facts) => this.split(id, facts),
      News: async (of) => {
        if (!this.news) return [];
        const all = this.data.shared().memories;
        const learned = all.slice(0, 20).map((m) => this.statement(m));
        const changed = all.slice(20, 21).map((m) => this.statement(m, `${m.content} Perhaps`));
        const left = [...learned, ...changed].filter((s) => s.status === 'active' && !s.reviewed).length;
        return [{ platform: 'chatgpt', account: '', since: '2025-03-03T10:00:00Z', left, learned: part(learned, of.offset, of.platform), changed: part(changed, of.offset, of.platform), dropped: part(all.slice(21, 23).map((m) => this.statement(m)), of.offset, of.platform) }];
      },
      ToDelete: async (of) => {
        if (!this.news) return [];
        const over = this.data.shared().memories.filter((m) => ['retracted', 'superseded'].includes(m.status) && !this.data.shared().reviews[m.id]?.asked).map((m) => this.statement(m));
        return over.length > 0 ? [{ platform: 'chatgpt', account: '', exported: '2025-10-03T10:00:00Z', ...part(over, of.offset, of.platform) }] : [];
      },
      Asked: async (_, ids) => this.say('ask', ids, { asked: true }),
    };
  }

  private say(kind: string, ids: string[], what: { reviewed?: boolean; chapter?: string; asked?: boolean }): number {
    const before = this.data.shared().reviews;
    this.data.commit(kind, ids, (state) => (state.reviews = { ...before, ...Object.fromEntries(ids.map((id) => [id, { ...before[id], ...what }])) }));
    return ids.filter((id) => !before[id]?.reviewed).length;
  }

  private end(id: string, since: string, instead: string): void {
    this.data.commit('end', [id], (state) => {
      const status = instead === '' ? 'retracted' : 'superseded';
      state.memories = state.memories.map((m) => (m.id === id ? { ...m, status, validUntil: since } : m));
      if (instead !== '') state.memories.unshift({ ...blank(`${id}-next`), type: this.data.get(id).type, content: instead, createdAt: now() });
    });
  }

  private split(id: string, facts: string[]): number {
    const whole = this.data.get(id);
    this.data.commit('split', [id], (state) => {
      const parts = facts.map((content, i) => ({ ...whole, id: `${id}-${i}`, content }));
      state.memories = [...parts, ...state.memories.map((m) => (m.id === id ? { ...m, status: 'archived' } : m))];
    });
    return facts.length;
  }

  private statement(m: MemoryView, before = ''): StatementView {
    return { id: m.id, content: m.content.slice(0, 1200), before, clipped: m.content.length > 1200, status: m.status, reviewed: this.sentence(m).reviewed };
  }

  private parts(): PortraitPartView[] {
    const active = this.data.shared().memories.filter((m) => m.status === 'active');
    return CHAPTERS.flatMap((chapter) => {
      const sentences = active.filter((m) => this.chapterOf(m) === chapter).map((m) => this.sentence(m));
      return sentences.length > 0 ? [{ chapter, total: sentences.length, left: sentences.filter((s) => !s.reviewed).length, sentences }] : [];
    });
  }

  private chapterOf(m: MemoryView): string {
    return this.data.shared().reviews[m.id]?.chapter || (OF_TYPE[m.type] ?? 'you');
  }

  private sentence(m: MemoryView): SentenceView {
    const said = this.data.shared().reviews[m.id];
    const number = Number(m.id.slice(2));
    return {
      id: m.id, content: m.content.slice(0, 1200), clipped: m.content.length > 1200, type: m.type, platforms: number % 7 === 3 ? [m.provenance.platform, 'gemini'] : [m.provenance.platform], told: number % 7 === 3 ? 3 : 1, createdAt: m.createdAt,
      reviewed: (said?.reviewed ?? false) || m.provenance.method === 'manual', stays: !m.exportable, moved: Boolean(said?.chapter), also: [],
    };
  }
}

/** factsOf cuts at semicolons alone; the program knows more. */
function factsOf(content: string): string[] {
  const facts = content.split(';').map((fact) => fact.trim());
  return facts.length > 1 ? facts : [];
}

function part(all: StatementView[], offset: number, platform: string): StatementsView {
  return { total: all.length, first: all.slice(offset, offset + (platform === '' ? FIRST : PAGE)) };
}
