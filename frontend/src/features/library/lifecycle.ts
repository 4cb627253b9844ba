// The lifecycle of a memory (PAM §7). The vault decides which steps are legal;
// the page offers a step only when the vault and this table agree.

export const STATUSES = ['active', 'superseded', 'deprecated', 'retracted', 'archived'] as const;
export type Status = (typeof STATUSES)[number];

export type Step = {
  to: Exclude<Status, 'active'>;
  /** supersede asks which memory takes over. */
  asksSuccessor: boolean;
  /** retract explains itself before it is done. */
  explains: boolean;
};

const LEGAL: Record<Status, Step['to'][]> = {
  active: ['superseded', 'deprecated', 'retracted', 'archived'],
  superseded: ['archived'],
  deprecated: ['retracted', 'archived'],
  retracted: [],
  archived: [],
};

// From the gentlest to the strongest, as they stand in the footer.
const ORDER: Step['to'][] = ['archived', 'deprecated', 'superseded', 'retracted'];

export function isStatus(name: string): name is Status {
  return STATUSES.some((s) => s === name);
}

/** steps lists what may be offered for a memory in this status. */
export function steps(status: string, next: readonly string[]): Step[] {
  if (!isStatus(status)) return [];
  const legal = LEGAL[status];
  return ORDER.filter((to) => legal.includes(to) && next.includes(to)).map((to) => ({
    to,
    asksSuccessor: to === 'superseded',
    explains: to === 'retracted',
  }));
}
