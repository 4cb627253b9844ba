import type { FaultView } from '../../lib/backend';

/** What the end of a question still lacks: a second letter, the words of a quote, the value of a filter. */
export type Lack = '' | 'letter' | 'quote' | 'filter';

const MARK = /["“”„«»＂]/gu; // as Go reads them
const FILTER = /^-*(type|category|status|platform|tag|project|role|in|before|since|after|until|date):(.*)$/isu;
const SOMETHING = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;
// A single character of these is looked for as the beginning of words already.
const SPACELESS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** lackOf says what somebody who types this has still to type. */
export function lackOf(text: string): Lack {
  const { last } = cut(text.trimEnd());
  const value = FILTER.exec(last)?.[2];
  if (value !== undefined) return SOMETHING.test(value) ? '' : 'filter';
  if (isMark(last.at(0)) && !SOMETHING.test(last)) return 'quote';
  if (text.trim() !== '' && !SOMETHING.test(text)) return 'letter';
  const over = /\s$/u.test(text) || (isMark(last.at(0)) && isMark(last.at(-1)));
  return !over && isLone(last) ? 'letter' : '';
}

/** filterOf is the name of the filter at the end, '' where there is none. */
export function filterOf(text: string): string {
  return FILTER.exec(cut(text).last)?.[1]?.toLowerCase() ?? '';
}

/** isOfLast reports that the last word is what was refused; sound is a text that was not refused. */
export function isOfLast(text: string, fault: FaultView, sound: string): boolean {
  const { head, last } = cut(text);
  const short = fault.reason === 'search-prefix-short';
  if (!short && fault.reason !== 'search-date' && fault.reason !== 'search-value') return false;
  const field = fault.args['field'] ?? '';
  if (short ? !last.includes('*') : filterOf(text) !== field) return false;
  const another = short ? head.includes('*') : new RegExp(`(^|[\\s(-])${field}:`, 'i').test(head);
  return !another || sound.startsWith(head.trimEnd());
}

// cut takes the last word off, or the last quote, with the filter that it is the value of.
function cut(text: string): { head: string; last: string } {
  const marks = [...text.matchAll(MARK)].map((mark) => mark.index);
  const open = marks.length % 2 === 1 ? marks.at(-1) : isMark(text.at(-1)) ? marks.at(-2) : undefined;
  const from = open ?? text.length - (/[^\s()"“”„«»＂]*$/u.exec(text)?.[0].length ?? 0);
  const before = /-*([a-z]+:)?$/iu.exec(text.slice(0, from))?.[0].length ?? 0;
  return { head: text.slice(0, from - before), last: text.slice(from - before) };
}

function isMark(character: string | undefined): boolean {
  return character !== undefined && character.search(MARK) === 0;
}

function isLone(part: string): boolean {
  const word = part.normalize('NFC').match(/[\p{L}\p{N}\p{M}]+/gu)?.at(-1);
  return word !== undefined && [...word].length === 1 && !SPACELESS.test(word);
}
