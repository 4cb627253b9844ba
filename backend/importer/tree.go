package importer

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

// Join makes a tree of messages that name their parents by ParentID: what names
// none that is there, itself, or a circle becomes a root and keeps the name it
// gave in raw_metadata under member. Ids that are missing or twice get a number.
// The leaf is the one asked for, else the last message. It is linear in the
// number of messages.
func Join(c *memory.Conversation, leaf, member string) {
	messages := c.Messages
	at := identify(messages)
	plant(messages, at, member)
	if _, ok := at[leaf]; !ok && len(messages) > 0 {
		leaf = messages[len(messages)-1].ID
	}
	c.Leaf = leaf
	if len(messages) == 0 {
		c.Leaf = ""
	}
}

// plant cuts off every parent that is not there, is the message itself or leads
// in a circle, and fills children_ids. at says where each message stands.
func plant(messages []memory.Message, at map[string]int, member string) {
	for i := range messages {
		if p := messages[i].ParentID; p != "" {
			if _, ok := at[p]; !ok || p == messages[i].ID {
				uproot(&messages[i], member)
			}
		}
	}
	cutCircles(messages, at, member)
	for i := range messages {
		if p, ok := at[messages[i].ParentID]; ok {
			messages[p].ChildrenIDs = append(messages[p].ChildrenIDs, messages[i].ID)
		}
	}
}

// Room is place for a message of each value in a list, or in an object. One that grows
// with its messages is there twice while it grows.
func Room(list jsontext.Value) []memory.Message {
	count := 0
	for range jsonstream.Items(list) {
		count++
	}
	for range jsonstream.Pairs(list) {
		count++
	}
	return make([]memory.Message, 0, count)
}

// JoinInOrder makes each message the answer to the one before.
func JoinInOrder(c *memory.Conversation) {
	identify(c.Messages)
	for i := range c.Messages[min(1, len(c.Messages)):] {
		c.Messages[i+1].ParentID = c.Messages[i].ID
	}
	Join(c, "", "")
}

// identify gives every message an id of its own, and says where each stands.
func identify(messages []memory.Message) map[string]int {
	at := make(map[string]int, len(messages))
	for i := range messages {
		m := &messages[i]
		if _, twice := at[m.ID]; twice || m.ID == "" {
			m.ID = free(at, m.ID, i)
		}
		at[m.ID] = i
	}
	return at
}

// free is an id that no message has yet.
func free(at map[string]int, id string, i int) string {
	for n := i + 1; ; n++ {
		name := id + "#" + strconv.Itoa(n)
		if id == "" {
			name = "m" + strconv.Itoa(n)
		}
		if _, taken := at[name]; !taken {
			return name
		}
	}
}

func uproot(m *memory.Message, member string) {
	KeepText(&m.RawMetadata, member, m.ParentID)
	m.ParentID = ""
}

// cutCircles walks up from every message once; a walk that meets itself is cut
// where it began to repeat.
func cutCircles(messages []memory.Message, at map[string]int, member string) {
	walk := make([]int, len(messages)) // 0 not seen, else the number of the walk
	for start := range messages {
		for i := start; walk[i] == 0; {
			walk[i] = start + 1
			p, ok := at[messages[i].ParentID]
			if !ok {
				break
			}
			if walk[p] == start+1 {
				uproot(&messages[i], member)
				break
			}
			i = p
		}
	}
}

// Dates takes the times of a conversation from its messages where it has none
// of its own, and says where they came from.
func Dates(d *ConversationDraft) {
	t := &d.Temporal
	if !t.CreatedAt.IsZero() {
		return
	}
	d.TimeSource = "none"
	for i := range d.Messages {
		at := d.Messages[i].CreatedAt
		if at.IsZero() {
			continue
		}
		if t.CreatedAt.IsZero() || at.Compare(t.CreatedAt) < 0 {
			t.CreatedAt, d.TimeSource = at, "message"
		}
		if at.Compare(t.UpdatedAt) > 0 {
			t.UpdatedAt = at
		}
	}
}
