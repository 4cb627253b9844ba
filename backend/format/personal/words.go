// Package personal knows the categories and content types of the Personal Memory
// Specification (0.1), and writes its export, the JSON structure and Markdown; the
// former it reads.
package personal

import (
	"maps"
	"slices"

	"keepsake/backend/memory"
)

// Category of a record.
type Category string

const (
	Conversation   Category = "conversation"
	WorkPattern    Category = "work_pattern"
	Preference     Category = "preference"
	LearnedContext Category = "learned_context"
)

// Categories lists them in the order of the specification.
func Categories() []Category {
	return []Category{Conversation, WorkPattern, Preference, LearnedContext}
}

// ContentType of a record.
type ContentType string

const (
	ContentTranscript ContentType = "transcript"
	ContentSummary    ContentType = "summary"
	ContentFact       ContentType = "fact"
	ContentPreference ContentType = "preference"
	ContentPattern    ContentType = "pattern"
)

// ContentTypes lists them in the order of the specification.
func ContentTypes() []ContentType {
	return []ContentType{ContentTranscript, ContentSummary, ContentFact, ContentPreference, ContentPattern}
}

// workPattern is the custom type (PAM §5.1) of an observed pattern: none of PAM's
// own types says that.
const workPattern = "work_pattern"

// Of is the category and the content type of a memory of PAM. Conversations
// themselves are Conversation and ContentTranscript.
func Of(kind memory.Type, custom string) (Category, ContentType) {
	switch {
	case kind == memory.Preference || kind == memory.Instruction:
		return Preference, ContentPreference
	case kind == memory.Custom && custom == workPattern:
		return WorkPattern, ContentPattern
	case kind == memory.Context:
		return LearnedContext, ContentSummary
	}
	return LearnedContext, ContentFact
}

// Members of a memory's metadata: what its record was called, where its type says
// something else. A memory of a conversation is one, whose type is context.
const (
	keptCategory = "personal_category"
	keptContent  = "personal_content_type"
)

// OfRecord is the category and the content type of a memory: those of the record
// that it came from as long as they make the type that it has, and otherwise those
// of its type.
func OfRecord(m memory.Record) (Category, ContentType) {
	category, _ := m.Metadata[keptCategory].(string)
	content, _ := m.Metadata[keptContent].(string)
	if c, t := Category(category), ContentType(content); makes(m, c, t) {
		return c, t
	}
	return Of(m.Type, m.CustomType)
}

// makes reports that a memory's type is that of a record called so.
func makes(m memory.Record, c Category, t ContentType) bool {
	kind, custom := TypeOf(c, t)
	return slices.Contains(Categories(), c) && slices.Contains(ContentTypes(), t) && kind == m.Type && custom == m.CustomType
}

// Keep lets a memory remember what its record is called, where its type does not say it.
func Keep(m *memory.Record, c Category, t ContentType) {
	if category, content := OfRecord(*m); category == c && content == t || !makes(*m, c, t) {
		return
	}
	block := maps.Clone(m.Metadata)
	if block == nil {
		block = map[string]any{}
	}
	if ofType, content := Of(m.Type, m.CustomType); ofType == c && content == t {
		delete(block, keptCategory)
		delete(block, keptContent)
	} else {
		block[keptCategory], block[keptContent] = string(c), string(t)
	}
	m.Metadata = block
}

// ContentOf is the content type that a category has where none is said: what is
// stored by hand of a conversation is a summary of it.
func ContentOf(c Category) ContentType {
	switch c {
	case Conversation:
		return ContentSummary
	case WorkPattern:
		return ContentPattern
	case Preference:
		return ContentPreference
	}
	return ContentFact
}

// TypeOf is the type of PAM, with its custom type, of what a record says. The
// content type decides; where it says less, the category does.
func TypeOf(c Category, t ContentType) (kind memory.Type, custom string) {
	switch {
	case t == ContentPattern || c == WorkPattern:
		return memory.Custom, workPattern
	case t == ContentPreference || c == Preference:
		return memory.Preference, ""
	case t == ContentSummary || t == ContentTranscript:
		return memory.Context, ""
	}
	return memory.Fact, ""
}

// Takes reports that a memory is of one of the categories; none named is all.
func Takes(all []Category, m memory.Record) bool {
	c, _ := OfRecord(m)
	return len(all) == 0 || slices.Contains(all, c)
}
