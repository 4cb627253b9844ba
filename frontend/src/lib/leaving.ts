import type { CirclePreviewView } from './backend';
import { formatList, t } from './i18n';

/** leaving says how many memories of a circle leave. */
export function leaving({ circle, leaves }: CirclePreviewView): string {
  if (circle.members === 0) return t('circles.leaves.none');
  return leaves === circle.members ? t('circles.leaves.all', { count: leaves }) : t('circles.leaves', { leaves, count: circle.members });
}

/** topicsSaid names private topics within a sentence. */
export function topicsSaid(topics: readonly string[]): string {
  return formatList(topics.map((name) => t(`sensitive.topic.${name}`).toLocaleLowerCase()), 'disjunction');
}

/** staying says of each reason how many memories stay. */
export function staying({ stays, topics }: CirclePreviewView): string[] {
  const said = topicsSaid(topics.map(({ name }) => name));
  return stays.filter(({ count }) => count > 0).map(({ name, count }) => t(`circles.stays.${name}`, { count, topics: said }));
}
