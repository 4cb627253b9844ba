import type { CircleView } from './backend';
import { t } from './i18n';
import { visible } from './markdown';

type Option = { value: string; label: string };

/** circleOptions are circles to choose from, with how many memories are in each. */
export function circleOptions(circles: readonly CircleView[]): Option[] {
  return circles.map(({ entity, name, members }) => ({ value: entity, label: t('export.for.circle', { name: visible(name), memories: t('circles.members', { count: members }) }) }));
}

/** recipientOptions are whom something can be for: nobody else first, by its words. One that is chosen stands there while it is not known yet. */
export function recipientOptions(self: string, circles: readonly CircleView[], chosen: string): Option[] {
  const missing = chosen !== '' && !circles.some(({ entity }) => entity === chosen);
  return [{ value: '', label: self }, ...circleOptions(circles), ...(missing ? [{ value: chosen, label: visible(chosen) }] : [])];
}

/** circleName is what an entity is called, itself where no circle is called otherwise. */
export function circleName(circles: readonly CircleView[], entity: string): string {
  return circles.find((circle) => circle.entity === entity)?.name ?? entity;
}
