import type { SampleVault } from './sampleVault';
import type { FoundView, HitView, PieceView, SearchView } from './types';

// The fake's search: every word must occur. Go reads far more out of a query.

const WIDTH = 160;

/** findIn answers as Search.Find does. */
export function findIn(data: SampleVault, query: SearchView): FoundView {
  const words = query.text.toLowerCase().split(/\s+/).filter((word) => word !== '' && !word.includes(':'));
  const all = words.length === 0 ? [] : [...(query.in === 'messages' ? [] : memories(data, words)), ...(query.in === 'memories' ? [] : messages(data, words))];
  return { hits: all.slice(query.offset, query.offset + (query.limit || 20)), total: all.length, exact: true, widened: [], missing: 0 };
}

function memories(data: SampleVault, words: string[]): HitView[] {
  const list = data.list({
    text: '', types: [], statuses: [], platforms: [], tags: [], conversation: '', hasRelations: false, since: '', until: '', sort: '', offset: 0, limit: 200,
  });
  return list.items
    .filter((m) => holds(m.content, words))
    .map((m) => ({
      kind: 'memory', id: m.id, conversationId: '', title: '', platform: m.platform, role: '', type: m.type, status: m.status, createdAt: m.createdAt,
      snippet: cut(m.content, words),
    }));
}

function messages(data: SampleVault, words: string[]): HitView[] {
  const heads = data.listConversations({ text: '', platforms: [], since: '', until: '', sort: '', offset: 0, limit: 200 }).items;
  return heads.flatMap((head) =>
    data.thread(head.id, '', 0, 200).messages.flatMap((message) => {
      const text = message.parts.map((part) => part.text).join('\n');
      if (!holds(text, words)) return [];
      const hit: HitView = {
        kind: 'message', id: message.id, conversationId: head.id, title: head.title, platform: head.platform, role: message.role, type: '', status: '',
        createdAt: message.createdAt, snippet: cut(text, words),
      };
      return [hit];
    }),
  );
}

function holds(text: string, words: string[]): boolean {
  const folded = text.toLowerCase();
  return words.every((word) => folded.includes(word));
}

// cut takes a window around the first word and marks all of them in it.
function cut(text: string, words: string[]): PieceView[] {
  const at = Math.max(0, text.toLowerCase().indexOf(words[0] ?? '') - WIDTH / 3);
  const part = text.slice(at, at + WIDTH).replace(/\s+/g, ' ');
  const pattern = new RegExp(`(${words.map((word) => word.replace(/[^\p{L}\p{N}]/gu, '.')).join('|')})`, 'giu');
  return part.split(pattern).filter((piece) => piece !== '').map((piece) => ({ text: piece, marked: words.includes(piece.toLowerCase()) }));
}
