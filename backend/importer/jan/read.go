package jan

import (
	"context"
	"crypto/sha256"
	"path"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// Read gives each thread: first what the threads are called, then the messages.
func (i Importer) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	r := &reading{Pass: importer.NewPass(ctx, tree, sink), threads: map[string]jsontext.Value{}, used: map[string]bool{}, most: i.most}
	var talks []intake.File
	for _, f := range tree.Files() {
		shape, _, err := importer.LookAt(ctx, tree, f)
		if err != nil {
			return err
		}
		switch {
		case isMessages(shape), importer.HasEnding(f, ".jsonl"):
			talks = append(talks, f)
		case isThread(shape), importer.HasEnding(f, ".json") && (f.Base() == "thread.json" || shape.Cut):
			if err := r.Elements(f, "", r.thread); err != nil {
				return err
			}
		default:
			sink.OtherFile(f)
		}
	}
	for _, f := range talks {
		if err := r.talk(f); err != nil {
			return err
		}
	}
	for folder := range r.threads {
		if !r.used[folder] {
			sink.Skipped(importer.EmptyConversation)
		}
	}
	return r.End()
}

type reading struct {
	*importer.Pass
	threads map[string]jsontext.Value // by folder
	used    map[string]bool
	most    int64 // as Importer has it
}

func (r *reading) thread(rec importer.Record) error {
	r.threads[folderOf(rec.File)] = rec.Raw
	return nil
}

func folderOf(f intake.File) string { return path.Dir(f.Path) }

func (r *reading) talk(f intake.File) error {
	thread := r.threads[folderOf(f)]
	r.used[folderOf(f)] = thread != nil
	sum := sha256.New()
	sum.Write(thread)
	var rows []jsontext.Value
	seen := importer.KeySet{}
	size := importer.Session{Max: r.most}
	if err := r.Lines(f, func(rec importer.Record) error {
		if size.Over() {
			return nil
		}
		if rec.Raw.Kind() != '{' {
			r.Problem(rec, fault.New(fault.Invalid, "jan-not-a-message", "Line {at} of {name} is not a message of Jan and was left out."))
			return nil
		}
		// Without an id people may have said it twice.
		if importer.TextIn(rec.Raw, "id") != "" && !seen.Add(string(rec.Raw)) {
			r.Sink.Skipped("duplicate")
			return nil
		}
		sum.Write(rec.Raw)
		rows = append(rows, rec.Raw)
		if !size.Hold(len(rec.Raw)) {
			r.Refuse(&size, f, rec.At)
			rows = nil
		}
		return nil
	}); err != nil || len(rows) == 0 {
		return err
	}
	native := importer.FirstOf(importer.TextIn(rows[0], "thread_id"), importer.TextIn(thread, "id"), path.Base(folderOf(f)))
	d, ok := r.Begin(platform, native, [32]byte(sum.Sum(nil)), f)
	if !ok {
		return nil
	}
	d.Title = importer.Line(importer.FirstOf(importer.TextIn(thread, "title"), importer.TextIn(jsonstream.Member(thread, "metadata"), "title")))
	d.Temporal.CreatedAt, d.Temporal.UpdatedAt = importer.AnyTime(jsonstream.Member(thread, "created")), importer.AnyTime(jsonstream.Member(thread, "updated"))
	for _, a := range jsonstream.Items(jsonstream.Member(thread, "assistants")) {
		d.Model = importer.FirstOf(d.Model, importer.TextIn(jsonstream.Member(a, "model"), "id"))
		d.SystemInstruction = importer.FirstOf(d.SystemInstruction, importer.TextIn(a, "instructions"))
	}
	d.RawMetadata = importer.Rest(thread, "id", "object", "title", "created", "updated")
	d.Messages = make([]memory.Message, 0, len(rows))
	for i, v := range rows {
		if err := r.message(d, v); err != nil {
			return err
		}
		rows[i] = nil // of a long thread what was read twice would be much
	}
	importer.JoinInOrder(&d.Conversation)
	return r.Give(d)
}

var roles = map[string]memory.Role{"user": memory.User, "assistant": memory.Assistant, "system": memory.System, "tool": memory.Tool}

func (r *reading) message(d *importer.ConversationDraft, v jsontext.Value) error {
	m := memory.Message{
		ID: importer.TextIn(v, "id"), ProviderMessageID: importer.TextIn(v, "id"), Role: roles[importer.TextIn(v, "role")],
		CreatedAt:   importer.AnyTime(jsonstream.Member(v, "created_at")),
		RawMetadata: importer.Rest(v, "id", "object", "thread_id", "role", "content", "created_at"),
	}
	if m.Role == "" {
		r.Sink.Unknown("role:" + importer.TextIn(v, "role"))
		m.Role = memory.System
	}
	var said, thought []string
	for _, part := range jsonstream.Items(jsonstream.Member(v, "content")) {
		text := importer.TextIn(jsonstream.Member(part, "text"), "value")
		switch kind := importer.TextIn(part, "type"); kind {
		case "text":
			said = append(said, text)
		case "reasoning":
			thought = append(thought, text)
		case "image_url", "image":
			a, err := r.StoreURL("", importer.TextIn(jsonstream.Member(part, "image_url"), "url"))
			if err != nil {
				return err
			}
			m.Attachments = append(m.Attachments, a)
		case "tool_call":
			m.ToolCalls = append(m.ToolCalls, toolCall(part))
		default:
			r.Sink.Unknown("content:" + kind)
			importer.KeepRaw(&m.RawMetadata, "content", jsonstream.Keep(jsonstream.Member(v, "content")))
		}
	}
	m.Content = importer.PlainContent(strings.Join(said, "\n\n"))
	if len(thought) > 0 {
		t := memory.Message{ProviderMessageID: m.ID, Role: m.Role, CreatedAt: m.CreatedAt, IsThought: true, Content: importer.PlainContent(strings.Join(thought, "\n\n"))}
		if m.ID != "" {
			t.ID = m.ID + "#1"
		}
		d.Messages = append(d.Messages, t)
	}
	d.Messages = append(d.Messages, m)
	return nil
}

func toolCall(part jsontext.Value) memory.ToolCall {
	c := memory.ToolCall{ID: importer.TextIn(part, "tool_call_id"), Name: importer.FirstOf(importer.TextIn(part, "tool_name"), "tool"), Output: importer.TextIn(part, "output")}
	if in := jsonstream.Member(part, "input"); in.Kind() == '"' || in.Kind() == '{' {
		c.Input = jsonstream.Keep(in)
	}
	return c
}
