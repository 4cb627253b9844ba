package typingmind

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// Read gives the chats of each file.
func (Importer) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	r := &reading{Reading: importer.NewReading(ctx, tree, sink)}
	r.Whole = true
	return r.JSONFiles(r.element)
}

type reading struct {
	*importer.Reading
	folders map[string]string // names of folders, by id
}

// element is all that was exported.
func (r *reading) element(it importer.Item) error {
	data := jsonstream.Member(it.Raw, "data")
	chats := jsonstream.Member(data, "chats")
	if chats.Kind() != '[' {
		r.Sink.OtherFile(it.File)
		return nil
	}
	r.folders = map[string]string{}
	for name, list := range jsonstream.Members(data) {
		switch {
		case name == "chats":
		case name == "folders":
			for _, f := range jsonstream.Items(list) {
				r.folders[importer.TextIn(f, "id")] = importer.FirstText(f, "title", "name")
			}
		default: // prompts, characters, settings with keys
			for range jsonstream.Items(list) {
				r.Sink.Skipped("tool")
			}
		}
	}
	for _, v := range jsonstream.Items(chats) {
		if err := r.chat(it, v); err != nil {
			return err
		}
	}
	return nil
}

func (r *reading) chat(it importer.Item, v jsontext.Value) error {
	id := importer.FirstText(v, "chatID", "id")
	if v.Kind() != '{' || id == "" {
		r.Bad(it, true, fault.New(fault.Invalid, "typingmind-not-a-chat", "A chat of item {at} of {name} is none of TypingMind and was left out."))
		return nil
	}
	d, ok := r.Begin(platform, id, importer.Sum(v), it.File)
	if !ok {
		return nil
	}
	d.Title = importer.Line(importer.TextIn(v, "chatTitle"))
	d.Model = importer.TextIn(v, "model")
	d.Tags = importer.AddTag(nil, r.folders[importer.TextIn(v, "folderID")])
	d.Temporal.CreatedAt, d.Temporal.UpdatedAt = importer.TimeIn(v, "createdAt"), importer.TimeIn(v, "updatedAt")
	d.RawMetadata = importer.Rest(v, "id", "chatID", "chatTitle", "model", "createdAt", "updatedAt", "messages")
	list := jsonstream.Member(v, "messages")
	d.Messages = importer.Room(list)
	for _, m := range jsonstream.Items(list) {
		if err := r.message(d, m); err != nil {
			return err
		}
	}
	importer.JoinInOrder(&d.Conversation)
	return r.Give(d)
}

func (r *reading) message(d *importer.ConversationDraft, v jsontext.Value) error {
	if v.Kind() != '{' {
		r.Sink.Unknown("record:" + v.Kind().String())
		importer.KeepRaw(&d.RawMetadata, "unknown_message", jsonstream.Keep(v))
		return nil
	}
	id := importer.TextIn(v, "uuid")
	m := memory.Message{ID: id, ProviderMessageID: id, Role: r.ChatRole(v), CreatedAt: importer.TimeIn(v, "createdAt"),
		RawMetadata: importer.Rest(v, "uuid", "role", "content", "createdAt", "model", "tool_calls")}
	if m.Role == memory.Assistant {
		m.Model = importer.TextIn(v, "model")
	}
	for _, c := range jsonstream.Items(jsonstream.Member(v, "tool_calls")) {
		f := jsonstream.Member(c, "function")
		m.ToolCalls = append(m.ToolCalls, memory.ToolCall{ID: importer.TextIn(c, "id"), Name: importer.FirstOf(importer.TextIn(f, "name"), "tool"), Input: importer.CallInput(jsonstream.Member(f, "arguments"))})
	}
	s := &importer.Said{}
	s.Text(importer.TextIn(v, "content"))
	for _, part := range jsonstream.Items(jsonstream.Member(v, "content")) {
		switch kind := importer.TextIn(part, "type"); kind {
		case "text":
			s.Text(importer.TextIn(part, "text"))
		case "image_url":
			image := jsonstream.Member(part, "image_url")
			address, _ := jsonstream.Text(image)
			a, err := r.StoreURL("", importer.FirstOf(address, importer.TextIn(image, "url")))
			if err != nil {
				return err
			}
			m.Attachments = append(m.Attachments, a)
		default:
			r.Sink.Unknown("content:" + kind)
			s.Keep(part)
		}
	}
	s.AddTo(d, m)
	return nil
}
