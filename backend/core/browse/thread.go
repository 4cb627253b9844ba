package browse

import (
	"context"
	"fmt"
	"slices"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Thread returns the path of a conversation through the message leaf, first to last. After
// leaf, it follows the path that the provider marked as current, or the newest messages. An
// empty leaf selects the current path.
func (s *Service) Thread(ctx context.Context, id, leaf string, offset, limit int) (Thread, error) {
	var t Thread
	err := s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) error {
		g, row, err := graphIn(v, tx, id)
		if err != nil {
			return err
		}
		path, err := g.path(leaf)
		if err != nil {
			return err
		}
		if row != nil {
			t.Head = row.ConversationHead
		}
		v.Rows.RLock()
		derived := v.Rows.MemoriesOf(id)
		v.Rows.RUnlock()
		from, err := statements(tx, id, derived)
		if err != nil {
			return err
		}
		t.Total, t.Messages, t.Shared = len(path), []ThreadMessage{}, g.shared
		if tx.Has(vault.Conversations, g.continues.ConversationID) {
			t.Continues = g.continues
		}
		if t.At = -1; leaf != "" {
			t.At = slices.Index(path, g.at[leaf])
		}
		if len(path) > 0 {
			t.Leaf = g.nodes[path[len(path)-1]].id
		}
		for _, i := range path {
			if g.nodes[i].says {
				t.Said++
			}
		}
		shown := library.Page(path, offset, limit)
		said, err := messagesAt(tx, id, shown)
		if err != nil {
			return err
		}
		for k, m := range said {
			t.Messages = append(t.Messages, ThreadMessage{Message: m, Siblings: g.siblings(shown[k]), Memories: from[m.ID], Rating: ratingOf(m.RawMetadata)})
		}
		s.lib.NoteReading(v, library.LogRead, id)
		return nil
	})
	return t, err
}

// messagesAt reads the messages of a conversation at these positions, in their order.
func messagesAt(tx *vault.Tx, id string, positions []int) ([]memory.Message, error) {
	return Collect(messagesAlong(tx, id, positions), len(positions))
}

// messagesAlong streams the messages at these positions, in their order. It reads runs of
// consecutive positions at once, as most positions are consecutive.
func messagesAlong(tx *vault.Tx, id string, positions []int) Messages {
	return func(yield func(memory.Message, error) bool) {
		for next := 0; next < len(positions); {
			at := positions[next]
			for m, err := range tx.MessagesFrom(id, at) {
				if !yield(m, err) || err != nil {
					return
				}
				next, at = next+1, at+1
				if next == len(positions) || positions[next] != at {
					break
				}
			}
		}
	}
}

// MessagePart returns the whole text of one part of a message. Parts are numbered as in
// Thread, from 0: first those of the content (one if it is not multipart), then the
// input and the output of each tool call. There is no text ("") for an unknown part.
func (s *Service) MessagePart(ctx context.Context, id, message string, part int) (string, error) {
	var text string
	err := s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) error {
		g, _, err := graphIn(v, tx, id)
		if err != nil {
			return err
		}
		i, ok := g.at[message]
		if !ok {
			return errNoMessage(message)
		}
		said, err := messagesAt(tx, id, []int{i})
		if err != nil {
			return err
		}
		text = partText(&said[0], part)
		s.lib.NoteReading(v, library.LogRead, id)
		return nil
	})
	return text, err
}

func partText(m *memory.Message, part int) string {
	var texts []string
	switch c := m.Content; {
	case c == nil:
	case c.Type == "multipart":
		for _, p := range c.Parts {
			texts = append(texts, p.Text)
		}
	default:
		texts = append(texts, c.Text)
	}
	for _, call := range m.ToolCalls {
		texts = append(texts, call.InputText(), call.Output)
	}
	if part < 0 || part >= len(texts) {
		return ""
	}
	return texts[part]
}

func errNoMessage(id string) error {
	return fault.New(fault.NotFound, "no-message", "This conversation has no message with the id {id}.").With("id", rows.ShortID(id))
}

// statements maps ids of a conversation's messages to ids of the memories stated in them.
func statements(tx *vault.Tx, conversation string, memories []string) (map[string][]string, error) {
	from := map[string][]string{}
	for _, id := range memories {
		m, ok, err := rows.LoadMemory(tx, id)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		for _, src := range m.Side.Sources {
			if src.ConversationRef == conversation && src.MessageRef != "" && !slices.Contains(from[src.MessageRef], id) {
				from[src.MessageRef] = append(from[src.MessageRef], id)
			}
		}
	}
	return from, nil
}

// graph is the structure of a conversation without its texts: the links of each message
// to its parent and children. It tolerates cycles, orphans and missing parents.
type graph struct {
	nodes     []node
	at        map[string]int
	children  [][]int
	roots     []int
	active    []int // positions of the messages on the path that the provider marked as current
	isActive  []bool
	shared    []string          // as Thread.Shared
	continues library.Continued // as Thread.Continues, but set even if the vault lacks that conversation
}

// node is a message in the graph of a conversation.
type node struct {
	id     string
	parent int // position of the parent; -1: a root
	said   memory.Time
	says   bool // the message is not empty
}

// graphIn returns the graph of a conversation, from the cache if possible: a conversation
// may have hundreds of thousands of messages. row is the conversation's row, whose mark
// (new after each change) is part of the cache key; nil if there is no row.
func graphIn(v *library.Session, tx *vault.Tx, id string) (g *graph, row *rows.Conversation, err error) {
	row, err = v.Row(tx, id)
	if err != nil {
		return nil, nil, err
	}
	read := func() (*graph, error) { return readGraph(tx, id) }
	if row == nil {
		g, err = read()
		return g, nil, err
	}
	question := fmt.Sprintf("%s %d", id, row.Mark) // Mark names the version that tx sees; v.Rows.Version may be newer
	g, err = library.Kept[answers](v).graphs.GetOr(question, v.Rows.Version(), read)
	return g, row, err
}

func readGraph(tx *vault.Tx, id string) (*graph, error) {
	head, err := NeedHead(tx, id)
	if err != nil {
		return nil, err
	}
	n := head.MessageCount
	g := &graph{nodes: make([]node, 0, n), at: make(map[string]int, n)}
	parents := make([]string, 0, n)
	links := newLinks(head.RawMetadata)
	for m, err := range tx.Messages(id) {
		if err != nil {
			return nil, err
		}
		g.at[m.ID] = len(g.nodes)
		g.nodes = append(g.nodes, node{m.ID, -1, m.CreatedAt, !m.IsEmpty()})
		parents = append(parents, m.ParentID)
		links.of(&m)
	}
	g.shared, g.continues = links.all, ContinuedOf(head.RawMetadata)
	g.join(parents)
	g.active = g.up(head.Leaf)
	g.isActive = make([]bool, len(g.nodes))
	for _, i := range g.active {
		g.isActive[i] = true
	}
	return g, nil
}

// join links each message to its parent and children. A message without a known parent
// becomes a root.
func (g *graph) join(parents []string) {
	g.children = make([][]int, len(g.nodes))
	for i, parent := range parents {
		p, ok := g.at[parent]
		if !ok || p == i {
			g.roots = append(g.roots, i)
			continue
		}
		g.nodes[i].parent = p
		g.children[p] = append(g.children[p], i)
	}
}

// up returns the path from the root to a message. It stops if the parents form a cycle.
func (g *graph) up(id string) []int {
	i, ok := g.at[id]
	seen := make([]bool, len(g.nodes))
	var path []int
	for ok && i >= 0 && !seen[i] {
		seen[i] = true
		path = append(path, i)
		i = g.nodes[i].parent
	}
	slices.Reverse(path)
	return path
}

// path returns the positions of the messages on the path through leaf, from the root to
// an end; the current path if leaf is "".
func (g *graph) path(leaf string) ([]int, error) {
	if leaf == "" {
		return g.active, nil
	}
	if _, ok := g.at[leaf]; !ok {
		return nil, errNoMessage(leaf)
	}
	path := g.up(leaf)
	seen := make([]bool, len(g.nodes))
	for _, i := range path {
		seen[i] = true
	}
	for i := path[len(path)-1]; ; {
		next := g.onward(i)
		if next < 0 || seen[next] {
			return path, nil
		}
		seen[next] = true
		path = append(path, next)
		i = next
	}
}

// onward returns the child with which a path continues: the one on the current path, or
// the newest; -1 if there is none.
func (g *graph) onward(i int) int {
	next := -1
	for _, child := range g.children[i] {
		if g.isActive[child] {
			return child
		}
		if next < 0 || g.nodes[child].said.Compare(g.nodes[next].said) >= 0 {
			next = child
		}
	}
	return next
}

// siblings returns the ids of all children of the parent of message i, also its own; empty
// if it is the only one.
func (g *graph) siblings(i int) []string {
	all := g.roots
	if p := g.nodes[i].parent; p >= 0 {
		all = g.children[p]
	}
	if len(all) < 2 {
		return []string{}
	}
	ids := make([]string, len(all))
	for k, sibling := range all {
		ids[k] = g.nodes[sibling].id
	}
	return ids
}
