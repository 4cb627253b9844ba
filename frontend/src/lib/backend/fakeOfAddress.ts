import { Fake } from './fake';
import type { FakeOptions } from './fakeOptions';
import type { Shell } from './types';

/** fake is the fake as the address of the page asks for it: ?vault=none&shell=browser */
export function fake(): Fake {
  const asked = new URLSearchParams(location.search);
  const made = new Fake({
    vault: (asked.get('vault') as FakeOptions['vault']) ?? 'open',
    shell: (asked.get('shell') as Shell | null) ?? 'window',
    importMs: Number(asked.get('import') ?? 9_000),
    damaged: asked.has('damaged'),
    brokenOff: asked.has('broken-off'),
    news: asked.has('news'),
    missing: Number(asked.get('missing') ?? 0),
    compares: !asked.has('words-only'),
    preferences: { language: asked.get('lang') ?? '', theme: asked.get('theme') ?? 'system', systemTheme: '', autoLock: 10, alwaysProtect: false },
    ...(asked.has('circles') ? { circles: Number(asked.get('circles')) } : {}),
    ...(asked.has('agents') ? { agents: Number(asked.get('agents')) } : {}),
    waiting: Number(asked.get('waiting') ?? 0),
    ...(asked.has('size') ? { size: Number(asked.get('size')) } : {}),
  });
  for (const name of asked.getAll('opened')) made.open(name);
  Object.assign(window, { keepsakeFake: made });
  return made;
}
