import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { use } from './backend';
import { Fake } from './backend/fake';
import { copy, takeBack } from './clipboard';

let board = '';
let allowed = 'prompt';

beforeEach(() => {
  vi.useFakeTimers();
  board = '';
  allowed = 'prompt';
  vi.stubGlobal('navigator', {
    clipboard: {
      writeText: (text: string) => Promise.resolve(void (board = text)),
      readText: () => (allowed === 'granted' ? Promise.resolve(board) : Promise.reject(new Error('asked the person'))),
    },
    permissions: { query: () => Promise.resolve({ state: allowed }) },
  });
});
afterEach(async () => {
  await takeBack();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe('what was copied', () => {
  it('is Go’s business in the window', async () => {
    const fake = new Fake();
    use(fake);
    expect(await copy('a secret')).toBe(true);
    expect(fake.clipboard).toBe('a secret');
    expect(board).toBe('');
  });

  it('is taken back after half a minute in a browser', async () => {
    use(new Fake({ shell: 'browser' }));
    expect(await copy('a secret')).toBe(true);
    await vi.advanceTimersByTimeAsync(29_000);
    expect(board).toBe('a secret');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(board).toBe('');
  });

  it('is taken back at once when the vault is locked', async () => {
    use(new Fake({ shell: 'browser' }));
    await copy('a secret');
    await takeBack();
    expect(board).toBe('');
  });

  it('is left alone where something else may have been copied since', async () => {
    use(new Fake({ shell: 'browser' }));
    await copy('a secret');
    window.dispatchEvent(new Event('blur'));
    await vi.advanceTimersByTimeAsync(31_000);
    expect(board).toBe('a secret');
  });

  it('is compared where the browser allows it', async () => {
    use(new Fake({ shell: 'browser' }));
    allowed = 'granted';
    await copy('a secret');
    window.dispatchEvent(new Event('blur'));
    await vi.advanceTimersByTimeAsync(31_000);
    expect(board).toBe('');
    await copy('a secret');
    window.dispatchEvent(new Event('blur'));
    board = 'of somebody else';
    await vi.advanceTimersByTimeAsync(31_000);
    expect(board).toBe('of somebody else');
  });

  it('is owned up to when it did not get there', async () => {
    use(new Fake({ shell: 'browser' }));
    vi.stubGlobal('navigator', { clipboard: { writeText: () => Promise.reject(new Error('no')) } });
    expect(await copy('a secret')).toBe(false);
  });
});
