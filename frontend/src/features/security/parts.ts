/** The pages of Security & data, as the address names them. */
export const PARTS = ['keep', 'log', 'erase'] as const;
export type Part = (typeof PARTS)[number];

export function partOf(name: string): Part {
  return PARTS.find((p) => p === name) ?? 'keep';
}
