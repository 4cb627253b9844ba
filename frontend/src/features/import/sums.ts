import type { PlanSourceView } from '../../lib/backend';

/** sums is what all readable sources of a plan bring together. */
export function sums(sources: readonly PlanSourceView[]): { readable: number; fresh: boolean } {
  const readable = sources.filter((source) => !source.problem);
  const fresh = readable.some((s) => s.new + s.updated > 0 || s.memories > 0);
  return { readable: readable.length, fresh };
}
