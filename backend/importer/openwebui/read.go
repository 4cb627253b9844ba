package openwebui

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// Read gives each chat of each file.
func (Importer) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	r := &reading{importer.NewReading(ctx, tree, sink)}
	return r.JSONFiles(r.chat)
}

type reading struct{ *importer.Reading }

func (r *reading) chat(rec importer.Item) error {
	v, inner := rec.Raw, jsonstream.Member(rec.Raw, "chat")
	if inner == nil {
		inner, v = v, jsontext.Value("{}")
	}
	if inner.Kind() != '{' {
		r.Bad(rec, false, fault.New(fault.Invalid, "webui-not-a-chat", "Item {at} of {name} is not a chat of Open WebUI and was left out."))
		return nil
	}
	native := importer.FirstOf(importer.TextIn(v, "id"), importer.TextIn(inner, "id"), "x-"+importer.Digest(importer.TextIn(inner, "title"), string(jsonstream.Member(inner, "timestamp"))))
	d, ok := r.Begin(platform, native, importer.Sum(rec.Raw), rec.File)
	if !ok {
		return nil
	}
	d.Title = importer.Line(importer.FirstOf(importer.TextIn(v, "title"), importer.TextIn(inner, "title")))
	d.Provider.AccountID = importer.TextIn(v, "user_id")
	d.SystemInstruction = importer.FirstOf(importer.TextIn(inner, "system"), importer.TextIn(jsonstream.Member(inner, "params"), "system"))
	d.IsArchived = jsonstream.True(jsonstream.Member(v, "archived"))
	d.Temporal.CreatedAt = importer.TimeIn(v, "created_at")
	if d.Temporal.CreatedAt.IsZero() {
		d.Temporal.CreatedAt = importer.TimeIn(inner, "timestamp")
	}
	d.Temporal.UpdatedAt = importer.TimeIn(v, "updated_at")
	for _, m := range jsonstream.Items(jsonstream.Member(inner, "models")) {
		if s, _ := jsonstream.Text(m); d.Model == "" {
			d.Model = s
		}
	}
	for _, list := range []jsontext.Value{jsonstream.Member(jsonstream.Member(v, "meta"), "tags"), jsonstream.Member(inner, "tags")} {
		for _, tag := range jsonstream.Items(list) {
			s, _ := jsonstream.Text(tag)
			d.Tags = importer.AddTag(d.Tags, importer.FirstOf(s, importer.TextIn(tag, "name")))
		}
	}
	d.RawMetadata = importer.Rest(v, "id", "title", "user_id", "chat", "archived", "created_at", "updated_at")
	rest := jsonstream.Without(inner, "id", "title", "history", "messages", "timestamp", "system", "models", "tags")
	importer.KeepRaw(&d.RawMetadata, "chat", rest)
	if err := r.thread(d, inner); err != nil {
		return err
	}
	return r.Give(d)
}

// thread reads the history, or the path alone where there is none.
func (r *reading) thread(d *importer.ConversationDraft, inner jsontext.Value) error {
	history, path := jsonstream.Member(inner, "history"), jsonstream.Member(inner, "messages")
	tree := jsonstream.Member(history, "messages")
	here := map[string]bool{}
	d.Messages = importer.Room(tree)
	for id, v := range jsonstream.Members(tree) {
		here[id] = true
		if err := r.message(d, id, v); err != nil {
			return err
		}
	}
	if len(here) > 0 {
		for _, v := range jsonstream.Items(path) {
			if !here[importer.TextIn(v, "id")] {
				r.Sink.Skipped("not-in-history")
			}
		}
		importer.Join(&d.Conversation, importer.TextIn(history, "currentId"), "parentId")
		return nil
	}
	for _, v := range jsonstream.Items(path) {
		if err := r.message(d, importer.TextIn(v, "id"), v); err != nil {
			return err
		}
	}
	importer.JoinInOrder(&d.Conversation)
	return nil
}

var roles = map[string]memory.Role{"user": memory.User, "assistant": memory.Assistant, "system": memory.System, "tool": memory.Tool}
