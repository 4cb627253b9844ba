// Characters that change how a line reads without being seen: direction
// overrides turn words round, tag characters carry text nobody reads. Imported
// text keeps them, but here they are shown for what they are.

export type Piece = { kind: 'text'; text: string } | { kind: 'mark'; label: string; code: string; count: number };

const NAMES: Record<number, string> = {
  0x061c: 'ALM',
  0x180e: 'MVS',
  0x200b: 'ZWSP',
  0x200e: 'LRM',
  0x200f: 'RLM',
  0x202a: 'LRE',
  0x202b: 'RLE',
  0x202c: 'PDF',
  0x202d: 'LRO',
  0x202e: 'RLO',
  0x2060: 'WJ',
  0x2066: 'LRI',
  0x2067: 'RLI',
  0x2068: 'FSI',
  0x2069: 'PDI',
  0xfeff: 'BOM',
};

// Joiners stay: emoji and Persian need them. Tag characters stay only behind
// the black flag, where they spell the flags of England, Scotland and Wales.
const HIDDEN =
  /\u{1F3F4}[\u{E0020}-\u{E007F}]+|[\u{E0000}-\u{E007F}]+|[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF\uFFF9-\uFFFB]/gu;

/** pieces splits text into what is read and what hides in it. */
export function pieces(text: string): Piece[] {
  const out: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(HIDDEN)) {
    const found = match[0];
    const first = found.codePointAt(0) ?? 0;
    if (first === 0x1f3f4) continue;
    if (match.index > from) out.push({ kind: 'text', text: text.slice(from, match.index) });
    out.push(markOf(found, first));
    from = match.index + found.length;
  }
  if (from < text.length) out.push({ kind: 'text', text: text.slice(from) });
  return out;
}

/** visible is text for places without marks of their own, with the same characters named in it. */
export function visible(text: string): string {
  return pieces(text).map((piece) => (piece.kind === 'text' ? piece.text : `[${piece.label}]`)).join('');
}

/** hidesSomething tells whether text holds characters that pieces would mark. */
export function hidesSomething(text: string): boolean {
  return pieces(text).some((p) => p.kind === 'mark');
}

function markOf(found: string, first: number): Piece {
  const code = `U+${first.toString(16).toUpperCase().padStart(4, '0')}`;
  const tag = first >= 0xe0000;
  return { kind: 'mark', label: tag ? 'TAG' : (NAMES[first] ?? code), code, count: Array.from(found).length };
}
