package claude

import (
	"encoding/json"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/memory"
)

// readDesigns takes design chats: plain chains whose blocks have names of
// their own.
func (r *reading) readDesigns() error {
	return r.each(designs, func(it item) error {
		native := firstOf(text(it.raw, "uuid"), it.file.Base())
		sum := importer.Sum(it.raw)
		if r.sink.Unchanged(native, sum) {
			return nil
		}
		draft := importer.ConversationDraft{Sum: sum, File: it.file.Base()}
		r.design(&draft.Conversation, native, it.raw)
		if len(draft.Messages) == 0 {
			r.sink.Skipped("empty")
			return nil
		}
		if draft.Temporal.CreatedAt.IsZero() {
			draft.TimeSource = "none"
		}
		return r.sink.Conversation(r.ctx, draft)
	})
}

func (r *reading) design(c *memory.Conversation, native string, v jsontext.Value) {
	c.ID = importer.ConversationID(platform, native)
	c.Provider = memory.Provider{Name: platform, ConversationID: native}
	c.Title = strings.Join(strings.Fields(text(v, "title")), " ")
	c.RawMetadata = memory.RawMetadata{}
	for name, value := range importer.Members(jsontext.Value(importer.Without(v, "uuid", "title", "messages"))) {
		keep(c.RawMetadata, name, importer.Keep(value))
	}
	if name := text(importer.Member(v, "project"), "name"); name != "" {
		label, _ := json.Marshal(name) // a string always has a JSON form
		c.RawMetadata[projectMember] = label
	}
	for _, m := range importer.Items(importer.Member(v, "messages")) {
		r.designMessage(c, m)
	}
	if n := len(c.Messages); n > 0 {
		c.Temporal.CreatedAt, c.Temporal.UpdatedAt = c.Messages[0].CreatedAt, c.Messages[n-1].CreatedAt
		c.Leaf = c.Messages[n-1].ID
	}
}

// designMessage adds one message below the last one.
func (r *reading) designMessage(c *memory.Conversation, v jsontext.Value) {
	m := memory.Message{ID: text(v, "uuid"), ProviderMessageID: text(v, "uuid"), Role: memory.User, CreatedAt: when(importer.Member(v, "timestamp"))}
	if m.ID == "" {
		r.sink.Unknown("design_message")
		return
	}
	if text(v, "role") == "assistant" {
		m.Role = memory.Assistant
	}
	if n := len(c.Messages); n > 0 {
		m.ParentID = c.Messages[n-1].ID
		c.Messages[n-1].ChildrenIDs = []string{m.ID}
	}
	content := importer.Member(v, "content")
	said, _ := importer.Text(importer.Member(content, "content"))
	said = firstOf(said, plain(content))
	for _, block := range importer.Items(importer.Member(content, "contentBlocks")) {
		said = joinText(said, r.designBlock(&m, block))
	}
	m.Content = &memory.Content{Type: "text", Text: said}
	m.RawMetadata = memory.RawMetadata{}
	keep(m.RawMetadata, "content", importer.Keep(content))
	c.Messages = append(c.Messages, m)
}

// plain is a content that is a text itself.
func plain(v jsontext.Value) string {
	s, _ := importer.Text(v)
	return s
}

func joinText(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// designBlock is what one block says; what it holds beyond stays raw.
func (r *reading) designBlock(m *memory.Message, v jsontext.Value) string {
	switch kind := text(v, "type"); kind {
	case "text":
		return text(v, "text")
	case "user_interjection":
		return text(importer.Member(v, "message"), "content")
	case "tool_call":
		call := importer.Member(v, "toolCall")
		output, _ := importer.Text(importer.Member(call, "output"))
		m.ToolCalls = append(m.ToolCalls, memory.ToolCall{
			ID: text(call, "id"), Name: firstOf(text(call, "name"), "tool"),
			Input: callInput(importer.Member(call, "input")), Output: output,
		})
	case "error", "thinking": // kept raw with the message
	default:
		r.unknown("design_block", kind)
	}
	return ""
}
