import { backend, cancelled, faultOf, type FaultView, type KeyReadingView, type KeySourceView, type SavedView, type SignersView } from '../../lib/backend';
import { Live } from '../../lib/live.svelte';

/** Signers is every signing key that the vault knows, and what is done to them. */
export class Signers {
  readonly keys = new Live(() => backend.Signers.List(), ['vault']);
  busy = $state(false);
  fault = $state.raw<FaultView | undefined>(undefined);
  /** The public key, as it was saved for others. */
  saved = $state.raw<SavedView | undefined>(undefined);

  /** change does one thing, and says whether it was done. */
  async change(step: () => Promise<SignersView>): Promise<boolean> {
    return this.run(async () => this.keys.set(await step()));
  }

  async save(): Promise<boolean> {
    return this.run(async () => void (this.saved = await backend.Signers.Save()));
  }

  /** forget clears what an earlier try left to say. */
  forget(): void {
    this.fault = undefined;
  }

  private async run(step: () => Promise<void>): Promise<boolean> {
    this.busy = true;
    this.fault = undefined;
    try {
      await step();
      return true;
    } catch (error) {
      if (!cancelled(error)) this.fault = faultOf(error);
      return false;
    } finally {
      this.busy = false;
    }
  }
}

/** Reading is a key of somebody else that is looked at before it gets a name. */
export class Reading {
  key = $state.raw<KeyReadingView | undefined>(undefined);
  fault = $state.raw<FaultView | undefined>(undefined);
  busy = $state(false);
  from: KeySourceView = { text: '', token: '' };

  async text(text: string): Promise<void> {
    await this.read(() => Promise.resolve({ text, token: '' }));
  }

  async file(): Promise<void> {
    await this.read(async () => ({ text: '', token: (await backend.Exports.ChooseToVerify()).token }));
  }

  clear(): void {
    this.key = undefined;
    this.fault = undefined;
  }

  private async read(find: () => Promise<KeySourceView>): Promise<void> {
    this.busy = true;
    this.fault = undefined;
    try {
      this.from = await find();
      this.key = await backend.Signers.Read(this.from);
    } catch (error) {
      if (!cancelled(error)) this.fault = faultOf(error);
    }
    this.busy = false;
  }
}
