import { SENSITIVE_TOPICS } from '../taxonomy';
import { EXPORTS, GIVEN } from './sampleExports';
import { tally } from './sampleOverview';
import { marksOf, type Said } from './sampleSensitive';
import { fault } from './sampleVault';
import type { CircleEditView, CirclePreviewView, CirclesView, CircleView, GrantView, MembershipView, MemoryView, Methods } from './types';

// Circles of the made-up vault. As in Go, members are the memories that let the entity read them.

/** SampleCircle is a circle and what was done in it by hand, by ids of memories. */
export type SampleCircle = CircleEditView & { entity: string; picked: readonly string[]; out: readonly string[]; unconfirmed: readonly string[] };

/** Shared is what decides who gets what. */
type Shared = { memories: readonly MemoryView[]; circles: readonly SampleCircle[]; said: Said };

/** Source is the vault that the circles are of. */
export type Source = {
  shared(): Shared;
  get(id: string): MemoryView;
  commit(kind: string, subjects: string[], change: (state: { memories: MemoryView[]; circles: readonly SampleCircle[] }) => void): void;
};

const MOST = 200;
const bare = { types: [], tags: [], domains: [], topics: [], without: [], picked: [], out: [], unconfirmed: [] };
const WORK = ['skill', 'project', 'instruction', 'environment', 'goal', 'preference'];

/** circlesOfSample are those of a vault of so many memories, and numbered ones up to count. */
export function circlesOfSample(size: number, count = 3): SampleCircle[] {
  if (size === 0 || count === 0) return [];
  const usual = [
    { ...bare, entity: 'dr-lima', name: 'Dr. Lima', topics: ['health'] },
    { ...bare, entity: 'family', name: 'Family', tags: ['family'], without: ['money', 'numbers'], unconfirmed: ['m-20'] },
    { ...bare, entity: 'work-assistant', name: 'Work assistant', types: WORK, without: [...SENSITIVE_TOPICS] },
  ];
  const more = Array.from({ length: Math.max(0, count - usual.length) }, (_, i) => ({ ...bare, entity: `circle-${i + 1}`, name: NAMES[i] ?? `Reading group ${i + 1}` }));
  return [...usual, ...more];
}

const NAMES = ['Everybody who ever asked for the catalogue of the parish archive and its index', 'safe\u202Egnp.exe', 'Neighbours\u200B of the third floor', 'مكتبة الحي'];

const reads = (grant: GrantView, entity: string) => grant.entity === entity && grant.permissions.includes('read');
const lets = (m: MemoryView, entity: string) => m.visibility === 'public' || (m.visibility === 'shared' && m.sharedWith.some((grant) => reads(grant, entity)));
const isMember = (m: MemoryView, c: SampleCircle) => lets(m, c.entity) && !c.unconfirmed.includes(m.id);
const topicsOf = (m: MemoryView, said: Said) => marksOf(m, said).filter((mark) => mark.is).map((mark) => mark.topic);
const heldBack = (m: MemoryView, c: SampleCircle, said: Said) => (c.picked.includes(m.id) ? [] : topicsOf(m, said).filter((topic) => c.without.includes(topic)));

/** whyNot is why a memory does not leave for a circle; '' if it does. */
export function whyNot(m: MemoryView, entity: string, { circles, said }: Omit<Shared, 'memories'>): string {
  const circle = circles.find((c) => c.entity === entity) ?? { ...bare, entity, name: entity };
  if (!isMember(m, circle)) return 'not-shared';
  if (!m.exportable) return 'not-exportable';
  if (m.status !== 'active') return 'status';
  return heldBack(m, circle, said).length > 0 ? 'sensitive' : '';
}

function viewOf(c: SampleCircle, memories: readonly MemoryView[]): CircleView {
  const { entity, name, types, tags, domains, topics, without } = c;
  const members = memories.filter((m) => isMember(m, c)).length;
  const unconfirmed = memories.filter((m) => c.unconfirmed.includes(m.id) && m.sharedWith.some((grant) => reads(grant, entity))).length;
  return { entity, name, types, tags, domains, topics, without, members, unconfirmed };
}

/** waitingOf are the memories that fit a circle and are not in it. */
function waitingOf(c: SampleCircle, { memories, said }: Shared): MemoryView[] {
  const fits = (wanted: readonly string[], has: readonly string[]) => wanted.length === 0 || wanted.some((name) => has.includes(name));
  if ([...c.types, ...c.tags, ...c.domains, ...c.topics].length === 0) return [];
  return memories.filter((m) => {
    const topics = topicsOf(m, said);
    return m.exportable && m.status === 'active' && !isMember(m, c) && !c.out.includes(m.id) && fits(c.types, [m.type]) && fits(c.tags, m.tags) && fits(c.domains, [m.domain]) &&
      fits(c.topics, topics) && !topics.some((topic) => c.without.includes(topic));
  });
}

/** granted is a memory with these grants; the last one that goes makes it private. */
function granted(m: MemoryView, sharedWith: GrantView[]): MemoryView {
  const visibility = m.visibility === 'public' ? 'public' : sharedWith.length > 0 ? 'shared' : 'private';
  return { ...m, sharedWith, visibility, updatedAt: new Date().toISOString() };
}

/** SampleCircles stands for Go's circles, and for the history of what was given. */
export class SampleCircles {
  private made = 0;

  constructor(private readonly source: Source) {}

  private find(entity: string): SampleCircle {
    const circle = this.source.shared().circles.find((c) => c.entity === entity);
    if (!circle) throw fault('not_found', 'no-circle', `There is no circle called ${entity}.`, { name: entity });
    return circle;
  }

  /** nameOf is '' where there is no such circle. */
  nameOf(entity: string): string {
    return this.source.shared().circles.find((c) => c.entity === entity)?.name ?? '';
  }

  private list(): CirclesView {
    const { circles, memories } = this.source.shared();
    return {
      circles: circles.map((c) => viewOf(c, memories)).sort((a, b) => a.name.localeCompare(b.name)),
      nobody: memories.filter((m) => !m.exportable).length, public: memories.filter((m) => m.visibility === 'public').length,
    };
  }

  private preview(entity: string): CirclePreviewView {
    const shared = this.source.shared();
    const circle = this.find(entity);
    const members = shared.memories.filter((m) => isMember(m, circle));
    const reasons = members.map((m) => whyNot(m, entity, shared));
    const held = members.filter((_, i) => reasons[i] === 'sensitive').flatMap((m) => heldBack(m, circle, shared.said));
    return {
      circle: { ...viewOf(circle, shared.memories), members: members.length }, leaves: reasons.filter((why) => why === '').length,
      stays: tally(reasons.filter((why) => why !== '')), topics: tally(held), byWords: 0, waiting: waitingOf(circle, shared).length,
    };
  }

  private named(name: string, entity: string): string {
    const folded = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
    const kept = name.trim().replace(/\s+/g, ' ');
    if (kept === '' || kept.length > 80 || /\p{C}/u.test(kept)) throw fault('invalid', 'circle-name', 'A circle needs a name of at most 80 characters that can be seen.', { limit: '80' });
    const other = this.source.shared().circles.find((c) => c.entity !== entity && folded(c.name) === folded(kept));
    if (other) throw fault('conflict', 'circle-name-taken', `There is a circle called ${other.name}, and nobody could tell the two apart.`, { name: other.name });
    return kept;
  }

  private make(edit: CircleEditView): CircleView {
    if (this.source.shared().circles.length >= MOST) throw fault('too_large', 'too-many-circles', `There can be ${MOST} circles at most.`, { limit: String(MOST) });
    const circle = { ...bare, ...edit, name: this.named(edit.name, ''), entity: `made-${++this.made}` };
    this.source.commit('circle-add', [circle.entity], (s) => (s.circles = [...s.circles, circle]));
    return viewOf(circle, []);
  }

  private edit(entity: string, edit: CircleEditView): CircleView {
    const circle = { ...this.find(entity), ...edit, name: this.named(edit.name, entity) };
    this.source.commit('circle-edit', [entity], (s) => (s.circles = s.circles.map((c) => (c.entity === entity ? circle : c))));
    return viewOf(circle, this.source.shared().memories);
  }

  private drop(entity: string): number {
    this.find(entity);
    const out = this.source.shared().memories.filter((m) => m.sharedWith.some((grant) => grant.entity === entity)).map((m) => m.id);
    this.source.commit('circle-delete', [entity], (s) => {
      s.memories = s.memories.map((m) => (out.includes(m.id) ? granted(m, m.sharedWith.filter((grant) => grant.entity !== entity)) : m));
      s.circles = s.circles.filter((c) => c.entity !== entity);
    });
    return out.length;
  }

  private members(entity: string, ids: readonly string[], into: boolean, byHand: boolean): number {
    const circle = this.find(entity);
    const changes = (m: MemoryView) => ids.includes(m.id) && (into ? !isMember(m, circle) || m.visibility === 'public' : m.sharedWith.some((grant) => grant.entity === entity));
    const count = this.source.shared().memories.filter(changes).length;
    const others = (list: readonly string[]) => list.filter((id) => !ids.includes(id));
    this.source.commit('circle-members', [...ids], (s) => {
      s.memories = s.memories.map((m) => {
        if (!changes(m)) return m;
        const rest = m.sharedWith.filter((grant) => grant.entity !== entity);
        return granted(m, into ? [...rest, { entity, permissions: ['read'] }] : rest);
      });
      const picked = byHand && into ? [...others(circle.picked), ...ids] : others(circle.picked);
      const out = into ? others(circle.out) : [...others(circle.out), ...ids];
      s.circles = s.circles.map((c) => (c.entity === entity ? { ...c, picked, out, unconfirmed: others(c.unconfirmed) } : c));
    });
    return count;
  }

  private of(id: string): MembershipView[] {
    const shared = this.source.shared();
    const m = this.source.get(id);
    if (m.visibility === 'private') return [];
    const all = shared.circles.filter((c) => lets(m, c.entity)).sort((a, b) => a.name.localeCompare(b.name));
    return all.map((c) => ({ entity: c.entity, name: c.name, stays: isMember(m, c) ? whyNot(m, c.entity, shared) : 'unconfirmed' }));
  }

  methods(): Pick<Methods['Library'], 'Circles' | 'PreviewCircle' | 'MakeCircle' | 'EditCircle' | 'DropCircle' | 'JoinCircle' | 'FillCircle' | 'ConfirmCircle' | 'CirclesOf'> {
    return {
      Circles: async () => this.list(),
      PreviewCircle: async (circle) => this.preview(circle),
      MakeCircle: async (edit) => this.make(edit),
      EditCircle: async (circle, edit) => this.edit(circle, edit),
      DropCircle: async (circle) => this.drop(circle),
      JoinCircle: async (circle, ids, into) => this.members(circle, ids, into, true),
      FillCircle: async (circle) => this.members(circle, waitingOf(this.find(circle), this.source.shared()).map((m) => m.id), true, false),
      ConfirmCircle: async (circle) => this.members(circle, this.find(circle).unconfirmed, true, false),
      CirclesOf: async (id) => this.of(id),
    };
  }

  exports(): Pick<Methods['Exports'], 'List' | 'Given'> {
    return {
      List: async () => EXPORTS,
      Given: async (circle, memory) => EXPORTS.filter((e) => (circle === '' || e.for === circle) && (memory === '' || (GIVEN[e.id] ?? []).includes(memory))),
    };
  }
}
