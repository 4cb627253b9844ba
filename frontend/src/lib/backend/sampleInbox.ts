import { fault, type SampleVault } from './sampleVault';
import type { MemoryView, Methods, NearView, ProposalView, ReviewPairView } from './types';

type Around = { data: SampleVault; changed: () => void };

/** SampleInbox proposes what Marina said in her sample conversations. */
export class SampleInbox {
  allowed = true;
  repeated = 0; // what the next look finds in other words than what was rejected
  items: ProposalView[] = PROPOSALS.map(([type, content, rule, confidence, conversationId, messageId, platform], i) => ({
    id: `proposal-${i}`, type, content, rule, confidence, platform, conversationId, messageId, saidAt: `2025-10-${String(18 - i).padStart(2, '0')}T09:12:00Z`, by: '', tags: [], reason: '', instructs: false,
  }));
  near: Record<string, NearView[]> = {
    'proposal-1': [{ id: 'm-2', content: 'Prefers loose-leaf tea to coffee after noon.', status: 'active', words: 0.71, meaning: 0.88 }],
  };

  pairs: ReviewPairView[] = [];
  /** Memories that are not compared yet. */
  missing = 0;
  private passed: ReviewPairView[] = [];

  constructor(private readonly around: Around) {}

  /** pairOf makes a pair of the memories at two places of the vault. */
  pairOf(kind: string, a: number, b: number, reason = ''): ReviewPairView {
    const paired = (n: number) => {
      const { id, type, customType, content, createdAt, provenance } = this.around.data.get(`m-${n}`);
      return { id, type, customType, content, createdAt, platform: provenance.platform };
    };
    return { kind, reason, a: paired(a), b: paired(b) };
  }

  methods(): Methods['Inbox'] {
    return {
      List: async (about) => {
        if (about === 'total') return { allowed: this.allowed, total: this.items.length, items: [] };
        const items = this.items.filter(({ change }) => about === '' || (about === 'changes') === Boolean(change));
        return { allowed: this.allowed, total: items.length, items: items.slice(0, 200) };
      },
      Near: async (id) => this.near[id] ?? [],
      Accept: async (id, edit) => this.accept(this.take(id), edit.type, edit.content),
      AcceptAll: async (ids) => ids.map((id) => this.accept(this.take(id), '', '')).length,
      Reject: async (ids) => ids.map((id) => this.take(id)).length,
      Merge: async (id, into) => {
        this.take(id);
        return this.around.data.get(into);
      },
      Pairs: async () => {
        const pairs = this.pairs.filter((pair) => [pair.a, pair.b].every(({ id }) => this.around.data.get(id).status === 'active'));
        return { pairs, total: pairs.length, missing: this.missing };
      },
      Pass: async (a, b, out) => {
        const isPair = (pair: ReviewPairView) => pair.a.id === a && pair.b.id === b;
        const [from, to] = out ? [this.pairs, this.passed] : [this.passed, this.pairs];
        to.push(...from.filter(isPair));
        from.splice(0, from.length, ...from.filter((pair) => !isPair(pair)));
      },
      MergeMemories: async (into, other) => {
        this.around.data.setStatus(other, 'superseded', into);
        return this.around.data.get(into);
      },
      Allow: async (on) => {
        this.allowed = on;
        this.around.changed();
        return { conversations: 14, messages: 96, new: on ? this.items.length : 0, rejected: this.repeated, flagged: on ? 1 : 0 };
      },
    };
  }

  private take(id: string): ProposalView {
    const found = this.items.find((p) => p.id === id);
    if (!found) throw fault('not_found', 'no-proposal', 'There is no proposal with this id.');
    this.items = this.items.filter((p) => p !== found);
    this.around.changed();
    return found;
  }

  private accept(p: ProposalView, type: string, content: string): MemoryView {
    const [memory] = p.change?.memories ?? [];
    if (p.change && memory) {
      if (p.change.standing) throw fault('conflict', 'change-changed', 'A memory has changed since it was proposed to change it.');
      return this.around.data.get(memory.id);
    }
    return this.around.data.add({ type: type || p.type, customType: '', content: content || p.content, tags: [] });
  }
}

const PROPOSALS: [type: string, content: string, rule: string, confidence: number, conversation: string, message: string, platform: string][] = [
  ['fact', "I'm allergic to hazelnuts.", 'en/allergy', 0.95, 'c-tea', 'm1', 'chatgpt'],
  ['preference', 'I prefer loose-leaf tea after noon.', 'en/prefer', 0.93, 'c-tea', 'm3', 'chatgpt'],
  ['relationship', 'Minha irmã Inês mora em Porto Alegre.', 'pt/kin-name', 0.94, 'c-tea', 'm5', 'chatgpt'],
  ['goal', "I'm trying to finish the index before Christmas.", 'en/trying', 0.9, 'c-tea', 'm7', 'claude'],
  ['instruction', 'Please always answer in British English.', 'en/always', 0.9, 'c-tea', 'm9', 'claude'],
];
