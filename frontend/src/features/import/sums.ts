import type { PlanMergingView, PlanSourceView } from '../../lib/backend';

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

/** The strategies of the Memory Interchange Format for what is here already. */
export const MERGES = ['skip_duplicates', 'overwrite', 'rename'] as const;
export type Merge = (typeof MERGES)[number];

/** mergingOf is how the memories of all documents of that format stand to those that are here; undefined where there is none. */
export function mergingOf(sources: readonly PlanSourceView[]): PlanMergingView | undefined {
  const all = sources.flatMap((source) => (source.merging && !source.problem ? [source.merging] : []));
  const sum = (name: keyof PlanMergingView) => all.reduce((n, m) => n + m[name], 0);
  return all.length === 0 ? undefined : { new: sum('new'), same: sum('same'), changed: sum('changed'), said: sum('said'), tasks: sum('tasks') };
}
