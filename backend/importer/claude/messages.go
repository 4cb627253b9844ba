package claude

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/memory"
)

// role translates the sender. One that is new is kept and counted; it is
// neither the person's nor the assistant's words.
func (r *reading) role(m wireMessage) memory.Role {
	switch m.sender {
	case "human", "user":
		return memory.User
	case "assistant":
		return memory.Assistant
	case "system", "tool":
		return memory.Role(m.sender)
	}
	r.unknown("sender", m.sender)
	quoted, _ := jsontext.AppendQuote(nil, m.sender)
	keep(m.raw, "sender", quoted)
	return memory.System
}

// unknown counts something not understood, by a name that is safe to show.
func (r *reading) unknown(what, name string) {
	r.sink.Unknown(what + ":" + kindName(name))
}

// kindName is a kind as a report may show it: it comes from the file, and what
// does not look like a kind is not repeated.
func kindName(s string) string {
	odd := func(c rune) bool {
		return c != '_' && c != '-' && c != '.' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
	}
	if s == "" || len(s) > 40 || strings.ContainsFunc(s, odd) {
		return "other"
	}
	return s
}

// thread translates the messages and joins them to a graph.
func (r *reading) thread(d *importer.ConversationDraft, list jsontext.Value, leaf string) error {
	c := &d.Conversation
	g := graph{c: c, last: map[string]bool{}, pages: map[string]*importer.Page{}}
	editor := &importer.Editor{}
	for n, v := range importer.Items(list) {
		if v.Kind() != '{' {
			r.unknown("message", v.Kind().String())
			keep(c.RawMetadata, fmt.Sprintf("chat_messages_%d", n), importer.Keep(v))
			continue
		}
		m := r.message(v)
		m.uuid = g.free(m.uuid, c, n)
		runs, page, err := r.runs(m, g.pages[g.parentOf(m)], editor)
		if err != nil {
			return err
		}
		g.pages[m.uuid] = page
		g.add(m, r.role(m), runs)
	}
	g.join(leaf)
	c.Provider.ExportFormatVersion = g.version()
	d.TimeSource = date(c)
	return nil
}

// date fills the conversation's own time from its messages where it is unknown,
// and says so.
func date(c *memory.Conversation) string {
	if !c.Temporal.CreatedAt.IsZero() {
		return ""
	}
	for _, m := range c.Messages {
		first := c.Temporal.CreatedAt
		if !m.CreatedAt.IsZero() && (first.IsZero() || m.CreatedAt.Compare(first) < 0) {
			c.Temporal.CreatedAt = m.CreatedAt
		}
	}
	if c.Temporal.CreatedAt.IsZero() {
		return "none"
	}
	return "message"
}

// free is an id for a message that no other of the conversation has.
func (g *graph) free(uuid string, c *memory.Conversation, n int) string {
	if uuid == "" {
		uuid = importer.ConversationID(c.ID, strconv.Itoa(n))
	}
	for id, i := uuid, 2; ; i++ {
		if !g.last[id] {
			return id
		}
		id = uuid + "~" + strconv.Itoa(i)
	}
}
