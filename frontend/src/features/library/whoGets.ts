import type { MembershipView, MemoryView } from '../../lib/backend';
import { formatList, t } from '../../lib/i18n';
import { visible } from '../../lib/markdown';

// What the detail says of the circles of a memory, in one line.

const FEW = 8;

/** reads tells whether an entity is named as one that may read the memory. */
export function reads(memory: MemoryView, entity: string): boolean {
  return memory.visibility !== 'private' && memory.sharedWith.some((grant) => grant.entity === entity && grant.permissions.includes('read'));
}

/** members are the circles that the memory is in; a document of somebody else puts it in none. */
export function members(all: readonly MembershipView[]): MembershipView[] {
  return all.filter(({ stays }) => stays !== 'unconfirmed');
}

/** whoGets says who may be given a memory, and where it stays for all that. */
export function whoGets(memory: MemoryView, all: readonly MembershipView[]): string {
  const circles = members(all);
  if (!memory.exportable) {
    if (memory.visibility === 'public') return t('library.circles.nobody.public');
    return circles.length > 0 ? t('library.circles.nobody.for', { circles: named(circles.map(({ name }) => visible(name)), 'disjunction') }) : t('library.circles.nobody');
  }
  if (memory.visibility === 'public') {
    const held = circles.filter(({ stays }) => stays === 'sensitive').map(({ name }) => visible(name));
    return held.length > 0 ? t('library.circles.everybody.but', { circles: named(held, 'conjunction') }) : t('library.circles.everybody');
  }
  if (circles.length === 0) return t('library.circles.me');
  return named(circles.map(({ name, stays }) => (stays === 'sensitive' ? t('library.circles.held', { name: visible(name) }) : visible(name))), 'conjunction');
}

/** named lists a few names, and says how many more there are. */
function named(names: readonly string[], type: 'conjunction' | 'disjunction'): string {
  const more = names.length - FEW;
  return more > 1 ? formatList([...names.slice(0, FEW), t('library.circles.more', { count: more })], type) : formatList(names, type);
}

/** besides says what a circle may do with the memory beyond reading it; '' for nothing. */
export function besides(memory: MemoryView, { entity, name }: Pick<MembershipView, 'entity' | 'name'>): string {
  if (memory.visibility === 'private') return '';
  const has = memory.sharedWith.find((grant) => grant.entity === entity)?.permissions ?? [];
  const more = has.filter((permission) => permission !== 'read').map((permission) => (permission === 'write' || permission === 'delete' ? t(`library.circles.may.${permission}`) : visible(permission)));
  if (more.length === 0) return '';
  return t(has.includes('read') ? 'library.circles.may' : 'library.circles.may.only', { name: visible(name), permissions: formatList(more) });
}
