package claude

import (
	"fmt"
	"iter"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
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
	r.Sink.Unknown("sender:" + m.sender)
	quoted, _ := jsontext.AppendQuote(nil, m.sender)
	importer.KeepRaw(&m.raw, "sender", quoted)
	return memory.System
}

// thread translates the messages and joins them to a graph. Those that stand in pieces
// are not to be kept in memory by the draft.
func (r *reading) thread(d *importer.ConversationDraft, list iter.Seq2[int, jsontext.Value], leaf string, inPieces bool) error {
	c := &d.Conversation
	g := graph{c: c, last: map[string]bool{}, pages: map[string]*importer.Page{}, inPieces: inPieces}
	editor := &importer.Editor{}
	for n, v := range list {
		if v.Kind() != '{' {
			r.Sink.Unknown("message:" + v.Kind().String())
			importer.KeepRaw(&c.RawMetadata, fmt.Sprintf("chat_messages_%d", n), jsonstream.Keep(slices.Clone(v)))
			continue
		}
		m := r.message(v)
		m.uuid = g.free(m.uuid, c, n)
		runs, page, err := r.runs(m, g.pages[g.parentOf(m)], editor)
		if err != nil {
			return err
		}
		if page != nil {
			g.pages[m.uuid] = page
		}
		g.add(m, r.role(m), runs)
	}
	if c.Provider.ExportFormatVersion = "chain"; g.linked {
		c.Provider.ExportFormatVersion = "tree"
	}
	importer.Join(c, leaf, "parent_message_uuid")
	importer.Dates(d)
	return nil
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
