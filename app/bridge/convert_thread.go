package bridge

import (
	"encoding/json"
	"net/url"

	"keepsake/backend/core"
	"keepsake/backend/memory"
)

func headView(h core.ConversationHead) ConversationHeadView {
	title, _ := clip(h.Title, maxRowText)
	return ConversationHeadView{
		ID: h.ID, Platform: h.Platform, Title: title, CreatedAt: h.CreatedAt.String(),
		UpdatedAt: h.UpdatedAt.String(), Messages: h.MessageCount, Branches: h.BranchCount,
		Derived: h.DerivedCount, Model: h.Model, Project: h.Project, Archived: h.IsArchived,
		TimeIsDerived: h.TimeIsDerived, ImportID: h.ImportID,
	}
}

// threadView takes messages until the answer is full, at least one.
func threadView(t core.Thread, offset int) ThreadView {
	view := ThreadView{Head: headView(t.Head), Messages: []MessageView{}, Offset: offset, Total: t.Total, Leaf: t.Leaf}
	size := 0
	for _, m := range t.Messages {
		message := messageView(m)
		size += message.size()
		if size > maxThread && len(view.Messages) > 0 {
			break
		}
		view.Messages = append(view.Messages, message)
	}
	return view
}

func messageView(m core.ThreadMessage) MessageView {
	return MessageView{
		ID: m.ID, Role: string(m.Role), CreatedAt: m.CreatedAt.String(), Model: m.Model, IsThought: m.IsThought,
		Parts: partViews(m.Content), Attachments: list(m.Attachments, attachmentView),
		Citations: list(m.Citations, func(c memory.Citation) CitationView {
			snippet, _ := clip(c.Snippet, maxRowText)
			return CitationView{Title: c.Title, URL: c.URL, Snippet: snippet}
		}),
		ToolCalls: list(m.ToolCalls, toolCallView), Siblings: words(m.Siblings), Memories: words(m.Memories),
	}
}

// size is about how many bytes of text the message adds to an answer.
func (m MessageView) size() int {
	n := 512
	for _, p := range m.Parts {
		n += len(p.Text)
	}
	for _, c := range m.Citations {
		n += len(c.Title) + len(c.URL) + len(c.Snippet)
	}
	for _, t := range m.ToolCalls {
		n += len(t.Input) + len(t.Output)
	}
	return n
}

func partViews(c *memory.Content) []PartView {
	switch {
	case c == nil:
		return []PartView{}
	case c.Type == "multipart":
		return list(c.Parts, partView)
	}
	return []PartView{partView(memory.Part{Type: "text", Text: c.Text})}
}

func partView(p memory.Part) PartView {
	text, clipped := clip(p.Text, maxPartText)
	return PartView{
		Type: p.Type, Text: text, Clipped: clipped, Language: p.Language,
		MIMEType: p.MIMEType, URL: attachmentURL(p.Ref, ""),
	}
}

func attachmentView(a memory.Attachment) AttachmentView {
	size := int64(-1)
	if a.SizeBytes != nil {
		size = *a.SizeBytes
	}
	return AttachmentView{Type: a.Type, Name: a.Name, MIMEType: a.MIMEType, Size: size, URL: attachmentURL(a.Ref, a.Name)}
}

// attachmentURL is where a shell serves the bytes of a sealed file; name is
// what it is saved as.
func attachmentURL(ref, name string) string {
	if ref == "" {
		return ""
	}
	address := AttachmentPath + url.PathEscape(ref)
	if name != "" {
		address += "?name=" + url.QueryEscape(name)
	}
	return address
}

func toolCallView(t memory.ToolCall) ToolCallView {
	input := string(t.Input)
	var text string
	if json.Unmarshal(t.Input, &text) == nil {
		input = text
	}
	input, _ = clip(input, maxPartText)
	output, _ := clip(t.Output, maxPartText)
	return ToolCallView{ID: t.ID, Name: t.Name, Input: input, Output: output}
}
