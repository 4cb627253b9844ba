import type { DayCountView, InsightsView, MonthCountView } from '../../lib/backend';

// What the pictures are made of.

export type Month = { month: string; total: number; parts: { platform: string; count: number }[] };

/** MOST months are drawn; the table has them all. */
export const MOST_MONTHS = 36;

/** monthsOf joins the platforms of each month and fills the months without any. */
export function monthsOf(counts: readonly MonthCountView[]): Month[] {
  const by = new Map<string, Month>();
  const [first, last] = [counts[0]?.month, counts.at(-1)?.month];
  if (!first || !last) return [];
  for (let month = first; month <= last && by.size < 1_200; month = next(month)) by.set(month, { month, total: 0, parts: [] });
  for (const { month, platform, count } of counts) {
    const one = by.get(month);
    if (!one) continue;
    one.total += count;
    one.parts.push({ platform, count });
  }
  return [...by.values()];
}

function next(month: string): string {
  const [year = 0, at = 1] = month.split('-').map(Number);
  return at === 12 ? `${year + 1}-01` : `${year}-${String(at + 1).padStart(2, '0')}`;
}

/** beforeYear is how many months come before the first January after the first month: as if a year more, where none does. */
export function beforeYear(months: readonly Month[]): number {
  const at = months.findIndex(({ month }, i) => i > 0 && month.endsWith('-01'));
  return at < 0 ? months.length + 12 : at;
}

export type Day = DayCountView & { week: number; weekday: number; level: number };

const DAY = 86_400_000;
const WEEKS = 53;

/** heat lays the last year of days out by week and weekday, Monday first; level is 0 to 4. */
export function heat(days: readonly DayCountView[]): Day[] {
  const newest = days.at(-1)?.day;
  if (!newest) return [];
  const end = Date.parse(`${newest}T00:00:00Z`);
  const weekdayOf = (at: number) => (new Date(at).getUTCDay() + 6) % 7;
  const monday = end - weekdayOf(end) * DAY - (WEEKS - 1) * 7 * DAY;
  const by = new Map(days.map((day) => [day.day, day]));
  const most = Math.max(1, ...days.map((day) => day.messages));
  const out: Day[] = [];
  for (let at = monday; at <= end; at += DAY) {
    const day = new Date(at).toISOString().slice(0, 10);
    const found = by.get(day) ?? { day, conversations: 0, messages: 0 };
    const level = found.messages === 0 ? 0 : 1 + Math.min(3, Math.floor((4 * Math.log1p(found.messages)) / Math.log1p(most) - 0.001));
    out.push({ ...found, week: Math.floor((at - monday) / (7 * DAY)), weekday: weekdayOf(at), level });
  }
  return out;
}

/** statusSum counts all memories of a status. */
export function statusSum(types: InsightsView['types'], status: string): number {
  return types.reduce((sum, type) => sum + (type.statuses.find((s) => s.name === status)?.count ?? 0), 0);
}
