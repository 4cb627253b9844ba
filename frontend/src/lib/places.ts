// Where words stand in a text: for the find bar as they were typed, for a hit of the
// search as whole words, whatever stands between them.

/** Place is [from, to) in a text. */
export type Place = [from: number, to: number];

/** fold makes text comparable: without case and accents, and with single spaces. */
export function fold(text: string): string {
  return plainly(text).replace(/\s+/g, ' ');
}

/** spans lists where text stands as it was typed. */
export function spans(inside: string, text: string): Place[] {
  const wanted = fold(text.trim());
  return wanted === '' ? [] : all(folded(inside), wanted);
}

/** spansOf lists where any of these words stand, whole where they are found whole, in order and apart. */
export function spansOf(inside: string, words: readonly string[]): Place[] {
  return placed(inside, words).map(({ at }) => at).reduce<Place[]>((apart, at) => {
    if ((apart.at(-1)?.[1] ?? 0) <= at[0]) apart.push(at);
    return apart;
  }, []);
}

// Words this far from each other belong to one place, in characters.
const NEAR = 300;

/** best is where most of the words stand together; of such places the first. */
export function best(inside: string, words: readonly string[]): Place | undefined {
  const all = placed(inside, words);
  let [first, most] = [-1, 0];
  const near = new Map<number, number>();
  for (let from = 0, to = 0; from < all.length; from++) {
    for (let next = all[to]; next && next.at[0] < (all[from]?.at[0] ?? 0) + NEAR; next = all[++to]) near.set(next.word, (near.get(next.word) ?? 0) + 1);
    if (near.size > most) [first, most] = [from, near.size];
    const gone = all[from]?.word ?? 0;
    const left = (near.get(gone) ?? 1) - 1;
    if (left > 0) near.set(gone, left);
    else near.delete(gone);
  }
  return all[first]?.at;
}

/** missing are those of the words that do not stand in a text. */
export function missing(inside: string, words: readonly string[]): string[] {
  const text = bare(inside);
  return words.filter((word) => wholly(text, bared(word)).length === 0);
}

// As many as are looked for; a snippet of a long phrase is one.
const MOST = 24;

/** markedIn lists what is marked in a snippet, each once. */
export function markedIn(snippet: readonly { text: string; marked: boolean }[]): string[] {
  const words = snippet.filter((piece) => piece.marked).map((piece) => piece.text);
  return [...new Map(words.map((word) => [bared(word), word])).entries()].filter(([plain]) => plain !== '').map(([, word]) => word).slice(0, MOST);
}

type Folded = { text: string; origin: number[] };

function placed(inside: string, words: readonly string[]): { at: Place; word: number }[] {
  const text = bare(inside);
  const found = words.flatMap((word, i) => wholly(text, bared(word)).map((at) => ({ at, word: i })));
  return found.sort((a, b) => a.at[0] - b.at[0] || b.at[1] - a.at[1]);
}

// Between words of these scripts there is no space.
const JOINED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

function wholly(text: Folded, word: string): Place[] {
  if (word === '') return [];
  const before = JOINED.test(word.slice(0, 2)) ? '' : ' ';
  const after = JOINED.test(word.slice(-2)) ? '' : ' ';
  const whole = all(text, before + word + after, before.length, after.length);
  return whole.length > 0 ? whole : all(text, word);
}

function all({ text, origin }: Folded, wanted: string, before = 0, after = 0): Place[] {
  const found: Place[] = [];
  const step = wanted.length - after; // the space after one word is the space before the next
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + step)) {
    found.push([origin[at + before] ?? 0, (origin[at + step - 1] ?? 0) + 1]);
  }
  return found;
}

const bared = (word: string) => bare(word).text.trim();

const bare = (text: string) => folded(text, true);

// Folding may change lengths, so every folded unit remembers where it came from. Bare
// text is letters and digits, with single spaces between them and at both ends.
function folded(text: string, isBare = false): Folded {
  const origin: number[] = [];
  let [out, space] = ['', false];
  const add = (unit: string, from: number) => {
    for (let k = 0; k < unit.length; k++) origin.push(from);
    out += unit;
  };
  const gap = (from: number) => {
    if (!space) add(' ', from);
    space = true;
  };
  if (isBare) gap(0);
  for (let i = 0; i < text.length; ) {
    const unit = unitAt(text, i);
    if (isGap(unit, isBare)) gap(i);
    else {
      const plain = plainUnit(unit);
      add(plain, i);
      if (plain !== '') space = false;
      // Both halves of a character stand for themselves.
      if (unit.length === 2 && plain.length === 2) origin[origin.length - 1] = i + 1;
    }
    i += unit.length;
  }
  if (isBare) gap(text.length);
  return { text: out, origin };
}

function unitAt(text: string, at: number): string {
  const code = text.charCodeAt(at);
  return code >= 0xd800 && code < 0xdc00 ? text.slice(at, at + 2) : text.charAt(at);
}

function isGap(unit: string, isBare: boolean): boolean {
  if (!isBare) return /^\s$/.test(unit);
  return unit < '\u0080' ? !/^[a-z0-9]$/i.test(unit) : !/^[\p{L}\p{N}\p{M}]$/u.test(unit);
}

function plainUnit(unit: string): string {
  return unit < '\u0080' ? unit.toLowerCase() : plainly(unit);
}

// The sigma at the end of a word is the same letter.
function plainly(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ς', 'σ');
}
