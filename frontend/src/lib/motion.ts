/** motion is a duration in milliseconds, or none where the person wants none. */
export function motion(milliseconds: number): number {
  return matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : milliseconds;
}
