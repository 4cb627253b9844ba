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
	r := &reading{Reading: importer.NewReading(ctx, tree, sink), threads: map[string]jsontext.Value{}, used: map[string]bool{}, most: i.most}
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
			if err := r.Elements(f, r.thread); err != nil {
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
	*importer.Reading
	threads map[string]jsontext.Value // by folder
	used    map[string]bool
	most    int64 // as Importer has it
}

func (r *reading) thread(rec importer.Item) error {
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
	take := func(rec importer.Item) error {
		if rec.Raw.Kind() != '{' {
			r.Bad(rec, false, fault.New(fault.Invalid, "jan-not-a-message", "Line {at} of {name} is not a message of Jan and was left out."))
			return nil
		}
		// Without an id people may have said it twice.
		if importer.TextIn(rec.Raw, "id") != "" && !seen.Add(string(rec.Raw)) {
			r.Sink.Skipped("duplicate")
			return nil
		}
		sum.Write(rec.Raw)
		rows = append(rows, rec.Raw)
		size.Hold(len(rec.Raw))
		return nil
	}
	if err := r.Lines(f, r.Within(&size, take, func() { rows = nil })); err != nil || len(rows) == 0 {
		return err
	}
	native := importer.FirstOf(importer.TextIn(rows[0], "thread_id"), importer.TextIn(thread, "id"), path.Base(folderOf(f)))
	d, ok := r.Begin(platform, native, [32]byte(sum.Sum(nil)), f)
	if !ok {
		return nil
	}
	d.Title = importer.Line(importer.FirstOf(importer.TextIn(thread, "title"), importer.TextIn(jsonstream.Member(thread, "metadata"), "title")))
	d.Temporal.CreatedAt, d.Temporal.UpdatedAt = importer.TimeIn(thread, "created"), importer.TimeIn(thread, "updated")
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
		ID: importer.TextIn(v, "id"), ProviderMessageID: importer.TextIn(v, "id"), Role: r.Role(v, roles),
		CreatedAt:   importer.TimeIn(v, "created_at"),
		RawMetadata: importer.Rest(v, "id", "object", "thread_id", "role", "content", "created_at"),
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
		d.Messages = append(d.Messages, importer.Thought(m, strings.Join(thought, "\n\n")))
	}
	d.Messages = append(d.Messages, m)
	return nil
}

func toolCall(part jsontext.Value) memory.ToolCall {
	return memory.ToolCall{ID: importer.TextIn(part, "tool_call_id"), Name: importer.FirstOf(importer.TextIn(part, "tool_name"), "tool"),
		Input: importer.CallInput(jsonstream.Member(part, "input")), Output: importer.TextIn(part, "output")}
}
