import { formatDay, platformName, t } from '../../lib/i18n';
import type { Origin } from './provenance';

/** sentence says where a memory came from, in the person's language. */
export function sentence({ how, platform, at }: Origin): string {
  const date = at === '' ? '' : formatDay(at);
  const named = { platform: platformName(platform), date };
  return date === '' ? t(`library.provenance.${how}.undated`, named) : t(`library.provenance.${how}`, named);
}
