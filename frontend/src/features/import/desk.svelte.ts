import {
  backend, cancelled, faultOf,
  type AgreementView, type FaultView, type ImportDoneView, type LookView, type Offer, type PlanView, type ProgressView, type ReportView, type Stop, type UploadView,
} from '../../lib/backend';
import { away } from '../../lib/away';
import { t } from '../../lib/i18n';
import { Live } from '../../lib/live.svelte';
import { place } from '../../lib/route.svelte';
import { toasts } from '../../lib/toasts.svelte';
import { Downloads } from './downloads.svelte';
import { Pace } from './pace';

// An import that ends while another screen is shown says so there.
function tellElsewhere(importId: string, problem: FaultView | undefined): void {
  const show = { action: t('import.ended.show'), onaction: () => place.go('import', importId) };
  toasts.show(problem ? { fault: problem, ...show } : { text: t('import.ended'), ...show });
}

const nothingYet: Omit<ProgressView, 'job'> = { phase: 'reading', done: 0, total: 0, conversations: 0, messages: 0, memories: 0, importId: '' };

/**
 * Desk is where exports are laid down, looked at and read into the vault. There
 * is one for the page, so that a running import outlives its screen.
 */
export class Desk {
  /** What was handed over and waits for an open vault. */
  waiting = $state.raw<Offer[]>([]);
  upload = $state.raw<UploadView | undefined>(undefined);
  planning = $state(false);
  /** How far the look at what was laid down is, once it takes long enough to be told. */
  looked = $state.raw<LookView | undefined>(undefined);
  plan = $state.raw<PlanView | undefined>(undefined);
  job = $state.raw<ProgressView | undefined>(undefined);
  cancelling = $state(false);
  report = $state.raw<ReportView | undefined>(undefined);
  fault = $state.raw<FaultView | undefined>(undefined);
  /** Names of files of an import that is being finished, which are to be chosen again. */
  wanted = $state.raw<string[]>([]);

  readonly downloads = new Downloads();
  readonly history = new Live(() => backend.Imports.List(), ['import-done', 'library']);
  readonly pace = new Pace();

  private watched = ''; // the job whose end is waited for
  private readonly ends = new Map<string, ImportDoneView>();

  readonly running = $derived(this.job !== undefined);

  /** start listens, and asks for what was opened before; arrived decides where it goes. */
  start(arrived: (offers: Offer[]) => void): Stop {
    const stops = [
      backend.on('offers', ({ offers }) => arrived(offers)),
      backend.on('progress', (progress) => this.progressed(progress)),
      backend.on('import-done', (done) => this.ended(done)),
      backend.on('look', (look) => (this.looked = this.planning ? look : undefined)),
      backend.on('upload', (upload) => (this.upload = upload.sent < upload.total ? upload : undefined)),
    ];
    backend.Imports.Opened().then(
      (offers) => offers.length > 0 && arrived(offers),
      (error: unknown) => (this.fault = faultOf(error)),
    );
    return () => stops.forEach((stop) => stop());
  }

  /** take lays files down; look plans them once the vault is open. */
  take(offers: Offer[]): void {
    if (offers.length === 0) return;
    this.waiting = [...this.waiting, ...offers];
    this.wanted = this.wanted.filter((name) => !offers.some((offer) => offer.name === name));
    this.plan = undefined;
    this.report = undefined;
    this.fault = undefined;
  }

  choose(): Promise<void> {
    return this.guard(async () => this.take(await backend.Imports.Choose()));
  }

  /** takeDownload lays down an export of the downloads folder. */
  takeDownload(id: string): Promise<void> {
    return this.guard(async () => this.take(await backend.Imports.TakeDownload(id)));
  }

  /** passDownload has one offered no more. */
  passDownload(id: string): Promise<void> {
    return this.guard(async () => {
      await backend.Imports.PassDownload(id);
      await this.downloads.refresh();
    });
  }

  /** paste lays text down as if it were a file. */
  paste(text: string): Promise<void> {
    return this.guard(async () => this.take([await backend.Imports.Paste(text)]));
  }

  /** replace lays other files down in the place of those that were of no use. */
  replace(): Promise<void> {
    return this.guard(async () => {
      const offers = await backend.Imports.Choose();
      this.clear();
      this.take(offers);
    });
  }

  /** hand gives files of a browser over. */
  hand(files: readonly File[]): Promise<Offer[]> {
    return backend.upload(files).finally(() => (this.upload = undefined));
  }

  async look(): Promise<void> {
    if (this.planning || this.plan || this.waiting.length === 0) return;
    const asked = this.waiting;
    this.planning = true;
    await this.guard(async () => {
      const plan = await backend.Imports.Plan(asked.map((offer) => offer.token));
      if (asked === this.waiting) this.plan = plan;
    });
    this.planning = false;
    this.looked = undefined;
    if (this.fault) this.waiting = [];
    else if (asked !== this.waiting) await this.look();
  }

  /** unseal gives what opens encrypted files, and looks again. */
  async unseal(names: readonly string[], passphrase: string): Promise<void> {
    await this.guard(async () => {
      for (const offer of this.waiting) if (names.includes(offer.name)) await backend.Exports.GivePassphrase(offer.token, passphrase);
      this.plan = undefined;
    });
    await this.look();
  }

  /** nameAccount says whose files they are, which they do not say themselves, and looks again. */
  async nameAccount(names: readonly string[], account: string): Promise<void> {
    await this.guard(async () => {
      const tokens = this.waiting.filter((offer) => names.includes(offer.name)).map((offer) => offer.token);
      await backend.Imports.NameAccount(tokens, account);
      this.plan = undefined;
    });
    await this.look();
  }

  begin(agreement?: AgreementView): Promise<void> {
    const { plan } = this;
    if (!plan) return Promise.resolve();
    return this.guard(async () => {
      if (agreement) await backend.Imports.Agree(plan.id, agreement);
      this.pace.begin();
      const { id } = await backend.Imports.Start(plan.id);
      this.plan = undefined;
      this.waiting = this.wanted = [];
      await this.watch(id);
    });
  }

  /** finish lays down again what an import was made of that broke off. */
  finish(importId: string): Promise<void> {
    return this.guard(async () => {
      this.clear();
      const { offers, missing } = await backend.Imports.Finish(importId);
      this.wanted = missing;
      this.take(offers);
    });
  }

  /** reread reads the kept files of an import again, with the readers of today. */
  reread(importId: string): Promise<void> {
    return this.guard(async () => {
      this.pace.begin();
      const { id } = await backend.Imports.Reread(importId);
      this.report = undefined;
      await this.watch(id);
    });
  }

  /** apply imports what was picked of a file that was compared. */
  apply(token: string, agreement: AgreementView): Promise<void> {
    return this.guard(async () => {
      this.clear(token);
      this.plan = await backend.Imports.Plan([token]);
      await this.begin(agreement);
    });
  }

  /** tokenOf is the file behind a source of the plan, '' where it is not one alone. */
  tokenOf(names: readonly string[]): string {
    const found = this.waiting.filter((offer) => offer.name === names[0]);
    return names.length === 1 && found.length === 1 ? (found[0]?.token ?? '') : '';
  }

  cancel(): Promise<void> {
    const { job } = this;
    if (!job) return Promise.resolve();
    this.cancelling = true;
    return this.guard(() => backend.Imports.Cancel(job.job));
  }

  /** clear takes what was laid down away again; one file may still be needed. */
  clear(needed = ''): void {
    const tokens = this.waiting.map((offer) => offer.token).filter((token) => token !== needed);
    if (tokens.length > 0) void this.guard(() => backend.Imports.Forget(tokens));
    this.waiting = [];
    this.wanted = [];
    this.plan = undefined;
    this.report = undefined;
    this.fault = undefined;
  }

  /** leave puts a report away that was seen; the history has it. */
  leave(): void {
    this.report = undefined;
  }

  /** forget drops what came out of a vault that is locked now. */
  forget(): void {
    this.plan = undefined;
    this.report = undefined;
    this.job = undefined;
    this.watched = '';
    this.wanted = [];
    this.history.value = undefined;
  }

  /** show fetches a kept report. */
  show(id: string): Promise<void> {
    return this.guard(async () => {
      this.report = await backend.Imports.Report(id);
    });
  }

  // A short import may be over before its id is known here: its end was kept, or
  // is asked for once.
  private async watch(id: string): Promise<void> {
    this.watched = id;
    const progress = await backend.Imports.Job(id).catch(() => undefined);
    const told = this.ends.get(id) ?? (progress?.importId || progress?.problem ? { ...progress, job: id } : undefined);
    if (told) await this.done(told);
    else if (this.watched === id) this.job ??= progress ?? { ...nothingYet, job: id };
  }

  // A job that runs without having been started here goes on after an unlock.
  private progressed(progress: ProgressView): void {
    if (progress.phase === 'finished') return;
    this.ends.delete(progress.job);
    this.pace.note(progress.done);
    this.watched = progress.job;
    this.job = progress;
  }

  private ended(done: ImportDoneView): void {
    this.ends.set(done.job, done);
    if (done.job === this.watched) void this.done(done);
  }

  private async done({ job, importId, problem }: ImportDoneView): Promise<void> {
    if (job !== this.watched) return;
    this.watched = '';
    this.cancelling = false;
    this.fault = problem;
    away(problem ? 'import-stopped' : 'import');
    if (importId !== '') await this.show(importId);
    this.job = undefined;
    if (place.now.screen !== 'import') tellElsewhere(importId, problem);
    await this.history.refresh();
  }

  private async guard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!cancelled(error)) this.fault = faultOf(error);
    }
  }
}

export const desk = new Desk();
