import { fill, locale } from './locale.svelte';

/**
 * phrase is a sentence of the checks, or what they expected or found. What is no
 * such phrase is an id, a time or a sum, and stays as it is.
 */
export function phrase(said: string): string {
  const whole = locale.findings[said];
  if (whole !== undefined) return whole;
  const n = /-?\d[\d.e+-]*/.exec(said)?.[0] ?? '';
  const counted = n === '' ? undefined : locale.findings[said.replace(n, '{n}')];
  return counted === undefined ? said : fill(counted, { n });
}
