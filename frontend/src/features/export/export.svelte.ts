import { allMemories, backend, cancelled, faultOf, type CircleView, type ExportPreviewView, type ExportResultView, type FacetsView, type FindingsView, type FaultView, type PastExportView } from '../../lib/backend';
import { away } from '../../lib/away';
import { preferences } from '../../lib/preferences.svelte';
import { obstacle, optionsOf, plainExport, type Choice } from './options';

/** ExportSheet is one export: what was chosen, what would leave, what came of it. */
export class ExportSheet {
  choice = $state<Choice>({ ...plainExport });
  preview = $state.raw<ExportPreviewView | undefined>(undefined);
  result = $state.raw<ExportResultView | undefined>(undefined);
  fault = $state.raw<FaultView | undefined>(undefined);
  busy = $state(false);
  /** The file is made and lies only in this page, until it is downloaded. */
  waiting = $state(false);

  /** A plain file was written before, and lies where it was put. */
  plainLeft = $state(false);

  /** What there is to choose from; undefined until it is asked for. */
  facets = $state.raw<FacetsView | undefined>(undefined);
  /** Whom it can be made for. */
  circles = $state.raw<CircleView[]>([]);
  past = $state.raw<PastExportView[]>([]);

  /** The exports that an incremental one can build on. */
  readonly bases = $derived(this.past.filter((e) => e.format === 'pam' && !e.incremental && e.for === this.choice.entity));
  readonly obstacle = $derived(obstacle(this.choice, this.preview));
  /** What was looked at in the review; undefined until it is asked for. */
  found = $state.raw<FindingsView | undefined>(undefined);
  private reviewing = false;
  private asking = 0;

  /** begin forgets the last export, its passphrase first of all. only are conversations; none: everything. entity is whom it is for. */
  begin(only: string[] = [], entity = ''): void {
    this.choice = { ...plainExport, only, entity, conversations: only.length > 0, protect: preferences.view.alwaysProtect };
    this.plainLeft = false;
    this.result = undefined;
    this.waiting = false;
    this.fault = undefined;
    this.facets = undefined;
    this.found = undefined;
    this.reviewing = false;
    void this.look();
    void this.remember();
  }

  /** remember asks which exports were made, and whom one can be made for. */
  private async remember(): Promise<void> {
    try {
      const [past, { circles }] = await Promise.all([backend.Exports.List(), backend.Library.Circles()]);
      this.past = past;
      this.circles = circles;
    } catch (error) {
      this.fault = faultOf(error);
    }
  }

  /** offer asks what there is to choose from, once. */
  async offer(): Promise<void> {
    if (this.facets) return;
    try {
      this.facets = await backend.Library.Facets(allMemories);
    } catch (error) {
      this.fault = faultOf(error);
    }
  }

  /** look counts again what would leave. */
  async look(): Promise<void> {
    const mine = ++this.asking;
    try {
      // Counting needs no secret.
      const preview = await backend.Exports.Preview({ ...optionsOf(this.choice), passphrase: '' });
      if (mine !== this.asking) return;
      this.preview = preview;
      if (this.reviewing) await this.review();
      this.fault = undefined;
    } catch (error) {
      if (mine !== this.asking) return;
      this.preview = undefined;
      this.fault = faultOf(error);
    }
  }

  /** findings are those of the review, or their numbers alone. */
  readonly findings = $derived.by((): FindingsView | undefined => {
    const { preview, found } = this;
    return preview && { items: found?.items ?? [], total: preview.findings, hidden: preview.hidden, kinds: preview.kinds, unread: preview.unread };
  });

  /** review asks for what was found, as much as is shown already. */
  async review(): Promise<void> {
    this.reviewing = true;
    await this.ask(Math.max(1, this.found?.items.length ?? 0));
  }

  /** more asks for the next of them. */
  async more(): Promise<void> {
    await this.ask((this.found?.items.length ?? 0) + 1);
  }

  private async ask(many: number): Promise<void> {
    const options = { ...optionsOf(this.choice), passphrase: '' };
    try {
      let page = await backend.Exports.Findings(options, 0);
      const items = [...page.items];
      while (items.length < many && items.length < page.total && page.items.length > 0) {
        page = await backend.Exports.Findings(options, items.length);
        items.push(...page.items);
      }
      this.found = { ...page, items };
    } catch (error) {
      this.fault = faultOf(error);
    }
  }

  choose(change: Partial<Choice>): void {
    Object.assign(this.choice, change);
    void this.look();
  }

  async start(): Promise<void> {
    if (this.busy || this.obstacle) return;
    this.busy = true;
    this.fault = undefined;
    try {
      this.result = await backend.Exports.Start(optionsOf(this.choice));
      this.waiting = this.result.url !== '';
      this.forget();
      away('export');
    } catch (error) {
      if (!cancelled(error)) this.fault = faultOf(error);
      if (this.fault) away('export-stopped');
    }
    this.busy = false;
  }

  /** leave says that the file was taken, or is not wanted. */
  leave(): void {
    this.waiting = false;
  }

  /** protect goes back to make the same export once more, encrypted. */
  protect(): void {
    this.plainLeft = this.result?.url === '';
    this.result = undefined;
    this.waiting = false;
    this.choose({ protect: true });
  }

  async reveal(): Promise<void> {
    if (!this.result) return;
    try {
      await backend.Exports.Reveal(this.result.token);
    } catch (error) {
      this.fault = faultOf(error);
    }
  }

  /** forget drops the passphrase as soon as nobody needs it. */
  forget(): void {
    this.choice.passphrase = '';
    this.choice.again = '';
  }
}
