import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { away } from './away';
import { use, type VaultView } from './backend';
import { BackendError } from './backend/fault';
import { Fake } from './backend/fake';
import { Live } from './live.svelte';
import { preferences } from './preferences.svelte';
import { toasts } from './toasts.svelte';
import { vault } from './vault.svelte';

const fault = { code: 'internal', reason: 'internal', message: 'm', hint: '', args: {} };
const settled = () => new Promise((resolve) => setTimeout(resolve));

describe('the vault', () => {
  it('says why nothing can be changed while it is frozen, and nothing when it is not', async () => {
    const fake = new Fake({ vault: 'open' });
    use(fake);
    await vault.refresh();
    expect([vault.frozen, vault.why]).toEqual([false, undefined]);
    await fake.call('Care.Freeze', [true]);
    await vault.refresh();
    expect([vault.frozen, vault.why]).toEqual([true, 'The vault is frozen, so nothing can be changed.']);
  });
});

describe('a live value', () => {
  it('asks at once, again at every event, and no more after it was stopped', async () => {
    const fake = new Fake({ vault: 'locked' });
    use(fake);
    const stop = vault.start();
    await settled();
    expect(vault.value?.unlocked).toBe(false);
    await fake.call('Vault.Unlock', ['correct horse']);
    await settled();
    expect(vault.value?.unlocked).toBe(true);
    stop();
    await fake.call('Vault.Lock', []);
    await settled();
    expect(vault.value?.unlocked).toBe(true);
  });

  it('never lets an older answer replace a newer one', async () => {
    const answers: ((n: number) => void)[] = [];
    const live = new Live(() => new Promise<number>((resolve) => answers.push(resolve)));
    const first = live.refresh();
    const second = live.refresh();
    answers[1]?.(2);
    await second;
    answers[0]?.(1);
    await first;
    expect(live.value).toBe(2);
    void live.refresh();
    live.set(3);
    answers[2]?.(9);
    await settled();
    expect(live.value).toBe(3);
  });

  it('keeps what it had when asking fails, and says why', async () => {
    const get = vi.fn<() => Promise<VaultView>>().mockRejectedValue(new BackendError(fault));
    const live = new Live(get);
    await live.refresh();
    expect(live.fault).toEqual(fault);
    expect(live.value).toBeUndefined();
  });
});

describe('preferences', () => {
  it('change the page at once and are kept', async () => {
    const fake = new Fake();
    use(fake);
    await preferences.start();
    expect(document.documentElement.dataset.theme).toBeUndefined();
    await preferences.choose({ theme: 'dark' });
    expect(document.documentElement.dataset.theme).toBe('dark');
    expect(await fake.call('Settings.Get', [])).toMatchObject({ theme: 'dark' });
    await preferences.choose({ language: 'pt-BR' });
    expect(document.documentElement.lang).toBe('pt-BR');
    await preferences.choose({ language: 'en', theme: 'system' });
    expect(document.documentElement.dataset.theme).toBeUndefined();
  });

  it('take the theme of the system from the shell where that knows better, and follow it', async () => {
    const fake = new Fake({ preferences: { language: '', theme: 'system', systemTheme: 'dark', autoLock: 10, alwaysProtect: false } });
    use(fake);
    await preferences.start();
    expect(document.documentElement.dataset.theme).toBe('dark');
    fake.tell('theme', { systemTheme: 'light' });
    expect(document.documentElement.dataset.theme).toBe('light');
    await preferences.choose({ theme: 'dark' });
    fake.tell('theme', { systemTheme: '' });
    expect(document.documentElement.dataset.theme).toBe('dark');
    await preferences.choose({ theme: 'system' });
    expect(document.documentElement.dataset.theme).toBeUndefined();
    delete document.documentElement.dataset.theme;
  });
});

describe('somebody who looks elsewhere', () => {
  it('is told how a long job ended, in words that Go has', () => {
    const fake = new Fake();
    use(fake);
    const looks = vi.spyOn(document, 'hasFocus').mockReturnValue(true);
    away('import');
    looks.mockReturnValue(false);
    away('export-stopped');
    expect(fake.noticed).toEqual(['export-stopped']);
  });
});

describe('toasts', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => {
    toasts.clear();
    vi.useRealTimers();
  });

  it('go by themselves, but not while somebody looks, and never when they tell a fault', () => {
    const id = toasts.show({ text: 'Retracted.' });
    toasts.show({ fault });
    toasts.hold(id);
    vi.advanceTimersByTime(60_000);
    expect(toasts.list).toHaveLength(2);
    toasts.release(id);
    vi.advanceTimersByTime(60_000);
    expect(toasts.list).toHaveLength(1);
  });

  it('undo once', () => {
    const undo = vi.fn();
    toasts.show({ text: 'Retracted.', action: 'Undo', onaction: undo });
    const [toast] = toasts.list;
    if (toast) toasts.act(toast);
    expect(undo).toHaveBeenCalledOnce();
    expect(toasts.list).toHaveLength(0);
  });

  it('are at most three', () => {
    for (const text of ['a', 'b', 'c', 'd']) toasts.show({ text });
    expect(toasts.list.map((toast) => toast.text)).toEqual(['b', 'c', 'd']);
  });
});
