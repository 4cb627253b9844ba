import type { Place } from './places';

// Marks what was searched by the Highlight registry of the web view: nothing is
// written into the text. Web views without one still show which message it is.

const BLOCKS = 'p, li, td, th, pre, blockquote, h1, h2, h3, h4, h5, h6, .markdown';

/** paint marks ranges, and one of them more than the others; without any, all marks go. */
export function paint(ranges: readonly Range[], here?: Range): void {
  if (typeof CSS === 'undefined' || !('highlights' in CSS)) return;
  mark('find', ranges.filter((range) => range !== here));
  mark('found', here ? [here] : []);
}

function mark(name: string, ranges: readonly Range[]): void {
  if (ranges.length > 0) CSS.highlights.set(name, new Highlight(...ranges));
  else CSS.highlights.delete(name);
}

/** Written is the text below an element and the nodes that it stands in. */
export type Written = { text: string; nodes: { node: Text; from: number }[] };

/** written reads what stands in elements of a kind below home: blocks are apart, and what can be pressed is not text. */
export function written(home: HTMLElement, within: string): Written {
  const nodes: Written['nodes'] = [];
  let text = '';
  let block: Element | null | undefined;
  const walker = document.createTreeWalker(home, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.nodeName === 'BR') text += '\n';
    if (!(node instanceof Text) || !node.parentElement?.closest(within) || node.parentElement.closest('button, .md-code-bar')) continue;
    const now = node.parentElement.closest(BLOCKS);
    if (now !== block && nodes.length > 0) text += '\n';
    block = now;
    nodes.push({ node, from: text.length });
    text += node.data;
  }
  return { text, nodes };
}

/** rangesOf makes ranges of the page of places in what is written there, in order. */
export function rangesOf({ nodes }: Written, places: readonly Place[]): Range[] {
  let at = 0;
  const spot = (offset: number): [Text, number] | undefined => {
    while ((nodes[at + 1]?.from ?? Infinity) <= offset) at++;
    const found = nodes[at];
    return found && [found.node, Math.min(Math.max(0, offset - found.from), found.node.length)];
  };
  return places.flatMap(([from, to]) => {
    const [start, end] = [spot(from), spot(to - 1)];
    if (!start || !end) return [];
    const range = document.createRange();
    range.setStart(...start);
    range.setEnd(end[0], Math.min(end[1] + 1, end[0].length));
    return [range];
  });
}

/** boxOf is where a range stands in the window, where it has been laid out. */
export function boxOf(range: Range): DOMRect | undefined {
  const box = 'getBoundingClientRect' in range ? range.getBoundingClientRect() : undefined;
  return box && (box.width > 0 || box.height > 0) ? box : undefined;
}

/** sideways scrolls what is wide, a table or code, until a range in it is seen. */
export function sideways(range: Range, within: HTMLElement): void {
  for (let wide = range.startContainer.parentElement; wide && wide !== within; wide = wide.parentElement) {
    if (wide.scrollWidth <= wide.clientWidth || getComputedStyle(wide).overflowX === 'visible') continue;
    const [box, room] = [boxOf(range), wide.getBoundingClientRect()];
    if (box && (box.left < room.left || box.right > room.right)) wide.scrollLeft += box.left - room.left - room.width / 3;
  }
}
