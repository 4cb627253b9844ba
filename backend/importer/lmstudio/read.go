package lmstudio

import (
	"context"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// Read gives the conversation of each file.
func (Importer) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	r := &reading{importer.NewReading(ctx, tree, sink)}
	return r.JSONFiles(r.talk)
}

type reading struct{ *importer.Reading }

func (r *reading) talk(rec importer.Item) error {
	v := rec.Raw
	list := jsonstream.Member(v, "messages")
	if list.Kind() != '[' {
		r.Sink.OtherFile(rec.File) // the folder holds settings besides
		return nil
	}
	// The file has no id, but its name is its time of creation, which it holds.
	native := importer.FirstOf(string(jsonstream.Member(v, "createdAt")), "x-"+importer.Digest(importer.TextIn(v, "name"), string(list)))
	d, ok := r.Begin(platform, native, importer.Sum(rec.Raw), rec.File)
	if !ok {
		return nil
	}
	d.Title = importer.Line(importer.TextIn(v, "name"))
	d.SystemInstruction = importer.FirstOf(importer.TextIn(v, "systemPrompt"), systemPrompt(v))
	d.Temporal.CreatedAt = importer.TimeIn(v, "createdAt")
	d.RawMetadata = importer.Rest(v, "name", "messages", "createdAt", "systemPrompt")
	d.Messages = importer.Room(list)
	leaf := ""
	for i, place := range jsonstream.Items(list) {
		selected, _ := jsonstream.Number(jsonstream.Member(place, "currentlySelected"))
		below := leaf
		for k, version := range jsonstream.Items(jsonstream.Member(place, "versions")) {
			m := r.version(d, version, strconv.Itoa(i+1)+"."+strconv.Itoa(k+1), leaf)
			if k == 0 || k == int(selected) {
				below = m.ID
			}
			m.RawMetadata = importer.Rest(version, "role", "type", "content", "steps")
			d.Messages = append(d.Messages, m)
		}
		leaf = below
	}
	importer.Join(&d.Conversation, leaf, "parent")
	return r.Give(d)
}

// systemPrompt is where newer files keep it.
func systemPrompt(v jsontext.Value) string {
	for _, field := range jsonstream.Items(jsonstream.Member(jsonstream.Member(v, "perChatPredictionConfig"), "fields")) {
		if importer.TextIn(field, "key") == "llm.prediction.systemPrompt" {
			return importer.TextIn(field, "value")
		}
	}
	return ""
}

// version is a message; what it thought goes before it as one of its own.
func (r *reading) version(d *importer.ConversationDraft, v jsontext.Value, id, parent string) memory.Message {
	m := memory.Message{ID: id, Role: memory.User, ParentID: parent}
	switch importer.TextIn(v, "role") {
	case "assistant":
		m.Role = memory.Assistant
	case "system":
		m.Role = memory.System
	}
	var said, thought []string
	take := func(list jsontext.Value, isThought bool) {
		for _, part := range jsonstream.Items(list) {
			text := r.part(&m, part)
			switch {
			case text == "":
			case isThought:
				thought = append(thought, text)
			default:
				said = append(said, text)
			}
		}
	}
	take(jsonstream.Member(v, "content"), false)
	for _, step := range jsonstream.Items(jsonstream.Member(v, "steps")) {
		switch kind := importer.TextIn(step, "type"); kind {
		case "contentBlock":
			take(jsonstream.Member(step, "content"), importer.TextIn(jsonstream.Member(step, "style"), "type") == "thinking")
			m.Model = importer.FirstOf(m.Model, importer.TextIn(jsonstream.Member(step, "genInfo"), "identifier"))
		case "debugInfoBlock", "status", "toolStatus":
		default:
			r.Sink.Unknown("step:" + kind)
		}
	}
	m.Content = importer.PlainContent(strings.Join(said, "\n\n"))
	if len(thought) > 0 {
		t := importer.Thought(m, strings.Join(thought, "\n\n"))
		m.ParentID = t.ID
		d.Messages = append(d.Messages, t)
	}
	return m
}

// part is the text of one part; files and calls go into the message.
func (r *reading) part(m *memory.Message, v jsontext.Value) string {
	switch kind := importer.TextIn(v, "type"); kind {
	case "text":
		return importer.TextIn(v, "text")
	case "file":
		name := importer.FirstOf(importer.FirstText(v, "fileName", "fileIdentifier"), "file")
		a := memory.Attachment{Type: "file", Name: name, ProviderID: importer.TextIn(v, "fileIdentifier")}
		if importer.TextIn(v, "fileType") == "image" {
			a.Type = "image"
		}
		m.Attachments = append(m.Attachments, a)
		r.Sink.Missing(name)
	case "toolCallRequest":
		m.ToolCalls = append(m.ToolCalls, memory.ToolCall{ID: string(jsonstream.Member(v, "callId")), Name: importer.FirstOf(importer.TextIn(v, "name"), "tool"),
			Input: importer.CallInput(jsonstream.Member(v, "parameters"))})
	case "toolCallResult":
		id := string(jsonstream.Member(v, "toolCallId"))
		for i := range m.ToolCalls {
			if m.ToolCalls[i].ID == id || len(m.ToolCalls) == 1 {
				m.ToolCalls[i].Output = importer.FirstOf(importer.TextIn(v, "content"), string(jsonstream.Member(v, "content")))
			}
		}
	default:
		r.Sink.Unknown("content:" + kind)
	}
	return ""
}
