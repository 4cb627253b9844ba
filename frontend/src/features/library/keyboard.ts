// What a key means in the list. Keys are ignored while text is being written.

export type Move =
  | { do: 'move'; by: number }
  | { do: 'first' }
  | { do: 'last' }
  | { do: 'open' }
  | { do: 'close' }
  | { do: 'edit' }
  | { do: 'mark' }
  | { do: 'relate' }
  | { do: 'extend'; by: number }
  | { do: 'all' };

type Pressed = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

/** moveFor names the step a key asks for; page is how many rows fit the view. */
export function moveFor(pressed: Pressed, page: number): Move | undefined {
  if ((pressed.ctrlKey || pressed.metaKey) && !pressed.altKey && !pressed.shiftKey && pressed.key.toLowerCase() === 'a') return { do: 'all' };
  if (pressed.ctrlKey || pressed.metaKey || pressed.altKey) return undefined;
  switch (pressed.shiftKey ? `shift ${pressed.key}` : '') {
    case 'shift J':
    case 'shift ArrowDown':
      return { do: 'extend', by: 1 };
    case 'shift K':
    case 'shift ArrowUp':
      return { do: 'extend', by: -1 };
  }
  switch (pressed.key) {
    case 'j':
    case 'ArrowDown':
      return { do: 'move', by: 1 };
    case 'k':
    case 'ArrowUp':
      return { do: 'move', by: -1 };
    case 'PageDown':
      return { do: 'move', by: page };
    case 'PageUp':
      return { do: 'move', by: -page };
    case 'Home':
      return { do: 'first' };
    case 'End':
      return { do: 'last' };
    case 'Enter':
      return { do: 'open' };
    case 'Escape':
      return { do: 'close' };
    case 'e':
      return { do: 'edit' };
    case 'x':
      return { do: 'mark' };
    case 'r':
      return { do: 'relate' };
  }
  return undefined;
}

/** moved is the index after a step, kept inside the list. */
export function moved(index: number, move: Move, count: number): number {
  if (count === 0) return -1;
  if (move.do === 'first') return 0;
  if (move.do === 'last') return count - 1;
  if (move.do !== 'move' && move.do !== 'extend') return index;
  if (index < 0) return move.by > 0 ? 0 : count - 1;
  return Math.min(count - 1, Math.max(0, index + move.by));
}
