package letta

import (
	"encoding/json"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

var roles = map[string]memory.Role{
	"user": memory.User, "assistant": memory.Assistant, "system": memory.System, "tool": memory.Tool, "function": memory.Tool,
}

// message is one message; its thoughts are one of their own before it.
func (r *reading) message(v jsontext.Value) []memory.Message {
	m := memory.Message{
		ID: importer.TextIn(v, "id"), ProviderMessageID: importer.TextIn(v, "id"), Role: r.Role(v, roles),
		CreatedAt: importer.TimeIn(v, "created_at"), Model: importer.TextIn(v, "model"),
		RawMetadata: importer.Rest(v, "id", "role", "content", "text", "created_at", "model", "tool_calls", "tool_call_id", "tool_returns", "type", "agent_id"),
	}
	text, thought := r.content(&m, v)
	if m.Role == memory.User {
		text, m.Role = unwrapped(text)
	}
	if text == "" && m.Role == memory.User && m.RawMetadata["program_text"] != nil {
		r.Sink.Skipped("hidden-context")
		return nil
	}
	m.Content = importer.PlainContent(text)
	for _, call := range jsonstream.Items(jsonstream.Member(v, "tool_calls")) {
		m.ToolCalls = append(m.ToolCalls, toolCall(call))
	}
	for _, back := range jsonstream.Items(jsonstream.Member(v, "tool_returns")) {
		if m.Content.Text == "" {
			m.Content.Text = importer.FirstOf(importer.TextIn(back, "func_response"), importer.TextIn(back, "stdout"))
		}
		importer.KeepRaw(&m.RawMetadata, "tool_returns", jsonstream.Member(v, "tool_returns"))
	}
	if id := importer.TextIn(v, "tool_call_id"); id != "" {
		importer.KeepRaw(&m.RawMetadata, "tool_call_id", jsonstream.Member(v, "tool_call_id"))
	}
	if thought == "" {
		return []memory.Message{m}
	}
	t := importer.Thought(m, thought)
	t.Role = memory.Assistant
	return []memory.Message{t, m}
}

// content parts what was said from what was thought.
func (r *reading) content(m *memory.Message, v jsontext.Value) (text, thought string) {
	list := jsonstream.Member(v, "content")
	if s, ok := jsonstream.Text(list); ok {
		return strings.Join(r.Words(m, s), ""), ""
	}
	var said, thoughts []string
	for _, part := range jsonstream.Items(list) {
		switch kind := importer.TextIn(part, "type"); kind {
		case "text":
			said = append(said, r.Words(m, importer.TextIn(part, "text"))...)
		case "reasoning", "summarized_reasoning":
			thoughts = append(thoughts, importer.FirstOf(importer.TextIn(part, "reasoning"), importer.TextIn(part, "text")))
		default:
			r.Sink.Unknown("content:" + kind)
		}
	}
	if len(said) == 0 {
		said = r.Words(m, importer.TextIn(v, "text")) // the first form
	}
	return strings.Join(said, "\n\n"), strings.Join(thoughts, "\n\n")
}

// unwrapped is what a person typed: Letta packs it into JSON, and speaks in the
// person's place itself (heartbeats, logins).
func unwrapped(text string) (string, memory.Role) {
	var packed struct{ Type, Message string }
	if !strings.HasPrefix(text, "{") || json.Unmarshal([]byte(text), &packed) != nil || packed.Type == "" {
		return text, memory.User
	}
	if packed.Type == "user_message" {
		return packed.Message, memory.User
	}
	return text, memory.System
}

func toolCall(v jsontext.Value) memory.ToolCall {
	f := jsonstream.Member(v, "function")
	if f == nil {
		f = v
	}
	return memory.ToolCall{ID: importer.TextIn(v, "id"), Name: importer.FirstOf(importer.TextIn(f, "name"), "tool"),
		Input: importer.CallInput(jsonstream.Member(f, "arguments"))}
}
