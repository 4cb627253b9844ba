import { known, locale, t } from './locale.svelte';

// Dates, numbers and names as the person's language writes them. Instants come
// as RFC 3339; what is no instant becomes ''.

function instant(at: string): Date | undefined {
  const date = new Date(at);
  return at === '' || Number.isNaN(date.getTime()) ? undefined : date;
}

function shown(at: string, options: Intl.DateTimeFormatOptions): string {
  const date = instant(at);
  return date ? new Intl.DateTimeFormat(locale.tag, options).format(date) : '';
}

/** formatDay: 3 May 2025 */
export function formatDay(at: string): string {
  return shown(at, { dateStyle: 'long' });
}

/** formatShortDay: 03/05/2025 */
export function formatShortDay(at: string): string {
  return shown(at, { dateStyle: 'medium' });
}

/** formatInstant: 3 May 2025, 14:05 */
export function formatInstant(at: string): string {
  return shown(at, { dateStyle: 'long', timeStyle: 'short' });
}

/** formatSpan: 3 May 2025, 14:05–14:41 */
export function formatSpan(from: string, to: string): string {
  const [begin, end] = [instant(from), instant(to)];
  return begin && end ? new Intl.DateTimeFormat(locale.tag, { dateStyle: 'long', timeStyle: 'short' }).formatRange(begin, end) : '';
}

/** formatTime: 14:05 */
export function formatTime(at: string): string {
  return shown(at, { timeStyle: 'short' });
}

/** formatMonth: Mar 2026, of "2026-03" */
export function formatMonth(month: string): string {
  return shown(`${month}-15T12:00:00Z`, { month: 'short', year: 'numeric' });
}

/** monthName: May 2025; month counts from 0. */
export function monthName(year: number, month: number): string {
  return shown(new Date(year, month, 1).toISOString(), { month: 'long', year: 'numeric' });
}

const STEPS: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** relativeTime: 3 days ago; now is given by tests. */
export function relativeTime(at: string, now = Date.now()): string {
  const date = instant(at);
  if (!date) return '';
  const seconds = (date.getTime() - now) / 1000;
  const [unit, size] = STEPS.find(([, size]) => Math.abs(seconds) >= size) ?? ['minute', 60];
  return new Intl.RelativeTimeFormat(locale.tag, { numeric: 'auto' }).format(Math.trunc(seconds / size), unit);
}

export function formatNumber(n: number, options: Intl.NumberFormatOptions = {}): string {
  return new Intl.NumberFormat(locale.tag, options).format(n);
}

/** formatPercent takes a share between 0 and 1. */
export function formatPercent(share: number): string {
  return formatNumber(share, { style: 'percent', maximumFractionDigits: 0 });
}

const BYTES = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];

/** formatBytes: 12.4 MB, in steps of a thousand as file managers count. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(BYTES.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return formatNumber(value, {
    style: 'unit',
    unit: BYTES[power] ?? 'byte',
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: power === 0 || value >= 100 ? 0 : 1,
  });
}

/** formatSeconds: 0.8 seconds, 12 seconds, 3 minutes */
export function formatSeconds(seconds: number): string {
  const minutes = seconds >= 90;
  const value = minutes ? seconds / 60 : seconds;
  const unit = minutes ? 'minute' : 'second';
  return formatNumber(value, { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: value < 3 && !minutes ? 1 : 0 });
}

/** formatList: a, b and c; a, b or c of a disjunction */
export function formatList(items: readonly string[], type: 'conjunction' | 'disjunction' = 'conjunction'): string {
  return new Intl.ListFormat(locale.tag, { type }).format(items);
}

/** languageName: Brazilian Portuguese, of pt-BR; "" of none and of what is no tag. */
export function languageName(tag: string): string {
  try {
    return tag && (new Intl.DisplayNames(locale.tag, { type: 'language', fallback: 'none' }).of(tag) ?? '');
  } catch {
    return '';
  }
}

/** typeName is what a type of memory is called. */
export function typeName(type: string): string {
  return known(`type.${type}`) ? t(`type.${type}`) : type;
}

/** platformName is what a provider calls itself; an unknown one is shown as written. */
export function platformName(platform: string): string {
  return known(`platform.${platform}`) ? t(`platform.${platform}`) : platform;
}

/** opaque tells a number that a service gave an account from a name that somebody knows it by. */
export function opaque(account: string): boolean {
  return (/^(?:[a-z]+[-_])?[0-9a-f-]{12,}$/i.test(account) && /\d/.test(account)) || /^user-[0-9a-z]{8,}$/i.test(account);
}

/** statusName is what a status of the lifecycle is called. */
export function statusName(status: string): string {
  return known(`status.${status}`) ? t(`status.${status}`) : status;
}
