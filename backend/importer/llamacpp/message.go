package llamacpp

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

func (r *reading) message(d *importer.ConversationDraft, v jsontext.Value) error {
	id := importer.TextIn(v, "id")
	m := memory.Message{
		ID: id, ProviderMessageID: id, ParentID: importer.TextIn(v, "parent"), Role: r.ChatRole(v), CreatedAt: importer.TimeIn(v, "timestamp"),
		RawMetadata: importer.Rest(v, "convId", "id", "parent", "children", "role", "content", "type", "timestamp", "thinking", "reasoningContent", "model", "toolCalls", "extra"),
	}
	if m.Role == memory.Assistant {
		m.Model = importer.TextIn(v, "model")
	}
	for _, c := range jsonstream.Items(listIn(jsonstream.Member(v, "toolCalls"))) {
		f := jsonstream.Member(c, "function")
		m.ToolCalls = append(m.ToolCalls, memory.ToolCall{ID: importer.TextIn(c, "id"), Name: importer.FirstOf(importer.TextIn(f, "name"), "tool"), Input: importer.CallInput(jsonstream.Member(f, "arguments"))})
	}
	s := &importer.Said{}
	s.Text(importer.TextIn(v, "content"))
	s.Thought(importer.FirstText(v, "thinking", "reasoningContent"))
	for _, e := range jsonstream.Items(jsonstream.Member(v, "extra")) {
		if err := r.attach(&m, s, e); err != nil {
			return err
		}
	}
	s.AddTo(d, m)
	return nil
}

// listIn is a list, also where it is written as a text.
func listIn(v jsontext.Value) jsontext.Value {
	if text, ok := jsonstream.Text(v); ok {
		v = jsontext.Value(strings.TrimSpace(text))
	}
	if v.IsValid() && v.Kind() == '[' {
		return v
	}
	return nil
}

// attach stores a file that a message holds.
func (r *reading) attach(m *memory.Message, s *importer.Said, v jsontext.Value) error {
	name := importer.TextIn(v, "name")
	var a memory.Attachment
	var err error
	switch kind := strings.ToLower(importer.TextIn(v, "type")); kind {
	case "textfile", "text", "context", "legacy_context":
		a, err = r.Store(importer.FirstOf(name, "text.txt"), "text/plain", []byte(importer.TextIn(v, "content")))
	case "imagefile", "image", "audiofile", "audio", "pdffile", "pdf":
		address := importer.TextIn(v, "base64Url")
		if data := importer.TextIn(v, "base64Data"); data != "" {
			address = "data:" + importer.FirstOf(importer.TextIn(v, "mimeType"), importer.MIMEType(nil, "", name)) + ";base64," + data
		}
		a, err = r.StoreURL(name, address)
	default:
		r.Sink.Unknown("extra:" + kind)
		s.Keep(v)
		return nil
	}
	m.Attachments = append(m.Attachments, a)
	return err
}
