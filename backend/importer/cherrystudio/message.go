package cherrystudio

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

// said is what the pieces of a message say.
type said struct {
	texts, thoughts []string
	kept            [][]byte // pieces without a place of their own
}

// message reads one of a backup, and gives the id of what the next hangs below.
func (r *reading) message(d *importer.ConversationDraft, of made, parent string) (string, error) {
	v := of.message
	model := jsonstream.Member(v, "model")
	m := memory.Message{
		ID: importer.TextIn(v, "id"), ProviderMessageID: importer.TextIn(v, "id"), ParentID: parent, Role: r.Role(v, roles()),
		CreatedAt:   importer.TimeIn(v, "createdAt"),
		RawMetadata: importer.Rest(v, "id", "role", "topicId", "createdAt", "blocks", "model", "content", "reasoning_content"),
	}
	if m.Role == memory.Assistant {
		m.Model = importer.FirstOf(importer.FirstText(model, "id", "name"), importer.TextIn(v, "modelId"))
	}
	s := &said{}
	for _, text := range []string{importer.TextIn(v, "content")} { // of before there were blocks
		if text != "" && len(of.blocks) == 0 {
			s.texts = append(s.texts, text)
		}
	}
	if thought := importer.TextIn(v, "reasoning_content"); thought != "" && len(of.blocks) == 0 {
		s.thoughts = append(s.thoughts, thought)
	}
	for _, b := range of.blocks {
		if err := r.block(&m, s, b); err != nil {
			return "", err
		}
	}
	return finish(d, m, s), nil
}

func roles() map[string]memory.Role {
	return map[string]memory.Role{"user": memory.User, "assistant": memory.Assistant, "system": memory.System}
}

// finish adds a message, and what was thought before it as one of its own.
func finish(d *importer.ConversationDraft, m memory.Message, s *said) string {
	if len(s.kept) > 0 {
		importer.KeepRaw(&m.RawMetadata, "parts", importer.List(s.kept))
	}
	m.Content = importer.PlainContent(strings.Join(s.texts, "\n\n"))
	if len(s.thoughts) > 0 && m.ID != "" {
		t := importer.Thought(m, strings.Join(s.thoughts, "\n\n"))
		m.ParentID = t.ID
		d.Messages = append(d.Messages, t)
	}
	d.Messages = append(d.Messages, m)
	return m.ID
}

// block reads one piece of a message of a backup.
func (r *reading) block(m *memory.Message, s *said, b jsontext.Value) error {
	content := importer.TextIn(b, "content")
	switch kind := importer.TextIn(b, "type"); kind {
	case "main_text":
		s.texts = append(s.texts, content)
	case "thinking":
		s.thoughts = append(s.thoughts, content)
	case "code":
		s.texts = append(s.texts, "```"+importer.TextIn(b, "language")+"\n"+content+"\n```")
	case "image", "file", "video":
		if file := jsonstream.Member(b, "file"); file.Kind() == '{' {
			a, err := r.upload(file)
			m.Attachments = append(m.Attachments, a)
			return err
		}
		a, err := r.StoreURL("", importer.TextIn(b, "url"))
		m.Attachments = append(m.Attachments, a)
		return err
	case "tool":
		call := memory.ToolCall{ID: importer.TextIn(b, "toolId"), Name: importer.FirstOf(importer.TextIn(b, "toolName"), "tool"), Input: importer.CallInput(jsonstream.Member(b, "arguments"))}
		if call.Output = content; content == "" && !importer.IsNothing(jsonstream.Member(b, "content")) {
			call.Output = string(jsonstream.Member(b, "content"))
		}
		m.ToolCalls = append(m.ToolCalls, call)
	case "citation", "translation", "error", "unknown", "compact":
		s.kept = append(s.kept, b)
	default:
		r.Sink.Unknown("block:" + kind)
		s.kept = append(s.kept, b)
	}
	return nil
}

// parted reads a message of a topic of version 2, which is made of parts.
func (r *reading) parted(d *importer.ConversationDraft, v jsontext.Value) error {
	id := importer.TextIn(v, "sourceId")
	m := memory.Message{ID: id, ProviderMessageID: id, ParentID: importer.TextIn(v, "parentSourceId"), Role: r.Role(v, roles()),
		RawMetadata: importer.Rest(v, "sourceId", "parentSourceId", "role", "parts")}
	if m.Role == memory.Assistant {
		m.Model = importer.TextIn(jsonstream.Member(jsonstream.Member(v, "messageSnapshot"), "model"), "id")
	}
	s := &said{}
	for _, p := range jsonstream.Items(jsonstream.Member(v, "parts")) {
		kind := importer.TextIn(p, "type")
		tool, isTool := strings.CutPrefix(kind, "tool-")
		switch {
		case kind == "text":
			s.texts = append(s.texts, importer.TextIn(p, "text"))
		case kind == "reasoning":
			s.thoughts = append(s.thoughts, importer.TextIn(p, "text"))
		case kind == "file":
			a, err := r.StoreURL(importer.TextIn(p, "filename"), importer.TextIn(p, "url"))
			if err != nil {
				return err
			}
			m.Attachments = append(m.Attachments, a)
		case kind == "source-url":
			m.Citations = importer.AddCitation(m.Citations, importer.TextIn(p, "title"), importer.TextIn(p, "url"), "")
		case isTool, kind == "dynamic-tool":
			output := jsonstream.Member(p, "output")
			call := memory.ToolCall{ID: importer.TextIn(p, "toolCallId"), Name: importer.FirstOf(importer.TextIn(p, "toolName"), tool, "tool"),
				Input: importer.CallInput(jsonstream.Member(p, "input")), Output: importer.FirstText(p, "output", "errorText")}
			if call.Output == "" && !importer.IsNothing(output) {
				call.Output = string(output)
			}
			m.ToolCalls = append(m.ToolCalls, call)
		case kind == "step-start":
		default:
			r.Sink.Unknown("part:" + kind)
			s.kept = append(s.kept, p)
		}
	}
	finish(d, m, s)
	return nil
}
