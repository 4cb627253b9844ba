import { backend } from './backend';
import { locale } from './i18n';

/**
 * away tells somebody who looks elsewhere how something ended that took long, or that an
 * assistant asked while the vault is locked. Nothing
 * of the vault is told, and nobody waits for it.
 */
export function away(ended: 'import' | 'import-stopped' | 'export' | 'export-stopped' | 'asked'): void {
  if (!document.hasFocus()) void backend.Settings.Notify(ended, locale.language).catch(() => {});
}
