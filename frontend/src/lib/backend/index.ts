import type { Transport } from './transport';
import type { EventName, Events, Methods, Offer, Shell, Stop } from './types';

export { allMemories } from './queries';
export { BackendError, cancelled, faultOf, gone } from './fault';
export type * from './types';

let transport: Transport | undefined;

function reach(): Transport {
  if (!transport) throw new Error('connect() was not called');
  return transport;
}

/** Backend is everything the page may ask of Go, however it is reached. */
export interface Backend extends Methods {
  readonly shell: Shell;
  on<E extends EventName>(event: E, listener: (payload: Events[E]) => void): Stop;
  upload(files: readonly File[]): Promise<Offer[]>;
  renew(): boolean;
  locate(url: string): Promise<string>;
}

function struct<T extends object>(name: string): T {
  return new Proxy({} as T, {
    get: (_, method) => (...args: unknown[]) => reach().call(`${name}.${String(method)}`, args),
  });
}

export const backend: Backend = {
  Vault: struct('Vault'),
  Imports: struct('Imports'),
  Library: struct('Library'),
  Conversations: struct('Conversations'),
  Search: struct('Search'),
  Exports: struct('Exports'),
  Handoffs: struct('Handoffs'),
  Settings: struct('Settings'),
  Keys: struct('Keys'),
  Care: struct('Care'),
  Inbox: struct('Inbox'),
  Todos: struct('Todos'),
  Signers: struct('Signers'),
  Clients: struct('Clients'),
  Portrait: struct('Portrait'),
  get shell() {
    return reach().shell;
  },
  on: (event, listener) => reach().on(event, listener),
  upload: (files) => reach().upload(files),
  renew: () => reach().renew(),
  locate: (url) => reach().locate(url),
};

/** use sets the way to Go; tests bring their own. */
export function use(way: Transport): void {
  transport = way;
}

/** connect finds the way to Go: the window's bindings, or HTTP in a browser. */
export async function connect(): Promise<void> {
  if (import.meta.env.MODE === 'fake') {
    const { fake } = await import('./fakeOfAddress');
    use(fake());
  } else if ('go' in window) {
    const { wails } = await import('./wails');
    use(wails());
  } else {
    const { http } = await import('./http');
    use(http());
  }
}
