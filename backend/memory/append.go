package memory

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// AppendMessage appends m as one line of JSON, for Lines to read. It is as
// encoding/json would write it but for three things: what follows from the
// messages before and after it, nil at an end, is left out; characters that only
// HTML needs escaped are not; and raw members keep their own white space. It is
// a fifth of the work, and an import writes nothing as often.
func AppendMessage(dst []byte, m, before, after *Message) ([]byte, error) {
	w := writer{out: append(dst, '{')}
	w.name("id").text(m.ID)
	if m.ProviderMessageID != m.ID {
		w.name("provider_message_id").text(m.ProviderMessageID)
	}
	w.name("role").text(string(m.Role))
	w.name("created_at").time(m.CreatedAt)
	if m.Content != nil {
		w.name("content").content(m.Content)
	}
	if m.ParentID != followingParent(before) {
		w.name("parent_id").text(m.ParentID)
	}
	if !follows(m.ChildrenIDs, m, after) {
		w.name("children_ids")
		items(&w, m.ChildrenIDs, func(id *string) { w.text(*id) })
	}
	w.optional("model", m.Model)
	if m.IsThought {
		w.name("is_thought").raw("true")
	}
	if m.TokenCount != nil {
		w.name("token_count").int(int64(*m.TokenCount))
	}
	list(&w, "attachments", m.Attachments, w.attachment)
	list(&w, "citations", m.Citations, w.citation)
	list(&w, "tool_calls", m.ToolCalls, w.call)
	w.members("raw_metadata", m.RawMetadata)
	return append(w.out, '}'), w.failed
}

// AppendHead appends what is known of a conversation beside its id, its messages and
// its leaf, as one line of JSON of the kind that AppendMessage writes.
func AppendHead(dst []byte, c *Conversation) ([]byte, error) {
	w := writer{out: append(dst, '{')}
	w.name("provider").provider(&c.Provider)
	w.optional("title", c.Title)
	list(&w, "participants", c.Participants, w.participant)
	w.optional("model", c.Model)
	w.optional("system_instruction", c.SystemInstruction)
	if c.IsArchived {
		w.name("is_archived").raw("true")
	}
	list(&w, "tags", c.Tags, func(tag *string) { w.text(*tag) })
	w.name("temporal").raw("{")
	w.name("created_at").time(c.Temporal.CreatedAt)
	w.known("updated_at", c.Temporal.UpdatedAt)
	w.raw("}")
	if c.ImportMetadata != nil {
		w.name("import_metadata").origin(c.ImportMetadata)
	}
	w.members("raw_metadata", c.RawMetadata)
	return append(w.out, '}'), w.failed
}

// writer appends JSON. What is broken in it is the first raw value that was
// none.
type writer struct {
	out    []byte
	failed error
}

// name begins a member of the object under way.
func (w *writer) name(name string) *writer {
	if last := w.out[len(w.out)-1]; last != '{' {
		w.out = append(w.out, ',')
	}
	w.out = append(append(append(w.out, '"'), name...), '"', ':')
	return w
}

func (w *writer) raw(s string) { w.out = append(w.out, s...) }
func (w *writer) int(n int64)  { w.out = strconv.AppendInt(w.out, n, 10) }

func (w *writer) optional(name, text string) {
	if text != "" {
		w.name(name).text(text)
	}
}

func (w *writer) time(t Time) {
	if t.IsZero() {
		w.raw("null")
		return
	}
	w.out = append(t.append(append(w.out, '"')), '"')
}

// known appends a time unless it is unknown.
func (w *writer) known(name string, t Time) {
	if !t.IsZero() {
		w.name(name).time(t)
	}
}

// list appends a member that is an array, unless there is nothing in it.
func list[T any](w *writer, name string, all []T, each func(*T)) {
	if len(all) > 0 {
		w.name(name)
		items(w, all, each)
	}
}

// items appends an array.
func items[T any](w *writer, all []T, each func(*T)) {
	w.raw("[")
	for i := range all {
		if i > 0 {
			w.raw(",")
		}
		each(&all[i])
	}
	w.raw("]")
}

func (w *writer) provider(p *Provider) {
	w.raw("{")
	w.name("name").text(p.Name)
	w.optional("conversation_id", p.ConversationID)
	w.optional("account_id", p.AccountID)
	w.optional("export_format_version", p.ExportFormatVersion)
	w.raw("}")
}

func (w *writer) participant(p *Participant) {
	w.raw("{")
	w.name("role").text(string(p.Role))
	w.optional("name", p.Name)
	w.optional("provider_id", p.ProviderID)
	w.raw("}")
}

func (w *writer) origin(m *ImportMetadata) {
	w.raw("{")
	w.optional("importer", m.Importer)
	w.optional("importer_version", m.ImporterVersion)
	w.known("imported_at", m.ImportedAt)
	w.optional("source_file", m.SourceFile)
	w.optional("source_checksum", m.SourceChecksum)
	w.raw("}")
}

func (w *writer) content(c *Content) {
	w.raw("{")
	w.name("type").text(c.Type)
	w.optional("text", c.Text)
	list(w, "parts", c.Parts, func(p *Part) {
		w.raw("{")
		w.name("type").text(p.Type)
		w.optional("text", p.Text)
		w.optional("language", p.Language)
		w.optional("mime_type", p.MIMEType)
		w.optional("ref", p.Ref)
		w.raw("}")
	})
	w.raw("}")
}

func (w *writer) attachment(a *Attachment) {
	w.raw("{")
	w.name("type").text(a.Type)
	w.optional("name", a.Name)
	w.optional("mime_type", a.MIMEType)
	if a.SizeBytes != nil {
		w.name("size_bytes").int(*a.SizeBytes)
	}
	w.optional("ref", a.Ref)
	w.optional("provider_id", a.ProviderID)
	w.raw("}")
}

func (w *writer) citation(c *Citation) {
	w.raw("{")
	w.optional("title", c.Title)
	w.optional("url", c.URL)
	w.optional("snippet", c.Snippet)
	w.raw("}")
}

func (w *writer) call(c *ToolCall) {
	w.raw("{")
	w.optional("id", c.ID)
	w.name("name").text(c.Name)
	if len(c.Input) > 0 {
		w.name("input")
		from := len(w.out)
		w.value(c.Input)
		w.oneLine(from)
	}
	w.optional("output", c.Output)
	w.raw("}")
}

func (w *writer) members(name string, all RawMetadata) {
	if len(all) == 0 {
		return
	}
	w.name(name)
	from := len(w.out)
	w.raw("{")
	var few [16]string // most have no more, and need no memory
	keys := few[:0]
	for key := range all {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for i, key := range keys {
		if i > 0 {
			w.raw(",")
		}
		w.text(key)
		w.raw(":")
		w.value(all[key])
	}
	w.raw("}")
	w.oneLine(from)
}

// value appends raw JSON.
func (w *writer) value(v json.RawMessage) {
	if len(v) == 0 {
		w.raw("null")
		return
	}
	w.out = append(w.out, v...)
}

// oneLine makes the JSON behind from compact where it holds a line feed: a message is
// one line.
func (w *writer) oneLine(from int) {
	if bytes.IndexByte(w.out[from:], '\n') < 0 {
		return
	}
	var flat bytes.Buffer
	if err := json.Compact(&flat, w.out[from:]); err != nil && w.failed == nil {
		w.failed = err
	}
	w.out = append(w.out[:from], flat.Bytes()...)
}

// text appends a JSON string; bytes that are no UTF-8 become U+FFFD, escaped.
func (w *writer) text(s string) {
	out, err := jsontext.AppendQuote(w.out, s)
	if err != nil { // such bytes: jsontext would not escape U+FFFD
		var text bytes.Buffer
		enc := json.NewEncoder(&text)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(s) // a string and a buffer: no error
		out = append(w.out, bytes.TrimSuffix(text.Bytes(), []byte("\n"))...)
	}
	w.out = out
}
