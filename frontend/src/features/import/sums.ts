import type { PlanSourceView } from '../../lib/backend';

/** isSealed tells a file that is encrypted: no passphrase was given, or not the right one. */
export function isSealed(source: PlanSourceView): boolean {
  return source.problem?.reason === 'file-encrypted' || source.problem?.reason === 'file-passphrase';
}

/** sums is what all readable sources of a plan bring together. */
export function sums(sources: readonly PlanSourceView[]): { readable: number; fresh: boolean } {
  const readable = sources.filter((source) => !source.problem);
  const fresh = readable.some((s) => s.new + s.updated > 0 || s.memories > 0);
  return { readable: readable.length, fresh };
}
