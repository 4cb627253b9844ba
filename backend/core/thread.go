package core

import (
	"context"
	"slices"

	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Thread is the path of a conversation that passes leaf, first to last. leaf
// may be any message: the path goes on from there to the end that the provider
// held for current, or to the newest. "" is the active path.
func (s *Service) Thread(ctx context.Context, id, leaf string, offset, limit int) (Thread, error) {
	var t Thread
	err := s.read(ctx, func(v *session, tx *vault.Tx) error {
		c, err := needConversation(tx, id)
		if err != nil {
			return err
		}
		g := newGraph(c)
		path, err := g.path(leaf)
		if err != nil {
			return err
		}
		if head, err := v.head(tx, id); err != nil {
			return err
		} else if head != nil {
			t.Head = *head
		}
		v.rows.mu.RLock()
		derived := v.rows.memoriesOf(id)
		v.rows.mu.RUnlock()
		from, err := statements(tx, id, derived)
		if err != nil {
			return err
		}
		t.Total, t.Messages, t.Shared = len(path), []ThreadMessage{}, sharedLinks(c)
		if len(path) > 0 {
			t.Leaf = c.Messages[path[len(path)-1]].ID
		}
		for _, i := range path {
			if !c.Messages[i].IsEmpty() {
				t.Said++
			}
		}
		for _, i := range window(path, offset, limit) {
			m := c.Messages[i]
			t.Messages = append(t.Messages, ThreadMessage{Message: m, Siblings: g.siblings(i), Memories: from[m.ID], Rating: ratingOf(m.RawMetadata)})
		}
		s.noteReading(v, logRead, id)
		return nil
	})
	return t, err
}

// MessagePart is the whole text of one part of a message, counted as Thread gives
// them: a message that is no multipart has one.
func (s *Service) MessagePart(ctx context.Context, id, message string, part int) (string, error) {
	var text string
	err := s.read(ctx, func(v *session, tx *vault.Tx) error {
		c, err := needConversation(tx, id)
		if err != nil {
			return err
		}
		i, ok := newGraph(c).at[message]
		if !ok {
			return errNoMessage(message)
		}
		text = partText(c.Messages[i].Content, part)
		s.noteReading(v, logRead, id)
		return nil
	})
	return text, err
}

func partText(c *memory.Content, part int) string {
	switch {
	case c == nil || part < 0:
		return ""
	case c.Type != "multipart" && part == 0:
		return c.Text
	case c.Type == "multipart" && part < len(c.Parts):
		return c.Parts[part].Text
	}
	return ""
}

func errNoMessage(id string) error {
	return fault.New(fault.NotFound, "no-message", "This conversation has no message with the id {id}.").With("id", shortID(id))
}

// statements maps messages of a conversation to the memories stated in them.
func statements(tx *vault.Tx, conversation string, memories []string) (map[string][]string, error) {
	from := map[string][]string{}
	for _, id := range memories {
		m, ok, err := load(tx, id)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		for _, src := range m.side.Sources {
			if src.ConversationRef == conversation && src.MessageRef != "" && !slices.Contains(from[src.MessageRef], id) {
				from[src.MessageRef] = append(from[src.MessageRef], id)
			}
		}
	}
	return from, nil
}

// graph is a conversation with its threads drawn both ways. Cycles, orphans
// and missing parents are survived.
type graph struct {
	c        *memory.Conversation
	at       map[string]int
	parent   []int // -1 = a root
	children [][]int
	roots    []int
	active   map[int]bool
}

func newGraph(c *memory.Conversation) *graph {
	n := len(c.Messages)
	g := &graph{c: c, at: make(map[string]int, n), parent: make([]int, n), children: make([][]int, n), active: map[int]bool{}}
	for i, m := range c.Messages {
		g.at[m.ID] = i
	}
	for i, m := range c.Messages {
		p, ok := g.at[m.ParentID]
		if !ok || p == i {
			g.parent[i] = -1
			g.roots = append(g.roots, i)
			continue
		}
		g.parent[i] = p
		g.children[p] = append(g.children[p], i)
	}
	for _, i := range g.up(c.Leaf) {
		g.active[i] = true
	}
	return g
}

// up walks from a message to its root; the walk ends where it would repeat.
func (g *graph) up(id string) []int {
	i, ok := g.at[id]
	seen := map[int]bool{}
	var path []int
	for ok && i >= 0 && !seen[i] {
		seen[i] = true
		path = append(path, i)
		i = g.parent[i]
	}
	slices.Reverse(path)
	return path
}

// path is the way that passes through leaf.
func (g *graph) path(leaf string) ([]int, error) {
	if leaf == "" {
		return g.up(g.c.Leaf), nil
	}
	if _, ok := g.at[leaf]; !ok {
		return nil, errNoMessage(leaf)
	}
	path := g.up(leaf)
	seen := map[int]bool{}
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

// onward is the child to go on with: the one on the active path, or the newest.
func (g *graph) onward(i int) int {
	next := -1
	for _, child := range g.children[i] {
		if g.active[child] {
			return child
		}
		if next < 0 || g.c.Messages[child].CreatedAt.Compare(g.c.Messages[next].CreatedAt) >= 0 {
			next = child
		}
	}
	return next
}

// siblings of a message, itself included, where there is a fork.
func (g *graph) siblings(i int) []string {
	all := g.roots
	if g.parent[i] >= 0 {
		all = g.children[g.parent[i]]
	}
	if len(all) < 2 {
		return []string{}
	}
	ids := make([]string, len(all))
	for k, sibling := range all {
		ids[k] = g.c.Messages[sibling].ID
	}
	return ids
}
