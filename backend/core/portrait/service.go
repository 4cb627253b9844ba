package portrait

import (
	"keepsake/backend/chapters"
	"keepsake/backend/core/library"
	"keepsake/backend/memory"
)

// Service offers the portrait of a vault.
type Service struct{ lib *library.Library }

// NewService returns a Service on a library.
func NewService(lib *library.Library) *Service { return &Service{lib} }

// Query selects what of the portrait is read.
type Query struct {
	Chapter       string // one chapter; "": the first sentences of each
	Offset, Limit int    // of one chapter; Limit 0: the first sentences
	Left          bool   // only what is not reviewed yet
}

// Portrait is what the memories say of the person.
type Portrait struct {
	Chapters []Part `json:"chapters"` // that have sentences, in the order of the page
	Total    int    `json:"total"`    // sentences
	Left     int    `json:"left"`     // that are not reviewed yet
}

// Part is a chapter, or what was asked for of it.
type Part struct {
	Chapter   chapters.Chapter `json:"chapter"`
	Total     int              `json:"total"`
	Left      int              `json:"left"`
	Sentences []Sentence       `json:"sentences"`
}

// Sentence is an active memory, with those that say the same.
type Sentence struct {
	ID        string      `json:"id"`
	Content   string      `json:"content"`
	Type      memory.Type `json:"type"`
	Platforms []string    `json:"platforms"` // that told it, each once
	Told      int         `json:"told"`      // how often it was told, 1 or more
	CreatedAt memory.Time `json:"created_at"`
	Reviewed  bool        `json:"reviewed"` // the person said that it is true, or wrote it
	Stays     bool        `json:"stays"`    // leaves in nothing: access.exportable is false
	Moved     bool        `json:"moved"`    // the person chose the chapter
	Also      []string    `json:"also"`     // ids of memories that say the same
}
