import type { StandsView } from '../../lib/backend';

/** Found is one of the places in a message: the nth of so many. */
export type Found = { index: number; nth: number; count: number };

/** NOWHERE is where nothing stands. */
export const NOWHERE: StandsView = { at: [], times: [] };

/** placesOf counts the places at which something stands. */
export const placesOf = ({ times }: StandsView) => times.reduce((sum, count) => sum + count, 0);

/** foundAt is place number at of all; at counts from 0. */
export function foundAt(stands: StandsView, at: number): Found | undefined {
  if (at < 0) return undefined;
  let left = at;
  for (const [i, count] of stands.times.entries()) {
    if (left < count) return { index: stands.at[i] ?? 0, nth: left, count };
    left -= count;
  }
  return undefined;
}
