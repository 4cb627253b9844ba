package pam

import (
	"context"
	"io"
	"slices"
	"strconv"
	"strings"

	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

func opener(ctx context.Context, tree *intake.Tree, f intake.File) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return tree.Open(ctx, f) }
}

// oneLine is a title, which has one.
func oneLine(title string) string {
	return strings.Join(strings.FieldsFunc(title, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
}

// mend makes a graph of the messages that every walk can follow: each id once,
// parents that are there and lead to a root, children that agree with them, and
// a last message of the active path. A graph that is like that stays as it is.
func mend(c *memory.Conversation) {
	if c.Messages == nil {
		c.Messages = []memory.Message{}
	}
	at := number(c)
	if isFlat(c) {
		chain(c)
	}
	adopt(c, at)
	cutCircles(c, at)
	raise(c, at)
	if _, ok := at[c.Leaf]; !ok {
		c.Leaf = last(c)
	}
}

// number gives each message an id of its own and says where each stands.
func number(c *memory.Conversation) map[string]int {
	at := make(map[string]int, len(c.Messages))
	for i := range c.Messages {
		m := &c.Messages[i]
		id := m.ID
		for n := 2; ; n++ {
			if _, taken := at[m.ID]; !taken && m.ID != "" {
				break
			}
			m.ID = id + "#" + strconv.Itoa(n)
		}
		at[m.ID] = i
	}
	return at
}

// isFlat reports messages that only their order holds together.
func isFlat(c *memory.Conversation) bool {
	return len(c.Messages) > 1 && !slices.ContainsFunc(c.Messages, func(m memory.Message) bool { return m.ParentID != "" || len(m.ChildrenIDs) > 0 })
}

func chain(c *memory.Conversation) {
	for i := 1; i < len(c.Messages); i++ {
		c.Messages[i].ParentID = c.Messages[i-1].ID
	}
}

// adopt gives a message that names no parent the one that names it as a child.
func adopt(c *memory.Conversation, at map[string]int) {
	for i := range c.Messages {
		for _, child := range c.Messages[i].ChildrenIDs {
			if k, ok := at[child]; ok && c.Messages[k].ParentID == "" {
				c.Messages[k].ParentID = c.Messages[i].ID
			}
		}
	}
}

// cutCircles lets go of parents that are not there, and of those that a walk up
// would come by twice.
func cutCircles(c *memory.Conversation, at map[string]int) {
	rooted := make([]bool, len(c.Messages))
	for i := range c.Messages {
		onWay := map[int]bool{}
		for k := i; !rooted[k]; {
			onWay[k] = true
			up, ok := at[c.Messages[k].ParentID]
			if !ok || onWay[up] {
				c.Messages[k].ParentID = ""
				break
			}
			k = up
		}
		for k := range onWay {
			rooted[k] = true
		}
	}
}

// raise makes children agree with parents. Those that agreed keep their order.
func raise(c *memory.Conversation, at map[string]int) {
	children := make([][]string, len(c.Messages))
	for i := range c.Messages {
		m := &c.Messages[i]
		for _, id := range m.ChildrenIDs {
			if k, ok := at[id]; ok && c.Messages[k].ParentID == m.ID && !slices.Contains(children[i], id) {
				children[i] = append(children[i], id)
			}
		}
	}
	listed := map[string]bool{}
	for _, ids := range children {
		for _, id := range ids {
			listed[id] = true
		}
	}
	for i := range c.Messages {
		m := &c.Messages[i]
		if k, ok := at[m.ParentID]; ok && !listed[m.ID] {
			children[k] = append(children[k], m.ID)
		}
	}
	for i := range c.Messages {
		c.Messages[i].ChildrenIDs = children[i]
	}
}

// last is the last message that nothing follows, in the order of the file.
func last(c *memory.Conversation) string {
	for i := len(c.Messages) - 1; i >= 0; i-- {
		if len(c.Messages[i].ChildrenIDs) == 0 {
			return c.Messages[i].ID
		}
	}
	return ""
}
