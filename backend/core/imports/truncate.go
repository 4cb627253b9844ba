package imports

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"keepsake/backend/core/library"
	"keepsake/backend/memory"
)

// Limits of one record of the vault, in bytes before JSON encoding. JSON may encode a byte
// of a text as six; metadata that is kept verbatim is JSON already.
const (
	maxHead    = 2 << 20  // bytes of a conversation without its messages
	maxMessage = 12 << 20 // bytes of a message
	maxTitle   = 64 << 10
)

// truncateConversation shortens the title and removes metadata members, the largest first,
// until a conversation fits into its records. So no message is lost because of one member
// that Keepsake does not understand.
// leftOut is called with the names of the removed members, and the size and limit in bytes.
func truncateConversation(c *memory.Conversation, leftOut func(names []string, size, limit int)) {
	size := headSize(c)
	left := append(shorten(c), shed(&c.RawMetadata, headSize(c)-maxHead)...)
	leftOut(left, size, maxHead)
	for i := range c.Messages {
		m := &c.Messages[i]
		if size := messageWeight(m); size > maxMessage && size-raw(m.RawMetadata) < maxMessage {
			leftOut(shed(&m.RawMetadata, size-maxMessage), size, maxMessage)
		}
	}
}

func headSize(c *memory.Conversation) int {
	return len(c.Title) + len(c.SystemInstruction) + raw(c.RawMetadata)
}

// shed removes the largest members until at least over bytes are gone, and returns their
// names.
func shed(raw *memory.RawMetadata, over int) (left []string) {
	if over <= 0 {
		return nil
	}
	kept := maps.Clone(*raw)
	names := slices.SortedFunc(maps.Keys(kept), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b)+len(kept[b]), len(a)+len(kept[a])), strings.Compare(a, b))
	})
	for _, name := range names {
		if over <= 0 {
			break
		}
		over -= len(name) + len(kept[name])
		delete(kept, name)
		left = append(left, name)
	}
	*raw = kept
	return left
}

// shorten cuts the title, and drops the system instruction, if the two alone do not fit
// into the head of a conversation.
func shorten(c *memory.Conversation) (left []string) {
	understood := func() int { return len(c.Title) + len(c.SystemInstruction) }
	if understood() > maxHead && len(c.Title) > maxTitle {
		c.Title = library.Cut(c.Title, maxTitle)
		left = append(left, "title")
	}
	if understood() > maxHead {
		c.SystemInstruction = ""
		left = append(left, "system_instruction")
	}
	return left
}

func messageWeight(m *memory.Message) int {
	n := 512 + raw(m.RawMetadata)
	if m.Content != nil {
		n += len(m.Content.Text)
		for _, p := range m.Content.Parts {
			n += len(p.Text)
		}
	}
	for _, call := range m.ToolCalls {
		n += len(call.Input) + len(call.Output)
	}
	for _, c := range m.Citations {
		n += len(c.Snippet) + len(c.URL)
	}
	return n
}

func raw(m map[string]json.RawMessage) (n int) {
	for name, value := range m {
		n += len(name) + len(value)
	}
	return n
}
