// A memory may be Markdown; where it stands as a title or a line, its words do,
// without the marks. What only looks like a mark stays: 2 * 3, snake_case.

const MARKS: [mark: RegExp, words: string][] = [
  [/!?\[([^\]\n]*)\]\([^()\s]*\)/g, '$1'], // links and pictures
  [/^[ \t]*(?:`{3,}|~{3,}).*$\n?/gm, ''], // fences
  [/^[ \t]{0,3}(?:#{1,6}|>)[ \t]+/gm, ''], // headings, quotes
  [/^([ \t]*)[*+-][ \t]+/gm, '$1• '],
  [/(?<![\w*])(\*{1,3})(?=\S)([^*\n]*[^*\s])\1(?![\w*])/g, '$2'],
  [/(?<!\w)(_{1,3})(?=\S)([^_\n]*[^_\s])\1(?!\w)/g, '$2'],
  [/`([^`\n]+)`/g, '$1'],
];

/** unmarked is a text without the marks of Markdown. */
export function unmarked(text: string): string {
  return MARKS.reduce((said, [mark, words]) => said.replace(mark, words), text);
}

const HALVES: [mark: RegExp, words: string][] = [
  [/!?\[([^\]\n]*)\]\([^()\s]*\)/g, '$1'],
  [/(^|\s)#{2,6}\s/g, '$1'],
  [/\*{2,}|`+/g, ''],
];
const ROWS = /\| (?:\||:?-{2,})/; // a row ends where another begins, or the line below the heads
const RULE = /(?:\|? *:?-{2,}:? *(?=\|))+/g;

/**
 * tidied is a snippet without marks of Markdown. It was cut out of a text and put into
 * one line, so that of a pair of marks one may be missing and the rows of a table follow
 * one another: their cells are set apart by dots. What only looks like a table stays: a | b.
 */
export function tidied<Piece extends { text: string }>(pieces: readonly Piece[]): Piece[] {
  const table = ROWS.test(pieces.map(({ text }) => text).join(''));
  return pieces.map((piece, i) => {
    let text = HALVES.reduce((said, [mark, words]) => said.replace(mark, words), piece.text);
    if (table) text = text.replace(RULE, '').replace(/(?: *\|)+ */g, ' · ');
    if (table && i === 0) text = text.replace(/^(…?) · /, '$1');
    if (table && i === pieces.length - 1) text = text.replace(/ · (…?)$/, '$1');
    return { ...piece, text };
  });
}
