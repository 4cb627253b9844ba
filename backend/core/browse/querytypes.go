package browse

import (
	"time"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
)

// MemoryQuery selects memories. An empty field sets no condition. The values of one field
// are alternatives (OR); all fields must match (AND).
type MemoryQuery struct {
	Text         string             `json:"text,omitempty"` // in the syntax of search.Parse; the last word matches as a prefix
	Types        []memory.Type      `json:"types,omitempty"`
	Categories   []library.Category `json:"categories,omitempty"` // of the Personal Memory Specification
	Statuses     []memory.Status    `json:"statuses,omitempty"`
	Platforms    []string           `json:"platforms,omitempty"`
	Accounts     []string           `json:"accounts,omitempty"` // accounts (ids or typed names) that stated it
	Tags         []string           `json:"tags,omitempty"`
	Projects     []string           `json:"projects,omitempty"`   // projects of the conversations that stated it
	Years        []int              `json:"years,omitempty"`      // of created_at, in UTC
	Confidence   []Certainty        `json:"confidence,omitempty"` // levels of the confidence as of now
	Conversation string             `json:"conversation,omitempty"`
	HasRelations bool               `json:"has_relations,omitempty"`
	Since        time.Time          `json:"since,omitzero"` // created_at at this time or later
	Until        time.Time          `json:"until,omitzero"` // created_at before this time
	Sort         string             `json:"sort,omitempty"` // "created", "updated", "type", "platform", "confidence"; a prefix "-" reverses; "" = "-created"
	Offset       int                `json:"offset,omitempty"`
	Limit        int                `json:"limit,omitempty"` // at most 200 in a request of the user interface; 0 = all
}

// MemoryPage is one page of the memories that a query selects.
type MemoryPage struct {
	Items []memory.Record
	// Relations holds the number of relations of each item, in the same order.
	Relations []int
	// Certainty is each item's confidence as of now, which may have decayed.
	Certainty []float64
	// Removed reports for each item whether the newest complete export of its account no
	// longer contains it.
	Removed []bool
	Total   int
}

// Facets counts memories by the values of each facet. The counts of a facet ignore the
// query's conditions on this facet.
type Facets struct {
	Types     map[memory.Type]int
	Statuses  map[memory.Status]int
	Platforms map[string]int
	Accounts  map[string]int
	Tags      map[string]int
	Projects  map[string]int
	Years     map[int]int
	Certainty map[Certainty]int
	Related   int
}

// Certainty is a level of confidence: high, medium or low.
type Certainty string

// The levels of confidence, the highest first.
const (
	HighConfidence   Certainty = "high"   // from 0.8 on
	MediumConfidence Certainty = "medium" // from 0.5 on
	LowConfidence    Certainty = "low"
)

// Certainties lists the levels of confidence, the highest first.
func Certainties() []Certainty {
	return []Certainty{HighConfidence, MediumConfidence, LowConfidence}
}

func certaintyOf(confidence float64) Certainty {
	switch {
	case confidence >= 0.8:
		return HighConfidence
	case confidence >= 0.5:
		return MediumConfidence
	}
	return LowConfidence
}

// MemoryDetail is a memory with its sources, relations, conversation and history.
type MemoryDetail struct {
	Record memory.Record
	// ConfidenceNow is the confidence as of now, reduced if it decays with time.
	ConfidenceNow float64
	Curve         library.Curve // decay of that confidence over time
	Relations     []RelatedMemory
	// Conversation is the head (title, times, ...) of the conversation that the memory
	// came from, nil if none.
	Conversation *rows.ConversationHead
	Sources      []rows.MemorySource // not nil
	Corrected    bool                // edited by the person: no source has this text
	Next         []memory.Status     // statuses that it can change to
	Was          memory.Status       // status that UndoStatus restores, "" if there is none
	Versions     int                 // number of edits in this vault
	// Removed: the newest complete export of its account no longer contains it.
	Removed bool
	Use     memory.Use // how often it was opened, without this time
}

// RelatedMemory is a relation of a memory, with the memory at its other end.
type RelatedMemory struct {
	Relation memory.Relation
	Outgoing bool // the relation leads from this memory to Other
	Other    memory.Record
	Words    []string // labels that sources gave the relation
}

// ConversationQuery selects conversations.
type ConversationQuery struct {
	Text      string // words that the title must contain
	Platforms []string
	Accounts  []string
	Since     time.Time
	Until     time.Time
	Sort      string // "updated", "created", "title", "messages"; "" = "-updated"
	Offset    int
	Limit     int
}

// ConversationPage is one page of the conversations that a query selects.
type ConversationPage struct {
	Items []rows.ConversationHead
	Total int
}

// Talk is a conversation whose messages are streamed by Long. Its method Write writes it
// as a companion document of PAM (§25).
type Talk = pam.Talk

// Thread is one path through a conversation, from its first message to a leaf. Edited or
// regenerated messages make a conversation branch.
type Thread struct {
	Head     rows.ConversationHead
	Messages []ThreadMessage
	Total    int // messages on this path; Messages is one page of them
	Said     int // messages on this path that are not empty
	Leaf     string
	At       int // position on the path of the requested message; -1: none was requested
	// Shared are the links under which the person shared the conversation.
	Shared []string
	// Continues is the conversation that this one continues, if the vault has it.
	Continues library.Continued
}

// ThreadMessage is a message of a Thread. Where the conversation branches, Siblings are
// the ids of the alternatives, itself included; otherwise it is empty.
type ThreadMessage struct {
	memory.Message
	Siblings []string
	// Memories are ids of memories that came from this message.
	Memories []string
	// Rating is the person's rating of this message, nil if they gave none.
	Rating *library.Rating
}
