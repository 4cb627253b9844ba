package chatgpt

import (
	"cmp"
	"context"
	"encoding/hex"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

// talk is one conversation while it is translated.
type talk struct {
	wire       wireConversation
	ends       jsonstream.Ends // of what wire lies in
	inPieces   bool            // its nodes came in pieces, and are let go of one by one
	graph      *graph
	message    wireMessage // the one that is translated now
	children   []string    // ids of children, of all messages in one list
	statements []said
	calls      map[int]memory.ToolCall // that a node makes or answers
	pages      []*importer.Page        // that each node leaves in the canvas
	editor     importer.Editor
	reports    map[int]*report // of nodes
	owner      importer.Owner
}

// take adds the nodes of a piece of the mapping.
func (t *talk) take(piece jsontext.Value) {
	t.inPieces = true
	from := len(t.wire.nodes)
	names.Fill(piece, jsonstream.Ends{}, &t.wire.nodes)
	for i := range t.wire.nodes[from:] {
		t.wire.nodes[from+i].own()
	}
}

// said is a statement and when its message was seen.
type said struct {
	statement
	seen memory.Time
}

// listen takes the explicit memories out of a message. It looks at what was
// written, before private marks are taken out.
func (t *talk) listen(w *wireMessage, b *body, m *memory.Message) {
	if jsonstream.Says(w.Recipient, "bio") && m.Role == memory.Assistant {
		t.note(m.CreatedAt, bioStatements(m.ID, b.raw(), m.CreatedAt)...)
	}
	if b.hidden == hiddenContext {
		c := &w.content
		t.note(m.CreatedAt, snapshotStatements(m.ID, text(c.ModelSetContext))...)
		t.note(m.CreatedAt, profileStatements(m.ID, text(c.UserProfile), m.CreatedAt)...)
		t.note(m.CreatedAt, instructionStatements(m.ID, text(c.Instructions), m.CreatedAt)...)
	}
	about := w.meta.UserContext
	t.note(m.CreatedAt, profileStatements(m.ID, importer.TextIn(about, "about_user_message"), m.CreatedAt)...)
	t.note(m.CreatedAt, instructionStatements(m.ID, importer.TextIn(about, "about_model_message"), m.CreatedAt)...)
}

// pair notes a call, and tells an answer which one it belongs to: the one it
// hangs on, through other answers to it.
func (t *talk) pair(n *node, m *memory.Message) {
	call, answers := t.calls[n.parent]
	switch {
	case m.Role == memory.Assistant && len(m.ToolCalls) > 0:
		call = m.ToolCalls[0]
	case m.Role == memory.Tool && answers:
		m.ToolCalls = []memory.ToolCall{{ID: call.ID, Name: call.Name}}
	default:
		return
	}
	if t.calls == nil {
		t.calls = map[int]memory.ToolCall{}
	}
	t.calls[t.graph.at[n.id]] = call
}

func (t *talk) note(seen memory.Time, all ...statement) {
	for _, s := range all {
		t.statements = append(t.statements, said{s, seen})
	}
}

// nativeOf is the provider's id of a conversation. One without any is known
// by its time, its title and its first message.
func (t *talk) nativeOf() string {
	if id := cmp.Or(text(t.wire.ConversationID), text(t.wire.ID)); id != "" {
		return id
	}
	first := ""
	at := t.graph.earliest()
	for _, n := range t.graph.nodes {
		if n.wire.isSpoken() && (first == "" || n.wire.at().Equal(at.Time) && n.id < first) {
			first = n.id
		}
	}
	sum := importer.Sum([]byte(string(t.wire.CreateTime) + "\x00" + text(t.wire.Title) + "\x00" + first))
	return "unnamed-" + hex.EncodeToString(sum[:12])
}

// draft translates a whole conversation.
func (r *reader) draft(ctx context.Context, t *talk, from source) (importer.ConversationDraft, error) {
	w := &t.wire
	native := t.nativeOf()
	d := importer.ConversationDraft{Conversation: memory.Conversation{
		ID:         importer.ConversationID(platform, native),
		Provider:   memory.Provider{Name: platform, ConversationID: native, AccountID: from.account, ExportFormatVersion: from.format},
		Title:      importer.Line(text(w.Title)),
		Model:      text(w.Model),
		IsArchived: jsonstream.True(w.IsArchived),
		Leaf:       t.graph.leaf(text(w.CurrentNode)),
	}, File: from.file.Base()}
	d.Temporal.CreatedAt, d.Temporal.UpdatedAt = moment(w.CreateTime), moment(w.UpdateTime)
	if d.Temporal.CreatedAt.IsZero() {
		d.Temporal.CreatedAt, d.TimeSource = t.graph.earliest(), "message"
	}
	if d.Temporal.CreatedAt.IsZero() {
		d.TimeSource = "none"
	}
	d.RawMetadata = w.keep(&d.Conversation)
	d.Messages = make([]memory.Message, 0, len(t.graph.nodes))
	t.children = make([]string, 0, len(t.graph.nodes))
	t.reports = r.reports(t)
	for _, n := range t.graph.walk() {
		m, err := r.message(ctx, t.graph, n, t)
		if err != nil {
			return d, err
		}
		if t.inPieces {
			t.owner.Own(&m)
			*n.wire = wireNode{}
		}
		d.Messages = append(d.Messages, m)
	}
	if d.Model == "" {
		d.Model = lastModel(d.ActivePath())
	}
	return d, nil
}

// keep is what of a conversation was not translated, or not exactly.
func (w *wireConversation) keep(c *memory.Conversation) memory.RawMetadata {
	raw := memory.RawMetadata{}
	w.into(raw)
	for name, f := range map[string]struct {
		value jsontext.Value
		said  bool // by the translation, exactly
	}{
		"id":                 {w.ID, jsonstream.Says(w.ID, c.Provider.ConversationID)},
		"conversation_id":    {w.ConversationID, jsonstream.Says(w.ConversationID, c.Provider.ConversationID)},
		"title":              {w.Title, jsonstream.Says(w.Title, c.Title)},
		"create_time":        {w.CreateTime, !moment(w.CreateTime).IsZero()},
		"update_time":        {w.UpdateTime, !moment(w.UpdateTime).IsZero()},
		"current_node":       {w.CurrentNode, jsonstream.Says(w.CurrentNode, c.Leaf)},
		"default_model_slug": {w.Model, jsonstream.Says(w.Model, c.Model)},
		"is_archived":        {w.IsArchived, w.IsArchived.Kind() == 't' || w.IsArchived.Kind() == 'f'},
		"is_do_not_remember": {w.DoNotRemember, false},
	} {
		if !f.said && !importer.IsNothing(f.value) {
			raw[name] = keep(f.value)
		}
	}
	if len(raw) == 0 {
		return nil
	}
	return raw
}

func lastModel(path []memory.Message) string {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i].Model != "" {
			return path[i].Model
		}
	}
	return ""
}
