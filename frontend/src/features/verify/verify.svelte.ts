import { backend, cancelled, faultOf, type FaultView, type VerifyView } from '../../lib/backend';

/** Verification checks one file after the other; an older answer is dropped. */
export class Verification {
  report = $state.raw<VerifyView | undefined>(undefined);
  fault = $state.raw<FaultView | undefined>(undefined);
  busy = $state(false);
  private run = 0;

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
    this.busy = true;
    this.fault = undefined;
    try {
      const report = await backend.Exports.Verify(token);
      if (mine === this.run) this.report = report;
    } catch (error) {
      if (mine === this.run) this.report = undefined;
      if (mine === this.run) this.fault = faultOf(error);
    }
    if (mine === this.run) this.busy = false;
  }

  clear(): void {
    this.run++;
    this.report = undefined;
    this.fault = undefined;
    this.busy = false;
  }
}
