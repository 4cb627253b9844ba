import type { MessageView } from '../../lib/backend';
import { plain } from './shape';

/** Hit is one message that holds what was searched, and how often. */
export type Hit = { index: number; count: number };

/** fold makes text comparable: without case and accents. */
export function fold(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/** find looks for text in every message that is here; blank text finds nothing. */
export function find(messages: readonly (MessageView | undefined)[], text: string): Hit[] {
  const wanted = fold(text.trim());
  if (wanted === '') return [];
  const hits: Hit[] = [];
  messages.forEach((message, index) => {
    if (!message) return;
    const count = occurrences(fold(plain(message)), wanted);
    if (count > 0) hits.push({ index, count });
  });
  return hits;
}

/** spans lists where text stands in a string of the page, as [from, to) offsets. */
export function spans(inside: string, text: string): [number, number][] {
  const wanted = fold(text.trim());
  if (wanted === '') return [];
  const { folded, origin } = foldWithOrigin(inside);
  const found: [number, number][] = [];
  for (let at = folded.indexOf(wanted); at >= 0; at = folded.indexOf(wanted, at + wanted.length)) {
    found.push([origin[at] ?? 0, (origin[at + wanted.length - 1] ?? 0) + 1]);
  }
  return found;
}

function occurrences(text: string, wanted: string): number {
  let count = 0;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) count++;
  return count;
}

// Folding may change lengths, so every folded unit remembers where it came from.
function foldWithOrigin(text: string): { folded: string; origin: number[] } {
  let folded = '';
  const origin: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const unit = fold(text.charAt(i));
    for (let k = 0; k < unit.length; k++) origin.push(i);
    folded += unit;
  }
  return { folded, origin };
}
