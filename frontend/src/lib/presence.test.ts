import { afterEach, describe, expect, it, vi } from 'vitest';
import { use } from './backend';
import { Fake } from './backend/fake';
import { watchPresence } from './presence';
import { vault } from './vault.svelte';

const stops: (() => void)[] = [];
afterEach(() => stops.splice(0).forEach((stop) => stop()));

async function watch(open: 'open' | 'locked') {
  const fake = new Fake({ vault: open });
  const calls = vi.spyOn(fake, 'call');
  use(fake);
  await vault.refresh();
  let clock = 0;
  stops.push(watchPresence(() => clock));
  return {
    fake,
    sign: (name: string, at: number) => {
      clock = at;
      window.dispatchEvent(new Event(name));
    },
    told: () => calls.mock.calls.filter(([name]) => name === 'Vault.Present').length,
  };
}

describe('presence', () => {
  it('is told at most every five seconds', async () => {
    const { sign, told } = await watch('open');
    sign('pointermove', 0);
    sign('keydown', 1_000);
    sign('wheel', 4_999);
    expect(told()).toBe(1);
    sign('keydown', 5_000);
    expect(told()).toBe(2);
    sign('blur', 50_000);
    expect(told()).toBe(2);
  });

  it('is nobody’s business while the vault is locked', async () => {
    const { sign, told } = await watch('locked');
    sign('keydown', 60_000);
    expect(told()).toBe(0);
  });

  it('is told again where it could not be', async () => {
    const { fake, sign, told } = await watch('open');
    vi.spyOn(fake, 'call').mockRejectedValueOnce(new Error('away'));
    sign('keydown', 0);
    await new Promise((next) => setTimeout(next));
    sign('keydown', 1);
    expect(told()).toBe(2);
  });
});
