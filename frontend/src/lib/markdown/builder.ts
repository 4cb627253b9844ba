import { pieces } from './visible';

// The whole vocabulary of what imported text can become. What is not listed
// cannot be made, whatever a parser says.
const TAGS = new Set([
  'p', 'br', 'hr', 'em', 'strong', 'del', 'sup', 'code', 'pre', 'blockquote', 'ul', 'ol', 'li',
  'h3', 'h4', 'h5', 'h6', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'a', 'span', 'div', 'button', 'mark',
]);

const ATTRIBUTES = new Set(['class', 'dir', 'role', 'tabindex', 'title', 'aria-label', 'aria-hidden', 'start', 'type', 'scope']);

export type Attributes = Record<string, string>;

/** Builder makes DOM nodes by name, one at a time, never from a string of HTML. */
export class Builder {
  readonly root: DocumentFragment;
  private readonly open: Node[];

  constructor(private readonly doc: Document) {
    this.root = doc.createDocumentFragment();
    this.open = [this.root];
  }

  get top(): Node {
    return this.open[this.open.length - 1] ?? this.root;
  }

  element(tag: string, attributes: Attributes = {}): HTMLElement {
    if (!TAGS.has(tag)) throw new Error(`no element ${tag} in imported text`);
    const made = this.doc.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (!ATTRIBUTES.has(name)) throw new Error(`no attribute ${name} in imported text`);
      made.setAttribute(name, value);
    }
    return made;
  }

  add(tag: string, attributes?: Attributes): HTMLElement {
    const made = this.element(tag, attributes);
    this.top.appendChild(made);
    return made;
  }

  enter(tag: string, attributes?: Attributes): HTMLElement {
    const made = this.add(tag, attributes);
    this.open.push(made);
    return made;
  }

  leave(): void {
    if (this.open.length > 1) this.open.pop();
  }

  /** text appends text and shows the characters that hide in it. */
  text(text: string, into: Node = this.top): void {
    for (const piece of pieces(text)) {
      if (piece.kind === 'text') {
        into.appendChild(this.doc.createTextNode(piece.text));
        continue;
      }
      const mark = this.element('span', { class: 'md-hidden-mark', title: piece.code });
      mark.textContent = piece.count > 1 ? `${piece.label}×${piece.count}` : piece.label;
      into.appendChild(mark);
    }
  }
}
