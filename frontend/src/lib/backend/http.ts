import { BackendError, parseFault, sessionOver, unreachable } from './fault';
import { pickFiles, sendFile } from './files';
import { Listeners } from './listeners';
import type { EventName, FaultView, LinkView, Offer, Transport } from './types';

const EVENTS: EventName[] = ['progress', 'import-done', 'vault', 'locking', 'library', 'search', 'found', 'offers', 'keys', 'rekey', 'care'];

/** Header that a page of another origin cannot send unasked. */
const MARK = { 'X-Keepsake': '1' };

/** http reaches Go on this computer over loopback (`keepsake serve`). */
export function http(): Transport {
  const listeners = new Listeners();
  listen(listeners);
  const upload = (files: readonly File[]) => send(files, listeners);
  return {
    shell: 'browser',
    call: (name, args) => instead(name, args, upload) ?? post(name, args),
    on: (event, listener) => listeners.on(event, listener),
    upload,
    renew: () => {
      location.reload();
      return true;
    },
  };
}

// What a native window asks the person in a dialog, a browser asks itself.
function instead(name: string, args: unknown[], upload: Transport['upload']): Promise<unknown> | undefined {
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

async function post(name: string, args: unknown[]): Promise<unknown> {
  const response = await reach('/api/call', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...MARK },
    body: JSON.stringify({ name, args }),
  });
  return read(response.status, await response.text());
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

async function send(files: readonly File[], listeners: Listeners): Promise<Offer[]> {
  const offers: Offer[] = [];
  for (const file of files) {
    const answer = await sendFile(file, MARK, (sent) => listeners.tell('upload', { name: file.name, sent, total: file.size }));
    offers.push(read(answer.status, answer.text) as Offer);
  }
  return offers;
}

// The stream comes back by itself; what was said meanwhile is asked for anew.
function listen(listeners: Listeners): void {
  const source = new EventSource('/api/events');
  let lost = false;
  source.addEventListener('error', () => (lost = true));
  source.addEventListener('open', () => {
    if (lost) {
      listeners.tell('library', {});
      listeners.tell('search', {});
    }
    lost = false;
  });
  for (const event of EVENTS) {
    source.addEventListener(event, (message: MessageEvent<string>) => {
      const payload: unknown = JSON.parse(message.data);
      listeners.tell(event, payload as never);
    });
  }
}
