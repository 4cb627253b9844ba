import { backend, cancelled, faultOf, type FaultView, type VerifyView } from '../../lib/backend';
import { t } from '../../lib/i18n';
import { toasts } from '../../lib/toasts.svelte';

/** Verification checks one file after the other; an older answer is dropped. */
export class Verification {
  report = $state.raw<VerifyView | undefined>(undefined);
  fault = $state.raw<FaultView | undefined>(undefined);
  /** Why the passphrase that was typed did not open the file. */
  sealed = $state.raw<FaultView | undefined>(undefined);
  /** Why the key got no name. */
  distrust = $state.raw<FaultView | undefined>(undefined);
  busy = $state(false);
  private run = 0;
  private token = '';

  /** choose asks for a file; '' when none was chosen. */
  async choose(): Promise<string> {
    try {
      return (await backend.Exports.ChooseToVerify()).token;
    } catch (error) {
      if (!cancelled(error)) this.fault = faultOf(error);
      return '';
    }
  }

  /** show checks the file behind a token. */
  async show(token: string): Promise<void> {
    const mine = ++this.run;
    this.token = token;
    this.busy = true;
    this.fault = this.sealed = this.distrust = undefined;
    try {
      const report = await backend.Exports.Verify(token);
      if (mine === this.run) this.report = report;
    } catch (error) {
      if (mine === this.run) this.report = undefined;
      if (mine === this.run) this.fault = faultOf(error);
    }
    if (mine === this.run) this.busy = false;
  }

  /** unseal looks again, into a file that is encrypted. */
  async unseal(passphrase: string): Promise<void> {
    const token = this.token;
    const before = this.report;
    try {
      await backend.Exports.GivePassphrase(token, passphrase);
    } catch (error) {
      this.sealed = faultOf(error);
      return;
    }
    await this.show(token);
    if (this.token !== token || !this.fault) return;
    this.report = before; // the file asks again
    this.sealed = this.fault;
    this.fault = undefined;
  }

  /** trust gives the key of the file a name, and looks again. */
  async trust(name: string): Promise<void> {
    const token = this.token;
    this.busy = true;
    this.distrust = undefined;
    try {
      await backend.Signers.Trust({ text: '', token }, name);
      toasts.show({ text: t('verify.trust.done', { name: name.trim() }) });
      await this.show(token);
    } catch (error) {
      if (this.token === token) this.distrust = faultOf(error);
    }
    this.busy = false;
  }

  clear(): void {
    this.run++;
    this.report = undefined;
    this.fault = this.sealed = this.distrust = undefined;
    this.busy = false;
  }
}
