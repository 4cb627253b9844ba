import type { MemoryRowView } from '../../lib/backend';
import type { Sort } from './query';

/** Group names what stands in a head: a month, a type, a platform, or a band of confidence. */
export type Group =
  | { by: 'month'; year: number; month: number }
  | { by: 'type'; type: string }
  | { by: 'platform'; platform: string }
  | { by: 'confidence'; band: 'high' | 'middle' | 'low' | 'none' }
  | { by: 'undated' };

/** groupOf follows the order of the list, so that heads never repeat. */
export function groupOf(row: MemoryRowView, sort: Sort): Group {
  switch (sort) {
    case 'type':
      return { by: 'type', type: row.type };
    case 'platform':
      return { by: 'platform', platform: row.platform };
    case '-confidence':
    case 'confidence':
      return { by: 'confidence', band: band(row.confidence) };
    case '-updated':
      return month(row.updatedAt || row.createdAt);
    default:
      return month(row.createdAt);
  }
}

/** groupKey is equal for rows of the same group. */
export function groupKey(group: Group): string {
  return Object.values(group).join(':');
}

function month(instant: string): Group {
  const at = new Date(instant);
  if (Number.isNaN(at.getTime())) return { by: 'undated' };
  return { by: 'month', year: at.getFullYear(), month: at.getMonth() };
}

function band(confidence: number): 'high' | 'middle' | 'low' | 'none' {
  if (confidence < 0) return 'none';
  if (confidence >= 0.8) return 'high';
  return confidence >= 0.5 ? 'middle' : 'low';
}
