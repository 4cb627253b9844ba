// The scroll position of the reader. Heights of messages are estimates until they are
// drawn, so show and end set the position again until it no longer changes.

import { tick } from 'svelte';
import { sideways } from '../../lib/paint';
import type { Reader } from './reader.svelte';
import { middle } from './spots';

// Room above a message that is shown, in CSS pixels.
const ABOVE = 24;

export class Scroller {
  element: HTMLElement | undefined = $state();
  /** Scrolled by, in CSS pixels: what is to be drawn follows it, a frame after element.scrollTop. */
  top = $state(0);
  viewport = $state(800);

  private showing = 0;
  /** What the focus went to with the keyboard: it stays in sight until one scrolls. */
  private held: HTMLElement | undefined;
  private readonly slots = new WeakMap<Element, number>();
  private readonly resized = new ResizeObserver((entries) => this.measure(entries));

  constructor(private readonly reader: Reader) {}

  /** slot is attached to the element that the message at index is drawn in. */
  slot(index: number) {
    return (element: HTMLElement) => {
      this.slots.set(element, index);
      this.resized.observe(element);
      return () => this.resized.unobserve(element);
    };
  }

  to(top: number): void {
    if (!this.element) return;
    this.element.scrollTop = top;
    this.scrolled();
  }

  scrolled = (): void => void (this.top = this.element?.scrollTop ?? 0);

  hold = ({ target }: FocusEvent): void => {
    this.held = target instanceof HTMLElement && target.matches(':focus-visible') ? target : undefined;
  };

  release = (): void => void (this.held = undefined);

  /** show goes to the message at index, or to the spot in it that is looked for. */
  async show(index: number, spot: () => Range | undefined): Promise<void> {
    const mine = ++this.showing;
    let range: Range | undefined;
    for (let again = 0, still = 0; again < 12 && still < 2 && this.element && mine === this.showing; again++) {
      await tick(); // the page must have grown before it can be scrolled
      const before = this.element.scrollTop;
      if (!range || range.collapsed || !range.startContainer.isConnected) range = spot();
      this.to(middle(this.element, range) ?? Math.max(0, this.reader.heights.top(index) - ABOVE));
      if (range) sideways(range, this.element);
      still = Math.abs(this.top - before) <= 1 ? still + 1 : 0;
      await twoFrames();
    }
    if (mine === this.showing) this.reader.target = -1;
  }

  /** end follows the end, which moves away while what stands above it is read and measured. drawn are the indices that are. */
  async end(drawn: () => readonly number[]): Promise<void> {
    const { reader } = this;
    const here = reader.leaf;
    await reader.need(reader.total - 1, reader.total);
    for (let still = 0, again = 0; still < 3 && again < 60 && this.element && reader.leaf === here; again++) {
      const { scrollTop, clientHeight, scrollHeight } = this.element;
      const arrived = drawn().every((i) => reader.message(i)) && drawn().at(-1) === reader.total - 1 && scrollTop + clientHeight >= scrollHeight - 1;
      still = arrived ? still + 1 : 0;
      this.to(scrollHeight);
      await tick();
      await twoFrames();
    }
  }

  // The callback of the ResizeObserver, which runs between layout and paint. It adds to
  // scrollTop what messages above the viewport grew by, and scrolls the focused element
  // back into view. It reads scrollTop, because `top` is set by the scroll event, a frame later.
  private measure(entries: ResizeObserverEntry[]): void {
    if (!this.element) return;
    const { heights, target } = this.reader;
    const at = this.element.scrollTop;
    let [changed, above] = [false, 0];
    for (const entry of entries) {
      const index = this.slots.get(entry.target) ?? 0;
      const before = target < 0 && heights.top(index) < at + above - 1;
      const change = this.reader.measure(index, entry.borderBoxSize[0]?.blockSize ?? 0);
      if (change !== 0) changed = true;
      if (before) above += change;
    }
    if (!changed) return;
    if (above !== 0) this.element.scrollTop = at + above;
    if (this.held === document.activeElement) this.held?.scrollIntoView({ block: 'nearest' });
    this.scrolled();
  }
}

async function twoFrames(): Promise<void> {
  await new Promise(requestAnimationFrame);
  await new Promise(requestAnimationFrame);
}
