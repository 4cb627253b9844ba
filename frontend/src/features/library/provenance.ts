import type { MemoryView } from '../../lib/backend';

/**
 * Origin is where a memory came from, as one sentence can say it:
 * told: the person said it; noted: the assistant kept it; set: the person wrote
 * it into the assistant's settings; written: by hand, here; hand: by hand,
 * elsewhere; read: known only from an export; corrected: the assistant kept it, and
 * the person gave it other words; exported, imported: it was there then, and nobody
 * says since when.
 */
export type Origin = {
  how: 'told' | 'noted' | 'set' | 'written' | 'hand' | 'read' | 'corrected' | 'exported' | 'imported';
  platform: string;
  /** RFC 3339, '' when unknown. */
  at: string;
};

/** Spot is a message that can be shown. */
export type Spot = { conversation: string; message: string };

const HERE = new Set(['keepsake', 'manual']);

/** origin reads the sentence off a memory's provenance. */
export function origin(memory: Pick<MemoryView, 'provenance' | 'sources' | 'createdAt' | 'createdFrom' | 'updatedAt' | 'corrected'>): Origin {
  const { platform, method, extractedAt } = memory.provenance;
  const said = memory.sources.find((s) => s.saidAt !== '')?.saidAt ?? '';
  const at = said || memory.createdAt || extractedAt;
  if (memory.corrected) return { how: 'corrected', platform, at: memory.updatedAt };
  if (method === 'manual' && HERE.has(platform)) return { how: 'written', platform, at: memory.createdAt };
  if (HERE.has(platform) && spot(memory) === undefined) return { how: 'hand', platform, at };
  if (said === '' && memory.createdFrom === 'export') return { how: 'exported', platform, at };
  if (said === '' && memory.createdFrom === 'import') return { how: 'imported', platform, at };
  return { how: howOf(method, spot(memory) !== undefined), platform, at };
}

function howOf(method: string, fromMessage: boolean): Origin['how'] {
  switch (method) {
    case 'explicit_user_input':
      return fromMessage ? 'told' : 'set';
    case 'manual': // of a message: it was corrected here, and back to what the assistant had noted
      return fromMessage ? 'noted' : 'set';
    case 'llm_inference':
      return 'noted';
    default:
      return fromMessage ? 'noted' : 'read';
  }
}

/** spot is the message the memory came from, undefined where none is known. */
export function spot(memory: Pick<MemoryView, 'provenance' | 'sources'>): Spot | undefined {
  const { conversationRef, messageRef } = memory.provenance;
  if (conversationRef !== '') return { conversation: conversationRef, message: messageRef };
  const source = memory.sources.find((s) => s.conversationRef !== '');
  return source && { conversation: source.conversationRef, message: source.messageRef };
}
