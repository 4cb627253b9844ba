// Keys of the whole page. Screens add their own; what a screen has handled it
// marks with preventDefault.

export const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** Shortcut as it is written in the sheet: "mod" is Ctrl, or ⌘ on a Mac. */
export type Shortcut = { keys: string; does: string };

/** chord names a press: "mod+shift+e", "?", "escape". */
export function chord(event: KeyboardEvent): string {
  const key = event.key.toLowerCase();
  const mod = event.ctrlKey || event.metaKey;
  // Shift is part of the letter where no other key is held: "?" and "X".
  const parts = [mod ? 'mod' : '', event.altKey ? 'alt' : '', event.shiftKey && (mod || key.length > 1) ? 'shift' : '', key];
  return parts.filter((part) => part !== '').join('+');
}

/** typing tells whether letters go into a field right now. */
export function typing(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName);
}

/**
 * loose tells whether a key was pressed where nothing takes it: in no field, dialog or
 * list, and Enter on nothing that it would press.
 */
export function loose(event: KeyboardEvent): boolean {
  const target = event.target instanceof Element ? event.target : document.body;
  if (event.defaultPrevented || typing(target) || target.closest('[role=dialog], [role=listbox]')) return false;
  return event.key !== 'Enter' || target.matches('body, main');
}

/** caps writes a chord as the person's keyboard does. */
export function caps(keys: string): string[] {
  return keys.split('+').map((key) => {
    if (key === 'mod') return isMac ? '⌘' : 'Ctrl';
    if (key === 'shift') return isMac ? '⇧' : 'Shift';
    if (key === 'enter') return '↵';
    if (key === 'escape') return 'Esc';
    if (key === 'delete') return 'Del';
    return key.length === 1 ? key.toUpperCase() : key;
  });
}
