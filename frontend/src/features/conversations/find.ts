import type { MessageView } from '../../lib/backend';
import { unmarked } from '../../lib/markdown';
import { fold } from '../../lib/places';

/** Hit is one message that holds what was searched, and how often. */
export type Hit = { index: number; count: number };

/** Found is one of the places in a message: the nth of so many. */
export type Found = { index: number; nth: number; count: number };

/** find looks for text in every message that is here; blank text finds nothing. */
export function find(messages: readonly (MessageView | undefined)[], text: string): Hit[] {
  const wanted = fold(text.trim());
  if (wanted === '') return [];
  const hits: Hit[] = [];
  messages.forEach((message, index) => {
    if (!message) return;
    const count = occurrences(said(message), wanted);
    if (count > 0) hits.push({ index, count });
  });
  return hits;
}

/** foundAt is place number at of all; at counts from 0. */
export function foundAt(hits: readonly Hit[], at: number): Found | undefined {
  if (at < 0) return undefined;
  let left = at;
  for (const { index, count } of hits) {
    if (left < count) return { index, nth: left, count };
    left -= count;
  }
  return undefined;
}

// What a person reads of a message, folded; it is looked through at every letter typed.
const read = new WeakMap<MessageView, string>();

function said(message: MessageView): string {
  let text = read.get(message);
  if (text === undefined) {
    text = fold(message.parts.map((part) => (part.type === 'code' ? part.text : unmarked(part.text))).join('\n\n'));
    read.set(message, text);
  }
  return text;
}

function occurrences(text: string, wanted: string): number {
  let count = 0;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) count++;
  return count;
}
