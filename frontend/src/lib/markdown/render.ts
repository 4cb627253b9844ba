import type { Token } from 'markdown-it';
import { hostOf, judge } from './address';
import { Builder, type Attributes } from './builder';
import { typeset } from './formula';
import { directionOf } from './direction';
import { colour } from './highlight';
import { parse } from './parser';

/** Words the renderer needs; the caller brings them in the person's language. */
export type Labels = {
  pictureNotLoaded: (where: string) => string;
  linkLeftOut: (scheme: string) => string;
  code: (language: string) => string;
  table: string;
  formula: string;
  copy: string;
};

export type Options = {
  labels: Labels;
  /** A link was pressed. Nothing has been opened, and nothing will by itself. */
  onLink: (address: string) => void;
  onCopy: (text: string) => void;
};

/** render turns imported markdown into nodes that are safe to show. */
export function render(doc: Document, source: string, options: Options): DocumentFragment {
  return new Renderer(doc, options).run(parse(source));
}

// Private-use marks that ChatGPT leaves around its source references.
const SOURCE_MARK = /\uE200[^\uE201]{0,400}\uE201/g;

const PAIRS: Record<string, string> = {
  paragraph: 'p', blockquote: 'blockquote', bullet_list: 'ul', ordered_list: 'ol', list_item: 'li',
  thead: 'thead', tbody: 'tbody', tr: 'tr', th: 'th', td: 'td', em: 'em', strong: 'strong', s: 'del',
};

// What holds words of its own finds its direction by itself. A list, a quotation and a
// table have theirs from the words in them: it says where numbers, lines and the first
// column stand.
const BLOCKS = new Set(['p', 'th', 'td']);
const HOLDERS = new Set(['ul', 'ol', 'blockquote']);

class Renderer {
  private readonly build: Builder;
  private task = false; // the next words open a list item
  private rank = 2; // headings continue below the title of the page
  private tokens: readonly Token[] = [];
  private at = 0; // in tokens

  constructor(
    doc: Document,
    private readonly options: Options,
  ) {
    this.build = new Builder(doc);
  }

  run(tokens: Token[]): DocumentFragment {
    this.tokens = tokens;
    for (this.at = 0; this.at < tokens.length; this.at++) this.block(tokens[this.at] as Token);
    return this.build.root;
  }

  private block(token: Token): void {
    if (token.type === 'inline') {
      this.inline(token.children ?? []);
      this.task = false;
      return;
    }
    if (token.hidden) return;
    this.task = token.type === 'list_item_open';
    if (token.type === 'fence' || token.type === 'code_block') this.codeBlock(token);
    else if (token.type === 'hr') this.build.add('hr');
    else if (token.type === 'html_block') this.build.text(token.content);
    else if (token.nesting === 1) this.enter(token);
    else if (token.nesting === -1) this.leave(token);
  }

  private enter(token: Token): void {
    const name = token.type.replace(/_open$/, '');
    if (name === 'heading') this.heading(token.tag);
    else if (name === 'table') this.table();
    else this.build.enter(PAIRS[name] ?? 'span', { ...attributesOf(token, PAIRS[name] ?? 'span'), ...this.direction(PAIRS[name] ?? 'span') });
  }

  private direction(tag: string): Attributes {
    const dir = HOLDERS.has(tag) || tag === 'table' ? directionOf(this.tokens, this.at) : '';
    return dir === '' ? {} : { dir };
  }

  private leave(token: Token): void {
    this.build.leave();
    if (token.type === 'table_close') this.build.leave();
  }

  // Ranks never jump, so that the outline a screen reader hears stays whole;
  // the look keeps the author's level.
  private heading(tag: string): void {
    const level = Number(tag.slice(1));
    this.rank = Math.min(this.rank + 1, level + 2, 6);
    this.build.enter(`h${this.rank}`, { class: `md-h${level}`, dir: 'auto' });
  }

  private table(): void {
    this.build.enter('div', { class: 'md-table', role: 'group', tabindex: '0', 'aria-label': this.options.labels.table });
    this.build.enter('table', this.direction('table'));
  }

  private inline(tokens: Token[]): void {
    let links = 0;
    for (const token of tokens) {
      if (token.type === 'link_open') {
        this.openLink(String(token.attrGet('href') ?? ''));
        links++;
      } else if (token.type === 'link_close') {
        if (links-- > 0) this.build.leave();
      } else this.span(token);
    }
  }

  private span(token: Token): void {
    switch (token.type) {
      case 'text':
      case 'html_inline':
      case 'text_special':
        return this.words(token.content);
      case 'softbreak':
      case 'hardbreak':
        this.build.add('br');
        return;
      case 'code_inline':
        return this.build.text(token.content, this.build.add('code'));
      case 'formula':
        return this.formula(token);
      case 'image':
        return this.picture(token);
    }
    if (token.nesting === 1) this.enter(token);
    else if (token.nesting === -1) this.leave(token);
  }

  // TeX stands there until the formula does, and stays where it cannot be read.
  private formula(token: Token): void {
    const home = this.build.add('code', { class: token.markup.endsWith('(') || token.markup === '$' ? 'md-formula' : 'md-formula md-display', title: this.options.labels.formula });
    this.build.text(token.content, home);
    void typeset(home, token.content, home.classList.contains('md-display'));
  }

  // "[x]" at the head of a list item is a box that was ticked.
  private words(content: string): void {
    const text = this.task ? content.replace(/^\[[ xX]\](?= )/, (box) => (box === '[ ]' ? '☐' : '☑')) : content;
    this.task = false;
    if (text !== content && this.build.top instanceof Element) this.build.top.closest('li')?.classList.add('md-task'); // its box is its mark
    this.build.text(text.replace(SOURCE_MARK, ''));
  }

  // The address lives in the listener alone: without href there is nothing the
  // web view could follow, prefetch or show in its own menus.
  private openLink(raw: string): void {
    const verdict = judge(raw);
    if (!verdict.openable) {
      this.build.enter('span', { class: 'md-link-refused', title: this.options.labels.linkLeftOut(verdict.scheme || '…') });
      return;
    }
    const { address } = verdict;
    const link = this.build.enter('a', { class: 'md-link', role: 'link', tabindex: '0' });
    const follow = (event: Event) => {
      event.preventDefault();
      this.options.onLink(address);
    };
    link.addEventListener('click', follow);
    link.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') follow(event);
    });
  }

  // A picture from outside would tell its owner when it was looked at.
  private picture(token: Token): void {
    const host = hostOf(String(token.attrGet('src') ?? ''));
    this.build.enter('span', { class: 'md-picture' });
    this.build.text(this.options.labels.pictureNotLoaded(host));
    if (token.content !== '') {
      this.build.enter('span', { class: 'md-picture-alt' });
      this.build.text(token.content);
      this.build.leave();
    }
    this.build.leave();
  }

  private codeBlock(token: Token): void {
    const language = /^[\w+#.-]{1,24}/.exec(token.info.trim())?.[0] ?? '';
    renderCode(this.build, token.content.replace(/\n$/, ''), language, this.options);
  }
}

/** renderCodeBlock makes a code block of its own, for parts that are all code. */
export function renderCodeBlock(doc: Document, text: string, language: string, options: Options): DocumentFragment {
  const build = new Builder(doc);
  renderCode(build, text, language, options);
  return build.root;
}

function renderCode(build: Builder, text: string, language: string, { labels, onCopy }: Options): void {
  build.enter('div', { class: 'md-code' });
  build.enter('div', { class: 'md-code-bar' });
  build.text(language, build.add('span'));
  const copy = build.add('button', { class: 'md-copy', type: 'button' });
  copy.textContent = labels.copy;
  copy.addEventListener('click', () => onCopy(text));
  build.leave();
  build.enter('pre', { tabindex: '0', role: 'group', 'aria-label': labels.code(language) });
  const code = build.add('code');
  build.text(text, code);
  build.leave();
  build.leave();
  void colour(code, language.toLowerCase());
}

function attributesOf(token: Token, tag: string): Attributes {
  const out: Attributes = BLOCKS.has(tag) ? { dir: 'auto' } : {};
  if (tag === 'ol') {
    const start = Number(token.attrGet('start') ?? 1);
    if (Number.isSafeInteger(start) && start !== 1) out['start'] = String(start);
  }
  const align = /text-align:(left|center|right)/.exec(String(token.attrGet('style') ?? ''))?.[1];
  if (align) out['class'] = `md-${align}`;
  if (tag === 'th') out['scope'] = 'col';
  return out;
}
