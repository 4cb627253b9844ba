import { backend, faultOf, type FaultView } from '../../lib/backend';
import { vault } from '../../lib/vault.svelte';

/** Freezing turns the freeze of the vault on and off. */
export class Freezing {
  working = $state(false);
  fault = $state.raw<FaultView | undefined>(undefined);

  async turn(on: boolean): Promise<void> {
    this.working = true;
    this.fault = undefined;
    try {
      vault.set(await backend.Care.Freeze(on));
    } catch (error) {
      this.fault = faultOf(error);
    }
    this.working = false;
  }
}
