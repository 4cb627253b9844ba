package claude

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/memory"
)

// graph joins the messages of one conversation.
type graph struct {
	c      *memory.Conversation
	last   map[string]bool           // ids that replies may hang below
	order  []string                  // the same, in the export's order
	linked bool                      // some message names its parent
	pages  map[string]*importer.Page // the documents as a message leaves them, by its id
}

// parentOf is the message that m hangs below.
func (g *graph) parentOf(m wireMessage) string {
	if !m.linked && len(g.order) > 0 {
		return g.order[len(g.order)-1] // old exports: a chain in order
	}
	return m.parent
}

// add appends the runs of one message, each below the one before.
func (g *graph) add(m wireMessage, role memory.Role, runs []*run) {
	parent := g.parentOf(m)
	g.linked = g.linked || m.linked
	for i, run := range runs {
		msg := run.message(role)
		msg.ID, msg.ProviderMessageID = m.uuid, m.uuid
		msg.CreatedAt, msg.ParentID = m.created, parent
		if i < len(runs)-1 {
			msg.ID = m.uuid + "#" + strconv.Itoa(i+1)
		}
		parent = msg.ID
		g.c.Messages = append(g.c.Messages, msg)
	}
	g.last[m.uuid] = true
	g.order = append(g.order, m.uuid)
}

// join cuts what is no tree, fills children_ids and finds the leaf: the one
// the export names, else the last message.
func (g *graph) join(leaf string) {
	messages := g.c.Messages
	at := make(map[string]int, len(messages))
	for i := range messages {
		at[messages[i].ID] = i
	}
	for i := range messages {
		if p := messages[i].ParentID; p != "" {
			if _, ok := at[p]; !ok || p == messages[i].ID {
				cut(&messages[i])
			}
		}
	}
	cutCycles(messages, at)
	for i := range messages {
		if p, ok := at[messages[i].ParentID]; ok {
			messages[p].ChildrenIDs = append(messages[p].ChildrenIDs, messages[i].ID)
		}
	}
	switch {
	case g.last[leaf]:
		g.c.Leaf = leaf
	case len(g.order) > 0:
		g.c.Leaf = g.order[len(g.order)-1]
	}
}

// cut makes a message a root, and keeps what it named as its parent.
func cut(m *memory.Message) {
	if m.RawMetadata == nil {
		m.RawMetadata = memory.RawMetadata{}
	}
	quoted, _ := jsontext.AppendQuote(nil, m.ParentID)
	keep(m.RawMetadata, "parent_message_uuid", quoted)
	m.ParentID = ""
}

// cutCycles walks up from every message once; a walk that meets itself is cut
// where it began to repeat.
func cutCycles(messages []memory.Message, at map[string]int) {
	walk := make([]int, len(messages)) // 0 not seen, else the number of the walk
	for start := range messages {
		for i := start; walk[i] == 0; {
			walk[i] = start + 1
			p, ok := at[messages[i].ParentID]
			if !ok {
				break
			}
			if walk[p] == start+1 {
				cut(&messages[i])
				break
			}
			i = p
		}
	}
}

// version says how the export joins messages.
func (g *graph) version() string {
	if g.linked {
		return "tree"
	}
	return "chain"
}
