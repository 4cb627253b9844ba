import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BackendError } from './fault';
import { http, read } from './http';
import { Secret } from './secret';
import type { Transport } from './transport';

let transport: Transport;
const answer = vi.fn<(address: string, init: RequestInit) => Promise<Response>>();
const says = (status: number, text: string, headers = {}) => answer.mockImplementation(() => Promise.resolve(new Response(text, { status, headers })));
let events: (text: string) => void;
let lose: () => void;

/** stream is the answer to a page that asks for the events. */
function stream(): Response {
  const body = new ReadableStream<Uint8Array>({
    start: (to) => {
      events = (text) => to.enqueue(new TextEncoder().encode(text));
      lose = () => to.close();
    },
  });
  return new Response(body, { status: 200 });
}

async function faultOf(work: Promise<unknown>) {
  return work.then(
    () => undefined,
    (error: unknown) => (error instanceof BackendError ? error.fault : error),
  );
}

beforeEach(() => {
  sessionStorage.clear();
  const meta = document.createElement('meta');
  Object.assign(meta, { name: 'keepsake-secret', content: 'first' });
  document.head.append(meta);
  vi.stubGlobal('fetch', (address: string, init: RequestInit) => (address === '/api/events' ? Promise.resolve(stream()) : answer(address, init)));
  transport = http();
});
afterEach(() => vi.unstubAllGlobals());

describe('calls over HTTP', () => {
  it('name the method, and carry the secret that the page was opened with', async () => {
    says(200, '{"result":{"exists":true}}');
    expect(await transport.call('Vault.State', [])).toEqual({ exists: true });
    const [address, init] = answer.mock.calls.at(-1) ?? [];
    expect(address).toBe('/api/call');
    expect(init?.headers).toMatchObject({ 'X-Keepsake': 'first' });
    expect(document.querySelector('meta')).toBeNull();
    expect(init?.body).toBe('{"name":"Vault.State","args":[]}');
  });

  it('go on with the secret that an unlock gives, also in another page and after a reload', async () => {
    const other = new Secret();
    says(200, '{"result":{}}', { 'X-Keepsake': 'second' });
    await transport.call('Vault.Unlock', ['x']);
    expect(sessionStorage.getItem('keepsake-secret')).toBe('second');
    expect(await other.otherThan('first')).toBe(true);
    expect(other.value).toBe('second');
    says(200, '{"result":{}}');
    await transport.call('Vault.State', []);
    expect(answer.mock.calls.at(-1)?.[1].headers).toMatchObject({ 'X-Keepsake': 'second' });
  });

  it('ask once more where another page has a newer secret', async () => {
    const other = new Secret();
    answer.mockImplementation((_, init) => {
      const known = (init.headers as Record<string, string>)['X-Keepsake'] === 'newer';
      if (!known) other.set('newer');
      return Promise.resolve(new Response('{"result":7}', { status: known ? 200 : 401 }));
    });
    expect(await transport.call('Vault.State', [])).toBe(7);
  });

  /** accepts lets Go answer requests with this secret alone. */
  const accepts = (right: string, headers = {}) =>
    answer.mockImplementation((_, init) => {
      const known = (init.headers as Record<string, string>)['X-Keepsake'] === right;
      return Promise.resolve(new Response('{"result":7}', { status: known ? 200 : 401, headers: known ? headers : {} }));
    });

  /** restored is a tab that comes back with what it had before. */
  const restored = (value: string) => {
    const now = sessionStorage.getItem('keepsake-secret');
    sessionStorage.setItem('keepsake-secret', value);
    const tab = http();
    sessionStorage.setItem('keepsake-secret', now ?? '');
    return tab;
  };

  it('go on where another page tells of an old secret as if it were the newest', async () => {
    const other = new Secret();
    accepts('first', { 'X-Keepsake': 'second' });
    await transport.call('Vault.Unlock', ['x']);
    accepts('second');
    await vi.waitFor(() => expect(other.value).toBe('second'));
    other.set('old'); // the answer to its own unlock, which was before ours, comes late
    await new Promise((done) => setTimeout(done, 50));
    expect(await transport.call('Vault.State', [])).toBe(7);
    expect(sessionStorage.getItem('keepsake-secret')).toBe('second');
  });

  it('find the right secret beside pages that have old ones, which take it from nobody', async () => {
    accepts('first', { 'X-Keepsake': 'second' });
    await transport.call('Vault.Unlock', ['x']);
    accepts('second');
    const tabs = ['old', 'older', 'oldest'].map(restored);
    for (const tab of [...tabs, transport, ...tabs]) expect(await tab.call('Vault.State', [])).toBe(7);
  });

  it('ask each secret once, and end where none is right', async () => {
    accepts('none of them');
    const tabs = ['old', 'older'].map(restored);
    for (const tab of [transport, ...tabs]) expect(await faultOf(tab.call('Vault.State', []))).toMatchObject({ reason: 'session-over' });
  });

  it('get a ticket for a file', async () => {
    says(200, '{"result":"/vault/x?ticket=T"}');
    expect(await transport.locate('/vault/x')).toBe('/vault/x?ticket=T');
    expect(answer.mock.calls.at(-1)?.[0]).toBe('/api/ticket');
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
  const send = (name: string, data: unknown) => events(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);

  it('reach who listens, until they stop, also in pieces', async () => {
    const seen = vi.fn();
    const stop = transport.on('vault', seen);
    await vi.waitFor(() => expect(events).toBeTruthy());
    events(':\n\nevent: vault\nda');
    events('ta: {"unlocked":true}\n\n');
    await vi.waitFor(() => expect(seen).toHaveBeenCalledOnce());
    stop();
    stop();
    send('vault', { unlocked: false });
    const after = vi.fn();
    transport.on('vault', after);
    send('vault', { unlocked: true });
    await vi.waitFor(() => expect(after).toHaveBeenCalled());
    expect(seen).toHaveBeenCalledExactlyOnceWith({ unlocked: true });
  });

  it('ask for everything anew after the stream was lost', async () => {
    const seen = vi.fn();
    transport.on('library', seen);
    await vi.waitFor(() => expect(events).toBeTruthy());
    expect(seen).not.toHaveBeenCalled();
    lose();
    await vi.waitFor(() => expect(seen).toHaveBeenCalledOnce(), 5000);
  });
});
