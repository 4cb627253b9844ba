import type { ExportOptionsView, FindingsView, HideableView } from './types';

// What the fake backend finds in the sample's memories: made up, as they are.

const found = (id: string, kind: string, before: string, text: string, after: string): HideableView => ({ id, in: 'memory', kind, text, before, after, kept: false });

export const FOUND: HideableView[] = [
  found('00f1a2b3c4d5e6f7', 'email', 'The bindery answers at ', 'oficina@papelaria-ribeiro.example', ', mostly in the mornings.'),
  found('11f1a2b3c4d5e6f7', 'phone', 'Her sister Lúcia: ', '+351 912 345 678', ', before nine.'),
  found('22f1a2b3c4d5e6f7', 'email', 'Orders of paper go to ', 'encomendas@moinho.example', ''),
  found('33f1a2b3c4d5e6f7', 'password', 'The wifi password of the workshop is ', 'Cola-de-Trigo#48', ' for guests'),
];

export const FOUND_IN_CONVERSATIONS: HideableView[] = [
  { ...found('44f1a2b3c4d5e6f7', 'email', 'you can write to me at ', 'marina@caderno.example', ' any time'), in: 'conversation' },
];

/** redacts says whether an export hides what is found. */
export const redacts = (o: ExportOptionsView): boolean => (o.redact === '' ? o.for !== '' || o.format === 'mif' : o.redact === 'on');

/** findingsIn is what the review shows of all, with what is kept. */
export function findingsIn(all: HideableView[], on: boolean, keep: string[]): FindingsView {
  const items = all.map((f) => ({ ...f, kept: !on || keep.includes(f.id) || keep.includes(f.kind) }));
  const kinds = [...new Set(all.map((f) => f.kind))].map((name) => ({ name, count: all.filter((f) => f.kind === name).length }));
  return { items, total: all.length, hidden: items.filter((f) => !f.kept).length, kinds, unread: 0 };
}
