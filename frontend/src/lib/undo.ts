import { backend, faultOf, type ChangeView } from './backend';
import { t } from './i18n';
import { place } from './route.svelte';
import { toasts } from './toasts.svelte';

// Undo and redo, wherever one is. Only the newest change can be taken back, so
// only one toast at a time offers to.
export const CHANGE = 'change';

/** changed tells that something was done, and offers to take it back. */
export function changed(text: string): void {
  toasts.show({ about: CHANGE, text, action: t('undo.do'), onaction: () => void undo() });
}

/**
 * undo takes the newest change back. A whole import is not taken back by one press, for it
 * cannot be done again by one: it is pointed to, where what would go is said first.
 */
export async function undo(): Promise<void> {
  const { kind } = await backend.Library.LastChange().catch(() => ({ kind: '' }));
  if (kind === 'import') {
    toasts.show({ about: CHANGE, text: t('undo.import'), action: t('undo.import.show'), onaction: () => place.go('import') });
    return;
  }
  await told(
    () => backend.Library.Undo(),
    (change) => toasts.show({ about: CHANGE, text: t(`undo.undone.${change.kind}`), action: t('undo.redo'), onaction: () => void redo() }),
  );
}

/** redo does again what was taken back last. */
export function redo(): Promise<void> {
  return told(
    () => backend.Library.Redo(),
    () => changed(t('undo.redone')),
  );
}

async function told(act: () => Promise<ChangeView>, tell: (change: ChangeView) => void): Promise<void> {
  try {
    tell(await act());
  } catch (error) {
    toasts.show({ about: CHANGE, fault: faultOf(error) });
  }
}
