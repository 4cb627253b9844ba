/** Picked are words chosen in a message, and where a button for them may stand. */
export type Picked = { text: string; message: string; x: number; y: number };

const FEW = 3; // letters; less is a slip of the hand
const MOST = 8_000;

/** pickedIn is what is selected within a text, as far as it is one message's. */
export function pickedIn(sheet: HTMLElement | undefined): Picked | undefined {
  const selection = document.getSelection();
  if (!sheet || !selection || selection.isCollapsed || selection.rangeCount === 0) return undefined;
  const slot = slotOf(selection.anchorNode, sheet);
  const text = selection.toString().trim().slice(0, MOST);
  if (!slot?.dataset['message'] || slotOf(selection.focusNode, sheet) !== slot || text.length < FEW) return undefined;
  const box = selection.getRangeAt(0).getBoundingClientRect();
  return { text, message: slot.dataset['message'], x: Math.max(8, Math.min(box.left, innerWidth - 200)), y: box.top > 100 ? box.top - 44 : box.bottom + 8 };
}

function slotOf(node: Node | null, sheet: HTMLElement): HTMLElement | undefined {
  const element = node instanceof Element ? node : node?.parentElement;
  const slot = element?.closest<HTMLElement>('[data-message]');
  return slot && sheet.contains(slot) ? slot : undefined;
}
