import MarkdownIt, { type MarkdownIt as Parser, type StateInline, type Token } from 'markdown-it';

/** Parsed is markdown as tokens; rendering them is another layer's work. */
export type Parsed = Token[];

// Deep enough for honest writing, shallow enough that "> > > …" costs nothing.
const MAX_NESTING = 40;

let parser: Parser | undefined;

/** parse turns imported markdown into tokens. HTML in it stays text. */
export function parse(source: string): Parsed {
  parser ??= build();
  return parser.parse(source, {});
}

function build(): Parser {
  const md = new MarkdownIt({ html: false, linkify: true, breaks: true, typographer: false, maxNesting: MAX_NESTING });
  md.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  // Every address becomes a token, also a bad one: the renderer judges it, and
  // says what it left out instead of showing raw brackets.
  md.validateLink = () => true;
  md.normalizeLink = (address) => address;
  md.normalizeLinkText = (address) => address;
  md.inline.ruler.before('escape', 'formula', formula);
  return md;
}

const FORMULAS: [open: string, close: string][] = [
  ['\\(', '\\)'],
  ['\\[', '\\]'],
  ['$$', '$$'],
  ['$', '$'],
];

// One sign alone is money or mathematics. As in Pandoc, words touch both signs from
// inside, and no digit follows the second one: "$5 and $7" is money, "$0.99$" a number.
// What Pandoc would take for a formula here and there is told from one by two more
// rules: an amount goes on in words ("$5, or 5$"), or its sign stands behind it ("5$ or 6$").
function isFormula(open: string, tex: string, before: string, after: string): boolean {
  if (open !== '$') return true;
  if (!/^\S(?:[^\n]*\S)?$/.test(tex) || /^\d/.test(after)) return false;
  return !/^\d[\d.,]*\s+\p{L}/u.test(tex) && (/[\\^_]/.test(tex) || !/[\p{L}\p{N}]$/u.test(before));
}

// closing finds the sign that ends a formula; a dollar behind a backslash is part of it.
function closing(text: string, close: string, from: number): number {
  let at = text.indexOf(close, from);
  while (close === '$' && at > from && text[at - 1] === '\\') at = text.indexOf(close, at + 1);
  return at;
}

// formula keeps TeX as it was written; markdown would eat its backslashes.
function formula(state: StateInline, silent: boolean): boolean {
  for (const [open, close] of FORMULAS) {
    if (!state.src.startsWith(open, state.pos)) continue;
    const from = state.pos + open.length;
    const to = closing(state.src, close, from);
    if (to <= from || to >= state.posMax || !isFormula(open, state.src.slice(from, to), state.src.slice(Math.max(0, state.pos - 2), state.pos), state.src.slice(to + close.length, to + close.length + 1))) continue;
    if (!silent) {
      const token = state.push('formula', 'code', 0);
      token.content = state.src.slice(from, to).trim();
      token.markup = open;
    }
    state.pos = to + close.length;
    return true;
  }
  return false;
}
