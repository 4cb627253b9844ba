import { backend, faultOf, type DraftView, type FaultView } from './backend';

// Long enough not to tell every key, short enough to lose little.
const PAUSE = 300;

/**
 * Drafts are what is being written and not kept yet. Go holds them, and seals
 * them into the vault when that is locked; after the unlock they are offered.
 */
class Drafts {
  /** What the last lock interrupted and nobody has looked at yet, newest first. */
  offered = $state.raw<DraftView[]>([]);
  /** The one that somebody goes on with; the form it belongs to takes it. */
  resumed = $state.raw<DraftView | undefined>(undefined);
  fault = $state.raw<FaultView | undefined>(undefined);

  private pending: DraftView | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** look asks what there is to go on with. */
  async look(): Promise<void> {
    try {
      this.offered = await backend.Library.Drafts();
    } catch (error) {
      this.fault = faultOf(error);
    }
  }

  /** write notes what stands in a form now. */
  write(draft: DraftView): void {
    if (this.pending && this.pending.memoryId !== draft.memoryId) void this.flush();
    this.pending = draft;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.flush(), PAUSE);
  }

  /** flush hands over what was not yet; a lock must not lose the last words. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    const draft = this.pending;
    this.pending = undefined;
    if (!draft) return;
    try {
      await backend.Library.KeepDraft(draft);
      this.fault = undefined;
    } catch (error) {
      this.fault = faultOf(error);
    }
  }

  /** drop forgets a draft that was kept or given up. */
  drop(memoryId: string): void {
    if (this.pending?.memoryId === memoryId) {
      clearTimeout(this.timer);
      this.pending = undefined;
    }
    this.offered = this.offered.filter((draft) => draft.memoryId !== memoryId);
    backend.Library.DropDraft(memoryId).catch((error: unknown) => (this.fault = faultOf(error)));
  }

  resume(draft: DraftView): void {
    this.offered = this.offered.filter((one) => one !== draft);
    this.resumed = draft;
  }

  /** take is what a form was to go on with, once. */
  take(memoryId: string): DraftView | undefined {
    const draft = this.resumed;
    if (draft?.memoryId !== memoryId) return undefined;
    this.resumed = undefined;
    return draft;
  }

  /** forget lets go of everything that came out of a vault. */
  forget(): void {
    clearTimeout(this.timer);
    this.pending = undefined;
    this.resumed = undefined;
    this.fault = undefined;
    this.offered = [];
  }
}

export const drafts = new Drafts();
