import type { Emitter, HLJSApi } from 'highlight.js';

// highlight.js as a tokenizer: this emitter keeps its tokens as a tree, and the
// string of HTML it could make is never asked for.

type Branch = { scope: string; children: Leaf[] };
type Leaf = string | Branch;

// Beyond this a block is shown plain; colouring must never hold up reading.
const MAX_LENGTH = 40_000;

class TreeEmitter implements Emitter {
  readonly tree: Branch = { scope: '', children: [] };
  private readonly open: Branch[] = [this.tree];

  addText(text: string): void {
    if (text !== '') this.top().children.push(text);
  }

  startScope(scope: string): void {
    const branch: Branch = { scope, children: [] };
    this.top().children.push(branch);
    this.open.push(branch);
  }

  endScope(): void {
    if (this.open.length > 1) this.open.pop();
  }

  // The same two under the names its core also calls.
  openNode(scope: string): void {
    this.startScope(scope);
  }

  closeNode(): void {
    this.endScope();
  }

  __addSublanguage(emitter: Emitter): void {
    if (emitter instanceof TreeEmitter) this.top().children.push(emitter.tree);
  }

  finalize(): void {
    this.open.length = 1;
  }

  toHTML(): string {
    return '';
  }

  private top(): Branch {
    return this.open[this.open.length - 1] ?? this.tree;
  }
}

let loading: Promise<HLJSApi> | undefined;

function load(): Promise<HLJSApi> {
  loading ??= import('./languages').then(({ hljs }) => {
    hljs.configure({ __emitter: TreeEmitter });
    return hljs;
  });
  return loading;
}

/** knows tells whether blocks of this language can be coloured. */
export async function knows(language: string): Promise<boolean> {
  return (await load()).getLanguage(language) !== undefined;
}

/** colour replaces the text in code by spans of the same text. */
export async function colour(code: HTMLElement, language: string): Promise<void> {
  const text = code.textContent ?? '';
  if (language === '' || text.length > MAX_LENGTH || code.childElementCount > 0) return;
  const hljs = await load();
  if (!hljs.getLanguage(language)) return;
  const emitter: Emitter = hljs.highlight(text, { language, ignoreIllegals: true })._emitter;
  if (!(emitter instanceof TreeEmitter)) return;
  const nodes = emitter.tree.children.map((leaf) => nodeOf(code.ownerDocument, leaf));
  code.replaceChildren(...nodes);
}

function nodeOf(doc: Document, leaf: Leaf): Node {
  if (typeof leaf === 'string') return doc.createTextNode(leaf);
  const span = doc.createElement('span');
  const name = /^[a-z]+/.exec(leaf.scope)?.[0];
  if (name) span.className = `hl-${name}`;
  span.append(...leaf.children.map((child) => nodeOf(doc, child)));
  return span;
}
