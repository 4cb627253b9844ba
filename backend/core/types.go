package core

import (
	"time"

	"keepsake/backend/core/agents"
	"keepsake/backend/core/browse"
	"keepsake/backend/core/circles"
	"keepsake/backend/core/documents"
	"keepsake/backend/core/exports"
	"keepsake/backend/core/files"
	"keepsake/backend/core/imports"
	"keepsake/backend/core/library"
	"keepsake/backend/core/lifecycle"
	"keepsake/backend/core/meaning"
	"keepsake/backend/core/portrait"
	"keepsake/backend/core/proposals"
	"keepsake/backend/core/rows"
	"keepsake/backend/core/sensitivity"
	"keepsake/backend/format/personal"
	"keepsake/backend/memory"
	"keepsake/backend/sensitive"
)

// Services that core.Service embeds, under unexported names, so that user interfaces do
// not see the fields.
type (
	libraryService     = library.Service
	browseService      = browse.Service
	meaningService     = meaning.Service
	sensitivityService = sensitivity.Service
	circlesService     = circles.Service
	portraitService    = portrait.Service
	agentsService      = agents.Service
	filesService       = files.Service
	documentsService   = documents.Service
	proposalsService   = proposals.Service
	importsService     = imports.Service
	exportsService     = exports.Service
	lifecycleService   = lifecycle.Service
)

// Arguments and results of the Service that package library defines.
type (
	Build              = library.Build
	Category           = library.Category
	ContentType        = personal.ContentType
	Change             = library.Change
	ChangedField       = library.ChangedField
	ConflictReason     = library.ConflictReason
	ConversationCounts = library.ConversationCounts
	ConversationHead   = rows.ConversationHead
	Draft              = library.Draft
	Event              = library.Event
	FieldDiff          = library.FieldDiff
	Forgotten          = library.Forgotten
	ImportChange       = library.ImportChange
	ImportOptions      = library.ImportOptions
	ImportReport       = library.ImportReport
	ImportUndo         = library.ImportUndo
	LedgerRow          = library.LedgerRow
	LogEntry           = library.LogEntry
	LogPage            = library.LogPage
	LogQuery           = library.LogQuery
	MemoryChange       = library.MemoryChange
	MemoryCounts       = library.MemoryCounts
	MemoryEdit         = library.MemoryEdit
	MemorySource       = rows.MemorySource
	Merge              = library.Merge
	MessageCounts      = library.MessageCounts
	NewMemory          = library.NewMemory
	OnConflict         = library.OnConflict
	OtherFile          = library.OtherFile
	Picks              = library.Picks
	Proposal           = library.Proposal
	ProposedChange     = library.ProposedChange
	Rating             = library.Rating
	RelationCounts     = library.RelationCounts
	ReportProblem      = library.ReportProblem
	ReportSource       = library.ReportSource
	TodoCounts         = library.TodoCounts
	TodoEdit           = library.TodoEdit
	TodoQuery          = library.TodoQuery
	TypeInfo           = library.TypeInfo
)

// Input is one file or folder that a person chose, or an upload.
type Input = files.Input

// Arguments and results of queries; see package browse.
type (
	Certainty         = browse.Certainty
	ConversationPage  = browse.ConversationPage
	ConversationQuery = browse.ConversationQuery
	DayCount          = browse.DayCount
	Facets            = browse.Facets
	Graph             = browse.Graph
	GraphEdge         = browse.GraphEdge
	GraphNode         = browse.GraphNode
	Hit               = browse.Hit
	Insights          = browse.Insights
	MemoryDetail      = browse.MemoryDetail
	MemoryPage        = browse.MemoryPage
	MemoryQuery       = browse.MemoryQuery
	MonthCount        = browse.MonthCount
	Focus             = browse.Focus
	Piece             = browse.Piece
	RelatedMemory     = browse.RelatedMemory
	SavedView         = browse.SavedView
	SearchMode        = browse.SearchMode
	SearchQuery       = browse.SearchQuery
	SearchResult      = browse.SearchResult
	ThreadMatches     = browse.ThreadMatches
	Talk              = browse.Talk
	Thread            = browse.Thread
	ThreadMessage     = browse.ThreadMessage
)

// Search modes; see package browse.
const (
	Hybrid   = browse.Hybrid
	Lexical  = browse.Lexical
	Semantic = browse.Semantic
)

// What proposals are about; see package proposals.
const (
	NewMemories = proposals.NewMemories
	ChangesOnly = proposals.ChangesOnly
)

// Kinds of changes that agents propose; see package library.
const (
	ToUpdate  = library.ToUpdate
	ToRetract = library.ToRetract
	ToRelate  = library.ToRelate
)

// EmbeddingAPIs lists how embedding servers are asked.
func EmbeddingAPIs() []EmbeddingAPI { return meaning.APIs() }

// ReviewKinds lists the kinds of pairs to review.
func ReviewKinds() []ReviewKind { return meaning.ReviewKinds() }

// IsMeaningUnavailable reports whether an error says that texts cannot be compared by meaning now.
func IsMeaningUnavailable(err error) bool { return meaning.IsUnavailable(err) }

// SearchModes lists the search modes.
func SearchModes() []SearchMode { return browse.SearchModes() }

// Arguments and results of the portrait; see package portrait.
type (
	Portrait      = portrait.Portrait
	PortraitQuery = portrait.Query
	PortraitPart  = portrait.Part
	Sentence      = portrait.Sentence
	Ending        = portrait.Ending
	Splitting     = portrait.Splitting

	PortraitNews      = portrait.News
	PortraitDeletions = portrait.Deletions
	Statements        = portrait.Statements
	Statement         = portrait.Statement
	NewsQuery         = portrait.NewsQuery
)

// Chapters lists the names of the chapters of a portrait.
func Chapters() []string { return portrait.Chapters() }

// Arguments and results of circles; see package circles.
type (
	Circle        = circles.Circle
	CircleRule    = circles.Rule
	CircleEdit    = circles.Edit
	CirclePreview = circles.Preview
	Membership    = circles.Membership
	ManyChanged   = library.ManyChanged
	Circles       = circles.All
	ListedCircle  = circles.Listed
	GivenQuery    = exports.GivenQuery
)

// Arguments and results of agents; see package agents.
type (
	Agent              = agents.Agent
	AgentCall          = agents.Call
	AgentCallOutcome   = agents.Outcome
	AgentCallPage      = agents.CallPage
	AgentGivenMemory   = agents.GivenMemory
	AgentCallQuery     = agents.CallQuery
	AgentContext       = agents.Context
	AgentCorrection    = agents.Correction
	AgentDocument      = agents.Document
	AgentDone          = agents.Done
	AgentExport        = agents.Export
	AgentForgetAnswer  = agents.ForgetAnswer
	AgentForgetTarget  = agents.ForgetTarget
	AgentGrant         = agents.Grant
	AgentImport        = agents.Import
	AgentImported      = agents.Imported
	AgentItem          = agents.Item
	AgentItems         = agents.Items
	AgentListing       = agents.Listing
	AgentMemoryDetail  = agents.Detail
	AgentMerge         = agents.Merge
	AgentPermission    = agents.Permission
	AgentProposed      = agents.Proposed
	AgentRetrieve      = agents.Retrieve
	AgentRetrieved     = agents.Retrieved
	AgentScope         = agents.Scope
	AgentSearch        = agents.Search
	AgentStore         = agents.Store
	AgentStored        = agents.Stored
	AgentStoredAs      = library.StoredAs
	AgentSuggestion    = agents.Suggestion
	AgentTags          = agents.Tags
	AgentTalk          = agents.Talk
	AgentTalks         = agents.Talks
	AgentThread        = agents.Thread
	AgentConversations = agents.Conversations
	ForgetRequest      = agents.ForgetRequest
	ListedAgent        = agents.Listed
	Watched            = agents.Watched
	FolderSession      = agents.FolderSession
	ProposedChangeNow  = agents.ChangeNow
)

// What agents may do, and how much of conversations they may read.
const (
	AgentMayRead    = agents.Read
	AgentMayPropose = agents.Propose
	AgentMayWrite   = agents.Write
	AgentMayDelete  = agents.Delete

	AgentNoConversations    = agents.NoConversations
	AgentConversationTitles = agents.TitlesOnly
	AgentAllConversations   = agents.AllOfThem
)

// AgentSessionTool is what a call of an agent is called that takes a session.
const AgentSessionTool = agents.SessionTool

// CleanAgentName returns the name of an agent in small letters. It refuses what could not name a file.
func CleanAgentName(name string) (string, error) { return agents.CleanName(name) }

// AgentPermissions lists what agents may do, the weakest first.
func AgentPermissions() []AgentPermission { return agents.Permissions() }

// ForgetRequestedIDs returns the ids of the memories that an agent asked to have forgotten, by the token of
// the request.
func ForgetRequestedIDs(all []ListedAgent, token string) ([]string, error) {
	return agents.RequestedIDs(all, token)
}

// DefaultAgentGrant is what an agent is offered within a circle.
func DefaultAgentGrant(circle string) AgentGrant { return agents.DefaultGrant(circle) }

// SensitiveTopics lists the sensitive topics, in the order in which people are shown them.
func SensitiveTopics() []SensitiveTopic { return sensitive.Topics() }

// Arguments and results of the sensitive topics; see packages sensitivity and sensitive.
type (
	SensitiveTopic   = sensitive.Topic
	SensitiveMark    = sensitivity.Mark
	SensitiveQuery   = sensitivity.Query
	SensitivePage    = sensitivity.Page
	SensitiveSummary = sensitivity.Summary
	SensitiveListing = sensitivity.Listing
	SensitiveItem    = sensitivity.Item
)

// Arguments and results of comparisons by meaning; see package meaning.
type (
	MeaningConfig   = meaning.Config
	EmbeddingAPI    = meaning.API
	EmbeddingServer = meaning.Server
	IndexState      = meaning.State
	Review          = meaning.Review
	ReviewKind      = meaning.ReviewKind
	ReviewPair      = meaning.ReviewPair
	Retrieval       = meaning.Retrieval
	Retrieved       = meaning.Retrieved
	RetrievedMemory = meaning.RetrievedMemory
	Topic           = meaning.Topic
	Topics          = meaning.Topics
)

// Arguments and results of operations on document files and keys; see package documents.
type (
	ChangedWords = documents.ChangedWords
	Changes      = documents.Changes
	DiffEntry    = documents.DiffEntry
	Difference   = documents.Difference
	Finding      = documents.Finding
	IndexEntry   = documents.IndexEntry
	Inspection   = documents.Inspection
	KeptKey      = documents.KeptKey
	KeyInfo      = documents.KeyInfo
	KeyNews      = documents.KeyNews
	KeyReading   = documents.KeyReading
	KeySource    = documents.KeySource
	Keyring      = documents.Keyring
	MergeChange  = documents.MergeChange
	MergeChoice  = documents.MergeChoice
	MergeOptions = documents.MergeOptions
	Merged       = documents.Merged
	Validation   = documents.Validation
	Verdict      = documents.Verdict
	VerifyReport = documents.VerifyReport
)

// Arguments and results of operations on proposals; see package proposals.
type (
	Looked        = proposals.Looked
	NearMemory    = proposals.NearMemory
	ProposalEdit  = proposals.ProposalEdit
	ProposalQuery = proposals.ProposalQuery
	ProposalAbout = proposals.About
)

// Arguments and results of imports; see packages imports and documents.
type (
	Account        = imports.Account
	ComparedMemory = documents.ComparedMemory
	Comparison     = documents.Comparison
	ImportDone     = imports.ImportDone
	ImportPlan     = imports.ImportPlan
	Phase          = imports.Phase
	PlanDocument   = documents.PlanDocument
	PlanMerging    = imports.PlanMerging
	PlanSource     = imports.PlanSource
	PlannedMemory  = imports.PlannedMemory
	Progress       = imports.Progress
	Standing       = documents.Standing
)

// Arguments and results of exports; see package exports.
type (
	ExportOptions    = exports.ExportOptions
	ExportPreview    = exports.ExportPreview
	ExportResult     = exports.ExportResult
	FindingQuery     = exports.FindingQuery
	Findings         = exports.Findings
	Form             = exports.Form
	FormOptions      = exports.FormOptions
	FormResult       = exports.FormResult
	Found            = exports.Found
	FormatOptions    = exports.FormatOptions
	Handoff          = exports.Handoff
	HandoffLanguage  = exports.HandoffLanguage
	HandoffLeftOut   = exports.HandoffLeftOut
	HandoffLimit     = exports.HandoffLimit
	HandoffLine      = exports.HandoffLine
	HandoffOptions   = exports.HandoffOptions
	HandoffPart      = exports.HandoffPart
	HandoffRules     = exports.HandoffRules
	HandoffTarget    = exports.HandoffTarget
	KeptFile         = exports.KeptFile
	MIFForm          = exports.MIFForm
	MIFOptions       = exports.MIFOptions
	MIFPreview       = exports.MIFPreview
	MIFResult        = exports.MIFResult
	PastExport       = exports.PastExport
	RedactionOptions = exports.RedactionOptions
	ThingKind        = exports.ThingKind
)

// Arguments and results of operations on the whole vault; see package lifecycle.
type (
	Aside         = lifecycle.Aside
	Backup        = lifecycle.Backup
	ChannelKey    = lifecycle.ChannelKey
	Check         = lifecycle.Check
	Copies        = lifecycle.Copies
	DamagedPart   = lifecycle.DamagedPart
	Destruction   = lifecycle.Destruction
	Diagnosis     = lifecycle.Diagnosis
	Held          = lifecycle.Held
	HeldCategory  = lifecycle.HeldCategory
	Keychain      = lifecycle.Keychain
	LockReason    = lifecycle.LockReason
	Locking       = lifecycle.Locking
	Preferences   = lifecycle.Preferences
	Readable      = lifecycle.Readable
	RecoveryOffer = lifecycle.RecoveryOffer
	Rotation      = lifecycle.Rotation
	Secret        = lifecycle.Secret
	Slot          = lifecycle.Slot
	TriedServer   = lifecycle.TriedServer
	VaultState    = lifecycle.VaultState
	WindowState   = lifecycle.WindowState
)

// Values of the types above, and names of events.
const (
	HighConfidence   = browse.HighConfidence
	MediumConfidence = browse.MediumConfidence
	LowConfidence    = browse.LowConfidence

	EventProgress   = library.EventProgress
	EventImportDone = library.EventImportDone
	EventVault      = library.EventVault
	EventLibrary    = library.EventLibrary
	EventSearch     = library.EventSearch
	EventKeys       = library.EventKeys
	EventAgents     = library.EventAgents
	EventLockedOut  = agents.EventLockedOut

	FoundMemory       = library.FoundMemory
	FoundMessage      = library.FoundMessage
	FoundConversation = library.FoundConversation

	KeepOurs   = library.KeepOurs
	TakeTheirs = library.TakeTheirs
	KeepBoth   = library.KeepBoth

	SkipDuplicates = library.SkipDuplicates
	Overwrite      = library.Overwrite
	Rename         = library.Rename

	ConflictAccessWider = library.ConflictAccessWider
	ConflictAlreadyHere = library.ConflictAlreadyHere
	ConflictEditedHere  = library.ConflictEditedHere
	ConflictNotCovered  = library.ConflictNotCovered
	ConflictNotSigned   = library.ConflictNotSigned
	ConflictOtherSigner = library.ConflictOtherSigner

	ChangedConversation = library.ChangedConversation

	Version = library.Version

	OfBase             = documents.OfBase
	OfBoth             = documents.OfBoth
	OfDelta            = documents.OfDelta
	VerdictBroken      = documents.VerdictBroken
	VerdictInvalid     = documents.VerdictInvalid
	VerdictKnown       = documents.VerdictKnown
	VerdictOwn         = documents.VerdictOwn
	VerdictUncheckable = documents.VerdictUncheckable
	VerdictUnknown     = documents.VerdictUnknown
	VerdictUnsigned    = documents.VerdictUnsigned

	Differs          = documents.Differs
	InConflict       = documents.InConflict
	IsHidden         = documents.IsHidden
	IsOlder          = documents.IsOlder
	NotSigned        = documents.NotSigned
	OnlyOurs         = documents.OnlyOurs
	OnlyTheirs       = documents.OnlyTheirs
	PhaseFinished    = imports.PhaseFinished
	PhaseReading     = imports.PhaseReading
	PhaseRecognising = imports.PhaseRecognising

	CSV              = exports.CSV
	HTML             = exports.HTML
	InConversation   = exports.InConversation
	InDocument       = exports.InDocument
	InMemory         = exports.InMemory
	InTask           = exports.InTask
	Markdown         = exports.Markdown
	Obsidian         = exports.Obsidian
	Personal         = exports.Personal
	PersonalMarkdown = exports.PersonalMarkdown

	EventLocking  = lifecycle.EventLocking
	LockedDamaged = lifecycle.LockedDamaged
	LockedIdle    = lifecycle.LockedIdle
	LockedSession = lifecycle.LockedSession
	LockedSleep   = lifecycle.LockedSleep
	WarnOlder     = lifecycle.WarnOlder
)

// NoVault returns the fault for an operation on a vault that does not exist in dir.
func NoVault(dir string) error { return library.NoVault(dir) }

// Merges lists the three ways to merge an import (Merge), in the specification's order.
func Merges() []Merge { return library.Merges() }

// ParseDay parses a day as people type it and as HTML forms send it.
func ParseDay(text string) (time.Time, error) { return library.ParseDay(text) }

// ReadBuild says which program this is, and from which commit it was built.
func ReadBuild() Build { return library.ReadBuild() }

// Categories lists the four categories of the Personal Memory Specification.
func Categories() []Category { return personal.Categories() }

// CategoryOf returns the category of a memory.
func CategoryOf(r memory.Record) Category {
	c, _ := personal.OfRecord(r)
	return c
}

// Certainties lists the three levels of confidence, the highest first.
func Certainties() []Certainty { return browse.Certainties() }

// ContinuedOf returns the earlier conversation, and the message in it, that a
// conversation continues according to its raw_metadata; empty if it continues none.
func ContinuedOf(raw memory.RawMetadata) library.Continued { return browse.ContinuedOf(raw) }

// GoesWith returns the member of a memory that a merge must choose together with the given
// one, such as "/type" for "/custom_type"; "" if it can be chosen alone. Members are JSON
// pointers into a memory.
func GoesWith(member string) string { return documents.GoesWith(member) }

// IsMember reports whether a merge can use either file's version of this memory member.
func IsMember(member string) bool { return documents.IsMember(member) }

// MayWrite returns an error if the parent folder of dest does not exist. It lets a caller
// report this before an export starts.
func MayWrite(dest string) error { return exports.MayWrite(dest) }

// HandoffLanguages are the languages that the headings of a hand-off can have; see package
// handoff.
func HandoffLanguages() []string { return exports.HandoffLanguages() }

// HandoffPersons are the persons in which a hand-off can tell memories.
func HandoffPersons() []string { return exports.HandoffPersons() }

// MayBackup returns an error if BackupVault cannot create path, for example if it exists.
func MayBackup(path string) error { return lifecycle.MayBackup(path) }
