import { boxOf, paint, rangesOf, written } from '../../lib/paint';
import { best, spans, spansOf, type Place } from '../../lib/places';

/** Sought are words and the message that they led to. */
export type Sought = { id: string; words: readonly string[] };

/** Wanted is what was typed to be found, and which place of which message was found last. */
export type Wanted = { text: string; id: string | undefined; nth: number };

const slots = (sheet: HTMLElement) => [...sheet.querySelectorAll<HTMLElement>('[data-message]')];

const slotOf = (sheet: HTMLElement, id: string | undefined) => slots(sheet).find((slot) => slot.dataset['message'] === id);

// What is said, and the names of files that a search finds as well.
const SAID = '.markdown';
const FOUND = `${SAID}, .file .name`;

function rangesIn(slot: HTMLElement | undefined, within: string, places: (text: string) => Place[]): Range[] {
  if (!slot) return [];
  const read = written(slot, within);
  return rangesOf(read, places(read.text));
}

// The page may hold fewer places than the text: marks of Markdown are not drawn.
const nth = (ranges: Range[], at: number) => ranges[Math.min(at, ranges.length - 1)];

/** paintSought marks words in the message that they led to. */
export function paintSought(sheet: HTMLElement, { id, words }: Sought): void {
  paint(rangesIn(slotOf(sheet, id), FOUND, (text) => spansOf(text, words)));
}

/** paintWanted marks what was typed in all that is drawn. */
export function paintWanted(sheet: HTMLElement, wanted: Wanted): void {
  const found = slots(sheet).map((slot) => ({ id: slot.dataset['message'], ranges: rangesIn(slot, SAID, (text) => spans(text, wanted.text)) }));
  const here = found.find(({ id }) => id === wanted.id)?.ranges ?? [];
  paint(found.flatMap(({ ranges }) => ranges), nth(here, wanted.nth));
}

/** spotWanted is the place that was found last. */
export function spotWanted(sheet: HTMLElement, { text, id, nth: at }: Wanted): Range | undefined {
  return nth(rangesIn(slotOf(sheet, id), SAID, (inside) => spans(inside, text)), at);
}

/** spotSought is where most of the words stand together. */
export function spotSought(sheet: HTMLElement, { id, words }: Sought): Range | undefined {
  return rangesIn(slotOf(sheet, id), FOUND, (text) => [best(text, words)].filter((place) => place !== undefined))[0];
}

/** middle is how far a box is to be scrolled so that a range stands in its middle, where the range was laid out. */
export function middle(box: HTMLElement, range: Range | undefined): number | undefined {
  const at = range && boxOf(range);
  return at && box.scrollTop + at.top - box.getBoundingClientRect().top - (box.clientHeight - at.height) / 2;
}

/** whileDrawn paints again after what is drawn later, as the colours of code are, until it is stopped. */
export function whileDrawn(sheet: HTMLElement, again: () => void): () => void {
  let next = 0;
  const observer = new MutationObserver(() => {
    next ||= requestAnimationFrame(() => {
      next = 0;
      again();
    });
  });
  observer.observe(sheet, { childList: true, subtree: true });
  return () => {
    observer.disconnect();
    cancelAnimationFrame(next);
  };
}
