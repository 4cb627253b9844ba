// Package personal knows the categories and content types of the Personal Memory
// Specification (0.1), and writes its export, the JSON structure and Markdown; the
// former it reads.
package personal

import (
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
func Takes(all []Category, kind memory.Type, custom string) bool {
	c, _ := Of(kind, custom)
	return len(all) == 0 || slices.Contains(all, c)
}
