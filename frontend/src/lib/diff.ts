// How one text became another, word by word, so that a change can be read.

export type Piece = { kind: 'same' | 'gone' | 'new'; text: string };

// Beyond this many words the two are shown whole, one after the other.
const MOST = 600;

/** diff lists what stayed, went and came, in the order of reading. */
export function diff(before: string, after: string): Piece[] {
  const [a, b] = [wordsOf(before), wordsOf(after)];
  if (a.length > MOST || b.length > MOST) return joined([{ kind: 'gone', text: before }, { kind: 'new', text: after }]);
  const lengths = common(a, b);
  const pieces: Piece[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      pieces.push({ kind: 'same', text: a[i] ?? '' });
      i++;
      j++;
    } else if (j >= b.length || (i < a.length && (lengths[i + 1]?.[j] ?? 0) >= (lengths[i]?.[j + 1] ?? 0))) {
      pieces.push({ kind: 'gone', text: a[i++] ?? '' });
    } else {
      pieces.push({ kind: 'new', text: b[j++] ?? '' });
    }
  }
  return joined(pieces);
}

// Words and what stands between them, so that nothing is lost.
function wordsOf(text: string): string[] {
  return text.match(/\s+|[^\s\p{P}]+|\p{P}/gu) ?? [];
}

/** common[i][j] is how many words a from i on and b from j on share, in order. */
function common(a: readonly string[], b: readonly string[]): number[][] {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const row = table[i];
      if (row) row[j] = a[i] === b[j] ? (table[i + 1]?.[j + 1] ?? 0) + 1 : Math.max(table[i + 1]?.[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return table;
}

function joined(pieces: readonly Piece[]): Piece[] {
  const out: Piece[] = [];
  for (const piece of pieces) {
    const last = out.at(-1);
    if (piece.text === '') continue;
    if (last?.kind === piece.kind) last.text += piece.text;
    else out.push({ ...piece });
  }
  return out;
}
