package library

import (
	"time"

	"keepsake/backend/memory"
)

// NewMemory is the input of AddMemory: a memory that the user writes by hand.
type NewMemory struct {
	Type       memory.Type
	CustomType string
	Category   Category // if set, determines Type and CustomType
	Content    string
	Tags       []string
	Importance *float64 // from 0 to 1; nil: not set
	// Conversation and Message are the ids of the conversation and the message from which
	// the user made the memory, "" if none.
	Conversation string
	Message      string
}

// MemoryEdit changes the fields of a memory that are not nil. A zero ValidFrom or
// ValidUntil clears that bound.
type MemoryEdit struct {
	Content    *string
	Type       *memory.Type
	CustomType *string
	Category   *Category // sets Type and CustomType
	Summary    *string
	Domain     *string // metadata.domain (PAM §10); "" clears it
	Language   *string // metadata.language (PAM §10); "" clears it; it is not detected any more
	Tags       *[]string
	Importance *float64 // metadata.importance, from 0 to 1; below 0 clears it
	ValidFrom  *time.Time
	ValidUntil *time.Time
	Visibility *memory.Visibility
	Exportable *bool
	// SharedWith replaces all grants. If Visibility is nil, a private memory with grants
	// becomes shared, and a shared one without grants becomes private, because grants of a
	// private memory would have no effect.
	SharedWith *[]memory.Grant
	Inferred   bool // a model wrote Content, and not the person
}

// Change is one entry of the undo history.
type Change struct {
	ID   string      `json:"id"`
	At   memory.Time `json:"at"`
	Kind string      `json:"kind"` // "add", "edit", "set-status", "relate", "relation-kind", "unrelate", "import", "compact-memories", "review", "move", "end", "ask", "split"
	// Subjects are the ids of the memories or tasks concerned, or of the import; never
	// content.
	Subjects []string `json:"subjects"`
	// Kept is set in the result of an undo: the number of records that it did not revert,
	// because they were edited since, or another import changed or contained them.
	Kept int `json:"kept,omitempty"`
}

// Continued names the conversation, and the message in it, that another conversation
// continues.
type Continued struct {
	ConversationID string `json:"conversation_id"`
	MessageID      string `json:"message_id,omitempty"`
}

// Rating is the user's rating of an assistant's answer, as imported.
type Rating struct {
	Good  bool
	Words string // the comment that the user wrote or picked; "" for none
}
