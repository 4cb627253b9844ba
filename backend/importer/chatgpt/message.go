package chatgpt

import (
	"context"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/memory"
)

type wireAuthor struct {
	Role     jsontext.Value `json:"role"`
	Name     jsontext.Value `json:"name"`
	Metadata jsontext.Value `json:"metadata"`
	Rest     jsontext.Value `json:",embed"`
}

// roles that exports have had; "function" is what tools were called in 2023.
var roles = map[string]memory.Role{
	"user": memory.User, "assistant": memory.Assistant, "system": memory.System,
	"tool": memory.Tool, "function": memory.Tool,
}

// hiddenMember of a message's raw_metadata says why the site does not show it.
const hiddenMember = "keepsake_hidden"

// message translates one node. Explicit memories it states are added to the
// conversation's.
func (r *reader) message(ctx context.Context, g *graph, n *node, t *talk) (memory.Message, error) {
	m := memory.Message{ID: n.id, Role: memory.System, CreatedAt: n.at, RawMetadata: memory.RawMetadata{}}
	if n.parent != noParent {
		m.ParentID = g.nodes[n.parent].id
	}
	for _, c := range n.children {
		m.ChildrenIDs = append(m.ChildrenIDs, g.nodes[c].id)
	}
	n.keepNode(m.RawMetadata)
	if n.message == nil {
		m.RawMetadata[hiddenMember] = quoted(hiddenRoot)
		return m, nil
	}
	err := r.speech(ctx, n.message, &m, t)
	return m, err
}

// keepNode keeps what a node holds beside its message.
func (n *node) keepNode(raw memory.RawMetadata) {
	if n.odd {
		raw["parent"] = importer.Keep(n.wire.Parent)
	}
	if !isEmpty(n.wire.Rest) {
		raw["node"] = importer.Keep(n.wire.Rest)
	}
	if !isEmpty(n.wire.ID) && !says(n.wire.ID, n.id) {
		raw["node_id"] = importer.Keep(n.wire.ID)
	}
	if n.message == nil && !isEmpty(n.wire.Message) {
		raw["message"] = importer.Keep(n.wire.Message)
	}
}

// speech translates what was said.
func (r *reader) speech(ctx context.Context, w *wireMessage, m *memory.Message, t *talk) error {
	var meta wireMetadata
	decode(w.Metadata, &meta)
	b := readBody(w.Content)
	m.ProviderMessageID, m.Model, m.IsThought = text(w.ID), text(meta.Model), b.thought
	r.author(w, m)
	t.listen(w, &meta, &b, m)
	m.Citations = citations(&meta, b.cites)
	b.pointers = append(b.pointers, pointersOf(&meta)...)
	b.pointers = append(b.pointers, r.shelf.linked(m.ProviderMessageID, b.raw())...)
	if to := text(w.Recipient); to != "" && to != "all" && m.Role == memory.Assistant {
		m.ToolCalls = []memory.ToolCall{{ID: m.ProviderMessageID, Name: to, Input: toolInput(b.raw())}}
		b.exact = b.exact && len(b.parts) == 1 && b.parts[0].Language == ""
		b.parts, b.pointers = nil, detached(b.pointers)
	}
	if b.unknown != "" {
		r.sink.Unknown(b.unknown)
	}
	var err error
	if m.Attachments, err = r.attach(ctx, &b); err != nil {
		return err
	}
	m.Content = b.content(instead(&meta))
	w.keep(m, &meta, &b)
	return nil
}

// author reads the role; what else is known of the author is kept raw.
func (r *reader) author(w *wireMessage, m *memory.Message) {
	var a wireAuthor
	decode(w.Author, &a)
	role, known := roles[text(a.Role)]
	if !known {
		r.sink.Unknown("role:" + short(text(a.Role)))
		role = memory.Tool
	}
	m.Role = role
	if !known || text(a.Role) != string(role) || !isEmpty(a.Name) || !isEmpty(a.Metadata) || !isEmpty(a.Rest) {
		m.RawMetadata["author"] = keep(w.Author)
	}
}

// keep puts what was not translated into raw_metadata, verbatim.
func (w *wireMessage) keep(m *memory.Message, meta *wireMetadata, b *body) {
	raw := m.RawMetadata
	keepRaw(raw, w.Rest)
	for name, v := range map[string]jsontext.Value{"weight": w.Weight, "recipient": w.Recipient} {
		if v != nil {
			raw[name] = importer.Keep(v)
		}
	}
	if !isEmpty(w.Metadata) {
		raw["metadata"] = importer.Keep(w.Metadata)
	}
	if !b.exact && w.Content != nil {
		raw["content"] = importer.Keep(w.Content)
	}
	if !isEmpty(w.ID) && !says(w.ID, m.ProviderMessageID) {
		raw["id"] = importer.Keep(w.ID)
	}
	if m.CreatedAt.IsZero() && !isEmpty(w.CreateTime) && string(w.CreateTime) != "0" {
		raw["create_time"] = importer.Keep(w.CreateTime)
	}
	if why := hidden(w, meta, b, m.Role); why != "" {
		raw[hiddenMember] = quoted(why)
	}
	if len(raw) == 0 {
		m.RawMetadata = nil
	}
}

// hidden says why the site does not show a message, "" when it does.
func hidden(w *wireMessage, meta *wireMetadata, b *body, role memory.Role) string {
	weight, ok := importer.Number(w.Weight)
	switch {
	case b.hidden != "":
		return b.hidden
	case role == memory.System:
		return hiddenSystem
	case importer.True(meta.Hidden):
		return hiddenFlag
	case ok && weight == 0:
		return hiddenWeight
	}
	return ""
}

func detached(all []pointer) []pointer {
	for i := range all {
		all[i].part = -1
	}
	return all
}

// keep copies a value that may be absent.
func keep(v jsontext.Value) json.RawMessage {
	if v == nil {
		return json.RawMessage("null")
	}
	return importer.Keep(v)
}

// quoted makes JSON of one of our own words.
func quoted(word string) json.RawMessage { return json.RawMessage(`"` + word + `"`) }
