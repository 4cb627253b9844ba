import type { IconName } from '../../components/icons';
import type { LogEntryView } from '../../lib/backend';
import { known, t } from '../../lib/i18n';

// What the vault writes into its log, by the word it uses.
const ICONS: Record<string, IconName> = {
  store: 'plus', update: 'pencil', forget: 'trash', export: 'upload', handoff: 'send', unlock: 'lock-open', 'unlock-failed': 'triangle-alert', compact: 'package', 'compact-memories': 'package', report: 'eye',
  backup: 'save', freeze: 'snowflake', unfreeze: 'sun', 'slot-changed': 'key', 'slot-upgraded': 'key', 'slot-added': 'key', 'slot-removed': 'key',
  rotate: 'key', rekey: 'key', read: 'eye', search: 'search', 'reading-logged': 'eye', 'reading-unlogged': 'eye',
};

/** Deed is one line of the log in the person's words. */
export type Deed = { text: string; icon: IconName; tone: 'plain' | 'warn' };

export function deed({ action, actor, count }: LogEntryView): Deed {
  const [verb = '', object = ''] = action.split(' ');
  const name = [`${verb}-${object}`, verb].find((n) => known(`deed.${n}`) || known(`deed.${n}.other`)) ?? '';
  const text = name === '' ? action : t(`deed.${name}`, known(`deed.${name}.other`) ? { count } : {});
  const who = actor === 'you' || actor === 'unknown' ? '' : ` · ${actor}`;
  return { text: text + who, icon: ICONS[verb] ?? 'info', tone: verb === 'unlock-failed' ? 'warn' : 'plain' };
}
