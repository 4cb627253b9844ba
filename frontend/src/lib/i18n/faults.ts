import type { FaultView } from '../backend/types';
import { phrase } from './findings';
import { fill, locale } from './locale.svelte';

/** What a person reads about a fault: what happened, and what to do. */
export type FaultText = { text: string; hint: string };

/** faultText is a fault in the person's language. The vault speaks English itself. */
export function faultText(fault: FaultView): FaultText {
  const translated = locale.faults[fault.reason];
  if (!translated) return { text: fault.message, hint: fault.hint };
  // What a check found stands inside of some faults.
  const args = fault.args.finding === undefined ? fault.args : { ...fault.args, finding: phrase(fault.args.finding) };
  return { text: fill(translated.text, args), hint: fault.hint === '' ? '' : fill(translated.hint, args) };
}
