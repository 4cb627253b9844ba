import { monthName, platformName, t, typeName } from '../../lib/i18n';
import type { Group } from './grouping';

/** groupName is what stands in the head of a group. */
export function groupName(group: Group): string {
  switch (group.by) {
    case 'month':
      return monthName(group.year, group.month);
    case 'type':
      return typeName(group.type);
    case 'platform':
      return platformName(group.platform);
    case 'confidence':
      return t(`library.group.confidence.${group.band}`);
    case 'undated':
      return t('library.group.undated');
  }
}
