package bridge

import (
	"encoding/json"
	"net/url"
	"unicode/utf8"

	"keepsake/backend/core"
	"keepsake/backend/memory"
)

func headView(h core.ConversationHead) ConversationHeadView {
	title, _ := clip(h.Title, maxRowText)
	return ConversationHeadView{
		ID: h.ID, Platform: h.Platform, Title: title, CreatedAt: h.Began().String(),
		UpdatedAt: h.UpdatedAt.String(), Messages: h.MessageCount, Branches: h.BranchCount,
		Derived: h.DerivedCount, Model: h.Model, Project: h.Project, Account: h.AccountID, Archived: h.IsArchived,
		TimeIsDerived: h.TimeIsDerived, Removed: h.Removed, ImportID: h.ImportID,
	}
}

// threadView takes messages until the answer is full, at least one.
func threadView(t core.Thread, offset int) ThreadView {
	view := ThreadView{Head: headView(t.Head), Messages: []MessageView{}, Offset: offset, Total: t.Total, Said: t.Said, Leaf: t.Leaf, At: t.At, Shared: words(t.Shared)}
	if from := t.Continues; from.ConversationID != "" {
		view.Continues = &ContinuedView{ID: from.ConversationID, Message: from.MessageID}
	}
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
	left := budget(maxMessage)
	return MessageView{
		ID: m.ID, Role: string(m.Role), CreatedAt: m.CreatedAt.String(), Model: m.Model, IsThought: m.IsThought, Hidden: hidden(m.RawMetadata),
		Parts: left.parts(m.Content), Attachments: list(m.Attachments, attachmentView),
		Citations: list(m.Citations, left.citation), ToolCalls: list(m.ToolCalls, left.toolCall),
		Siblings: words(m.Siblings), Memories: words(m.Memories), Rating: left.rating(m.Rating),
	}
}

// hidden is what a reader of exports noted about a message that the provider's
// own page leaves out.
func hidden(raw memory.RawMetadata) string {
	var why string
	if json.Unmarshal(raw["keepsake_hidden"], &why) != nil {
		return ""
	}
	return why
}

// size is about how many bytes of text the message adds to an answer.
func (m MessageView) size() int {
	n := 512
	if m.Rating != nil {
		n += len(m.Rating.Words)
	}
	for _, p := range m.Parts {
		n += len(p.Text)
	}
	for _, c := range m.Citations {
		n += len(c.Title) + len(c.URL) + len(c.Snippet)
	}
	for _, t := range m.ToolCalls {
		n += len(t.Input.Text) + len(t.Output.Text)
	}
	return n
}

// budget is how many bytes of text a message may still take.
type budget int

// take cuts text to limit and to what is left.
func (b *budget) take(text string, limit int) (string, bool) {
	text, clipped := clip(text, min(limit, int(*b)))
	*b -= budget(len(text))
	return text, clipped
}

func (b *budget) parts(c *memory.Content) []PartView {
	switch {
	case c == nil:
		return []PartView{}
	case c.Type == "multipart":
		return list(c.Parts, b.part)
	}
	return []PartView{b.part(memory.Part{Type: "text", Text: c.Text})}
}

func (b *budget) part(p memory.Part) PartView {
	text, clipped := b.take(p.Text, maxPartText)
	return PartView{
		Type: p.Type, Text: text, Clipped: clipped, Next: len(text), Language: p.Language,
		MIMEType: p.MIMEType, URL: attachmentURL(p.Ref, ""),
	}
}

// furtherView is the next piece of a text.
func furtherView(text string, from int) TextView {
	from = min(max(from, 0), len(text))
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	piece, clipped := clip(text[from:], maxPartText)
	return TextView{Text: piece, Clipped: clipped, Next: from + len(piece)}
}

func (b *budget) citation(c memory.Citation) CitationView {
	title, _ := b.take(c.Title, maxRowText)
	address, cut := b.take(c.URL, maxLink)
	if cut {
		address = "" // half an address leads somewhere else
	}
	snippet, _ := b.take(c.Snippet, maxRowText)
	return CitationView{Title: title, URL: address, Snippet: snippet}
}

func (b *budget) rating(r *core.Rating) *RatingView {
	if r == nil {
		return nil
	}
	said, _ := b.take(r.Words, maxRowText)
	return &RatingView{Good: r.Good, Words: said}
}

func (b *budget) toolCall(t memory.ToolCall) ToolCallView {
	return ToolCallView{ID: t.ID, Name: t.Name, Input: b.text(t.InputText()), Output: b.text(t.Output)}
}

func (b *budget) text(text string) TextView {
	text, clipped := b.take(text, maxPartText)
	return TextView{Text: text, Clipped: clipped, Next: len(text)}
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
