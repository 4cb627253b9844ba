package library

import (
	"time"

	"keepsake/backend/memory"
)

// NewMemory is a memory a person writes by hand.
type NewMemory struct {
	Type       memory.Type
	CustomType string
	Category   Category // in place of a type; "" says nothing
	Content    string
	Tags       []string
	Importance *float64 // from 0 to 1; nil says nothing
	// Conversation and Message say where its words were read, "" for nowhere.
	Conversation string
	Message      string
}

// MemoryEdit changes what is not nil. A zero time clears a validity bound.
type MemoryEdit struct {
	Content    *string
	Type       *memory.Type
	CustomType *string
	Category   *Category // in place of a type
	Summary    *string
	Domain     *string // metadata.domain (§10); "" clears it
	Language   *string // metadata.language (§10); "" clears it; from then on it is not detected
	Tags       *[]string
	Importance *float64 // metadata.importance, from 0 to 1; below 0 clears it
	ValidFrom  *time.Time
	ValidUntil *time.Time
	Visibility *memory.Visibility
	Exportable *bool
	// SharedWith takes the place of all grants. Where Visibility is nil, a private
	// memory that is shared becomes shared, and a shared one with nobody left
	// private: grants of a private memory would grant nothing.
	SharedWith *[]memory.Grant
}

// Change is one thing that can be undone, newest last.
type Change struct {
	ID   string      `json:"id"`
	At   memory.Time `json:"at"`
	Kind string      `json:"kind"` // "add", "edit", "set-status", "relate", "relation-kind", "unrelate", "import", "compact-memories"
	// Subjects are ids of memories or of the import; never content.
	Subjects []string `json:"subjects"`
	// Kept counts, of an import taken back, what stayed because it was changed
	// here or by another import since.
	Kept int `json:"kept,omitempty"`
}

// Continued is what a conversation goes on from.
type Continued struct {
	ConversationID string `json:"conversation_id"`
	MessageID      string `json:"message_id,omitempty"`
}

// Rating is what the person thought of an answer when they read it.
type Rating struct {
	Good  bool
	Words string // what they wrote, or picked, beside it; "" for nothing
}
