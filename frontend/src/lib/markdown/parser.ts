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

// One sign alone is money more often than mathematics.
function isFormula(open: string, tex: string, after: string): boolean {
  return open !== '$' || (/^\S(?:[^\n]*\S)?$/.test(tex) && !/^\d/.test(after) && /[\\^_=a-zA-Z]/.test(tex) && !/^\d[\d.,]*\s/.test(tex));
}

// formula keeps TeX as it was written; markdown would eat its backslashes.
function formula(state: StateInline, silent: boolean): boolean {
  for (const [open, close] of FORMULAS) {
    if (!state.src.startsWith(open, state.pos)) continue;
    const from = state.pos + open.length;
    const to = state.src.indexOf(close, from);
    if (to <= from || to >= state.posMax || !isFormula(open, state.src.slice(from, to), state.src.slice(to + close.length))) continue;
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
