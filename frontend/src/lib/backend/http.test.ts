import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BackendError } from './fault';
import { http, read } from './http';
import type { Transport } from './types';

class Stream extends EventTarget {
  static last: Stream;
  constructor(readonly address: string) {
    super();
    Stream.last = this;
  }
}

let transport: Transport;
const answer = vi.fn<(address: string, init: RequestInit) => Promise<{ status: number; text: () => Promise<string> }>>();
const says = (status: number, text: string) => answer.mockResolvedValue({ status, text: () => Promise.resolve(text) });

async function faultOf(work: Promise<unknown>) {
  return work.then(
    () => undefined,
    (error: unknown) => (error instanceof BackendError ? error.fault : error),
  );
}

beforeEach(() => {
  vi.stubGlobal('EventSource', Stream);
  vi.stubGlobal('fetch', answer);
  transport = http();
});
afterEach(() => vi.unstubAllGlobals());

describe('calls over HTTP', () => {
  it('name the method, and carry the mark that no other origin can send', async () => {
    says(200, '{"result":{"exists":true}}');
    expect(await transport.call('Vault.State', [])).toEqual({ exists: true });
    const [address, init] = answer.mock.calls[0] ?? [];
    expect(address).toBe('/api/call');
    expect(init?.headers).toMatchObject({ 'X-Keepsake': '1' });
    expect(init?.body).toBe('{"name":"Vault.State","args":[]}');
  });

  it('carry faults whole', async () => {
    says(200, '{"error":{"code":"busy","reason":"vault-busy","message":"m","hint":"h","args":{"a":"1"}}}');
    expect(await faultOf(transport.call('Vault.Unlock', ['x']))).toEqual({ code: 'busy', reason: 'vault-busy', message: 'm', hint: 'h', args: { a: '1' } });
  });

  it('say when nobody answers, and when the session is over', async () => {
    answer.mockRejectedValue(new TypeError('Failed to fetch'));
    expect(await faultOf(transport.call('Vault.State', []))).toMatchObject({ reason: 'backend-unreachable' });
    says(401, 'Open the address');
    expect(await faultOf(transport.call('Vault.State', []))).toMatchObject({ reason: 'session-over' });
  });

  it('have no result where the method has none', () => expect(read(200, '{}')).toBeUndefined());

  it('refuse what is no answer', () => expect(() => read(502, '<html>')).toThrow(BackendError));

  it('open a checked address in the browser itself', async () => {
    const open = vi.spyOn(window, 'open').mockReturnValue(null);
    says(200, '{"result":{"url":"https://xn--e1afmkfd.example/","scheme":"https","host":"xn--e1afmkfd.example"}}');
    await transport.call('Conversations.OpenLink', ['https://пример.example']);
    expect(answer.mock.calls.at(-1)?.[1].body).toContain('Conversations.CheckLink');
    expect(open).toHaveBeenCalledWith('https://xn--e1afmkfd.example/', '_blank', 'noopener,noreferrer');
  });
});

describe('events over HTTP', () => {
  const send = (name: string, data: unknown) => Stream.last.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(data) }));

  it('reach who listens, until they stop', () => {
    const seen = vi.fn();
    const stop = transport.on('vault', seen);
    send('vault', { unlocked: true });
    stop();
    stop();
    send('vault', { unlocked: false });
    expect(seen).toHaveBeenCalledExactlyOnceWith({ unlocked: true });
  });

  it('ask for everything anew after the stream was lost', () => {
    const seen = vi.fn();
    transport.on('library', seen);
    Stream.last.dispatchEvent(new Event('open'));
    expect(seen).not.toHaveBeenCalled();
    Stream.last.dispatchEvent(new Event('error'));
    Stream.last.dispatchEvent(new Event('open'));
    expect(seen).toHaveBeenCalledOnce();
  });
});
