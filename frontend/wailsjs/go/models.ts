export namespace bridge {
	
	export interface LicenceView {
	    name: string;
	    version: string;
	    licence: string;
	    part: string;
	}
	export interface AboutView {
	    version: string;
	    commit: string;
	    date: string;
	    changed: boolean;
	    licences: LicenceView[];
	    network: string[];
	}
	export interface AccountView {
	    id: string;
	    platform: string;
	    name: string;
	}
	export interface GivenMemoryView {
	    id: string;
	    content: string;
	    clipped: boolean;
	}
	export interface AgentCallGivenView {
	    memories: GivenMemoryView[];
	    total: number;
	    gone: number;
	}
	export interface AgentCallQueryView {
	    agent: string;
	    memory: string;
	    tool: string;
	    outcome: string;
	    since: string;
	    until: string;
	    offset: number;
	    limit: number;
	}
	export interface AgentCallView {
	    number: number;
	    agent: string;
	    at: string;
	    tool: string;
	    memories: number;
	    bytes: number;
	    refused: string;
	}
	export interface AgentCallsView {
	    items: AgentCallView[];
	    total: number;
	}
	export interface AgentGrantView {
	    circle: string;
	    permissions: string[];
	    conversations: string;
	    memories: number;
	    bytes: number;
	    until: string;
	    types: string[];
	    tags: string[];
	    platforms: string[];
	    projects: string[];
	    createdSince: string;
	    createdBefore: string;
	    unredacted: boolean;
	}
	export interface ForgetRequestView {
	    token: string;
	    at: string;
	    ids: string[];
	}
	export interface AgentView {
	    name: string;
	    state: string;
	    paused: boolean;
	    firstAsk: string;
	    lastCall: string;
	    calls: number;
	    memories: number;
	    refused: number;
	    proposed: number;
	    accepted: number;
	    circleName: string;
	    grant: AgentGrantView;
	    forgets: ForgetRequestView[];
	}
	export interface PickView {
	    id: string;
	    take: string;
	    fields: string[];
	}
	export interface AgreementView {
	    acceptBroken: boolean;
	    acceptUnsigned: boolean;
	    anyBase: boolean;
	    keepOriginal: boolean;
	    onConflict: string;
	    merge: string;
	    picking: boolean;
	    picks: PickView[];
	    take: string[];
	}
	export interface AlikeView {
	    id: string;
	    conversationId: string;
	    title: string;
	    platform: string;
	    role: string;
	    createdAt: string;
	}
	export interface AsideView {
	    path: string;
	    at: string;
	    same: boolean;
	}
	export interface AttachmentView {
	    type: string;
	    name: string;
	    mimeType: string;
	    size: number;
	    url: string;
	}
	export interface SavedView {
	    token: string;
	    url: string;
	    name: string;
	    folder: string;
	}
	export interface BackupView {
	    name: string;
	    vaultId: string;
	    madeAt: string;
	    memories: number;
	    conversations: number;
	    messages: number;
	    attachments: number;
	    missing: number;
	    bytes: number;
	    saved: SavedView;
	}
	export interface KeptFileView {
	    id: string;
	    file: string;
	    target: string;
	    circle: string;
	    memories: number;
	    written: string;
	    stopped?: FaultView;
	}
	export interface HooksView {
	    id: string;
	    name: string;
	    file: string;
	}
	export interface FaultView {
	    code: string;
	    reason: string;
	    message: string;
	    hint: string;
	    args: Record<string, string>;
	}
	export interface WatchedView {
	    kind: string;
	    name: string;
	    folder: string;
	    found: boolean;
	    on: boolean;
	    since: string;
	    taken: number;
	    last: string;
	    refused?: FaultView;
	    problem?: FaultView;
	}
	export interface ByItselfView {
	    watched: WatchedView[];
	    hooks: HooksView[];
	    kept: KeptFileView[];
	}
	export interface ChangeView {
	    id: string;
	    at: string;
	    kind: string;
	    subjects: string[];
	    kept?: number;
	}
	export interface ChangedMemoryView {
	    id: string;
	    type: string;
	    customType: string;
	    status: string;
	    content: string;
	    clipped: boolean;
	    tags: string[];
	}
	export interface ChangedView {
	    path: string;
	    now: string;
	    before: string;
	}
	export interface DamagedView {
	    what: string;
	    name: string;
	    fault: FaultView;
	}
	export interface CheckView {
	    whole: boolean;
	    values: number;
	    attachments: number;
	    logEntries: number;
	    copies: number;
	    damaged: DamagedView[];
	    missing: number;
	    orphans: number;
	}
	export interface CircleEditView {
	    name: string;
	    types: string[];
	    tags: string[];
	    domains: string[];
	    topics: string[];
	    without: string[];
	}
	export interface CountView {
	    name: string;
	    count: number;
	}
	export interface CircleView {
	    entity: string;
	    name: string;
	    types: string[];
	    tags: string[];
	    domains: string[];
	    topics: string[];
	    without: string[];
	    members: number;
	    unconfirmed: number;
	}
	export interface CirclePreviewView {
	    circle: CircleView;
	    leaves: number;
	    stays: CountView[];
	    topics: CountView[];
	    byWords: number;
	    waiting: number;
	}
	
	export interface CirclesView {
	    circles: CircleView[];
	    nobody: number;
	    public: number;
	}
	export interface CitationView {
	    title: string;
	    url: string;
	    snippet: string;
	}
	export interface ClientChangeView {
	    file: string;
	    backup: string;
	}
	export interface DiffLineView {
	    op: string;
	    text: string;
	}
	export interface ClientFileView {
	    file: string;
	    exists: boolean;
	    lines: DiffLineView[];
	}
	export interface ClientPlanView {
	    token: string;
	    files: ClientFileView[];
	}
	export interface ClientView {
	    id: string;
	    name: string;
	    file: string;
	    found: boolean;
	    connected: boolean;
	    current: boolean;
	    hooks: boolean;
	    problem?: FaultView;
	}
	export interface CompactedView {
	    archived: number;
	    sessions: number;
	    proposed: number;
	}
	export interface CompactionItemView {
	    kinds: string[];
	    id: string;
	    title: string;
	    type: string;
	    platform: string;
	    keeps: string;
	    keepsTitle: string;
	    last: string;
	    messages: number;
	}
	export interface CompactionLimitsView {
	    tokens: number;
	    messages: number;
	    days: number;
	}
	export interface CompactionPlanView {
	    limits: CompactionLimitsView;
	    tokens: number;
	    total: number;
	    items: CompactionItemView[];
	}
	export interface CompactionView {
	    before: number;
	    after: number;
	    attachments: number;
	}
	export interface FindingView {
	    check: string;
	    path: string;
	    message: string;
	    expected: string;
	    found: string;
	    fault?: FaultView;
	}
	export interface PlanDocumentView {
	    verdict: string;
	    words: string[];
	    fingerprint: string;
	    signedAt: string;
	    problems: FindingView[];
	    changed: ChangedView[];
	    incremental: boolean;
	    holder: string;
	    knownSince: string;
	    knownBase: boolean;
	    asksBroken: boolean;
	    asksBase: boolean;
	    asksUnsigned: boolean;
	    claims: string;
	}
	export interface FieldChangeView {
	    path: string;
	    ours: string;
	    theirs: string;
	    pickable?: boolean;
	    base?: string;
	    by?: string;
	}
	export interface ComparedView {
	    id: string;
	    standing: string;
	    type: string;
	    ours: string;
	    theirs: string;
	    fields: FieldChangeView[];
	    suggested?: string;
	    gone?: boolean;
	}
	export interface CompareView {
	    same: number;
	    ours: number;
	    theirs: number;
	    differing: number;
	    conflicts: number;
	    forgotten: number;
	    total: number;
	    items: ComparedView[];
	    beside: boolean;
	    unknown: CountView[];
	    names: string[];
	    common?: string;
	    newer: string[];
	    refused?: string;
	    document?: PlanDocumentView;
	}
	
	export interface ConfidenceView {
	    now: number;
	    decayModel: string;
	    curve: number[];
	    at: number;
	}
	export interface ContinuedView {
	    id: string;
	    message: string;
	}
	export interface ConversationHeadView {
	    id: string;
	    platform: string;
	    title: string;
	    createdAt: string;
	    updatedAt: string;
	    messages: number;
	    branches: number;
	    derived: number;
	    model: string;
	    project: string;
	    account: string;
	    archived: boolean;
	    timeIsDerived: boolean;
	    removed: boolean;
	    importId: string;
	}
	export interface ConversationPageView {
	    items: ConversationHeadView[];
	    total: number;
	}
	export interface ConversationQueryView {
	    text: string;
	    platforms: string[];
	    accounts: string[];
	    since: string;
	    until: string;
	    sort: string;
	    offset: number;
	    limit: number;
	}
	export interface CopiesView {
	    count: number;
	    newest: string;
	    bytes: number;
	    due: boolean;
	    problem?: FaultView;
	}
	
	export interface CountedView {
	    at: string;
	    memories: number;
	    relations: number;
	    conversations: number;
	    messages: number;
	}
	
	export interface DayCountView {
	    day: string;
	    conversations: number;
	    messages: number;
	}
	export interface DestructionView {
	    vaultId: string;
	    receipt: string;
	}
	export interface DiagnosisView {
	    header?: FaultView;
	    data?: FaultView;
	    badCopies: string[];
	    copyAt: string;
	    copies: number;
	    changes: number;
	}
	
	export interface DocumentView {
	    valid: boolean;
	    errors: FindingView[];
	    warnings: FindingView[];
	    checksRun: number;
	}
	export interface DownloadView {
	    id: string;
	    file: string;
	    provider: string;
	    name: string;
	    written: string;
	}
	export interface DraftView {
	    memoryId: string;
	    content: string;
	    type: string;
	    customType: string;
	    tags: string[];
	}
	export interface EditView {
	    content?: string;
	    type?: string;
	    customType?: string;
	    summary?: string;
	    domain?: string;
	    language?: string;
	    tags?: string[];
	    importance?: number;
	    validFrom?: string;
	    validUntil?: string;
	    visibility?: string;
	    exportable?: boolean;
	}
	export interface ExportOptionsView {
	    unsigned: boolean;
	    includeConversations: boolean;
	    includeAttachments: boolean;
	    includeEmbeddings: boolean;
	    statuses: string[];
	    types: string[];
	    tags: string[];
	    platforms: string[];
	    conversations: string[];
	    incremental: boolean;
	    base: string;
	    for: string;
	    stripIds: boolean;
	    withoutTitles: boolean;
	    passphrase: string;
	    format: string;
	    version: string;
	    form: string;
	    redact: string;
	    keep: string[];
	    addresses: boolean;
	    language: string;
	    categories: string[];
	    bare: boolean;
	}
	export interface SensitiveItemView {
	    id: string;
	    text: string;
	    topics: string[];
	}
	export interface SensitiveView {
	    total: number;
	    topics: CountView[];
	    byWords: number;
	    items: SensitiveItemView[];
	}
	export interface ExportPreviewView {
	    memories: number;
	    relations: number;
	    conversations: number;
	    titles: number;
	    excluded: CountView[];
	    fileName: string;
	    findings: number;
	    kinds: CountView[];
	    hidden: number;
	    unread: number;
	    embeddings: number;
	    hasEmbeddings: boolean;
	    baseId: string;
	    since: string;
	    todos: number;
	    sensitive: SensitiveView;
	}
	export interface ExportResultView {
	    token: string;
	    url: string;
	    name: string;
	    folder: string;
	    bytes: number;
	    exportId: string;
	    exportDate: string;
	    incremental: boolean;
	    since: string;
	    memories: number;
	    titles: number;
	    excluded: CountView[];
	    checksum: string;
	    signed: boolean;
	    encrypted: boolean;
	    hidden: number;
	    did: string;
	    fingerprint: string;
	    words: string[];
	    covers: string[];
	    notCovered: string[];
	    verdict: string;
	    format: string;
	    todos: number;
	}
	export interface FacetsView {
	    types: CountView[];
	    statuses: CountView[];
	    platforms: CountView[];
	    accounts: CountView[];
	    tags: CountView[];
	    projects: CountView[];
	    years: CountView[];
	    confidence: CountView[];
	    related: number;
	}
	
	
	
	export interface HideableView {
	    id: string;
	    in: string;
	    kind: string;
	    text: string;
	    before: string;
	    after: string;
	    kept: boolean;
	}
	export interface FindingsView {
	    items: HideableView[];
	    total: number;
	    hidden: number;
	    kinds: CountView[];
	    unread: number;
	}
	export interface Offer {
	    token: string;
	    name: string;
	    size: number;
	    folder: boolean;
	}
	export interface FinishView {
	    offers: Offer[];
	    missing: string[];
	}
	export interface FocusView {
	    platform: string;
	    chapter: string;
	    count: number;
	    of: number;
	    since: string;
	    before: number;
	    ofBefore: number;
	}
	export interface ForgottenView {
	    kind: string;
	    id: string;
	    text: string;
	}
	export interface ForgetPlanView {
	    id: string;
	    memories: number;
	    conversations: number;
	    messages: number;
	    relations: number;
	    originals: number;
	    keptOriginals: number;
	    sample: ForgottenView[];
	    near: ForgottenView[];
	    left: ForgottenView[];
	}
	export interface QueryView {
	    text: string;
	    types: string[];
	    statuses: string[];
	    platforms: string[];
	    accounts: string[];
	    tags: string[];
	    projects: string[];
	    years: number[];
	    confidence: string[];
	    conversation: string;
	    hasRelations: boolean;
	    since: string;
	    until: string;
	    sort: string;
	    offset: number;
	    limit: number;
	}
	export interface ForgetQueryView {
	    ids: string[];
	    before: string;
	    library?: QueryView;
	    also?: string[];
	}
	
	
	export interface PieceView {
	    text: string;
	    marked: boolean;
	}
	export interface HitView {
	    kind: string;
	    id: string;
	    conversationId: string;
	    title: string;
	    platform: string;
	    role: string;
	    type: string;
	    status: string;
	    createdAt: string;
	    snippet: PieceView[];
	    toolCalls: boolean;
	    close: boolean;
	    alike: AlikeView[];
	    same: string;
	}
	export interface FoundView {
	    hits: HitView[];
	    next: number;
	    total: number;
	    exact: boolean;
	    widened: string[];
	    missing: number;
	    archived: number;
	}
	
	export interface GrantView {
	    entity: string;
	    permissions: string[];
	}
	export interface GraphEdgeView {
	    from: string;
	    to: string;
	    type: string;
	}
	export interface GraphNodeView {
	    id: string;
	    type: string;
	    status: string;
	    platform: string;
	    label: string;
	    topic: string;
	    degree: number;
	}
	export interface GraphView {
	    nodes: GraphNodeView[];
	    edges: GraphEdgeView[];
	    totalNodes: number;
	    totalEdges: number;
	}
	export interface HandoffEditView {
	    id: string;
	    text: string;
	}
	export interface HandoffLimitView {
	    name: string;
	    limit: number;
	    source: string;
	    dated: string;
	    own: boolean;
	}
	export interface HandoffLineView {
	    id: string;
	    heading: string;
	    text: string;
	    ticked: boolean;
	    edited: boolean;
	    shortened: boolean;
	}
	export interface HandoffOptionsView {
	    redact: string;
	    keep: string[];
	    addresses: boolean;
	    part: string;
	    for: string;
	    language: string;
	    without: string[];
	    edits: HandoffEditView[];
	}
	export interface LeftOutView {
	    id: string;
	    reason: string;
	    content: string;
	}
	export interface HandoffPartView {
	    name: string;
	    limit: number;
	    source: string;
	    dated: string;
	    own: boolean;
	    follows: boolean;
	    messages: string[];
	    lines: HandoffLineView[];
	    codePoints: number;
	    utf16: number;
	    taken: number;
	    leftOut: LeftOutView[];
	    leftOutTotal: number;
	}
	export interface HandoffRulesView {
	    types: string[];
	    withoutTags: string[];
	    projects: boolean;
	    limits: CountView[];
	}
	export interface HandoffTargetView {
	    target: string;
	    training: string;
	    parts: HandoffLimitView[];
	    rules: HandoffRulesView;
	}
	export interface HandoffView {
	    target: string;
	    training: string;
	    file: string;
	    parts: HandoffPartView[];
	    memories: number;
	    excluded: CountView[];
	    findings: FindingsView;
	    language: string;
	    languages: string[];
	    otherLanguages: CountView[];
	    sensitive: SensitiveView;
	}
	export interface HeldSourceView {
	    platform: string;
	    count: number;
	}
	export interface HeldCategoryView {
	    category: string;
	    count: number;
	    sources: HeldSourceView[];
	    oldest: string;
	    newest: string;
	}
	
	export interface HeldView {
	    at: string;
	    categories: HeldCategoryView[];
	    messages: number;
	    relations: number;
	    tasks: number;
	    proposals: number;
	    embeddings: number;
	    imports: number;
	    exports: number;
	    receipts: number;
	    logEntries: number;
	}
	
	
	
	export interface ProposedChangeView {
	    kind: string;
	    standing: string;
	    memories: ChangedMemoryView[];
	    content: string;
	    type: string;
	    tags: string[];
	    retags: boolean;
	    relation: string;
	}
	export interface ProposalView {
	    id: string;
	    type: string;
	    content: string;
	    rule: string;
	    confidence: number;
	    platform: string;
	    conversationId: string;
	    messageId: string;
	    saidAt: string;
	    by: string;
	    tags: string[];
	    reason: string;
	    instructs: boolean;
	    change?: ProposedChangeView;
	}
	export interface InboxView {
	    allowed: boolean;
	    total: number;
	    items: ProposalView[];
	}
	export interface IndexView {
	    compares: boolean;
	    records: number;
	    vectors: number;
	    missing: number;
	    onBattery: boolean;
	    failed?: FaultView;
	}
	export interface MonthCountView {
	    month: string;
	    platform: string;
	    count: number;
	}
	export interface TypeCountView {
	    type: string;
	    statuses: CountView[];
	}
	export interface InsightsView {
	    memories: number;
	    types: TypeCountView[];
	    months: MonthCountView[];
	    confidence: number[];
	    fading: number;
	    stale: number;
	    contradicting: number;
	    exportable: number;
	    days: DayCountView[];
	    models: CountView[];
	    focus: FocusView[];
	}
	export interface JobView {
	    id: string;
	}
	
	export interface KeyNewsView {
	    kind: string;
	    name: string;
	    words: string[];
	    at: string;
	    since: string;
	    fresh: boolean;
	}
	export interface KeyReadingView {
	    did: string;
	    fingerprint: string;
	    words: string[];
	    where: string;
	    own: boolean;
	    name: string;
	    news: KeyNewsView[];
	}
	export interface KeySourceView {
	    text: string;
	    token: string;
	}
	export interface KeychainView {
	    available: boolean;
	    allowed: boolean;
	}
	export interface LedgerView {
	    source: string;
	    seen: number;
	    taken: number;
	    merged: number;
	    unchanged: number;
	    skipped: CountView[];
	    unknown: CountView[];
	}
	
	
	export interface LinkView {
	    url: string;
	    scheme: string;
	    host: string;
	}
	export interface LogEntryView {
	    seq: number;
	    at: string;
	    actor: string;
	    action: string;
	    count: number;
	}
	export interface LogPageView {
	    entries: LogEntryView[];
	    total: number;
	}
	export interface LookedView {
	    conversations: number;
	    messages: number;
	    new: number;
	    rejected: number;
	    flagged: number;
	}
	export interface ManyChangedView {
	    changed: number;
	    left: number;
	}
	export interface ManyEditView {
	    ids: string[];
	    query: QueryView;
	    addTags: string[];
	    removeTags: string[];
	    exportable?: boolean;
	    status: string;
	    undoStatus: boolean;
	    type: string;
	    customType: string;
	}
	export interface MembershipView {
	    entity: string;
	    name: string;
	    stays: string;
	}
	export interface MemoryChangeView {
	    at: string;
	    fields: FieldChangeView[];
	}
	export interface MemoryRowView {
	    id: string;
	    type: string;
	    customType: string;
	    content: string;
	    clipped: boolean;
	    status: string;
	    tags: string[];
	    platform: string;
	    createdAt: string;
	    updatedAt: string;
	    confidence: number;
	    relations: number;
	    exportable: boolean;
	    removed: boolean;
	}
	export interface MemoryPageView {
	    items: MemoryRowView[];
	    total: number;
	}
	
	export interface SourceView {
	    platform: string;
	    account: string;
	    importId: string;
	    conversationRef: string;
	    messageRef: string;
	    saidAt: string;
	}
	export interface RelatedView {
	    id: string;
	    type: string;
	    outgoing: boolean;
	    createdAt: string;
	    other: MemoryRowView;
	    words: string[];
	}
	export interface PairView {
	    name: string;
	    value: string;
	}
	export interface ProvenanceView {
	    platform: string;
	    platformUserId: string;
	    conversationRef: string;
	    messageRef: string;
	    method: string;
	    extractedAt: string;
	    extractor: string;
	}
	export interface MemoryView {
	    id: string;
	    type: string;
	    customType: string;
	    content: string;
	    contentHash: string;
	    summary: string;
	    domain: string;
	    language: string;
	    status: string;
	    tags: string[];
	    createdAt: string;
	    createdFrom: string;
	    updatedAt: string;
	    validFrom: string;
	    validUntil: string;
	    supersededBy: string;
	    provenance: ProvenanceView;
	    confidence?: ConfidenceView;
	    visibility: string;
	    exportable: boolean;
	    sharedWith: GrantView[];
	    metadata: PairView[];
	    relations: RelatedView[];
	    conversation?: ConversationHeadView;
	    sources: SourceView[];
	    corrected: boolean;
	    next: string[];
	    was: string;
	    versions: number;
	    removed: boolean;
	    importance?: number;
	    reads: number;
	    lastRead: string;
	}
	export interface MergeChangeView {
	    kind: string;
	    id: string;
	    title: string;
	    why: string;
	    fields: FieldChangeView[];
	}
	export interface MergeChangesView {
	    count: number;
	    items: MergeChangeView[];
	}
	export interface MergedView {
	    token: string;
	    url: string;
	    name: string;
	    folder: string;
	    bytes: number;
	    encrypted: boolean;
	    memories: number;
	    relations: number;
	    conversations: number;
	    attachments: number;
	    embeddings: number;
	    leftOut: CountView[];
	    taken: MergeChangesView;
	    kept: MergeChangesView;
	}
	export interface RatingView {
	    good: boolean;
	    words: string;
	}
	export interface TextView {
	    text: string;
	    clipped: boolean;
	    next: number;
	}
	export interface ToolCallView {
	    id: string;
	    name: string;
	    input: TextView;
	    output: TextView;
	}
	export interface PartView {
	    type: string;
	    text: string;
	    clipped: boolean;
	    next: number;
	    language: string;
	    mimeType: string;
	    url: string;
	}
	export interface MessageView {
	    id: string;
	    role: string;
	    createdAt: string;
	    model: string;
	    isThought: boolean;
	    hidden: string;
	    parts: PartView[];
	    attachments: AttachmentView[];
	    citations: CitationView[];
	    toolCalls: ToolCallView[];
	    siblings: string[];
	    memories: string[];
	    rating?: RatingView;
	}
	
	export interface NearView {
	    id: string;
	    content: string;
	    status: string;
	    words: number;
	    meaning: number;
	}
	export interface NewMemoryView {
	    type: string;
	    customType: string;
	    content: string;
	    tags: string[];
	    conversation?: string;
	    message?: string;
	}
	export interface SlotView {
	    kind: string;
	    createdAt: string;
	}
	export interface VaultView {
	    exists: boolean;
	    unlocked: boolean;
	    sample: boolean;
	    name: string;
	    folder: string;
	    vaultId: string;
	    format: number;
	    size: number;
	    kdf: string;
	    weakKdf: boolean;
	    frozen: boolean;
	    lastBackup: string;
	    warning: string;
	    slots: SlotView[];
	    ownerId: string;
	    did: string;
	    lastChanged: string;
	    memories: number;
	    conversations: number;
	    messages: number;
	    relations: number;
	    logsReading: boolean;
	    lockedBy: string;
	}
	export interface NewVaultView {
	    vault: VaultView;
	    recoveryKey: string;
	    recoveryGroups: string[];
	}
	
	export interface OtherFileView {
	    path: string;
	    size: number;
	    looksLike?: string;
	}
	
	export interface PairedMemoryView {
	    id: string;
	    type: string;
	    customType: string;
	    content: string;
	    platform: string;
	    createdAt: string;
	}
	
	export interface PastExportView {
	    id: string;
	    at: string;
	    format: string;
	    incremental: boolean;
	    baseId: string;
	    name: string;
	    bytes: number;
	    memories: number;
	    relations: number;
	    conversations: number;
	    embeddings: number;
	    checksum: string;
	    signed: boolean;
	    encrypted: boolean;
	    selection: string[];
	    for: string;
	}
	
	
	export interface PlanChangeView {
	    kind: string;
	    id: string;
	    taken: boolean;
	    why: string;
	    fields: FieldChangeView[];
	}
	
	export interface PlanMergingView {
	    new: number;
	    same: number;
	    changed: number;
	    said: number;
	    tasks: number;
	}
	export interface ReportProblemView {
	    path: string;
	    at: string;
	    fault: FaultView;
	}
	export interface PlannedMemoryView {
	    type: string;
	    content: string;
	    section: string;
	    createdAt: string;
	    known: boolean;
	}
	export interface PlanSourceView {
	    names: string[];
	    provider: string;
	    providerName: string;
	    format: string;
	    importerVersion: string;
	    certain: boolean;
	    accounts: string[];
	    takesAccount: boolean;
	    account: string;
	    missing: string[];
	    bytes: number;
	    files: number;
	    new: number;
	    updated: number;
	    unchanged: number;
	    memories: number;
	    memoriesNew: number;
	    problem?: FaultView;
	    preview: PlannedMemoryView[];
	    problems: ReportProblemView[];
	    document?: PlanDocumentView;
	    merging?: PlanMergingView;
	    changes: PlanChangeView[];
	    changesTotal: number;
	}
	export interface PlanView {
	    id: string;
	    sources: PlanSourceView[];
	}
	
	export interface StatementView {
	    id: string;
	    content: string;
	    before: string;
	    clipped: boolean;
	    status: string;
	    reviewed: boolean;
	}
	export interface PortraitDeletionsView {
	    platform: string;
	    account: string;
	    exported: string;
	    total: number;
	    first: StatementView[];
	}
	export interface PortraitListView {
	    platform: string;
	    account: string;
	    list: string;
	    offset: number;
	}
	export interface StatementsView {
	    total: number;
	    first: StatementView[];
	}
	export interface PortraitNewsView {
	    platform: string;
	    account: string;
	    since: string;
	    left: number;
	    learned: StatementsView;
	    changed: StatementsView;
	    dropped: StatementsView;
	}
	export interface SentenceView {
	    id: string;
	    content: string;
	    clipped: boolean;
	    type: string;
	    platforms: string[];
	    told: number;
	    createdAt: string;
	    reviewed: boolean;
	    stays: boolean;
	    moved: boolean;
	    also: string[];
	}
	export interface PortraitPartView {
	    chapter: string;
	    total: number;
	    left: number;
	    sentences: SentenceView[];
	}
	export interface PortraitView {
	    chapters: PortraitPartView[];
	    total: number;
	    left: number;
	}
	export interface PreferencesView {
	    language: string;
	    theme: string;
	    systemTheme: string;
	    autoLock: number;
	    alwaysProtect: boolean;
	}
	export interface ProgressView {
	    job: string;
	    phase: string;
	    done: number;
	    total: number;
	    conversations: number;
	    messages: number;
	    memories: number;
	    importId: string;
	    problem?: FaultView;
	}
	export interface ProposalEditView {
	    content: string;
	    type: string;
	    tags: string[];
	}
	
	
	
	
	
	export interface ReadableView {
	    saved: SavedView;
	    bytes: number;
	    memories: number;
	    relations: number;
	    conversations: number;
	    messages: number;
	    attachments: number;
	    notExportable: number;
	    incomplete: number;
	    missingMessages: number;
	    unreadable: number;
	    lostAttachments: number;
	    counted?: CountedView;
	}
	export interface ReceiptView {
	    id: string;
	    at: string;
	    memories: number;
	    conversations: number;
	    messages: number;
	    relations: number;
	    attachments: number;
	    erased: boolean;
	}
	export interface RecoveredView {
	    copyAt: string;
	    replayed: number;
	    lost: number;
	    kept: string;
	    memories: number;
	    conversations: number;
	    messages: number;
	}
	export interface RecoveryView {
	    recoveryKey: string;
	    recoveryGroups: string[];
	    ask: number[];
	}
	
	
	export interface ReportSourceView {
	    name: string;
	    folder: string;
	    provider: string;
	    format: string;
	    importerVersion: string;
	    sha256: string;
	    verdict?: string;
	    canReveal: boolean;
	}
	export interface ReportView {
	    importId: string;
	    startedAt: string;
	    state: string;
	    sources: ReportSourceView[];
	    new: number;
	    updated: number;
	    unchanged: number;
	    skipped: number;
	    united?: number;
	    messagesNew: number;
	    messagesTotal: number;
	    memoriesNew: number;
	    memoriesMerged: number;
	    memoriesUnchanged: number;
	    memoriesRetracted: number;
	    memoriesUpdated?: number;
	    memoriesKept?: number;
	    relationsNew?: number;
	    memoriesRepeated?: number;
	    attachmentsStored: number;
	    attachmentsMissing: number;
	    problems: ReportProblemView[];
	    problemsTotal: number;
	    unknown: CountView[];
	    ledger: LedgerView[];
	    answersWithoutText?: CountView[];
	    otherFiles?: OtherFileView[];
	    elapsedMs: number;
	    identical?: string;
	    undoneAt?: string;
	    newerReader?: boolean;
	    open?: boolean;
	    told?: boolean;
	    memoriesFound: number;
	    memoriesKnown: number;
	}
	export interface RestoredView {
	    backup: BackupView;
	    aside: string;
	}
	export interface ReviewPairView {
	    kind: string;
	    reason: string;
	    a: PairedMemoryView;
	    b: PairedMemoryView;
	}
	export interface ReviewView {
	    pairs: ReviewPairView[];
	    total: number;
	    missing: number;
	}
	export interface RotationView {
	    running: boolean;
	    paused: boolean;
	    keyVersion: number;
	    done: number;
	    total: number;
	}
	export interface SavedQueryView {
	    name: string;
	    query: QueryView;
	}
	
	export interface SearchView {
	    text: string;
	    asYouType: boolean;
	    in: string;
	    platforms: string[];
	    categories: string[];
	    since: string;
	    until: string;
	    minScore: number;
	    offset: number;
	    limit: number;
	    asker: string;
	    run: number;
	}
	
	export interface SensitiveMarkView {
	    topic: string;
	    byPerson: boolean;
	    is: boolean;
	}
	
	
	export interface ServerView {
	    api: string;
	    address: string;
	    model: string;
	}
	export interface SignerView {
	    did: string;
	    kind: string;
	    publicKey: string;
	    fingerprint: string;
	    words: string[];
	    name: string;
	    where: string;
	    since: string;
	    inUse: boolean;
	    retiredAt: string;
	    revokedAt: string;
	    successor: string;
	}
	export interface SignersView {
	    own: SignerView[];
	    known: SignerView[];
	}
	export interface SimilarView {
	    id: string;
	    type: string;
	    customType: string;
	    content: string;
	    similarity: number;
	}
	
	
	export interface SplittingView {
	    facts: string[];
	}
	export interface StandsView {
	    at: number[];
	    times: number[];
	}
	
	
	export interface StopKeptView {
	    left?: FaultView;
	}
	
	export interface ThreadView {
	    head: ConversationHeadView;
	    messages: MessageView[];
	    offset: number;
	    total: number;
	    said: number;
	    leaf: string;
	    at: number;
	    shared: string[];
	    continues?: ContinuedView;
	}
	export interface TodoEditView {
	    content: string;
	    status: string;
	    priority: string;
	    dueDate: string;
	    project: string;
	    tags: string[];
	    notes: string;
	}
	export interface TodoView {
	    id: string;
	    content: string;
	    status: string;
	    priority: string;
	    createdAt: string;
	    dueDate: string;
	    completedAt: string;
	    project: string;
	    contexts: string[];
	    tags: string[];
	    notes: string;
	}
	export interface TodosView {
	    total: number;
	    open: number;
	    items: TodoView[];
	}
	
	export interface TopicsView {
	    topics: CountView[];
	    missing: number;
	}
	export interface TriedServerView {
	    dimensions: number;
	    millis: number;
	}
	
	export interface TypeView {
	    type: string;
	    customType: string;
	    description: string;
	    status: string;
	    own: boolean;
	    memories: number;
	}
	export interface UndoView {
	    importId: string;
	    conversations: number;
	    messages: number;
	    memories: number;
	    relations: number;
	    proposals: number;
	    attachments: number;
	    conversationsBack: number;
	    memoriesBack: number;
	    shared: number;
	    kept: number;
	    edited: ForgottenView[];
	}
	
	export interface VerifyView {
	    name: string;
	    kind: string;
	    verdict: string;
	    signed: boolean;
	    valid: boolean;
	    algorithm: string;
	    publicKey: string;
	    fingerprint: string;
	    words: string[];
	    keyId: string;
	    signedAt: string;
	    covers: string[];
	    notCovered: string[];
	    whole: boolean;
	    encrypted: boolean;
	    holder: string;
	    knownSince: string;
	    retiredAt: string;
	    revokedAt: string;
	    claims: string;
	    problems: FindingView[];
	    changed: ChangedView[];
	    document: DocumentView;
	}

}

