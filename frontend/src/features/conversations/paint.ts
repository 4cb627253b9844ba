import { spans } from './find';

// Marks what was searched by the Highlight registry of the web view: nothing is
// written into the text. Web views without one still show which message it is.

/** paint marks text below home, or takes all marks away. */
export function paint(home: HTMLElement | undefined, text: string): void {
  if (typeof CSS === 'undefined' || !('highlights' in CSS)) return;
  CSS.highlights.delete('find');
  if (!home || text.trim() === '') return;
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(home, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.parentElement?.closest('.markdown')) continue;
    for (const [from, to] of spans(node.nodeValue ?? '', text)) {
      const range = document.createRange();
      range.setStart(node, from);
      range.setEnd(node, to);
      ranges.push(range);
    }
  }
  if (ranges.length > 0) CSS.highlights.set('find', new Highlight(...ranges));
}
