// A language for tests and designers: every text is longer, accented and in
// brackets, so that what was forgotten or cut off shows.

const ACCENTS: Record<string, string> = {
  a: 'á', e: 'ë', i: 'í', o: 'ö', u: 'ü', c: 'ç', n: 'ñ', s: 'š', z: 'ž', y: 'ý',
  A: 'Á', E: 'Ë', I: 'Í', O: 'Ö', U: 'Ü', C: 'Ç', N: 'Ñ', S: 'Š', Z: 'Ž', Y: 'Ý',
};

/** pseudo keeps the length honest: about a third longer, as German would be. */
export function pseudo(text: string): string {
  const accented = text.replace(/[a-z]/gi, (letter) => ACCENTS[letter] ?? letter);
  return `⟦${accented}${'·'.repeat(Math.ceil(text.length / 3))}⟧`;
}
