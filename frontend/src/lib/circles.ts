import type { CircleView } from './backend';
import { t } from './i18n';
import { visible } from './markdown';

/** circleOptions are whom something can be for: nobody else first, by its words, then each circle. One that is chosen stands there while it is not known yet. */
export function circleOptions(self: string, circles: readonly CircleView[], chosen: string): { value: string; label: string }[] {
  const known = circles.map(({ entity, name, members }) => ({ value: entity, label: t('export.for.circle', { name: visible(name), memories: t('circles.members', { count: members }) }) }));
  const missing = chosen !== '' && !circles.some(({ entity }) => entity === chosen);
  return [{ value: '', label: self }, ...known, ...(missing ? [{ value: chosen, label: visible(chosen) }] : [])];
}

/** circleName is what an entity is called, itself where no circle is called otherwise. */
export function circleName(circles: readonly CircleView[], entity: string): string {
  return circles.find((circle) => circle.entity === entity)?.name ?? entity;
}
