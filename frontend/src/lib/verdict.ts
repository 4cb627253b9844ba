import type { VerifyView } from './backend';

/** The seven verdicts on a signature, one of them with and without one, and none on a file that is no document. */
export const VERDICTS = ['own', 'known', 'unknown', 'unsigned', 'invalid', 'invalid-unsigned', 'broken', 'uncheckable', 'none'] as const;
export type Verdict = (typeof VERDICTS)[number];

export type Tone = 'ok' | 'warn' | 'bad' | 'plain';

/** What a heading says: a verdict, or more than that where more is known of the key or the file. */
export type Saying = Verdict | 'retired' | 'old' | 'before' | 'revoked' | 'claims' | 'claims-own' | 'claims-unsigned' | 'sealed' | 'unsummed';

/** verdictOf never lets an unknown word pass for a good one. */
export function verdictOf(view: Pick<VerifyView, 'verdict'>): Verdict {
  return VERDICTS.find((v) => v === view.verdict) ?? 'uncheckable';
}

/** sayingOf is the heading of a report. */
export function sayingOf(view: VerifyView): Saying {
  const verdict = verdictOf(view);
  switch (verdict) {
    case 'own':
    case 'known':
      if (view.claims === 'known') return 'claims';
      if (view.revokedAt !== '') return 'before';
      if (view.retiredAt !== '') return verdict === 'own' ? 'retired' : 'old';
      return verdict;
    case 'unknown':
      if (view.claims === 'known') return 'claims';
      return view.claims === 'own' ? 'claims-own' : 'unknown';
    case 'invalid':
      return view.claims === 'known' ? 'claims' : 'invalid';
    case 'invalid-unsigned':
      return view.claims === 'known' ? 'claims-unsigned' : 'invalid-unsigned';
    case 'broken':
      return view.problems.some((p) => p.check === 'key-revoked') ? 'revoked' : 'broken';
    case 'unsigned':
      if (view.claims === 'known') return 'claims-unsigned';
      if (view.claims === 'own') return 'claims-own';
      return view.document.warnings.some((w) => w.check === 'checksum') ? 'unsummed' : 'unsigned';
    case 'uncheckable':
      return view.encrypted ? 'sealed' : 'uncheckable';
    default:
      return verdict;
  }
}

/** toneOf is the colour role of a heading: what is good is never red. */
export function toneOf(saying: Saying): Tone {
  switch (saying) {
    case 'own':
    case 'retired':
    case 'known':
    case 'old':
      return 'ok';
    case 'unknown':
    case 'before':
    case 'claims-own':
      return 'warn';
    case 'invalid':
    case 'invalid-unsigned':
    case 'broken':
    case 'revoked':
    case 'claims':
    case 'claims-unsigned':
      return 'bad';
    default:
      return 'plain';
  }
}

/** sealOf is how the seal of a report is drawn: whole where the owner signed, or no wax at all. */
export function sealOf(saying: Saying): 'whole' | 'broken' | 'unset' {
  if (saying === 'own' || saying === 'retired') return 'whole';
  return saying === 'broken' ? 'broken' : 'unset';
}

/** signOf is the icon of a verdict in a line of text. */
export function signOf(tone: Tone): 'shield-check' | 'shield-x' | 'shield-question' {
  if (tone === 'ok') return 'shield-check';
  return tone === 'bad' ? 'shield-x' : 'shield-question';
}

/** mayBeNamed tells whether the key of a report can be given a name. */
export function mayBeNamed(view: VerifyView): boolean {
  return sayingOf(view) === 'unknown' && view.valid;
}
