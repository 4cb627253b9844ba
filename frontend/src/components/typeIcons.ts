import type { IconName } from './icons';

const ICONS = {
  fact: 'file-text',
  preference: 'heart',
  skill: 'wrench',
  context: 'map-pin',
  relationship: 'users',
  goal: 'flag',
  instruction: 'scroll',
  identity: 'user',
  environment: 'monitor',
  project: 'package',
  custom: 'tag',
} satisfies Record<string, IconName>;

export type KnownType = keyof typeof ICONS;

/** typeIcon names drawing and hue of a type; what is not known looks like custom. */
export function typeIcon(type: string): { type: KnownType; icon: IconName } {
  const known: KnownType = type in ICONS ? (type as KnownType) : 'custom';
  return { type: known, icon: ICONS[known] };
}
