import type { IconName } from '../../components/icons';
import type { LogEntryView } from '../../lib/backend';
import { formatInstant, formatSpan, known, t } from '../../lib/i18n';

// What the vault writes into its log, by the word it uses.
const ICONS: Record<string, IconName> = {
  store: 'plus', update: 'pencil', forget: 'trash', export: 'upload', handoff: 'send', unlock: 'lock-open', 'unlock-failed': 'triangle-alert', compact: 'package', 'compact-memories': 'package', report: 'eye',
  backup: 'save', freeze: 'snowflake', unfreeze: 'sun', 'slot-changed': 'key', 'slot-upgraded': 'key', 'slot-added': 'key', 'slot-removed': 'key',
  accepted: 'bot', 'agent-call': 'bot', 'agent-refused': 'bot', 'session-taken': 'bot', 'session-refused': 'bot', rotate: 'key', rekey: 'key', read: 'eye', search: 'search', 'reading-logged': 'eye', 'reading-unlogged': 'eye',
};

/** Deed is one line of the log in the person's words. */
export type Deed = { text: string; icon: IconName; tone: 'plain' | 'warn' };

export function deed({ action, actor, count }: LogEntryView): Deed {
  const [verb = '', object = ''] = action.split(' ');
  const name = [`${verb}-${object}`, verb].find((n) => known(`deed.${n}`) || known(`deed.${n}.other`)) ?? '';
  const text = name === '' ? action : t(`deed.${name}`, known(`deed.${name}.other`) ? { count } : { name: object });
  const who = actor === 'you' || actor === 'unknown' ? '' : ` · ${actor === 'watched folder' ? t('deed.by-folder') : actor}`;
  return { text: text + who, icon: ICONS[verb] ?? 'info', tone: verb === 'unlock-failed' ? 'warn' : 'plain' };
}

/** LogLine is one line of the log, or several in a row that say the same of one day. */
export type LogLine = Deed & { seq: number; when: string };

/** folded says once what entries in a row say, and how often; entries come newest first. */
export function folded(entries: readonly LogEntryView[]): LogLine[] {
  const runs: LogEntryView[][] = [];
  for (const entry of entries) {
    const run = runs.at(-1);
    if (run?.[0] && deed(run[0]).text === deed(entry).text && sameDay(run[0].at, entry.at)) run.push(entry);
    else runs.push([entry]);
  }
  return runs.flatMap((run) => {
    const [newest, oldest] = [run[0], run.at(-1)];
    if (!newest || !oldest) return [];
    const done = deed(newest);
    if (run.length === 1) return [{ ...done, seq: newest.seq, when: formatInstant(newest.at) }];
    return [{ ...done, text: t('security.log.times', { what: done.text, count: run.length }), seq: newest.seq, when: formatSpan(oldest.at, newest.at) }];
  });
}

const sameDay = (a: string, b: string) => new Date(a).toDateString() === new Date(b).toDateString();
