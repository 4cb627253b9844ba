import { EventsOn, OnFileDrop } from '../../../wailsjs/runtime/runtime';
import { BackendError, parseFault, unreachable } from './fault';
import type { Transport } from './transport';
import type { EventName, Events, Offer } from './types';

type Bound = Record<string, Record<string, (...args: unknown[]) => Promise<unknown>>>;

/** wails reaches Go through the bindings of the native window. */
export function wails(): Transport {
  const bound = (window as unknown as { go: { bridge: Bound } }).go.bridge;
  // Go listens itself; on Windows paths are found only while the page listens too.
  OnFileDrop(() => {}, true);
  return {
    shell: 'window',
    call: (name, args) => call(bound, name, args),
    on: <E extends EventName>(event: E, listener: (payload: Events[E]) => void) => once(EventsOn(event, listener)),
    upload: () => Promise.resolve<Offer[]>([]),
    // Go puts another page in the place of this one; this is for when it does not.
    locate: (url) => Promise.resolve(url),
    renew: () => {
      setTimeout(() => location.reload(), 1_000);
      return true;
    },
  };
}

async function call(bound: Bound, name: string, args: unknown[]): Promise<unknown> {
  const [struct = '', method = ''] = name.split('.');
  const fn = bound[struct]?.[method];
  if (!fn) throw new BackendError(unreachable);
  try {
    return await fn(...args);
  } catch (error) {
    // A rejection is Error(text), or the text itself, with one JSON document in it.
    const fault = parseFault(error instanceof Error ? error.message : String(error));
    throw fault ? new BackendError(fault) : error;
  }
}

// Ending a Wails subscription twice throws.
function once(stop: () => void): () => void {
  let ended = false;
  return () => {
    if (!ended) stop();
    ended = true;
  };
}
