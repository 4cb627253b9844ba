package librechat

import (
	"context"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// root is the parent of messages that have none.
const root = "00000000-0000-0000-0000-000000000000"

// Read gives the conversation of each file.
func (Importer) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	r := &reading{importer.NewPass(ctx, tree, sink)}
	return r.JSONFiles(r.talk)
}

type reading struct{ *importer.Pass }

func (r *reading) talk(rec importer.Record) error {
	v := rec.Raw
	native := importer.TextIn(v, "conversationId")
	if v.Kind() != '{' || native == "" {
		r.Problem(rec, fault.New(fault.Invalid, "librechat-not-a-conversation", "Item {at} of {name} is not a conversation of LibreChat and was left out."))
		return nil
	}
	d, ok := r.Begin(platform, native, importer.Sum(rec.Raw), rec.File)
	if !ok {
		return nil
	}
	options := importer.Member(v, "options")
	d.Title = importer.Line(importer.TextIn(v, "title"))
	d.Model = importer.TextIn(options, "model")
	d.SystemInstruction = importer.FirstOf(importer.TextIn(options, "promptPrefix"), importer.TextIn(options, "system"))
	d.Temporal.CreatedAt, d.Temporal.UpdatedAt = importer.AnyTime(importer.Member(v, "createdAt")), importer.AnyTime(importer.Member(v, "updatedAt"))
	d.RawMetadata = importer.Rest(v, "conversationId", "title", "messages", "createdAt", "updatedAt")
	if err := r.messages(d, importer.Member(v, "messages")); err != nil {
		return err
	}
	importer.Join(&d.Conversation, "", "parentMessageId")
	return r.Give(d)
}

// nested is a message that waits, and whom it answers.
type nested struct {
	v      jsontext.Value
	parent string
}

// messages walks flat and nested lists, without recursion: what comes next waits last.
func (r *reading) messages(d *importer.ConversationDraft, list jsontext.Value) error {
	d.Messages = importer.Room(list)
	wait := put(nil, list, "")
	for len(wait) > 0 {
		n := wait[len(wait)-1]
		wait = wait[:len(wait)-1]
		id, err := r.message(d, n)
		if err != nil {
			return err
		}
		wait = put(wait, importer.Member(n.v, "children"), id)
	}
	return nil
}

// put adds the messages of a list, the last one first.
func put(wait []nested, list jsontext.Value, parent string) []nested {
	from := len(wait)
	for _, v := range importer.Items(list) {
		wait = append(wait, nested{v, parent})
	}
	slices.Reverse(wait[from:])
	return wait
}

func (r *reading) message(d *importer.ConversationDraft, n nested) (string, error) {
	v := n.v
	id := importer.TextIn(v, "messageId")
	m := memory.Message{
		ID: id, ProviderMessageID: id, Role: memory.Assistant, ParentID: importer.FirstOf(importer.TextIn(v, "parentMessageId"), n.parent),
		CreatedAt: importer.AnyTime(importer.Member(v, "createdAt")), Model: importer.TextIn(v, "model"),
		RawMetadata: importer.Rest(v, "messageId", "parentMessageId", "conversationId", "children", "text", "content", "isCreatedByUser", "createdAt", "model", "files"),
	}
	if importer.True(importer.Member(v, "isCreatedByUser")) {
		m.Role, m.Model = memory.User, ""
	}
	if m.ParentID == root {
		m.ParentID = ""
	}
	said, thought := r.content(&m, importer.Member(v, "content"))
	m.Content = importer.PlainContent(importer.FirstOf(said, importer.TextIn(v, "text")))
	for _, f := range importer.Items(importer.Member(v, "files")) {
		a, err := r.StoreURL(importer.TextIn(f, "filename"), importer.FirstOf(importer.TextIn(f, "file_id"), importer.TextIn(f, "filepath")))
		if err != nil {
			return "", err
		}
		m.Attachments = append(m.Attachments, a)
	}
	if thought != "" && id != "" {
		t := memory.Message{ID: id + "#1", ProviderMessageID: id, Role: m.Role, ParentID: m.ParentID, CreatedAt: m.CreatedAt, Model: m.Model,
			IsThought: true, Content: importer.PlainContent(thought)}
		m.ParentID = t.ID
		d.Messages = append(d.Messages, t)
	}
	d.Messages = append(d.Messages, m)
	return id, nil
}

// content reads the parts of newer messages.
func (r *reading) content(m *memory.Message, list jsontext.Value) (said, thought string) {
	var texts, thoughts []string
	for _, part := range importer.Items(list) {
		switch kind := importer.TextIn(part, "type"); kind {
		case "text":
			texts = append(texts, importer.FirstOf(importer.TextIn(part, "text"), importer.TextIn(importer.Member(part, "text"), "value")))
		case "think":
			thoughts = append(thoughts, importer.TextIn(part, "think"))
		case "tool_call":
			m.ToolCalls = append(m.ToolCalls, toolCall(importer.Member(part, "tool_call")))
		case "error":
			texts = append(texts, importer.TextIn(part, "error"))
		default:
			r.Sink.Unknown("content:" + kind)
			importer.KeepRaw(&m.RawMetadata, "content", importer.Keep(list))
		}
	}
	return strings.Join(texts, "\n\n"), strings.Join(thoughts, "\n\n")
}

func toolCall(v jsontext.Value) memory.ToolCall {
	if f := importer.Member(v, "function"); f != nil {
		v = f
	}
	c := memory.ToolCall{ID: importer.TextIn(v, "id"), Name: importer.FirstOf(importer.TextIn(v, "name"), "tool"), Output: importer.TextIn(v, "output")}
	for _, name := range []string{"args", "arguments"} {
		if in := importer.Member(v, name); in.Kind() == '"' || in.Kind() == '{' {
			c.Input = importer.Keep(in)
		}
	}
	return c
}
