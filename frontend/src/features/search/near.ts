import type { FoundView } from '../../lib/backend';
import { t } from '../../lib/i18n';

const FILTER = /(^|[\s(-])\w+:\S/u;

/** withoutWords says of an answer with no hits but such as are close in meaning which texts do not have the words. */
export function withoutWords(found: Pick<FoundView, 'exact' | 'missing' | 'archived'>, text: string, narrowed = false): string {
  if (found.archived > 0) return t('search.near.archived', { text });
  const some = narrowed || FILTER.test(text) || !found.exact || found.missing > 0;
  return t(some ? 'search.near.among' : 'search.near.only', { text });
}
