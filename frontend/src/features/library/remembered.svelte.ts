// How a person arranged the room: widths and density, kept on this computer.
// Nothing of the vault is ever put here.

const PLACE = 'keepsake.library';

export type Arrangement = { facets: number; detail: number; compact: boolean };

const first: Arrangement = { facets: 220, detail: 500, compact: false };

/** remembered is the arrangement as it was left, and keeps every change of it. */
export function remembered(): Arrangement {
  const kept = $state({ ...first, ...read() });
  $effect(() => write({ facets: kept.facets, detail: kept.detail, compact: kept.compact }));
  return kept;
}

function read(): Partial<Arrangement> {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(PLACE) ?? '{}');
    if (typeof found !== 'object' || found === null) return {};
    const { facets, detail, compact } = found as Record<string, unknown>;
    return {
      ...(isWidth(facets) && { facets }),
      ...(isWidth(detail) && { detail }),
      ...(typeof compact === 'boolean' && { compact }),
    };
  } catch {
    return {};
  }
}

function isWidth(value: unknown): value is number {
  return typeof value === 'number' && value >= 100 && value <= 1200;
}

function write(arrangement: Arrangement): void {
  try {
    localStorage.setItem(PLACE, JSON.stringify(arrangement));
  } catch {
    // A full or forbidden store loses an arrangement, nothing else.
  }
}
