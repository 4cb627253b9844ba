import { BackendError, faultOf } from './fault';
import { Listeners } from './listeners';
import { findIn, withClose } from './sampleSearch';
import { SampleCare } from './sampleCare';
import { SampleInbox } from './sampleInbox'; import { SampleTodos } from './sampleTodos';
import type { FakeOptions } from './fakeOptions';
import { about } from './sampleAbout';
import { SampleAgents } from './sampleAgents';
import { SampleCircles } from './sampleCircles';
import { SampleByItself } from './sampleByItself';
import { SampleClients } from './sampleClients';
import { SampleHandoffs } from './sampleHandoffs';
import { MERGED, OFFERS, comparison, finishing, planOf, progressAt, report, threeWay } from './sampleImports';
import { SamplePortrait } from './samplePortrait';
import { SampleServer } from './sampleServer';
import { SampleSigners } from './sampleSigners';
import { locked, noModel, notAtHand, nothing, notOpened } from './sampleStates';
import { fault, SampleVault } from './sampleVault';
import type { Transport } from './transport';
import type {
  DraftView, EventName, Events, Methods, NewVaultView, Offer, PlanSourceView, PlanView, PreferencesView, ProgressView, ReportView, RotationView, SearchView, Shell, Stop, UndoView, VaultView,
} from './types';

export type { FakeOptions } from './fakeOptions';

const RECOVERY = ['K7QM2', 'X4TD9', '3HNPA', 'WZR8E', 'J5VCY', 'B6FGS'];
const RECOVERY_ASKED = [1, 4];
/** The passphrase of every encrypted file of the fake. */
const SEALED_WITH = 'correct horse';
/** Fake answers as Go does, from memory. Nothing in it is a promise of security. */
export class Fake implements Transport {
  readonly shell: Shell;
  private readonly listeners = new Listeners();
  private readonly data: SampleVault;
  readonly care: SampleCare;
  readonly inbox: SampleInbox;
  readonly todos: SampleTodos;
  readonly circles: SampleCircles;
  readonly agents: SampleAgents;
  readonly signers: SampleSigners;
  readonly clients: SampleClients;
  private readonly byItself: SampleByItself;
  readonly server = new SampleServer();
  readonly handoffs = new SampleHandoffs();
  private readonly structs: Methods;
  private vault: VaultView;
  private rotation: RotationView = { running: false, paused: false, keyVersion: 1, done: 4_200, total: 4_200 };
  private preferences: PreferencesView;
  private readonly offers = new Map<string, Offer>();
  private fresh: Offer[] = [];
  private readonly plans = new Map<string, PlanView>();
  private readonly reports: ReportView[] = [];
  private readonly jobs = new Map<string, ProgressView>();
  private readonly cancelled = new Set<string>();
  private count = 0;
  private drafts: DraftView[];
  /** What was given to open encrypted files, by token. */
  private readonly given = new Map<string, string>();
  private readonly accounts = new Map<string, string>();
  /** What was said outside of the window. */
  readonly noticed: string[] = [];
  /** What lies on the clipboard of the window. */
  clipboard = '';
  /** Assistants that asked while the vault was locked. */
  lockedOut: string[] = [];
  /** Records that are not indexed yet; index() tells that fewer are. */
  private missing: number;
  private readonly compares: boolean;

  constructor(private readonly options: FakeOptions = {}) {
    this.shell = options.shell ?? 'window';
    if (options.brokenOff) this.reports.push({ ...report('import-0', '2025-10-18T09:00:00Z'), open: true });
    this.data = new SampleVault(options.size, () => this.tell('library', {}), options.circles);
    this.circles = new SampleCircles(this.data);
    this.agents = new SampleAgents({ size: options.size ?? 60, answered: options.agents, waiting: options.waiting }, () => this.tell('agents', {}), (entity) => this.circles.nameOf(entity), (id) => this.data.get(id).content);
    this.preferences = options.preferences ?? { language: '', theme: 'system', systemTheme: '', autoLock: 10, alwaysProtect: false };
    this.vault = options.vault === 'none' ? nothing : options.vault === 'locked' ? locked : this.opened(options.vault === 'sample');
    this.missing = options.missing ?? 0;
    this.compares = options.compares ?? true;
    this.drafts = options.drafts ?? [];
    this.todos = new SampleTodos(() => this.tell('library', {}));
    this.inbox = new SampleInbox({ data: this.data, changed: () => this.tell('library', {}) });
    this.care = new SampleCare(this.data, {
      vault: () => this.vault,
      set: (vault) => this.set(vault),
      tell: (event, payload) => this.tell(event, payload),
      opens: (passphrase, recovery) => this.opens(passphrase, recovery),
      browser: this.shell === 'browser',
      offer: (name, size) => this.offer(name, size),
      gone: () => this.set(nothing),
      mended: () => (this.options.damaged = false),
    });
    this.signers = new SampleSigners((token) => this.offers.get(token), this.shell === 'browser');
    this.clients = new SampleClients(this.shell === 'browser');
    this.byItself = new SampleByItself(this.clients, options.agents === 0, () => this.tell('agents', {}));
    this.structs = this.build();
  }

  async call(name: string, args: unknown[]): Promise<unknown> {
    const [struct = '', method = ''] = name.split('.');
    const methods = this.structs[struct as keyof Methods] as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
    try {
      const answer: unknown = await methods[method]?.(...args);
      return structuredClone(answer);
    } catch (error) {
      throw new BackendError(faultOf(error));
    }
  }

  /** names lists the methods of a struct, for comparing them with Go's. */
  names(struct: keyof Methods): string[] {
    return Object.keys(this.structs[struct]).sort();
  }

  on<E extends EventName>(event: E, listener: (payload: Events[E]) => void): Stop {
    return this.listeners.on(event, listener);
  }

  tell<E extends EventName>(event: E, payload: Events[E]): void {
    this.listeners.tell(event, payload);
  }

  locate(url: string): Promise<string> {
    return Promise.resolve(url);
  }

  renew(): boolean {
    return false;
  }

  upload(files: readonly File[]): Promise<Offer[]> {
    return Promise.resolve(files.map((file) => this.offer(file.name, file.size)));
  }

  /** drop is a file coming in from outside, as the window tells it. */
  drop(...names: string[]): void {
    this.tell('offers', { offers: names.map((name) => this.offer(name, 48_000_000)) });
  }

  /** open is a file that was named before the page listened. */
  open(name: string): void {
    this.fresh.push(this.offer(name, 48_000_000));
  }

  /** index says how many records are left to be indexed. */
  index(missing: number): void {
    this.missing = missing;
    this.tell('search', {});
  }

  private find(query: SearchView) {
    const found = findIn(this.data.texts(), query);
    return this.compares ? withClose(found, this.data.texts(), query) : found;
  }

  private rebuild(): void {
    this.index(75);
    setTimeout(() => this.index(0), this.options.importMs ?? 0);
  }

  private offer(name: string, size: number): Offer {
    const offer = { token: `offer-${++this.count}`, name, size, folder: false };
    this.offers.set(offer.token, offer);
    return offer;
  }

  private givePassphrase(token: string, passphrase: string): void {
    this.given.set(token, passphrase);
  }

  private opened(sample = false): VaultView {
    return {
      ...locked, unlocked: true, sample, frozen: this.vault?.frozen ?? false, logsReading: this.vault?.logsReading ?? false, lastBackup: this.vault?.lastBackup ?? '', name: sample ? 'Sample' : 'Keepsake', ownerId: 'o-1', did: 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK',
      lastChanged: '2025-10-18T09:00:00Z', memories: this.options.size ?? 60, conversations: 15, messages: 4_064, relations: 10,
    };
  }

  private set(vault: VaultView): VaultView {
    this.vault = vault;
    this.tell('vault', { unlocked: vault.unlocked });
    return vault;
  }

  /** lock is what the window does when nobody is there. */
  lock(lockedBy: string): void {
    this.set({ ...locked, sample: this.vault.sample, lockedBy });
  }

  private keepDraft(draft: DraftView): void {
    const others = this.drafts.filter((d) => d.memoryId !== draft.memoryId);
    this.drafts = draft.content === '' ? others : [draft, ...others];
  }

  private unlock(fits: boolean, reason: string, message: string, hint: string): VaultView {
    if (this.options.damaged) throw fault('damaged', 'header-damaged', 'The vault file is damaged.');
    if (!fits) throw new BackendError({ code: 'wrong_passphrase', reason, message, hint, args: {} });
    return this.set(this.opened());
  }

  private prove(passphrase: string): void {
    if (passphrase !== (this.options.passphrase ?? 'correct horse')) {
      throw fault('wrong_passphrase', 'wrong-passphrase', 'This passphrase does not open the vault.');
    }
  }

  private offered(passphrase: string) {
    this.prove(passphrase);
    return { recoveryKey: RECOVERY.join('-'), recoveryGroups: RECOVERY, ask: RECOVERY_ASKED };
  }

  private rewrap(old: string, passphrase: string): VaultView {
    this.prove(old);
    this.options.passphrase = passphrase;
    return this.set(this.vault);
  }

  private confirmed(typed: string[]): VaultView {
    const right = RECOVERY_ASKED.every((at, i) => typed[i]?.trim().toUpperCase() === RECOVERY[at]);
    if (!right) throw fault('invalid', 'recovery-groups-differ', 'These are not the groups of the recovery key that was shown.');
    return this.set(this.vault);
  }

  private rotate(now: Partial<RotationView>): void {
    this.rotation = { ...this.rotation, ...now };
    this.tell('keys', this.rotation);
  }

  private opens(passphrase: string, recovery: string): boolean {
    if (recovery !== '') return recovery.replace(/[^A-Z0-9]/gi, '').toUpperCase() === RECOVERY.join('');
    return passphrase === (this.options.passphrase ?? 'correct horse');
  }

  private create(): NewVaultView {
    return { vault: this.set(this.opened()), recoveryKey: RECOVERY.join('-'), recoveryGroups: RECOVERY };
  }

  private plan(tokens: string[]): PlanView {
    const offers = tokens.map((token) => this.offers.get(token) ?? OFFERS.find((o) => o.token === token));
    const known = offers.filter((o) => o !== undefined);
    if (known.length < tokens.length) throw notAtHand();
    const plan = planOf(known);
    plan.sources = plan.sources.map((source, i) => this.sealed({ ...source, account: this.accounts.get(known[i]?.token ?? '') ?? '' }, known[i]));
    this.plans.set(plan.id, plan);
    return plan;
  }

  /** sealed is a source whose file is encrypted, as long as it was not opened. */
  private sealed(source: PlanSourceView, offer: Offer | undefined): PlanSourceView {
    const given = this.given.get(offer?.token ?? '');
    if (!offer?.name.endsWith('.age') || given === SEALED_WITH) return source;
    const { fault: problem } = given === undefined ? fault('refused', 'file-encrypted', `${offer.name} is encrypted.`, { name: offer.name }) : notOpened();
    return { ...source, provider: '', providerName: '', new: 0, updated: 0, unchanged: 0, memories: 0, problem };
  }

  private start(): { id: string } {
    const id = `job-${++this.count}`;
    const took = this.options.importMs ?? 0;
    this.jobs.set(id, progressAt(id, 0));
    if (took === 0) this.finish(id);
    else this.advance(id, Date.now(), took);
    return { id };
  }

  private advance(id: string, started: number, took: number): void {
    const share = (Date.now() - started) / took;
    const progress = progressAt(id, share);
    this.jobs.set(id, progress);
    this.tell('progress', progress);
    if (this.cancelled.has(id)) this.fail(id);
    else if (share >= 1) this.finish(id);
    else setTimeout(() => this.advance(id, started, took), 100);
  }

  private finish(job: string): void {
    const importId = `import-${++this.count}`;
    this.reports.unshift(report(importId, new Date().toISOString()));
    this.jobs.set(job, { ...progressAt(job, 1), phase: 'finished', importId });
    this.tell('import-done', { job, importId });
    this.tell('library', {});
  }

  private fail(job: string): void {
    const problem = { code: 'cancelled', reason: 'import-cancelled', message: 'The import was stopped.', hint: 'What was read before stays.', args: {} };
    this.jobs.set(job, { ...progressAt(job, 0), phase: 'finished', problem });
    this.tell('import-done', { job, importId: '', problem });
  }

  private undoImport(id: string, really: boolean): UndoView {
    const found = this.reports.find((r) => r.importId === id);
    if (!found) throw fault('not_found', 'no-report', 'There is no such import in the vault.');
    if (really) {
      found.state = 'undone';
      this.tell('library', {});
    }
    return {
      importId: id, conversations: found.new, messages: found.messagesNew, memories: found.memoriesNew, relations: 3, proposals: 4,
      attachments: found.attachmentsStored, conversationsBack: found.updated, memoriesBack: 0, shared: 5, kept: 2,
      edited: [{ kind: 'memory', id: 'm1', text: 'User prefers tea over coffee' }, { kind: 'memory', id: 'm2', text: 'User is learning Portuguese' }],
    };
  }

  private build(): Methods {
    const { data } = this;
    const gone = () => fault('not_found', 'no-report', 'There is no such import in the vault.');
    return {
      Vault: {
        State: async () => this.vault,
        Create: async () => this.create(),
        Unlock: async (passphrase) =>
          this.unlock(passphrase === (this.options.passphrase ?? 'correct horse'), 'wrong-passphrase', 'This passphrase does not open the vault.', 'Check it and try again, or use the recovery key.'),
        UnlockRecovery: async (code) =>
          this.unlock(code.replace(/[^A-Z0-9]/gi, '').toUpperCase() === RECOVERY.join(''), 'wrong-recovery-key', 'This recovery key does not open the vault.', 'Check it against what you wrote down.'),
        Lock: async () => this.lock(''),
        LockedOut: async () => this.lockedOut,
        Present: async () => {},
        Copy: async (text) => void (this.clipboard = text),
        EstimateUnlock: async () => 840,
        TrySample: async () => this.set(this.opened(true)),
        Choose: async () => this.set(locked),
      },
      Imports: {
        Choose: async () => OFFERS,
        Opened: async () => this.fresh.splice(0),
        Paste: async (text) => this.offer('pasted.txt', text.length),
        Plan: async (tokens) => this.plan(tokens),
        NameAccount: async (tokens, account) => tokens.forEach((token) => this.accounts.set(token, account.trim())),
        Agree: async () => {},
        Start: async () => this.start(),
        Cancel: async (job) => void this.cancelled.add(job),
        Forget: async (tokens) => tokens.forEach((token) => this.offers.delete(token)),
        Finish: async (id) => finishing(id),
        Leave: async (id) => void Object.assign(this.reports.find((one) => one.importId === id) ?? {}, { told: true }),
        Reread: async () => this.start(),
        PlanUndo: async (id) => this.undoImport(id, false),
        Undo: async (id) => this.undoImport(id, true),
        Job: async (job) => this.jobs.get(job) ?? Promise.reject(fault('not_found', 'no-job', 'That job is not known any more.')),
        List: async () => this.reports.map((r) => ({ ...r, problems: [], ledger: [], unknown: [] })),
        Report: async (id) => this.reports.find((r) => r.importId === id) ?? Promise.reject(gone()),
        RevealSource: async () => {},
        ...this.byItself.downloads(() => OFFERS),
      },
      Library: {
        List: async (query) => data.list(query),
        Facets: async (query) => data.facets(query),
        Get: async (id) => data.get(id),
        Add: async (memory) => data.add(memory),
        Edit: async (id, edit) => data.edit(id, edit),
        SetStatus: async (id, status, by) => data.setStatus(id, status, by),
        UndoStatus: async (id) => data.undoStatus(id),
        Accounts: async () => data.accounts(),
        ...this.circles.methods(),
        ...this.agents.methods(), ...this.byItself.methods(),
        Types: async () => data.types(),
        DescribeType: async (name, description) => data.describeType(name, description),
        ForgetType: async (name) => data.forgetType(name),
        Relate: async (from, type, to) => data.relate(from, type, to),
        ChangeRelation: async (id, relation, kind) => data.changeRelation(id, relation, kind), Unrelate: async (id, relation) => data.unrelate(id, relation),
        Undo: async () => data.undo(),
        LastChange: async () => data.lastChange(),
        Redo: async () => data.redo(),
        History: async (id) => data.versionsOf(id),
        EditMany: async (edit) => data.editMany(edit),
        SavedViews: async () => data.views.list(),
        SaveView: async (name, query) => data.views.save(name, query),
        DropView: async (name) => data.views.drop(name),
        Graph: async (query) => data.graph(query),
        Insights: async () => data.insights(), Topics: async () => (this.compares ? data.topics(this.missing) : Promise.reject(noModel())),
        Sensitive: async (id) => data.sensitive(id),
        MarkSensitive: async (id, topic, answer) => data.markSensitive(id, topic, answer),
        KeepDraft: async (draft) => this.keepDraft(draft),
        Drafts: async () => this.drafts,
        DropDraft: async (memoryId) => this.keepDraft({ memoryId, content: '', type: '', customType: '', tags: [] }),
      },
      Conversations: {
        List: async (query) => data.listConversations(query),
        Thread: async (id, leaf, offset, limit) => data.thread(id, leaf, offset, limit),
        Further: async (id, message, part, from) => data.further(id, message, part, from),
        Find: async (_asker, id, leaf, text) => data.stands(id, leaf, text),
        CheckLink: async (address) => data.checkLink(address),
        OpenLink: async (address) => void data.checkLink(address),
      },
      Search: {
        Find: async (query) => ({ ...this.find(query), missing: this.missing }),
        Rebuild: async () => this.rebuild(),
        State: async () => ({ ...data.indexState(), compares: this.compares, missing: this.missing, onBattery: this.options.onBattery ?? false, failed: this.options.comparingFails }),
        Similar: async (id) => (this.compares ? data.similar(id) : []),
      },
      Exports: {
        Preview: async (options) => data.preview(options),
        Findings: async (options) => data.findings(options),
        Start: async (options) => ({ ...data.export(options), ...(this.shell === 'browser' && { url: '#download', folder: '' }) }),
        ...this.circles.exports(),
        Reveal: async () => {},
        ChooseToVerify: async () => this.offer('keepsake-2025-10-18.pam.json', 184_311),
        GivePassphrase: async (token, passphrase) => this.givePassphrase(token, passphrase),
        Verify: async (token) => {
          if (token === 'gone') throw notAtHand();
          const given = this.given.get(token);
          if (given !== undefined && given !== SEALED_WITH) throw notOpened();
          return data.verify(given === undefined ? token : 'own');
        },
        Compare: async (token, other, base, offset) => (token === 'gone' ? Promise.reject(notAtHand()) : base === '' ? comparison(other !== '', offset) : threeWay(offset)),
        Merge: async () => MERGED,
      },
      Handoffs: this.handoffs.methods(this.shell),
      Signers: this.signers.methods(),
      Clients: this.clients.methods(),
      Portrait: new SamplePortrait(this.data, this.options.news).methods(),
      Settings: {
        Get: async () => this.preferences,
        Save: async (preferences) => void (this.preferences = preferences),
        Notify: async (ended) => void this.noticed.push(ended),
        About: async () => ({ ...about, network: [this.server.view.address].filter(Boolean) }),
        ...this.server.methods(),
      },
      Keys: {
        Suggest: async () => 'abacus-violin-harbor-mosaic-walnut-lantern',
        ChangePassphrase: async (old, passphrase) => this.rewrap(old, passphrase),
        BeginRecovery: async (passphrase) => this.offered(passphrase),
        ConfirmRecovery: async (typed) => this.confirmed(typed),
        UseRecovery: async (_, passphrase) => {
          this.options.passphrase = passphrase;
          return this.set(this.opened());
        },
        Keychain: async () => ({ available: true, allowed: this.vault.slots.some((slot) => slot.kind === 'keychain') }),
        AllowKeychain: async (passphrase) => {
          this.prove(passphrase);
          return this.set({ ...this.vault, slots: [...this.vault.slots, { kind: 'keychain', createdAt: new Date().toISOString() }] });
        },
        RemoveKeychain: async () => this.set({ ...this.vault, slots: this.vault.slots.filter((slot) => slot.kind !== 'keychain') }),
        UnlockKeychain: async () => this.set(this.opened()),
        Rotation: async () => this.rotation,
        BeginRotation: async () => this.rotate({ running: true, paused: false, keyVersion: this.rotation.keyVersion + 1, done: 0 }),
        PauseRotation: async () => this.rotate({ paused: true }),
        ResumeRotation: async () => this.rotate({ paused: false }),
        BeginRekey: async (old) => this.offered(old),
        Rekey: async (old, passphrase, typed) => {
          this.prove(old);
          this.confirmed(typed);
          return this.rewrap(old, passphrase);
        },
        StopRekey: async () => undefined,
      },
      Care: this.care.methods(),
      Inbox: this.inbox.methods(),
      Todos: this.todos.methods(),
    };
  }
}
