import { BackendError, parseFault, sessionOver, unreachable } from './fault';
import { pickFiles, sendFile } from './files';
import { Listeners } from './listeners';
import { Secret } from './secret';
import { messages } from './stream';
import type { Transport } from './transport';
import type { EventName, FaultView, LinkView, Offer } from './types';

export const EVENTS: readonly EventName[] = ['progress', 'import-done', 'look', 'vault', 'locking', 'library', 'search', 'found', 'offers', 'keys', 'agents', 'rekey', 'care'];

/** Header that carries the secret: to Go with every request, and back where it is renewed. */
const HEADER = 'X-Keepsake';

/** Calls that are answered with a new secret. */
const OPENING = ['Vault.Unlock', 'Vault.UnlockRecovery', 'Vault.Create', 'Vault.TrySample', 'Keys.UnlockKeychain', 'Keys.UseRecovery'];

/** How long the page waits before it asks for the events again, in milliseconds. */
const AGAIN = 1000;

/** http reaches Go on this computer over loopback (`keepsake serve`). */
export function http(): Transport {
  const listeners = new Listeners();
  const secret = new Secret();
  const post = (name: string, args: unknown[]) => {
    const answer = ask(secret, '/api/call', { name, args });
    return OPENING.includes(name) ? secret.renewedBy(answer) : answer;
  };
  const upload = (files: readonly File[]) => send(files, listeners, secret);
  void listen(listeners, secret);
  return {
    shell: 'browser',
    call: (name, args) => instead(name, args, post, upload) ?? post(name, args),
    on: (event, listener) => listeners.on(event, listener),
    upload,
    locate: async (url) => String(await ask(secret, '/api/ticket', { url })),
    renew: () => {
      location.reload();
      return true;
    },
  };
}

// What a native window asks the person in a dialog, a browser asks itself.
type Post = (name: string, args: unknown[]) => Promise<unknown>;

function instead(name: string, args: unknown[], post: Post, upload: Transport['upload']): Promise<unknown> | undefined {
  switch (name) {
    case 'Imports.Choose':
      return pickFiles({ several: true }).then(upload);
    case 'Exports.ChooseToVerify':
    case 'Care.ChooseBackup':
      return pickFiles({ several: false }).then(upload).then(onlyOne);
    case 'Conversations.OpenLink':
      return post('Conversations.CheckLink', args).then(openLink);
    default:
      return undefined;
  }
}

function onlyOne(offers: Offer[]): Offer {
  const [offer] = offers;
  if (!offer) throw new BackendError({ code: 'cancelled', reason: 'dialog-closed', message: 'Nothing was chosen.', hint: '', args: {} });
  return offer;
}

function openLink(checked: unknown): void {
  window.open((checked as LinkView).url, '_blank', 'noopener,noreferrer');
}

async function ask(secret: Secret, address: string, body: unknown): Promise<unknown> {
  const response = await withSecret(secret, (value) =>
    reach(address, { method: 'POST', headers: { 'Content-Type': 'application/json', [HEADER]: value }, body: JSON.stringify(body) }),
  );
  const renewed = response.headers.get(HEADER);
  if (renewed) secret.set(renewed);
  return read(response.status, await response.text());
}

/** withSecret asks once more with each other secret that is known; Go did nothing yet. */
async function withSecret<T extends { status: number }>(secret: Secret, request: (value: string) => Promise<T>): Promise<T> {
  await secret.settled;
  for (;;) {
    const { value } = secret;
    const answer = await request(value);
    if (answer.status !== 401 || !(await secret.otherThan(value))) return answer;
  }
}

async function reach(address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, { ...init, credentials: 'same-origin', cache: 'no-store' });
  } catch {
    throw new BackendError(unreachable);
  }
}

/** read takes {"result"} or {"error"} apart. */
export function read(status: number, text: string): unknown {
  if (status === 401 || status === 403) throw new BackendError(sessionOver);
  let reply: { result?: unknown; error?: FaultView };
  try {
    reply = JSON.parse(text) as typeof reply;
  } catch {
    throw new BackendError(unreachable);
  }
  if (reply.error) throw new BackendError(parseFault(JSON.stringify(reply.error)) ?? unreachable);
  return reply.result;
}

async function send(files: readonly File[], listeners: Listeners, secret: Secret): Promise<Offer[]> {
  const offers: Offer[] = [];
  for (const file of files) {
    const told = (sent: number) => listeners.tell('upload', { name: file.name, sent, total: file.size });
    const answer = await withSecret(secret, (value) => sendFile(file, { [HEADER]: value }, told));
    offers.push(read(answer.status, answer.text) as Offer);
  }
  return offers;
}

// The stream comes back by itself; what was said meanwhile is asked for anew.
async function listen(listeners: Listeners, secret: Secret): Promise<void> {
  for (let lost = false; ; lost = true) {
    await secret.settled;
    const { value } = secret;
    try {
      const response = await withSecret(secret, (current) => reach('/api/events', { headers: { [HEADER]: current } }));
      if (lost && response.ok) {
        listeners.tell('library', {});
        listeners.tell('search', {});
        listeners.tell('agents', {});
      }
      if (response.ok && response.body) await hear(response.body, listeners);
    } catch {
      // Go is not there now; it may come back.
    }
    await secret.change(value, AGAIN);
  }
}

async function hear(body: ReadableStream<Uint8Array>, listeners: Listeners): Promise<void> {
  for await (const { event, data } of messages(body)) {
    const name = EVENTS.find((known) => known === event);
    if (name) listeners.tell(name, JSON.parse(data) as never);
  }
}
