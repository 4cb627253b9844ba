// What jsdom lacks and the page's components ask for.
import { afterAll, vi } from 'vitest';

// Files share a process (vite.config.ts), but no module: each begins with a page of its own.
afterAll(() => {
  vi.resetModules();
});

const media = (query: string): MediaQueryList =>
  ({
    matches: query.includes('reduced-motion'),
    media: query,
    onchange: null,
    addEventListener: () => {},
    removeEventListener: () => {},
    addListener: () => {},
    removeListener: () => {},
    dispatchEvent: () => false,
  }) as MediaQueryList;

class Observer {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
  takeRecords(): [] {
    return [];
  }
}

// What is not drawn, as the style sheet of a browser says.
const NOT_DRAWN = '[hidden], dialog:not([open]), details:not([open]) > :not(summary), head, script, style, template, noscript';

if (typeof window !== 'undefined') {
  // Queries by role ask for the style of every element and of all above it, and jsdom tries each rule of its
  // style sheet at each question: a third of the time of the library's tests. No other style is there to be computed.
  const [drawn, hidden] = [document.createElement('i').style, document.createElement('i').style];
  hidden.display = 'none';
  window.getComputedStyle = (element, pseudo) => (pseudo ? drawn : element.matches(NOT_DRAWN) ? hidden : (element as HTMLElement).style);
  window.matchMedia ??= media;
  window.ResizeObserver ??= Observer;
  window.IntersectionObserver ??= Observer as unknown as typeof IntersectionObserver;
  Element.prototype.scrollIntoView ??= () => {};
  Element.prototype.animate ??= () => ({ cancel: () => {}, finished: Promise.resolve(), onfinish: null }) as unknown as Animation;
}
