import type { VerifyView } from './backend';

/** The six verdicts on a signature, and none on a file that is no document. */
export const VERDICTS = ['own', 'known', 'unknown', 'unsigned', 'broken', 'uncheckable', 'none'] as const;
export type Verdict = (typeof VERDICTS)[number];

export type Tone = 'seal' | 'ok' | 'warn' | 'bad' | 'plain';

/** verdictOf never lets an unknown word pass for a good one. */
export function verdictOf(view: Pick<VerifyView, 'verdict'>): Verdict {
  return VERDICTS.find((v) => v === view.verdict) ?? 'uncheckable';
}

/** toneOf is the colour role of a verdict; the wax is for what the owner signed. */
export function toneOf(verdict: Verdict): Tone {
  switch (verdict) {
    case 'own':
      return 'seal';
    case 'known':
      return 'ok';
    case 'unknown':
      return 'warn';
    case 'broken':
      return 'bad';
    default:
      return 'plain';
  }
}
