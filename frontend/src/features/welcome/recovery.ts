// Typing back part of a recovery key, as people type: any case, O for 0, I or L for 1.

/** sameGroup compares what was typed with a group of the key. */
export function sameGroup(typed: string, group: string): boolean {
  return normal(typed) !== '' && normal(typed) === normal(group);
}

function normal(text: string): string {
  return text
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, '')
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1');
}

/** pickTwo chooses two different groups to ask for, in the order of the key. */
export function pickTwo(count: number, random: () => number = secure): [number, number] {
  const first = Math.floor(random() * count);
  const second = (first + 1 + Math.floor(random() * (count - 1))) % count;
  return first < second ? [first, second] : [second, first];
}

function secure(): number {
  const [drawn = 0] = crypto.getRandomValues(new Uint32Array(1));
  return drawn / 2 ** 32;
}
