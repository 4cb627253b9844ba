import type { FaultView } from './types';

/** BackendError carries a fault through a promise. */
export class BackendError extends Error {
  constructor(readonly fault: FaultView) {
    super(fault.message);
    this.name = 'BackendError';
  }
}

/** Faults of the page itself, where Go could not be asked at all. */
export const unreachable: FaultView = {
  code: 'internal',
  reason: 'backend-unreachable',
  message: 'Keepsake does not answer any more.',
  hint: 'Everything that was saved is safe. Start Keepsake again.',
  args: {},
};

export const sessionOver: FaultView = {
  code: 'refused',
  reason: 'session-over',
  message: 'This page no longer belongs to a running Keepsake.',
  hint: 'Open the address that `keepsake serve` printed last, or start it again.',
  args: {},
};

const unknown: FaultView = {
  code: 'internal',
  reason: 'internal',
  message: 'Something went wrong inside Keepsake.',
  hint: 'Try again. If it happens again, report it with the details; they hold no content.',
  args: {},
};

/** parseFault reads the JSON document that a bound method rejects with. */
export function parseFault(text: string): FaultView | undefined {
  try {
    const read: unknown = JSON.parse(text);
    return isFault(read) ? { ...unknown, ...read, args: read.args ?? {} } : undefined;
  } catch {
    return undefined;
  }
}

function isFault(value: unknown): value is FaultView {
  return typeof value === 'object' && value !== null && 'code' in value && 'reason' in value;
}

/** faultOf makes a fault of whatever was thrown. */
export function faultOf(error: unknown): FaultView {
  if (error instanceof BackendError) return error.fault;
  const text = error instanceof Error ? error.message : String(error);
  return parseFault(text) ?? unknown;
}

/** gone tells a file that is no longer at hand, after a lock for instance, from one that is wrong. */
export function gone(fault: FaultView | undefined): boolean {
  return fault?.code === 'not_found';
}

/** cancelled tells a dialog that was closed from something that went wrong. */
export function cancelled(error: unknown): boolean {
  return faultOf(error).code === 'cancelled';
}
