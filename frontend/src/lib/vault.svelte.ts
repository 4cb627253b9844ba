import { backend } from './backend';
import { Live } from './live.svelte';

/** vault is how the vault stands; the whole page hangs on it. */
export const vault = new Live(() => backend.Vault.State(), ['vault', 'library']);
