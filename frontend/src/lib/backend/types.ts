import type { bridge } from '../../../wailsjs/go/models';
import type { ClientsMethods } from './clients';
import type { PortraitMethods } from './portrait';

export type * from './clients';
export type * from './events';
export type * from './portrait';

// The contract with Go (app/bridge). Shapes come from the generated bindings;
// the methods are written out, so that their arguments have names, and a test
// holds them equal to what was generated.

export type AboutView = bridge.AboutView;
export type AgentCallGivenView = bridge.AgentCallGivenView;
export type AgentCallQueryView = bridge.AgentCallQueryView;
export type AgentCallView = bridge.AgentCallView;
export type AgentCallsView = bridge.AgentCallsView;
export type AgentGrantView = bridge.AgentGrantView;
export type AgentView = bridge.AgentView;
export type AgreementView = bridge.AgreementView;
export type AttachmentView = bridge.AttachmentView;
export type BackupView = bridge.BackupView;
export type ByItselfView = bridge.ByItselfView;
export type DownloadView = bridge.DownloadView;
export type ChangeView = bridge.ChangeView;
export type CheckView = bridge.CheckView;
export type CircleEditView = bridge.CircleEditView;
export type CirclePreviewView = bridge.CirclePreviewView;
export type CircleView = bridge.CircleView;
export type CirclesView = bridge.CirclesView;
export type CitationView = bridge.CitationView;
export type CompactedView = bridge.CompactedView;
export type CompactionItemView = bridge.CompactionItemView;
export type CompactionLimitsView = bridge.CompactionLimitsView;
export type CompactionPlanView = bridge.CompactionPlanView;
export type CompactionView = bridge.CompactionView;
export type CompareView = bridge.CompareView;
export type ComparedView = bridge.ComparedView;
export type ConfidenceView = bridge.ConfidenceView;
export type ConversationHeadView = bridge.ConversationHeadView;
export type ConversationPageView = bridge.ConversationPageView;
export type ConversationQueryView = bridge.ConversationQueryView;
export type CopiesView = bridge.CopiesView;
export type CountView = bridge.CountView;
export type DamagedView = bridge.DamagedView;
export type DayCountView = bridge.DayCountView;
export type DestructionView = bridge.DestructionView;
export type DiagnosisView = bridge.DiagnosisView;
export type DiffLineView = bridge.DiffLineView;
export type DocumentView = bridge.DocumentView;
export type DraftView = bridge.DraftView;
export type EditView = bridge.EditView;
export type AccountView = bridge.AccountView;
export type FinishView = bridge.FinishView;
export type ChangedView = bridge.ChangedView;
export type ExportOptionsView = bridge.ExportOptionsView;
export type ExportPreviewView = bridge.ExportPreviewView;
export type ExportResultView = bridge.ExportResultView;
export type FacetsView = bridge.FacetsView;
export type FaultView = bridge.FaultView;
export type FieldChangeView = bridge.FieldChangeView;
export type FindingView = bridge.FindingView;
export type FindingsView = bridge.FindingsView;
export type ForgetPlanView = bridge.ForgetPlanView;
export type ForgetQueryView = bridge.ForgetQueryView;
export type ForgottenView = bridge.ForgottenView;
export type FocusView = bridge.FocusView;
export type FoundView = bridge.FoundView;
export type GrantView = bridge.GrantView;
export type GraphEdgeView = bridge.GraphEdgeView;
export type GraphNodeView = bridge.GraphNodeView;
export type GraphView = bridge.GraphView;
export type HandoffLineView = bridge.HandoffLineView;
export type HandoffOptionsView = bridge.HandoffOptionsView;
export type HandoffPartView = bridge.HandoffPartView;
export type HandoffRulesView = bridge.HandoffRulesView;
export type HandoffTargetView = bridge.HandoffTargetView;
export type HandoffView = bridge.HandoffView;
export type HideableView = bridge.HideableView;
export type HeldCategoryView = bridge.HeldCategoryView;
export type HeldView = bridge.HeldView;
export type HitView = bridge.HitView;
export type InboxView = bridge.InboxView;
export type PairedMemoryView = bridge.PairedMemoryView;
export type ReviewPairView = bridge.ReviewPairView;
export type ReviewView = bridge.ReviewView;
export type InsightsView = bridge.InsightsView;
export type JobView = bridge.JobView;
export type KeychainView = bridge.KeychainView;
export type KeyNewsView = bridge.KeyNewsView;
export type KeyReadingView = bridge.KeyReadingView;
export type KeySourceView = bridge.KeySourceView;
export type LedgerView = bridge.LedgerView;
export type LicenceView = bridge.LicenceView;
export type LinkView = bridge.LinkView;
export type LogEntryView = bridge.LogEntryView;
export type LogPageView = bridge.LogPageView;
export type LookedView = bridge.LookedView;
export type ManyChangedView = bridge.ManyChangedView;
export type ManyEditView = bridge.ManyEditView;
export type MembershipView = bridge.MembershipView;
export type MemoryChangeView = bridge.MemoryChangeView;
export type MemoryPageView = bridge.MemoryPageView;
export type MemoryRowView = bridge.MemoryRowView;
export type MemoryView = bridge.MemoryView;
export type MessageView = bridge.MessageView;
export type RatingView = bridge.RatingView;
export type MonthCountView = bridge.MonthCountView;
export type IndexView = bridge.IndexView;
export type NearView = bridge.NearView;
export type SimilarView = bridge.SimilarView;
export type NewMemoryView = bridge.NewMemoryView;
export type NewVaultView = bridge.NewVaultView;
export type Offer = bridge.Offer;
export type PairView = bridge.PairView;
export type PartView = bridge.PartView;
export type PastExportView = bridge.PastExportView;
export type MergedView = bridge.MergedView;
export type PickView = bridge.PickView;
export type PieceView = bridge.PieceView;
export type PlanDocumentView = bridge.PlanDocumentView;
export type PlannedMemoryView = bridge.PlannedMemoryView;
export type PlanMergingView = bridge.PlanMergingView;
export type PlanChangeView = bridge.PlanChangeView;
export type PlanSourceView = bridge.PlanSourceView;
export type PlanView = bridge.PlanView;
export type PreferencesView = bridge.PreferencesView;
export type ProgressView = bridge.ProgressView;
export type ProposalEditView = bridge.ProposalEditView;
export type ProposalView = bridge.ProposalView;
export type ProvenanceView = bridge.ProvenanceView;
export type QueryView = bridge.QueryView;
export type ReadableView = bridge.ReadableView;
export type AsideView = bridge.AsideView;
export type ReceiptView = bridge.ReceiptView;
export type RecoveredView = bridge.RecoveredView;
export type RecoveryView = bridge.RecoveryView;
export type RelatedView = bridge.RelatedView;
export type ReportProblemView = bridge.ReportProblemView;
export type ReportSourceView = bridge.ReportSourceView;
export type ReportView = bridge.ReportView;
export type RestoredView = bridge.RestoredView;
export type RotationView = bridge.RotationView;
export type SavedQueryView = bridge.SavedQueryView;
export type SensitiveMarkView = bridge.SensitiveMarkView;
export type SensitiveView = bridge.SensitiveView;
export type SavedView = bridge.SavedView;
export type SearchView = bridge.SearchView;
export type ServerView = bridge.ServerView; export type TriedServerView = bridge.TriedServerView; export type SignerView = bridge.SignerView;
export type SignersView = bridge.SignersView;
export type SlotView = bridge.SlotView;
export type SourceView = bridge.SourceView;
export type StandsView = bridge.StandsView;
export type TextView = bridge.TextView;
export type ThreadView = bridge.ThreadView;
export type TodoEditView = bridge.TodoEditView;
export type TodosView = bridge.TodosView;
export type TodoView = bridge.TodoView;
export type ToolCallView = bridge.ToolCallView;
export type TopicsView = bridge.TopicsView;
export type TypeView = bridge.TypeView;
export type UndoView = bridge.UndoView;
export type VaultView = bridge.VaultView;
export type VerifyView = bridge.VerifyView;

/** Methods are the calls Go answers, as `Struct.Method`. */
export interface Methods {
  Vault: {
    State(): Promise<VaultView>;
    /** kdf is "calibrated" or "strong". */
    Create(passphrase: string, kdf: string): Promise<NewVaultView>;
    Unlock(passphrase: string): Promise<VaultView>;
    UnlockRecovery(code: string): Promise<VaultView>;
    Lock(): Promise<void>;
    LockedOut(): Promise<string[]>; // agents that asked since it was locked
    Present(): Promise<void>; // told at most every few seconds
    /** Only in a window: a browser's page has a clipboard of its own. */
    Copy(text: string): Promise<void>;
    /** Milliseconds one unlock takes on this computer. */
    EstimateUnlock(): Promise<number>;
    TrySample(): Promise<VaultView>;
    /** What can be read of a damaged vault, in an open format; one of the two opens it. */
    Choose(): Promise<VaultView>;
  };
  Imports: {
    Choose(): Promise<Offer[]>;
    Opened(): Promise<Offer[]>;
    /** Takes in text that was copied out of an assistant. */
    Paste(text: string): Promise<Offer>;
    Plan(tokens: string[]): Promise<PlanView>;
    /** Whose exports offers are, where they do not say so; '' is the default account. */
    NameAccount(tokens: string[], account: string): Promise<void>;
    /** Lets go of offers that will not be imported, and of what was uploaded for them. */
    Forget(tokens: string[]): Promise<void>;
    /** What a person agreed to after seeing the plan; Start follows it. */
    Agree(planId: string, agreement: AgreementView): Promise<void>;
    Start(planId: string): Promise<JobView>;
    Cancel(jobId: string): Promise<void>;
    /** Reads the kept files of an import again, with the readers of today. */
    Reread(importId: string): Promise<JobView>;
    /** What Undo would take, and what would stay; nothing is changed. */
    PlanUndo(importId: string): Promise<UndoView>;
    /** Takes one import back. */
    Undo(importId: string): Promise<UndoView>;
    /** Lays down again what an import was made of that broke off. */
    Finish(importId: string): Promise<FinishView>;
    /** Leaves it as it is, and tells no more of it. */
    Leave(importId: string): Promise<void>;
    Job(jobId: string): Promise<ProgressView>;
    List(): Promise<ReportView[]>;
    Report(id: string): Promise<ReportView>;
    RevealSource(importId: string, index: number): Promise<void>;
    /** Exports in the downloads folder, where that is watched. */
    Downloads(): Promise<DownloadView[]>; TakeDownload(id: string): Promise<Offer[]>; PassDownload(id: string): Promise<void>;
  };
  Library: {
    List(query: QueryView): Promise<MemoryPageView>;
    Facets(query: QueryView): Promise<FacetsView>;
    Get(id: string): Promise<MemoryView>;
    Add(memory: NewMemoryView): Promise<MemoryView>;
    Edit(id: string, edit: EditView): Promise<MemoryView>;
    SetStatus(id: string, status: string, by: string): Promise<MemoryView>;
    /** Takes the last step of the lifecycle back, however long ago it was taken. */
    UndoStatus(id: string): Promise<MemoryView>;
    /** Shares a memory with somebody; no permissions take it back. */
    Accounts(): Promise<AccountView[]>;
    Circles(): Promise<CirclesView>;
    /** What of a circle leaves now. */
    PreviewCircle(circle: string): Promise<CirclePreviewView>;
    MakeCircle(edit: CircleEditView): Promise<CircleView>;
    EditCircle(circle: string, edit: CircleEditView): Promise<CircleView>;
    /** Takes all memories out of a circle and deletes it. */
    DropCircle(circle: string): Promise<number>;
    /** Puts memories into a circle, or takes them out of it; the number of those that changed. */
    JoinCircle(circle: string, ids: string[], into: boolean): Promise<number>;
    /** Puts in what fits. */
    FillCircle(circle: string): Promise<number>;
    ConfirmCircle(circle: string): Promise<number>;
    CirclesOf(id: string): Promise<MembershipView[]>;
    /** Those that wait for an answer first. */
    Agents(): Promise<AgentView[]>;
    /** A grant takes the place of the one before. */
    AllowAgent(name: string, grant: AgentGrantView): Promise<void>;
    RefuseAgent(name: string): Promise<void>;
    /** One agent, or all for ''. */
    PauseAgents(name: string, on: boolean): Promise<void>;
    RemoveAgent(name: string): Promise<void>; DeclineForget(token: string): Promise<void>;
    ByItself(): Promise<ByItselfView>; WatchSessions(kind: string, on: boolean): Promise<void>; StopKeeping(id: string): Promise<{ left?: FaultView }>;
    /** The newest first. */
    AgentCalls(query: AgentCallQueryView): Promise<AgentCallsView>;
    AgentCallGave(number: number): Promise<AgentCallGivenView>;
    Types(): Promise<TypeView[]>;
    DescribeType(name: string, description: string): Promise<TypeView[]>;
    ForgetType(name: string): Promise<TypeView[]>;
    Relate(from: string, type: string, to: string): Promise<MemoryView>;
    ChangeRelation(id: string, relationId: string, kind: string): Promise<MemoryView>;
    Unrelate(id: string, relationId: string): Promise<MemoryView>;
    Undo(): Promise<ChangeView>;
    LastChange(): Promise<ChangeView>;
    /** Does again what Undo took back last. */
    Redo(): Promise<ChangeView>;
    /** The newest change first. */
    History(id: string): Promise<MemoryChangeView[]>;
    /** One change of many memories, by their ids or by a query. */
    EditMany(edit: ManyEditView): Promise<ManyChangedView>;
    SavedViews(): Promise<SavedQueryView[]>;
    SaveView(name: string, query: QueryView): Promise<SavedQueryView[]>;
    DropView(name: string): Promise<SavedQueryView[]>;
    /** A thousand points and a thousand lines from the query's offset on. */
    Graph(query: QueryView): Promise<GraphView>;
    Insights(): Promise<InsightsView>;
    Topics(): Promise<TopicsView>;
    /** Sensitive topics of a memory, and those that the person took away. */
    Sensitive(id: string): Promise<SensitiveMarkView[]>;
    /** 'yes' or 'no' from the person; '' leaves it to the program again. */
    MarkSensitive(id: string, topic: string, answer: string): Promise<SensitiveMarkView[]>;
    /** What is being written and not kept yet; an empty text is no draft. */
    KeepDraft(draft: DraftView): Promise<void>;
    Drafts(): Promise<DraftView[]>;
    DropDraft(memoryId: string): Promise<void>;
  };
  Conversations: {
    List(query: ConversationQueryView): Promise<ConversationPageView>;
    Thread(id: string, leaf: string, offset: number, limit: number): Promise<ThreadView>;
    /** More of a part of a message, from the byte at which what is here ends. */
    Further(id: string, message: string, part: number, from: number): Promise<TextView>;
    /** Where a text stands on a way; what the same asker looked for before ends with 'cancelled'. */
    Find(asker: string, id: string, leaf: string, text: string): Promise<StandsView>;
    CheckLink(address: string): Promise<LinkView>;
    OpenLink(address: string): Promise<void>;
  };
  Search: {
    /** The best of what fits, from what is indexed by now. */
    Find(query: SearchView): Promise<FoundView>;
    /** Makes the index again, in the background. */
    Rebuild(): Promise<void>;
    /** How far the index is. */
    State(): Promise<IndexView>;
    /** Memories that are like a memory, or that a conversation touches, closest first. */
    Similar(id: string): Promise<SimilarView[]>;
  };
  Exports: {
    Preview(options: ExportOptionsView): Promise<ExportPreviewView>;
    /** What looks like personal data or a secret in what would leave, fifty at a time. */
    Findings(options: ExportOptionsView, offset: number): Promise<FindingsView>;
    Start(options: ExportOptionsView): Promise<ExportResultView>;
    /** The newest first. */
    List(): Promise<PastExportView[]>;
    /** What was given to a circle, '' for anybody, and of a memory, '' for any; the newest first. */
    Given(circle: string, memory: string): Promise<PastExportView[]>;
    Reveal(token: string): Promise<void>;
    ChooseToVerify(): Promise<Offer>;
    /** What opens an encrypted file, for whatever is asked of it next. */
    GivePassphrase(token: string, passphrase: string): Promise<void>;
    Verify(token: string): Promise<VerifyView>;
    /** Against the vault where `other` is '', of two files with the one they come from where `base` is not ''; items come fifty at a time. */
    Compare(token: string, other: string, base: string, offset: number): Promise<CompareView>;
    /** Asks where to write what `token` becomes with `other`, as it was picked. */
    Merge(token: string, other: string, base: string, beside: boolean, picks: PickView[]): Promise<MergedView>;
  };
  /** What another assistant is told. */
  Handoffs: {
    Targets(): Promise<HandoffTargetView[]>;
    SetRules(target: string, rules: HandoffRulesView): Promise<void>;
    Preview(target: string, options: HandoffOptionsView): Promise<HandoffView>;
    /** The same, to be copied: the log notes it. */
    Take(target: string, options: HandoffOptionsView): Promise<HandoffView>;
    Save(target: string, options: HandoffOptionsView): Promise<SavedView>;
  };
  Settings: {
    Get(): Promise<PreferencesView>; Save(preferences: PreferencesView): Promise<void>;
    /** Notify says outside of the window how something ended that took long; the words are Go's own. */
    Notify(ended: string, language: string): Promise<void>;
    About(): Promise<AboutView>;
    Server(): Promise<ServerView>; TryServer(server: ServerView): Promise<TriedServerView>; UseServer(server: ServerView): Promise<void>; // without an address: none
  };
  /** Signing keys: one's own, and those of people one knows. */
  Signers: {
    List(): Promise<SignersView>;
    /** Looks at a key, and changes nothing. */
    Read(from: KeySourceView): Promise<KeyReadingView>;
    Trust(from: KeySourceView, name: string): Promise<SignersView>;
    Follow(from: KeySourceView): Promise<SignersView>;
    Rename(did: string, name: string): Promise<SignersView>;
    Remove(did: string): Promise<SignersView>;
    Rotate(): Promise<SignersView>;
    /** since is a time, "" for now. */
    Revoke(did: string, since: string): Promise<SignersView>;
    Save(): Promise<SavedView>;
  };
  Clients: ClientsMethods;
  Portrait: PortraitMethods;
  Keys: {
    /** Six random words. */
    Suggest(): Promise<string>;
    ChangePassphrase(old: string, passphrase: string): Promise<VaultView>;
    /** Shows a new recovery key; the old one counts until it is confirmed. */
    BeginRecovery(passphrase: string): Promise<RecoveryView>;
    /** typed are the groups asked for, in their order. */
    ConfirmRecovery(typed: string[]): Promise<VaultView>;
    UseRecovery(code: string, passphrase: string): Promise<VaultView>;
    Keychain(): Promise<KeychainView>;
    AllowKeychain(passphrase: string): Promise<VaultView>;
    RemoveKeychain(): Promise<VaultView>;
    UnlockKeychain(): Promise<VaultView>;
    Rotation(): Promise<RotationView>;
    BeginRotation(): Promise<void>;
    PauseRotation(): Promise<void>;
    ResumeRotation(): Promise<void>;
    /** Shows the recovery key for a re-key, where nothing stands in its way. */
    BeginRekey(old: string, passphrase: string): Promise<RecoveryView>;
    /** New keys throughout, with the recovery key of BeginRekey and its groups. */
    Rekey(old: string, passphrase: string, typed: string[]): Promise<VaultView>;
    StopRekey(): Promise<void>;
  };
  Care: {
    Copies(): Promise<CopiesView>;
    /** Reads and decrypts everything; the events "care" tell how far it is. */
    Check(): Promise<CheckView>;
    Compact(): Promise<CompactionView>;
    /** What is held about the person; that it was asked for stands in the log. */
    Held(): Promise<HeldView>;
    /** What could be archived or summarized; nothing changes. */
    PlanCompaction(): Promise<CompactionPlanView>;
    ApplyCompaction(ids: string[]): Promise<CompactedView>;
    /** Sets the limits that are not 0. */
    SetCompactionLimits(wanted: CompactionLimitsView): Promise<CompactionLimitsView>;
    Backup(): Promise<BackupView>;
    ChooseBackup(): Promise<Offer>;
    /** One of passphrase and recovery opens the backup; the other is "". */
    VerifyBackup(token: string, passphrase: string, recovery: string): Promise<BackupView>;
    RestoreBackup(token: string, passphrase: string, recovery: string): Promise<RestoredView>;
    /** Ends a check, a backup or a recovery that is under way. */
    Stop(): Promise<void>;
    /** Looks at a vault that does not open, without a secret. */
    Diagnose(): Promise<DiagnosisView>;
    /** Makes the vault whole from its own copies; dry only says what that would bring. */
    Recover(passphrase: string, recovery: string, dry: boolean): Promise<RecoveredView>;
    /** What can be read of a damaged vault, in an open format; one of the two opens it. */
    ExportReadable(passphrase: string, recovery: string): Promise<ReadableView>;
    Freeze(on: boolean): Promise<VaultView>;
    LogReading(on: boolean): Promise<VaultView>;
    Part(): Promise<void>;
    /** The newest first; at most 200 at once. */
    Log(offset: number, limit: number): Promise<LogPageView>;
    SaveLog(): Promise<SavedView>;
    PlanForget(query: ForgetQueryView): Promise<ForgetPlanView>;
    /** Takes out of the vault, for good, what a plan showed. */
    Forget(planId: string): Promise<ReceiptView>;
    Receipts(): Promise<ReceiptView[]>;
    /** Only in a window: where the receipt of Destroy is to lie. */
    ChooseReceipt(): Promise<Offer>;
    /** typed is the vault's name or id; token is of ChooseReceipt, or "". */
    Asides(): Promise<AsideView[]>;
    RemoveAsides(passphrase: string, recovery: string): Promise<AsideView[]>;
    Destroy(typed: string, passphrase: string, recovery: string, token: string): Promise<DestructionView>;
  };
  Todos: {
    /** At most 500, the most pressing first. */
    List(openOnly: boolean): Promise<TodosView>;
    Add(edit: TodoEditView): Promise<TodoView>;
    Edit(id: string, edit: TodoEditView): Promise<TodoView>;
    SetStatus(id: string, status: string): Promise<TodoView>;
    Remove(id: string): Promise<void>;
  };
  Inbox: {
    /** At most 200, the surest first: 'memories' that would be new, 'changes', or '' for both; 'total' lists none. */
    List(about: string): Promise<InboxView>;
    Near(id: string): Promise<NearView[]>;
    Accept(id: string, edit: ProposalEditView): Promise<MemoryView>;
    AcceptAll(ids: string[]): Promise<number>;
    Reject(ids: string[]): Promise<number>;
    Merge(id: string, into: string): Promise<MemoryView>;
    /** Memories to compare, at most 100 pairs of a kind, the most similar first. */
    Pairs(): Promise<ReviewView>;
    Pass(a: string, b: string, out: boolean): Promise<void>;
    MergeMemories(into: string, other: string): Promise<MemoryView>;
    /** Allows looking for proposals, and looks; or ends it. */
    Allow(on: boolean): Promise<LookedView>;
  };
}

/** Stop ends a subscription; calling it twice is harmless. */
export type Stop = () => void;
/** Shell is what surrounds the page; only it decides what a browser cannot do. */
export type Shell = 'window' | 'browser';
