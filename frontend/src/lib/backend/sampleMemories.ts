import type { GrantView, MemoryView } from './types';
import { MEMORIES } from './sample';

/** memoryOf is the i-th memory of the made-up vault; beyond the written ones they repeat, numbered. */
export function memoryOf(i: number): MemoryView {
  const line = MEMORIES[i % MEMORIES.length];
  const round = Math.floor(i / MEMORIES.length);
  if (!line) return blank(`m-${i}`);
  const [type, content, tags, platform, at, confidence, more = {}] = line;
  const createdAt = new Date(Date.parse(at) - round * 86_400_000 * 3).toISOString().replace('.000Z', 'Z');
  const [conversationRef, messageRef] = round === 0 ? (more.from ?? ['', '']) : ['', ''];
  const saidAt = more.method === undefined && conversationRef === '' ? '' : createdAt;
  return {
    ...blank(`m-${i}`), type, content: round === 0 ? content : `${content} (${round + 1})`, tags: tags.split(' '), createdAt,
    customType: more.customType ?? '', status: more.status ?? 'active', summary: more.summary ?? '', domain: '', language: 'en', validUntil: more.validUntil ?? '',
    supersededBy: more.by === undefined ? '' : `m-${more.by}`, exportable: more.exportable ?? true, visibility: round > 0 ? 'private' : (more.visibility ?? (more.circles ? 'shared' : 'private')),
    provenance: { platform, platformUserId: '', conversationRef, messageRef, method: more.method ?? (conversationRef ? 'explicit_user_input' : 'llm_inference'), extractedAt: createdAt, extractor: 'keepsake/0.1.0' },
    confidence: { now: confidence, decayModel: type === 'context' ? 'time_exponential' : 'none', ...(type === 'context' ? { curve: fading(confidence, 0.15), at: 0.15 } : { curve: [], at: 0 }) },
    removed: more.removed ?? false, sharedWith: round === 0 ? grantsOf(more.circles ?? '') : [],
    sources: [{ platform, account: '', importId: 'import-1', conversationRef, messageRef, saidAt }],
  };
}

/** grantsOf reads entities; "+" behind one lets it change the memory, too. */
function grantsOf(circles: string): GrantView[] {
  return circles.split(' ').filter((word) => word !== '').map((word) => ({ entity: word.replace('+', ''), permissions: word.endsWith('+') ? ['read', 'write'] : ['read'] }));
}

/** fading halves twice from left to right, and is so much at a place. */
function fading(confidence: number, at: number): number[] {
  return Array.from({ length: 25 }, (_, i) => Math.min(1, confidence * 2 ** (2 * at - i / 12)));
}

/** blank is a new memory written by hand. */
export function blank(id: string): MemoryView {
  return {
    id, type: 'fact', customType: '', content: '', contentHash: '', summary: '', domain: '', language: '', status: 'active', tags: [], createdAt: now(), createdFrom: '', updatedAt: '',
    validFrom: '', validUntil: '', supersededBy: '', visibility: 'private', exportable: true, sharedWith: [], metadata: [], relations: [],
    sources: [], corrected: false, next: [], was: '', versions: 0, removed: false, reads: 0, lastRead: '',
    provenance: { platform: 'keepsake', platformUserId: '', conversationRef: '', messageRef: '', method: 'manual', extractedAt: '', extractor: '' },
  };
}

/** now is this second, as Go writes it. */
export function now(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, 'Z');
}

/** certaintyOf is how sure a memory is as of now, in the word of its facet. */
export function certaintyOf(m: MemoryView): string {
  const now = m.confidence?.now ?? 1;
  return now >= 0.8 ? 'high' : now >= 0.5 ? 'medium' : 'low';
}

/** sorted orders memories as a query asks for it; "-" is downwards. */
export function sorted(found: MemoryView[], sort: string): MemoryView[] {
  const by = sort.replace(/^-/, '');
  const down = sort.startsWith('-') ? -1 : 1;
  const valueOf = (m: MemoryView): string | number => {
    if (by === 'type') return m.type;
    if (by === 'platform') return m.provenance.platform;
    if (by === 'confidence') return m.confidence?.now ?? -1;
    return by === 'updated' ? m.updatedAt || m.createdAt : m.createdAt;
  };
  const ties = (a: MemoryView, b: MemoryView) => (a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : 0);
  return found.toSorted((a, b) => (valueOf(a) < valueOf(b) ? -down : valueOf(a) > valueOf(b) ? down : ties(a, b)));
}
