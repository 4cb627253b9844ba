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
