// Formulas as MathML. KaTeX reads the TeX and keeps a tree; what of it becomes a
// node is decided here, and the string of HTML it could make is never asked for.

const MATHML = 'http://www.w3.org/1998/Math/MathML';

const ELEMENTS = new Set([
  'math', 'mrow', 'mi', 'mn', 'mo', 'ms', 'mtext', 'mspace', 'mfrac', 'msqrt', 'mroot', 'mstyle', 'mpadded', 'mphantom', 'msup', 'msub', 'msubsup',
  'munder', 'mover', 'munderover', 'mtable', 'mtr', 'mtd', 'menclose',
]);

const ATTRIBUTES = new Set([
  'display', 'mathvariant', 'stretchy', 'fence', 'separator', 'lspace', 'rspace', 'width', 'height', 'depth', 'voffset', 'linethickness', 'accent', 'accentunder',
  'displaystyle', 'scriptlevel', 'columnalign', 'rowspacing', 'columnspacing', 'columnlines', 'rowlines', 'notation', 'minsize', 'maxsize', 'movablelimits', 'symmetric', 'largeop',
]);

const VALUE = /^[\w.%+\- ]{1,60}$/;

// Beyond these a formula is shown as it was written; setting it must never hold
// up reading.
const MAX_LENGTH = 4_000;
const MAX_NODES = 4_000;

type Tree = { type?: string; text?: string; children?: Tree[]; attributes?: Record<string, unknown>; character?: string; width?: number };

type Setter = { __renderToDomTree(tex: string, options: object): Tree };

let loading: Promise<Setter> | undefined;

function load(): Promise<Setter> {
  loading ??= import('katex').then((katex) => katex.default as unknown as Setter);
  return loading;
}

/** typeset replaces the TeX in an element by the formula; what it cannot read stays. */
export async function typeset(home: HTMLElement, tex: string, display: boolean): Promise<void> {
  if (tex.length > MAX_LENGTH) return;
  const katex = await load();
  let made: Element | undefined;
  try {
    const tree = katex.__renderToDomTree(tex, { output: 'mathml', displayMode: display, throwOnError: true, strict: 'ignore', trust: false, maxExpand: 200, maxSize: 20 });
    const left = { nodes: MAX_NODES };
    made = within(tree, 'math').map((math) => nodeOf(home.ownerDocument, math, left))[0] as Element | undefined;
    if (left.nodes < 0) return;
  } catch {
    return; // it is no TeX, or none that is known
  }
  if (!made) return;
  home.classList.add('md-set');
  home.replaceChildren(made);
}

function within(tree: Tree, type: string): Tree[] {
  if (tree.type === type) return [tree];
  return (tree.children ?? []).flatMap((child) => within(child, type));
}

function nodeOf(doc: Document, tree: Tree, left: { nodes: number }): Node {
  left.nodes--;
  if (left.nodes < 0 || tree.type === 'annotation') return doc.createDocumentFragment();
  if (tree.text !== undefined) return doc.createTextNode(tree.text);
  if (tree.type === undefined && tree.width !== undefined) return space(doc, tree);
  const known = tree.type !== undefined && ELEMENTS.has(tree.type);
  const node = known ? doc.createElementNS(MATHML, tree.type ?? '') : doc.createDocumentFragment();
  if (node instanceof Element) {
    for (const [name, value] of Object.entries(tree.attributes ?? {})) {
      if (ATTRIBUTES.has(name) && VALUE.test(String(value))) node.setAttribute(name, String(value));
    }
  }
  for (const child of tree.children ?? []) node.appendChild(nodeOf(doc, child, left));
  return node;
}

function space(doc: Document, { character, width }: Tree): Node {
  const node = doc.createElementNS(MATHML, character ? 'mtext' : 'mspace');
  if (character) node.textContent = character;
  else node.setAttribute('width', `${Number(width).toFixed(3)}em`);
  return node;
}
