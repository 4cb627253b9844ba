import type { FaultView } from '../backend/types';
import { fill, locale } from './locale.svelte';
import { phrase } from './phrase';

/** What a person reads about a fault: what happened, and what to do. */
export type FaultText = { text: string; hint: string };

/** faultText is a fault in the person's language. The vault speaks English itself. */
export function faultText(fault: FaultView): FaultText {
  const translated = locale.faults[fault.reason];
  if (!translated) return { text: fault.message, hint: fault.hint };
  const args = { ...fault.args };
  // What a check found stands inside of some faults.
  for (const name of ['finding', 'expected', 'found']) if (args[name] !== undefined) args[name] = phrase(args[name]);
  return { text: fill(translated.text, args), hint: fault.hint === '' ? '' : fill(translated.hint, args) };
}
