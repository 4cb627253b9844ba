import type { EventName, Events, Offer, Shell, Stop } from './types';

/** Transport reaches Go by one way. Only this folder knows which. */
export interface Transport {
  readonly shell: Shell;
  call(name: string, args: unknown[]): Promise<unknown>;
  on<E extends EventName>(event: E, listener: (payload: Events[E]) => void): Stop;
  /** renew loads the page anew, with nothing of the vault in it; false where that does not happen. */
  renew(): boolean;
  /** upload hands over files of a browser; a window gets paths in Go instead. */
  upload(files: readonly File[]): Promise<Offer[]>;
  /** locate makes an address of a file, as Go gave it, one that can be fetched now. */
  locate(url: string): Promise<string>;
}
