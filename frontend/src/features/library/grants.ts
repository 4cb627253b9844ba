import type { GrantView } from '../../lib/backend';

/** What somebody may do with a memory, from least to most (PAM §9.1). */
export const POWERS = ['read', 'read-write', 'read-write-delete'] as const;
export type Power = (typeof POWERS)[number];

const ORDER = ['read', 'write', 'delete'];

/** powerOf is the power that a grant amounts to; undefined for one that PAM knows and we do not offer. */
export function powerOf(grant: GrantView): Power | undefined {
  const name = ORDER.filter((p) => grant.permissions.includes(p)).join('-');
  return POWERS.find((power) => power === name);
}

/** permissionsOf is a power in PAM's words. */
export function permissionsOf(power: Power): string[] {
  return power.split('-');
}
