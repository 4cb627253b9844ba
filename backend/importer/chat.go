package importer

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

// ChatRole is the role of a message in the words that most programs use.
func (r *Reading) ChatRole(v jsontext.Value) memory.Role {
	return r.Role(v, map[string]memory.Role{"user": memory.User, "assistant": memory.Assistant, "system": memory.System, "tool": memory.Tool})
}

// Said collects what the pieces of a message say.
type Said struct {
	Texts, Thoughts []string
	Kept            [][]byte // pieces that have no place of their own
}

// Text adds a text, unless there is none.
func (s *Said) Text(text string) {
	if text != "" {
		s.Texts = append(s.Texts, text)
	}
}

// Thought adds a thought, unless there is none.
func (s *Said) Thought(text string) {
	if text != "" {
		s.Thoughts = append(s.Thoughts, text)
	}
}

// Keep adds a piece that is kept as it is.
func (s *Said) Keep(piece jsontext.Value) { s.Kept = append(s.Kept, piece) }

// AddTo adds a message with what was said to a conversation, and before it what was
// thought as a message of its own.
func (s *Said) AddTo(d *ConversationDraft, m memory.Message) {
	if len(s.Kept) > 0 {
		KeepRaw(&m.RawMetadata, "parts", List(s.Kept))
	}
	m.Content = PlainContent(strings.Join(s.Texts, "\n\n"))
	if len(s.Thoughts) > 0 {
		t := Thought(m, strings.Join(s.Thoughts, "\n\n"))
		if t.ID != "" {
			m.ParentID = t.ID
		}
		d.Messages = append(d.Messages, t)
	}
	d.Messages = append(d.Messages, m)
}

// Output is what a call gave: a text, or any other value as it is written.
func Output(v jsontext.Value) string {
	if text, ok := jsonstream.Text(v); ok {
		return text
	}
	if IsNothing(v) {
		return ""
	}
	return string(v)
}
