import { BackendError } from './fault';
import { fault, type SampleVault } from './sampleVault';
import type {
  AsideView, BackupView, CheckView, CompactionItemView, CompactionLimitsView, CopiesView, EventName, Events, ForgetPlanView, ForgetQueryView, ForgottenView, LogEntryView, LogPageView, Methods, Offer, ReceiptView,
  RecoveredView, SavedView, VaultView,
} from './types';

/** Around is what the care of a vault needs of the fake around it. */
type Around = {
  vault: () => VaultView;
  set: (vault: VaultView) => VaultView;
  tell: <E extends EventName>(event: E, payload: Events[E]) => void;
  opens: (passphrase: string, recovery: string) => boolean;
  browser: boolean;
  offer: (name: string, size: number) => Offer;
  /** The vault is no more. */
  gone: () => void;
  /** The vault opens again. */
  mended: () => void;
};

const COPY_AT = '2025-10-18T08:12:00Z';
const DESTROYED = 'keepsake-destroyed-2025-10-19.json';

/** SampleCare keeps the copies, the log and the receipts of the sample vault. */
export class SampleCare {
  /** Tests and designers set these before the page asks. */
  copies: CopiesView = { count: 3, newest: COPY_AT, bytes: 402_653_184, due: false };
  check: CheckView = { whole: true, values: 71_204, attachments: 88, logEntries: 214, copies: 3, damaged: [], missing: 0, orphans: 2 };
  lost = 0;
  erased = true;
  asides: AsideView[] = [];
  readonly log: LogEntryView[] = logOf();
  readonly receipts: ReceiptView[] = [];
  near: ForgottenView[] = []; // memories that are close in meaning to what a narrowed library selects
  compactable: CompactionItemView[] = [
    { kinds: ['duplicate'], id: 'm-5', title: 'Drinks loose leaf tea', type: 'preference', platform: 'chatgpt', keeps: 'm-4', keepsTitle: '', last: '2025-03-02T09:00:00Z', messages: 0 },
    { kinds: ['repeat'], id: 'm-11', title: 'Usa uma caneta-tinteiro para o diário', type: 'preference', platform: 'claude', keeps: 'm-12', keepsTitle: 'Writes the journal with a fountain pen', last: '2025-04-02T09:00:00Z', messages: 0 },
    { kinds: ['unused'], id: 'm-9', title: 'The heating broke in the second week of October', type: 'context', platform: 'claude', keeps: '', keepsTitle: '', last: '2025-06-12T08:00:00Z', messages: 0 },
    { kinds: ['session'], id: 'c-1', title: 'Planning the Rota Vicentina', type: '', platform: 'chatgpt', keeps: '', keepsTitle: '', last: '2025-10-05T08:12:00Z', messages: 214 },
  ];
  private limits: CompactionLimitsView = { tokens: 150_000, messages: 200, days: 90 };
  private readonly compacted = new Set<string>();
  private plan: { view: ForgetPlanView; memories: string[]; conversations: string[] } | undefined;
  private count = 0;

  constructor(private readonly data: SampleVault, private readonly around: Around) {}

  methods(): Methods['Care'] {
    const { around } = this;
    return {
      Copies: async () => this.copies,
      Check: async () => {
        for (const done of [0, 30_000, 71_204]) around.tell('care', { done, total: 71_204 });
        return this.check;
      },
      Compact: async () => {
        this.note('compact');
        return { before: 268_435_456, after: 201_326_592, attachments: 2 };
      },
      Held: async () => {
        this.note('report');
        const at = (category: string, count: number, platform: string) => ({ category, count, sources: count > 0 ? [{ platform, count }] : [], oldest: count > 0 ? '2025-01-12T08:00:00Z' : '', newest: count > 0 ? COPY_AT : '' });
        return {
          at: now(), categories: [at('conversation', 12, 'chatgpt'), at('work_pattern', 0, ''), at('preference', 14, 'claude'), at('learned_context', 58, 'chatgpt')],
          messages: 214, relations: 9, tasks: 4, proposals: 3, embeddings: 0, imports: 2, exports: 1, receipts: 0, logEntries: this.log.length,
        };
      },
      PlanCompaction: async () => {
        const items = this.compactable.filter((item) => !this.compacted.has(item.id));
        return { limits: this.limits, tokens: 1840, total: items.length, items };
      },
      ApplyCompaction: async (ids) => {
        const sessions = this.compactable.filter((item) => item.kinds.includes('session') && ids.includes(item.id)).length;
        for (const id of ids) this.compacted.add(id);
        this.note('compact-memories', ids.length);
        return { archived: ids.length - sessions, sessions, proposed: 2 * sessions };
      },
      SetCompactionLimits: async ({ tokens, messages, days }) => {
        this.limits = { tokens: tokens || this.limits.tokens, messages: messages || this.limits.messages, days: days || this.limits.days };
        return this.limits;
      },
      Backup: async () => {
        this.note('backup');
        around.set({ ...around.vault(), lastBackup: now() });
        return { ...backup('keepsake-2025-10-19.backup'), saved: this.saved('keepsake-2025-10-19.backup') };
      },
      ChooseBackup: async () => around.offer('keepsake-2025-10-18.backup', 262_144_000),
      VerifyBackup: async (_token, passphrase, recovery) => {
        this.demand(passphrase, recovery);
        return backup('keepsake-2025-10-18.backup');
      },
      RestoreBackup: async (_token, passphrase, recovery) => {
        this.demand(passphrase, recovery);
        around.mended();
        around.set({ ...around.vault(), exists: true, unlocked: false });
        return { backup: backup('keepsake-2025-10-18.backup'), aside: 'vault.before-20251019T091500Z' };
      },
      Stop: async () => {},
      Diagnose: async () => ({
        data: fault('damaged', 'data-damaged', 'The vault’s data file is damaged.').fault, badCopies: [], copies: this.copies.count, copyAt: COPY_AT, changes: 7,
      }),
      Recover: async (passphrase, recovery, dry) => this.recover(passphrase, recovery, dry),
      ExportReadable: async () => ({
        saved: { token: 'readable', url: '', name: 'keepsake-readable.pam.zip', folder: '/home/me' }, bytes: 48_000, memories: 118, relations: 7,
        conversations: 39, messages: 800, attachments: 24, notExportable: 1, incomplete: 2, missingMessages: 14, unreadable: 3, lostAttachments: 1,
      }),
      Freeze: async (on) => {
        this.note(on ? 'freeze' : 'unfreeze');
        return around.set({ ...around.vault(), frozen: on });
      },
      Part: async () => {},
      LogReading: async (on) => {
        this.note(on ? 'reading-logged' : 'reading-unlogged');
        return around.set({ ...around.vault(), logsReading: on });
      },
      Log: async (offset, limit): Promise<LogPageView> => ({ entries: this.log.slice(offset, offset + (limit || 200)), total: this.log.length }),
      SaveLog: async () => this.saved('keepsake-log-2025-10-19.json'),
      PlanForget: async (query) => this.planForget(query),
      Forget: async (id) => this.forget(id),
      Receipts: async () => this.receipts,
      ChooseReceipt: async () => around.offer(DESTROYED, 0),
      Asides: async () => this.asides,
      RemoveAsides: async (passphrase, recovery) => {
        this.demand(passphrase, recovery);
        const gone = this.asides.filter((aside) => aside.same);
        this.asides = this.asides.filter((aside) => !aside.same);
        return gone;
      },
      Destroy: async (typed) => {
        const vault = around.vault();
        if (typed !== vault.name && typed !== vault.vaultId) throw fault('refused', 'destroy-not-confirmed', 'The vault was not destroyed: what was typed is not its id.');
        around.gone();
        return { vaultId: vault.vaultId, receipt: `{"vault_id":"${vault.vaultId}"}\n` };
      },
    };
  }

  private demand(passphrase: string, recovery: string): void {
    if (this.around.opens(passphrase, recovery)) return;
    throw new BackendError({ code: 'wrong_passphrase', reason: 'wrong-passphrase', message: 'This passphrase does not open the vault.', hint: 'Check it and try again, or use the recovery key.', args: {} });
  }

  private recover(passphrase: string, recovery: string, dry: boolean): RecoveredView {
    this.demand(passphrase, recovery);
    if (!dry) this.around.mended();
    return { copyAt: COPY_AT, replayed: 7, lost: this.lost, kept: dry ? '' : 'vault.db.damaged-20251019T091500Z', memories: 60, conversations: 15, messages: 4_064 };
  }

  private saved(name: string): SavedView {
    return { token: `saved-${++this.count}`, url: this.around.browser ? '#download' : '', name, folder: this.around.browser ? '' : '/home/marina/Documents' };
  }

  private note(action: string, count = 0): void {
    this.log.unshift({ seq: (this.log[0]?.seq ?? 0) + 1, at: now(), actor: 'you', action, count });
  }

  private planForget(query: ForgetQueryView): ForgetPlanView {
    const { memories, conversations } = this.data.selectedForForgetting(query);
    const near = this.near.filter((one) => query.library && !query.also?.includes(one.id));
    const also = this.near.filter((one) => query.also?.includes(one.id));
    if (memories.length + conversations.length === 0) throw fault('not_found', 'forget-selects-nothing', 'Nothing in the vault is selected by this, so nothing was forgotten.');
    const sample = [
      ...memories.map((m) => ({ kind: 'memory', id: m.id, text: m.content })),
      ...conversations.map((c) => ({ kind: 'conversation', id: c.id, text: c.title })),
      ...also,
    ];
    const view: ForgetPlanView = {
      id: `plan-${++this.count}`, memories: memories.length + also.length, conversations: conversations.length, sample: sample.slice(0, 50),
      messages: conversations.reduce((sum, c) => sum + c.messages, 0), relations: memories.reduce((sum, m) => sum + m.relations, 0),
      originals: 1, keptOriginals: 2, near, left: [],
    };
    this.plan = { view, memories: [...memories, ...also].map((m) => m.id), conversations: conversations.map((c) => c.id) };
    return view;
  }

  private forget(id: string): ReceiptView {
    if (this.plan?.view.id !== id) throw fault('not_found', 'forget-plan-gone', 'This selection is no longer at hand, so nothing was forgotten.');
    const { view, memories, conversations } = this.plan;
    this.data.forget(memories, conversations);
    this.note('forget', view.memories + view.conversations);
    const receipt: ReceiptView = {
      id: `receipt-${++this.count}`, at: now(), memories: view.memories, conversations: view.conversations, messages: view.messages,
      relations: view.relations, attachments: 0, erased: this.erased,
    };
    this.receipts.unshift(receipt);
    return receipt;
  }
}

function backup(name: string): BackupView {
  return {
    name, vaultId: 'v-1', madeAt: COPY_AT, memories: 60, conversations: 15, messages: 4_064, attachments: 88, missing: 0, bytes: 262_144_000,
    saved: { token: '', url: '', name: '', folder: '' },
  };
}

const DONE: [action: string, count: number, actor?: string][] = [
  ['unlock', 0], ['update', 1], ['export', 58], ['store', 312], ['backup', 0], ['unlock', 0], ['unlock-failed', 0, 'unknown'], ['unlock-failed', 0, 'unknown'],
  ['slot-changed passphrase', 0], ['freeze', 0], ['unfreeze', 0], ['forget', 3], ['compact', 0],
];

function logOf(): LogEntryView[] {
  const newest = Date.parse('2025-10-19T09:00:00Z');
  return Array.from({ length: 214 }, (_, i) => {
    const [action, count, actor = 'you'] = DONE[i % DONE.length] ?? ['unlock', 0];
    return { seq: 214 - i, at: new Date(newest - i * 5_400_000).toISOString().replace('.000Z', 'Z'), actor, action, count };
  });
}

function now(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, 'Z');
}
