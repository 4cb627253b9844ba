import { backend, faultOf, type ChangeView } from './backend';
import { t } from './i18n';
import { toasts } from './toasts.svelte';

// Undo and redo, wherever one is. Only the newest change can be taken back, so
// only one toast at a time offers to.
export const CHANGE = 'change';

/** changed tells that something was done, and offers to take it back. */
export function changed(text: string): void {
  toasts.show({ about: CHANGE, text, action: t('undo.do'), onaction: () => void undo() });
}

/** undo takes the newest change back, whatever it was. */
export function undo(): Promise<void> {
  return told(
    () => backend.Library.Undo(),
    (change) => toasts.show({ about: CHANGE, text: t(`undo.undone.${change.kind}`), ...(change.kind !== 'import' && { action: t('undo.redo'), onaction: () => void redo() }) }),
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
