import { backend, type AccountView } from './backend';
import { opaque, platformName, t } from './i18n';
import { Live } from './live.svelte';

class Accounts extends Live<AccountView[]> {
  constructor() {
    super(() => backend.Library.Accounts(), ['import-done']);
  }

  /** nameOf is what an export calls an account, or its id where that is a name; '' where nobody knows one. */
  nameOf(id: string): string {
    const account = this.value?.find((one) => one.id === id);
    if (!account?.name) return opaque(id) ? '' : id;
    const alike = this.value?.filter((one) => one.name === account.name) ?? [];
    return alike.length > 1 ? `${account.name} (${platformName(account.platform)})` : account.name;
  }

  /** labelOf is the name, or that there is none and how the id ends. */
  labelOf(id: string): string {
    return this.nameOf(id) || t('library.facets.account.unnamed', { end: id.slice(-4) });
  }
}

/** accounts are those that something in the vault came from; views name them by their ids. */
export const accounts = new Accounts();
