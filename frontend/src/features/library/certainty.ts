/** pathOf draws values between 0 and 1, evenly apart, into a box; 1 is at its top. */
export function pathOf(values: readonly number[], width: number, height: number): string {
  const step = width / Math.max(1, values.length - 1);
  return values.map((value, i) => `${i === 0 ? 'M' : 'L'}${(i * step).toFixed(1)} ${((1 - value) * height).toFixed(1)}`).join('');
}
