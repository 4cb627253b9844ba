import { backend, type VaultView } from './backend';
import { t } from './i18n';
import { Live } from './live.svelte';

class Vault extends Live<VaultView> {
  /** frozen says that nothing in the vault may be changed now. */
  readonly frozen = $derived(this.value?.frozen ?? false);
  /** why says so where something cannot be done; undefined where it can. */
  readonly why = $derived(this.frozen ? t('frozen.why') : undefined);

  constructor() {
    super(() => backend.Vault.State(), ['vault', 'library']);
  }
}

/** vault is how the vault stands; the whole page hangs on it. */
export const vault = new Vault();
