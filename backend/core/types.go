package core

import (
	"time"

	"keepsake/backend/core/library"
	"keepsake/backend/memory"
)

// The library's part of the Service, under a name that doors do not see.
type libraryService = library.Service

// What the Service takes and answers, as the library has it.
type (
	Category           = library.Category
	Change             = library.Change
	ChangedField       = library.ChangedField
	ConflictReason     = library.ConflictReason
	ConversationCounts = library.ConversationCounts
	ConversationHead   = library.ConversationHead
	Draft              = library.Draft
	Entity             = library.Entity
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
	MemorySource       = library.MemorySource
	Merge              = library.Merge
	MessageCounts      = library.MessageCounts
	NewMemory          = library.NewMemory
	OnConflict         = library.OnConflict
	OtherFile          = library.OtherFile
	Picks              = library.Picks
	Proposal           = library.Proposal
	Rating             = library.Rating
	RelationCounts     = library.RelationCounts
	ReportProblem      = library.ReportProblem
	ReportSource       = library.ReportSource
	TodoCounts         = library.TodoCounts
	TodoEdit           = library.TodoEdit
	TodoQuery          = library.TodoQuery
	TypeInfo           = library.TypeInfo
)

// Values of these.
const (
	EventProgress   = library.EventProgress
	EventImportDone = library.EventImportDone
	EventVault      = library.EventVault
	EventLibrary    = library.EventLibrary
	EventSearch     = library.EventSearch
	EventKeys       = library.EventKeys

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
)

// NoVault is the fault of asking something of a vault that is not there.
func NoVault(dir string) error { return library.NoVault(dir) }

// Merges lists the three in the specification's order.
func Merges() []Merge { return library.Merges() }

// ParseDay reads a day as people and forms write it.
func ParseDay(text string) (time.Time, error) { return library.ParseDay(text) }

// Categories are the four of the Personal Memory Specification.
func Categories() []Category { return library.Categories() }

// CategoryOf is the category that a memory is of.
func CategoryOf(r memory.Record) Category { return library.CategoryOf(r) }

// TypeOfCategory is the type of PAM, with its custom type, of what is stored in a
// category.
func TypeOfCategory(c Category) (kind memory.Type, custom string) { return library.TypeOfCategory(c) }
