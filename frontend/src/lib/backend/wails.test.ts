import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { faultOf } from './fault';
import { wails } from './wails';

const unlock = vi.fn<(passphrase: string) => Promise<unknown>>();
const stop = vi.fn();
const runtime = { EventsOnMultiple: vi.fn(() => stop), OnFileDrop: vi.fn() };

beforeEach(() => vi.stubGlobal('go', { bridge: { Vault: { Unlock: unlock } } }));
beforeEach(() => vi.stubGlobal('runtime', runtime));
afterEach(() => vi.unstubAllGlobals());

const caught = (work: Promise<unknown>) => work.then(() => undefined, faultOf);

describe('calls of the window', () => {
  it('reach the bound method', async () => {
    unlock.mockResolvedValue({ unlocked: true });
    expect(await wails().call('Vault.Unlock', ['secret'])).toEqual({ unlocked: true });
    expect(unlock).toHaveBeenCalledWith('secret');
  });

  it.each([
    ['an error', new Error('{"code":"damaged","reason":"vault-data-damaged","message":"m","hint":"","args":{}}')],
    ['a text', '{"code":"damaged","reason":"vault-data-damaged","message":"m","hint":"","args":{}}'],
  ])('read the fault out of %s', async (_how, rejection) => {
    unlock.mockRejectedValue(rejection);
    expect(await caught(wails().call('Vault.Unlock', ['x']))).toMatchObject({ code: 'damaged', reason: 'vault-data-damaged' });
  });

  it('make an internal fault of what is none', async () => {
    unlock.mockRejectedValue(new Error('[object Object]'));
    expect(await caught(wails().call('Vault.Unlock', ['x']))).toMatchObject({ code: 'internal', reason: 'internal' });
    expect(await caught(wails().call('Vault.Nothing', []))).toMatchObject({ reason: 'backend-unreachable' });
  });
});

describe('the window', () => {
  it('is told to look for the paths of dropped files', () => {
    wails();
    expect(runtime.OnFileDrop).toHaveBeenCalledWith(expect.any(Function), true);
  });

  it('lets a subscription end twice, which the runtime does not', () => {
    const end = wails().on('vault', () => {});
    end();
    end();
    expect(stop).toHaveBeenCalledOnce();
  });
});
