// Validity is chosen in days and stored as instants. Days are those of UTC, so
// that a memory does not change when the computer travels.

/** dayOf is the calendar day of an instant, as a date field writes it. */
export function dayOf(instant: string): string {
  return /^\d{4}-\d{2}-\d{2}/.exec(instant)?.[0] ?? '';
}

/** startOfDay is the first instant of a day; '' stays ''. */
export function startOfDay(day: string): string {
  return day === '' ? '' : `${day}T00:00:00Z`;
}

/** endOfDay is the last second of a day: what is valid until Friday holds on Friday. */
export function endOfDay(day: string): string {
  return day === '' ? '' : `${day}T23:59:59Z`;
}
