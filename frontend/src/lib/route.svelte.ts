// Where the page is, kept in the fragment of its address so that going back
// works. Only ids stand there, never words of a memory.

export const SCREENS = ['portrait', 'library', 'conversations', 'inbox', 'todos', 'graph', 'insights', 'search', 'import', 'verify', 'compare', 'handoff', 'circles', 'agents', 'security', 'settings'] as const;
export type Screen = (typeof SCREENS)[number];

/** Route is a screen and up to two ids: a conversation and a message in it. */
export type Route = { screen: Screen; id: string; at: string };

/** home is the screen after an unlock. */
export const home: Route = { screen: 'portrait', id: '', at: '' };

/** parse reads "#/conversations/<id>/<message>"; what it does not know is home. */
export function parse(fragment: string): Route {
  const [name = '', id = '', at = ''] = fragment.replace(/^#?\//, '').split('/').map(decode);
  const screen = SCREENS.find((s) => s === name);
  return screen ? { screen, id, at } : home;
}

export function format({ screen, id, at }: Route): string {
  const parts = [screen, id, at].map(encodeURIComponent);
  while (parts.at(-1) === '') parts.pop();
  return `#/${parts.join('/')}`;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}

class Place {
  now = $state.raw<Route>(parse(location.hash));

  constructor() {
    addEventListener('hashchange', () => (this.now = parse(location.hash)));
  }

  /** go shows a screen; going to where the page is changes nothing. */
  go(screen: Screen, id = '', at = ''): void {
    const next = format({ screen, id, at });
    if (next !== format(this.now)) location.hash = next;
    this.now = parse(next);
  }

  /** refine changes the ids without a step in the history. */
  refine(id: string, at = ''): void {
    this.now = { ...this.now, id, at };
    history.replaceState(null, '', format(this.now));
  }
}

export const place = new Place();
