/** The pages of Security & data, as the address names them. */
export const PARTS = ['keep', 'ways', 'log', 'erase'] as const;
export type Part = (typeof PARTS)[number];

export function partOf(name: string): Part {
  return PARTS.find((p) => p === name) ?? 'keep';
}
