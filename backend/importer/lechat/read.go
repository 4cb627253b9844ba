package lechat

import (
	"context"
	"crypto/sha256"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// Read streams one chat after another.
func (Importer) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	s, err := look(ctx, tree, 0)
	if err != nil {
		return err
	}
	r := &reading{Reading: importer.NewReading(ctx, tree, sink), used: map[string]bool{}}
	for _, f := range s.Files[chat] {
		if err := r.chat(f); err != nil {
			return err
		}
	}
	for _, f := range s.Files[uploaded] {
		if !r.used[f.Path] {
			sink.Skipped("file-without-message")
		}
	}
	return r.ReadCut(s)
}

// reading is one run over one tree.
type reading struct {
	*importer.Reading
	used map[string]bool // paths of files that a message names
}

// chat gives the conversation that one file is.
func (r *reading) chat(f intake.File) error {
	var list []jsontext.Value
	id, whole, size := "", sha256.New(), 0
	err := r.Elements(f, func(it importer.Item) error {
		if it.Raw.Kind() != '{' {
			r.Sink.Unknown("record:" + it.Raw.Kind().String())
			return nil
		}
		if id == "" {
			id = importer.TextIn(it.Raw, "chatId")
		}
		if size += len(it.Raw); size > jsonstream.MaxElement {
			list = nil
			return nil
		}
		list = append(list, it.Raw)
		whole.Write(it.Raw)
		return nil
	})
	if err != nil {
		return err
	}
	if size > jsonstream.MaxElement {
		r.TooLarge(f, 1, true, jsonstream.MaxElement)
		return nil
	}
	if id == "" { // nothing that names its chat
		for range list {
			r.Sink.Unknown("record:message")
		}
		return nil
	}
	d, ok := r.Begin(platform, id, [32]byte(whole.Sum(nil)), f)
	if !ok {
		return nil
	}
	d.Provider.ExportFormatVersion = "export"
	if err := r.thread(d, f, list); err != nil {
		return err
	}
	return r.Sink.Conversation(r.Ctx, *d)
}

// thread chains the messages. One whose id stood before is another version: it
// hangs beside the earlier, and the chain goes on below it.
func (r *reading) thread(d *importer.ConversationDraft, f intake.File, list []jsontext.Value) error {
	if len(list) > 1 && at(list[0]).Compare(at(list[len(list)-1])) > 0 {
		slices.Reverse(list)
	}
	d.Messages = make([]memory.Message, 0, len(list))
	t := importer.NewThread(d)
	parents := map[string]string{}
	var owner importer.Owner
	for i, v := range list {
		m, err := r.message(f, v)
		if err != nil {
			return err
		}
		owner.Own(&m)
		list[i] = nil // of a long chat what was read twice would be much
		parent, again := parents[m.ID]
		if !again || m.ID == "" {
			parent = t.Last()
			parents[m.ID] = parent
		}
		m.ParentID = parent
		if d.Title == "" && m.Role == memory.User {
			d.Title = importer.TitleOf(m.Content.PlainText())
		}
		t.Add(m)
	}
	t.Join(t.Last(), "parent")
	return nil
}

func at(v jsontext.Value) memory.Time { return importer.When(importer.TextIn(v, "createdAt")) }

// message translates one message of the chat in that file.
func (r *reading) message(f intake.File, v jsontext.Value) (memory.Message, error) {
	m := memory.Message{ID: importer.TextIn(v, "id"), CreatedAt: at(v)}
	m.ProviderMessageID = m.ID
	r.role(&m, importer.TextIn(v, "role"))
	m.Model = importer.TextIn(v, "model")
	r.say(&m, v)
	importer.KeepOthers(&m.RawMetadata, v, "id", "chatId", "role", "createdAt", "content", "contentChunks", "model", "canvas", "files")
	if m.CreatedAt.IsZero() {
		importer.KeepText(&m.RawMetadata, "createdAt", importer.TextIn(v, "createdAt"))
	}
	return m, r.attach(&m, f, jsonstream.Member(v, "files"))
}

func (r *reading) role(m *memory.Message, role string) {
	switch role {
	case "user", "assistant", "system", "tool":
		m.Role = memory.Role(role)
	default:
		r.Sink.Unknown("role:" + role)
		importer.KeepText(&m.RawMetadata, "role", role)
		m.Role = memory.System
	}
}

// say fills in what a message says: its chunks where they hold text, its content
// where they do not, and canvases as code.
func (r *reading) say(m *memory.Message, v jsontext.Value) {
	text := r.chunks(m, jsonstream.Member(v, "contentChunks"))
	if text == "" {
		text = importer.TextIn(v, "content")
	}
	m.Content = importer.Words(text)
	var parts []memory.Part
	for _, canvas := range jsonstream.Items(jsonstream.Member(v, "canvas")) {
		if body := importer.FirstText(canvas, "content", "text", "code"); body != "" {
			parts = append(parts, memory.Part{Type: "code", Text: body, Language: importer.TextIn(canvas, "language")})
		}
	}
	if len(parts) > 0 {
		importer.KeepRaw(&m.RawMetadata, "canvas", jsonstream.Keep(jsonstream.Member(v, "canvas")))
		if text != "" {
			parts = append([]memory.Part{{Type: "text", Text: text}}, parts...)
		}
		m.Content = &memory.Content{Type: "multipart", Parts: parts}
	}
}

// chunks gives the text of a message's chunks; tools and sources go with the
// message, everything but text is kept as it was.
func (r *reading) chunks(m *memory.Message, list jsontext.Value) string {
	var text strings.Builder
	kept := false
	for _, c := range jsonstream.Items(list) {
		kind := importer.TextIn(c, "type")
		kept = kept || kind != "text"
		switch kind {
		case "text":
			text.WriteString(importer.TextIn(c, "text"))
		case "tool_call":
			r.tool(m, c)
		case "reference":
			r.cite(m, c)
		case "image_url", "file_reference", "custom_element":
		default:
			r.Sink.Unknown("chunk:" + kind)
		}
	}
	if kept {
		importer.KeepRaw(&m.RawMetadata, "contentChunks", jsonstream.Keep(list))
	}
	return text.String()
}

func (r *reading) tool(m *memory.Message, c jsontext.Value) {
	call := memory.ToolCall{ID: importer.FirstText(c, "id", "toolCallId"), Name: importer.FirstOf(importer.FirstText(c, "name", "toolName"), "tool"),
		Input: importer.CallInput(jsonstream.Member(c, "arguments")), Output: importer.FirstText(c, "output", "result")}
	if call.Input == nil {
		call.Input = importer.CallInput(jsonstream.Member(c, "input"))
	}
	m.ToolCalls = append(m.ToolCalls, call)
}

// cite takes the sources of a reference: one, or a list of them.
func (r *reading) cite(m *memory.Message, c jsontext.Value) {
	sources := []jsontext.Value{c}
	for _, v := range jsonstream.Items(jsonstream.Member(c, "references")) {
		sources = append(sources, v)
	}
	for _, v := range sources {
		m.Citations = importer.AddCitation(m.Citations, importer.TextIn(v, "title"), importer.TextIn(v, "url"), importer.FirstText(v, "description", "snippet"))
	}
}

// attach takes the files that lie beside the chat.
func (r *reading) attach(m *memory.Message, f intake.File, list jsontext.Value) error {
	for _, v := range jsonstream.Items(list) {
		name := importer.FirstText(v, "name", "fileName", "id")
		place := path.Join(strings.TrimSuffix(f.Path, path.Ext(f.Path))+"-files", path.Base("/"+name))
		held, ok := r.Tree.File(place)
		if !ok || name == "" {
			m.Attachments = append(m.Attachments, r.Absent(name))
			continue
		}
		r.used[place] = true
		a, err := r.Attach(held, name)
		if err != nil {
			return err
		}
		m.Attachments = append(m.Attachments, a)
	}
	return nil
}
