package claude

import (
	"strconv"

	"keepsake/backend/importer"
	"keepsake/backend/memory"
)

// graph joins the messages of one conversation.
type graph struct {
	c      *memory.Conversation
	last   map[string]bool           // ids that replies may hang below
	order  []string                  // the same, in the export's order
	linked bool                      // some message names its parent
	pages  map[string]*importer.Page // the documents as a message leaves them, by its id, where there are any

	inPieces bool // the text of the messages is let go of
	owner    importer.Owner
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
		if g.inPieces {
			g.owner.Own(&msg)
		}
		g.c.Messages = append(g.c.Messages, msg)
	}
	g.last[m.uuid] = true
	g.order = append(g.order, m.uuid)
}
