package browse

import (
	"time"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
)

// MemoryQuery selects memories. Empty fields select everything; several values
// of one field are alternatives, fields narrow each other.
type MemoryQuery struct {
	Text         string             `json:"text,omitempty"` // a query as Search reads it, of which the last word may go on
	Types        []memory.Type      `json:"types,omitempty"`
	Categories   []library.Category `json:"categories,omitempty"` // of the Personal Memory Specification
	Statuses     []memory.Status    `json:"statuses,omitempty"`
	Platforms    []string           `json:"platforms,omitempty"`
	Accounts     []string           `json:"accounts,omitempty"` // that stated it, as the platforms or the person name them
	Tags         []string           `json:"tags,omitempty"`
	Projects     []string           `json:"projects,omitempty"`   // of the conversations that stated it
	Years        []int              `json:"years,omitempty"`      // of created_at, in UTC
	Confidence   []Certainty        `json:"confidence,omitempty"` // as of now
	Conversation string             `json:"conversation,omitempty"`
	HasRelations bool               `json:"has_relations,omitempty"`
	Since        time.Time          `json:"since,omitzero"` // on created_at
	Until        time.Time          `json:"until,omitzero"`
	Sort         string             `json:"sort,omitempty"` // "created", "updated", "type", "platform", "confidence"; "-" before it turns it round; "" = "-created"
	Offset       int                `json:"offset,omitempty"`
	Limit        int                `json:"limit,omitempty"` // at most 200 through a page door; 0 = all
}

// MemoryPage is a window on the memories a query selects.
type MemoryPage struct {
	Items []memory.Record
	// Relations holds how many relations touch each item, in the same order.
	Relations []int
	// Certainty is each item's confidence as of now, which may have decayed.
	Certainty []float64
	// Removed says of each item that the newest whole export of its account does
	// not hold it.
	Removed []bool
	Total   int
}

// Facets counts memories by each facet, over the query without that facet.
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

// Certainty is a confidence in a word.
type Certainty string

// The three, the highest first.
const (
	HighConfidence   Certainty = "high"   // from 0.8 on
	MediumConfidence Certainty = "medium" // from 0.5 on
	LowConfidence    Certainty = "low"
)

// Certainties lists them, the highest first.
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

// MemoryDetail is a memory with what stands around it.
type MemoryDetail struct {
	Record memory.Record
	// ConfidenceNow is computed as of now where the memory decays.
	ConfidenceNow float64
	Curve         library.Curve // of that confidence
	Relations     []RelatedMemory
	// Conversation is the head of the conversation it came from, nil when none.
	Conversation *rows.ConversationHead
	Sources      []rows.MemorySource
	Corrected    bool            // by the person: no source states these words
	Next         []memory.Status // legal steps of the lifecycle
	Was          memory.Status   // what UndoStatus makes it again, "" where it has nothing to take back
	Versions     int             // how often it was changed here
	// Removed says that the newest whole export of its account does not hold it.
	Removed bool
	Use     memory.Use // before this reading
}

// RelatedMemory is one relation seen from a memory.
type RelatedMemory struct {
	Relation memory.Relation
	Outgoing bool // from this memory
	Other    memory.Record
	Words    []string // that sources had for it
}

// ConversationQuery selects conversations.
type ConversationQuery struct {
	Text      string // in the title
	Platforms []string
	Accounts  []string
	Since     time.Time
	Until     time.Time
	Sort      string // "updated", "created", "title", "messages"; "" = "-updated"
	Offset    int
	Limit     int
}

// ConversationPage is a window on conversations.
type ConversationPage struct {
	Items []rows.ConversationHead
	Total int
}

// Talk is a conversation that is given message by message, by Long; Write writes it as
// PAM's companion document (§25).
type Talk = pam.Talk

// Thread is one way through a conversation's graph, first to last.
type Thread struct {
	Head     rows.ConversationHead
	Messages []ThreadMessage
	Total    int // messages on this path; Messages is a window of it
	Said     int // of them, those that a person sees
	Leaf     string
	At       int // where the message that was asked for stands on it; -1 where none was
	// Shared are the addresses under which the conversation was shown to others.
	Shared []string
	// Continues is what the conversation goes on from, where the vault has that.
	Continues library.Continued
}

// ThreadMessage is a message and, at a fork, its siblings in order (itself
// included); empty where there is no fork.
type ThreadMessage struct {
	memory.Message
	Siblings []string
	// Memories are ids of memories that came from this message.
	Memories []string
	// Rating is what the person thought of it, nil where they did not say.
	Rating *library.Rating
}
