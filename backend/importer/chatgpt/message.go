package chatgpt

import (
	"context"
	"encoding/json"
	"slices"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

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
	m := memory.Message{ID: n.id, Role: memory.System, RawMetadata: memory.RawMetadata{}}
	if n.parent != noParent {
		m.ParentID = g.nodes[n.parent].id
	}
	m.ChildrenIDs = t.idsOf(n.children)
	n.keepNode(m.RawMetadata)
	t.inherit(n)
	if !n.wire.isSpoken() {
		m.RawMetadata[hiddenMember] = quoted(hiddenRoot)
		return m, nil
	}
	t.message.read(n.wire.Message, t.ends)
	m.CreatedAt = moment(t.message.CreateTime)
	err := r.speech(ctx, &t.message, &m, t)
	t.pair(n, &m)
	return m, err
}

// idsOf are the ids of nodes, nil for none.
func (t *talk) idsOf(nodes []int) []string {
	if len(nodes) == 0 {
		return nil
	}
	from := len(t.children)
	for _, i := range nodes {
		t.children = append(t.children, t.graph.nodes[i].id)
	}
	return slices.Clip(t.children[from:])
}

// keepNode keeps what a node holds beside its message.
func (n *node) keepNode(raw memory.RawMetadata) {
	if n.odd {
		raw["parent"] = keep(n.wire.Parent)
	}
	if more := n.wire.object(); more != nil {
		raw["node"] = more
	}
	if !importer.IsNothing(n.wire.ID) && !jsonstream.Says(n.wire.ID, n.id) {
		raw["node_id"] = keep(n.wire.ID)
	}
	if !n.wire.isSpoken() && !importer.IsNothing(n.wire.Message) {
		raw["message"] = keep(n.wire.Message)
	}
}

// speech translates what was said.
func (r *reader) speech(ctx context.Context, w *wireMessage, m *memory.Message, t *talk) error {
	meta := &w.meta
	b := readBody(w)
	m.ProviderMessageID, m.Model, m.IsThought = m.ID, text(meta.Model), b.thought
	if !jsonstream.Says(w.ID, m.ID) {
		m.ProviderMessageID = text(w.ID)
	}
	r.author(w, m)
	t.listen(w, &b, m)
	m.Citations = citations(meta, b.cites)
	b.pointers = append(b.pointers, pointersOf(meta)...)
	b.pointers = append(b.pointers, r.shelf.linked(m.ProviderMessageID, b.raw())...)
	b.pointers = append(b.pointers, r.shelf.pages(meta.Canvas)...)
	if to := word(w.Recipient); m.Role == memory.Assistant && to != "" && to != "all" {
		call := memory.ToolCall{ID: m.ProviderMessageID, Name: to, Input: toolInput(b.raw())}
		b.exact = b.exact && len(b.parts) == 1 && b.parts[0].Language == ""
		b.parts, b.pointers = nil, detached(b.pointers)
		if shown, rest, ok := r.document(t, t.graph.at[m.ID], call); ok {
			call.Input, b.parts, b.exact = rest, []memory.Part{shown}, false
		}
		m.ToolCalls = []memory.ToolCall{call}
	}
	if p := t.reports[t.graph.at[m.ID]]; p != nil {
		p.show(w, &b, m)
	}
	if b.unknown != "" {
		r.sink.Unknown(b.unknown)
	}
	var err error
	if m.Attachments, err = r.attach(ctx, &b); err != nil {
		return err
	}
	m.Content = b.content(instead(meta), m.Role == memory.Assistant)
	w.keep(m, &b)
	return nil
}

// author reads the role; what else is known of the author is kept raw.
func (r *reader) author(w *wireMessage, m *memory.Message) {
	a := &w.author
	said := word(a.Role)
	role, known := roles[said]
	if !known {
		r.sink.Unknown("role:" + said)
		role = memory.Tool
	}
	m.Role = role
	if !known || said != string(role) || !importer.IsNothing(a.Name) || !importer.IsNothing(a.Metadata) || len(a.rest) > 0 {
		m.RawMetadata["author"] = keep(w.Author)
	}
}

// keep puts what was not translated into raw_metadata, verbatim.
func (w *wireMessage) keep(m *memory.Message, b *body) {
	raw := m.RawMetadata
	w.into(raw)
	if w.Weight != nil {
		raw["weight"] = keep(w.Weight)
	}
	if w.Recipient != nil {
		raw["recipient"] = keep(w.Recipient)
	}
	if !importer.IsNothing(w.Metadata) {
		raw["metadata"] = keep(w.Metadata)
	}
	if !b.exact && w.Content != nil {
		raw["content"] = keep(w.Content)
	}
	if !importer.IsNothing(w.ID) && !jsonstream.Says(w.ID, m.ProviderMessageID) {
		raw["id"] = keep(w.ID)
	}
	if m.CreatedAt.IsZero() && !importer.IsNothing(w.CreateTime) && string(w.CreateTime) != "0" {
		raw["create_time"] = keep(w.CreateTime)
	}
	if why := hidden(w, b, m.Role); why != "" {
		raw[hiddenMember] = quoted(why)
	}
	if len(raw) == 0 {
		m.RawMetadata = nil
	}
}

// hidden says why the site does not show a message, "" when it does.
func hidden(w *wireMessage, b *body, role memory.Role) string {
	weight, ok := jsonstream.Number(w.Weight)
	switch {
	case b.answer:
		return ""
	case b.hidden != "":
		return b.hidden
	case role == memory.System:
		return hiddenSystem
	case jsonstream.True(w.meta.Hidden):
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

// quoted makes JSON of one of our own words.
func quoted(word string) json.RawMessage { return json.RawMessage(`"` + word + `"`) }
