package cherrystudio

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

// message reads one of a backup, and gives the id of what the next hangs below.
func (r *reading) message(d *importer.ConversationDraft, of made, parent string) (string, error) {
	v := of.message
	model := jsonstream.Member(v, "model")
	m := memory.Message{
		ID: importer.TextIn(v, "id"), ProviderMessageID: importer.TextIn(v, "id"), ParentID: parent, Role: r.ChatRole(v),
		CreatedAt:   importer.TimeIn(v, "createdAt"),
		RawMetadata: importer.Rest(v, "id", "role", "topicId", "createdAt", "blocks", "model", "content", "reasoning_content"),
	}
	if m.Role == memory.Assistant {
		m.Model = importer.FirstOf(importer.FirstText(model, "id", "name"), importer.TextIn(v, "modelId"))
	}
	s := &importer.Said{}
	if len(of.blocks) == 0 { // of before there were blocks
		s.Text(importer.TextIn(v, "content"))
		s.Thought(importer.TextIn(v, "reasoning_content"))
	}
	for _, b := range of.blocks {
		if err := r.block(&m, s, b); err != nil {
			return "", err
		}
	}
	s.AddTo(d, m)
	return m.ID, nil
}

// block reads one piece of a message of a backup.
func (r *reading) block(m *memory.Message, s *importer.Said, b jsontext.Value) error {
	content := importer.TextIn(b, "content")
	switch kind := importer.TextIn(b, "type"); kind {
	case "main_text":
		s.Text(content)
	case "thinking":
		s.Thought(content)
	case "code":
		s.Text("```" + importer.TextIn(b, "language") + "\n" + content + "\n```")
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
		m.ToolCalls = append(m.ToolCalls, memory.ToolCall{ID: importer.TextIn(b, "toolId"), Name: importer.FirstOf(importer.TextIn(b, "toolName"), "tool"),
			Input: importer.CallInput(jsonstream.Member(b, "arguments")), Output: importer.Output(jsonstream.Member(b, "content"))})
	case "citation", "translation", "error", "unknown", "compact":
		s.Keep(b)
	default:
		r.Sink.Unknown("block:" + kind)
		s.Keep(b)
	}
	return nil
}

// parted reads a message of a topic of version 2, which is made of parts.
func (r *reading) parted(d *importer.ConversationDraft, v jsontext.Value) error {
	id := importer.TextIn(v, "sourceId")
	m := memory.Message{ID: id, ProviderMessageID: id, ParentID: importer.TextIn(v, "parentSourceId"), Role: r.ChatRole(v),
		RawMetadata: importer.Rest(v, "sourceId", "parentSourceId", "role", "parts")}
	if m.Role == memory.Assistant {
		m.Model = importer.TextIn(jsonstream.Member(jsonstream.Member(v, "messageSnapshot"), "model"), "id")
	}
	s := &importer.Said{}
	for _, p := range jsonstream.Items(jsonstream.Member(v, "parts")) {
		kind := importer.TextIn(p, "type")
		tool, isTool := strings.CutPrefix(kind, "tool-")
		switch {
		case kind == "text":
			s.Text(importer.TextIn(p, "text"))
		case kind == "reasoning":
			s.Thought(importer.TextIn(p, "text"))
		case kind == "file":
			a, err := r.StoreURL(importer.TextIn(p, "filename"), importer.TextIn(p, "url"))
			if err != nil {
				return err
			}
			m.Attachments = append(m.Attachments, a)
		case kind == "source-url":
			m.Citations = importer.AddCitation(m.Citations, importer.TextIn(p, "title"), importer.TextIn(p, "url"), "")
		case isTool, kind == "dynamic-tool":
			m.ToolCalls = append(m.ToolCalls, memory.ToolCall{ID: importer.TextIn(p, "toolCallId"), Name: importer.FirstOf(importer.TextIn(p, "toolName"), tool, "tool"),
				Input: importer.CallInput(jsonstream.Member(p, "input")), Output: importer.FirstOf(importer.Output(jsonstream.Member(p, "output")), importer.TextIn(p, "errorText"))})
		case kind == "step-start":
		default:
			r.Sink.Unknown("part:" + kind)
			s.Keep(p)
		}
	}
	s.AddTo(d, m)
	return nil
}
