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

if (typeof window !== 'undefined') {
  window.matchMedia ??= media;
  window.ResizeObserver ??= Observer;
  window.IntersectionObserver ??= Observer as unknown as typeof IntersectionObserver;
  Element.prototype.scrollIntoView ??= () => {};
  Element.prototype.animate ??= () => ({ cancel: () => {}, finished: Promise.resolve(), onfinish: null }) as unknown as Animation;
}
