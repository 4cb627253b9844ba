import type { MemoryView } from '../../lib/backend';
import { statusName, t } from '../../lib/i18n';
import { steps } from './lifecycle';

// What can be done with the chosen memories: those that are marked or, where none is,
// the one that is open. Each has a key of its own in the library, and the palette
// offers the same.

export type DeedName = 'edit' | 'split' | 'tag' | 'type' | 'circle' | 'relate' | 'archived' | 'deprecated' | 'superseded' | 'retracted' | 'back' | 'stay' | 'leave' | 'forget';

export const DEED_KEYS: Record<DeedName, string> = {
  edit: 'e', split: 'f', tag: 't', type: 'y', circle: 'c', relate: 'r', archived: 'a', deprecated: 'o', superseded: 's', retracted: 'n', back: 'u', stay: 'p', leave: 'l', forget: 'delete',
};

export type OfferedDeed = { name: DeedName; keys: string; text: string };

const offered = (name: DeedName, text: string): OfferedDeed => ({ name, keys: DEED_KEYS[name], text });

/** deedsForOne lists what can be done with the open memory, as it is now; splits: it holds several facts. */
export function deedsForOne(memory: MemoryView, splits: boolean): OfferedDeed[] {
  return [
    offered('edit', t('library.detail.edit')),
    ...(splits ? [offered('split', t('split.do'))] : []),
    offered('tag', t('library.many.tag')),
    offered('type', t('library.many.type')),
    offered('circle', t('keys.does.c')),
    offered('relate', t('keys.does.r.library')),
    ...steps(memory.status, memory.next).map(({ to }) => offered(to, t(`library.lifecycle.${to}`))),
    ...(memory.was === '' ? [] : [offered('back', t('library.lifecycle.back', { status: statusName(memory.was) }))]),
    memory.exportable ? offered('stay', t('library.many.stay')) : offered('leave', t('library.many.leave')),
    offered('forget', t('forget.memory')),
  ];
}

/** deedsForMarked lists what can be done with all that are marked, as one change. */
export function deedsForMarked(count: number): OfferedDeed[] {
  return [
    offered('tag', t('library.many.tag')),
    offered('type', t('library.many.type')),
    offered('circle', t('library.many.circle')),
    ...(count === 2 ? [offered('relate', t('library.many.relate'))] : []),
    offered('archived', t('library.lifecycle.archived')),
    offered('retracted', t('library.lifecycle.retracted')),
    offered('back', t('library.many.back')),
    offered('stay', t('library.many.stay')),
    offered('leave', t('library.many.leave')),
    offered('forget', t('forget.these', { count })),
  ];
}
