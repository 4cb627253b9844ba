package pam

import (
	"slices"

	"github.com/go-json-experiment/json"

	"keepsake/backend/memory"
)

// Members of raw_metadata for empty messages, as the root node of a ChatGPT conversation.
// They are nodes of the graph and count nowhere as messages, so a companion does not list
// them: it links their parents and children to each other.
const (
	// emptyMessages is, of a conversation, the list of them with their places.
	emptyMessages = "keepsake_empty_messages"
	// ownParent and ownChildren are, of a message beside them, its links as they were.
	ownParent   = "keepsake_parent_id"
	ownChildren = "keepsake_children_ids"
)

// emptyMessage is a message that the list of messages leaves out.
type emptyMessage struct {
	At      int            `json:"at"` // its place in the list of all
	Message memory.Message `json:"message"`
}

// empties are those of one conversation.
type empties struct {
	list []emptyMessage
	at   map[string]int // in the list, by id
}

// note takes a message that is empty, the one at that place of all.
func (e *empties) note(at int, m memory.Message) {
	if e.at == nil {
		e.at = map[string]int{}
	}
	e.at[m.ID] = len(e.list)
	e.list = append(e.list, emptyMessage{at, m})
}

// emptiesOf goes through a conversation once.
func emptiesOf(t Talk) (*empties, error) {
	e, at := &empties{}, 0
	for m, err := range t.each() {
		if err != nil {
			return nil, err
		}
		if m.IsEmpty() {
			e.note(at, m)
		}
		at++
	}
	return e, nil
}

// joined links a message to its neighbours that are not empty, and keeps the links it
// had.
func (e *empties) joined(m memory.Message) memory.Message {
	parent, children := e.above(m.ParentID), e.below(m.ChildrenIDs)
	if parent != m.ParentID {
		m.RawMetadata = withMember(m.RawMetadata, ownParent, m.ParentID)
		m.ParentID = parent
	}
	if !slices.Equal(children, m.ChildrenIDs) {
		m.RawMetadata = withMember(m.RawMetadata, ownChildren, m.ChildrenIDs)
		m.ChildrenIDs = children
	}
	return m
}

// above is the nearest message up from id that is not empty, "" where there is none.
func (e *empties) above(id string) string {
	for range e.list { // a circle ends, too
		i, ok := e.at[id]
		if !ok {
			return id
		}
		id = e.list[i].Message.ParentID
	}
	if _, ok := e.at[id]; ok {
		return ""
	}
	return id
}

// below are ids with each empty one replaced by its children.
func (e *empties) below(ids []string) []string {
	if !slices.ContainsFunc(ids, func(id string) bool { _, ok := e.at[id]; return ok }) {
		return ids
	}
	out, passed := []string{}, map[string]bool{}
	var add func(ids []string)
	add = func(ids []string) {
		for _, id := range ids {
			i, ok := e.at[id]
			if !ok {
				out = append(out, id)
			} else if !passed[id] {
				passed[id] = true
				add(e.list[i].Message.ChildrenIDs)
			}
		}
	}
	add(ids)
	return out
}

// restored puts the empty messages of a conversation back where they stood. What does
// not fit is left as it is: it may be anybody's.
func restored(raw *memory.RawMetadata, messages []memory.Message) []memory.Message {
	var list []emptyMessage
	if err := json.Unmarshal((*raw)[emptyMessages], &list, wholeNumbers); err != nil || len(list) == 0 {
		return messages
	}
	e := &empties{}
	known := make(map[string]bool, len(messages)+len(list))
	for i := range messages {
		known[messages[i].ID] = true
	}
	for i, one := range list {
		if !one.Message.IsEmpty() || one.Message.ID == "" || known[one.Message.ID] || one.At < 0 || one.At > len(messages)+i || i > 0 && one.At <= list[i-1].At {
			return messages
		}
		known[one.Message.ID] = true
		e.note(one.At, one.Message)
	}
	takeMember(raw, emptyMessages)
	all := make([]memory.Message, 0, len(messages)+len(list))
	for _, one := range list {
		n := one.At - len(all)
		all = append(append(all, messages[:n]...), one.Message)
		messages = messages[n:]
	}
	all = append(all, messages...)
	for i := range all {
		e.part(&all[i], known)
	}
	return all
}

// part gives a message the links back that it had.
func (e *empties) part(m *memory.Message, known map[string]bool) {
	var parent string
	if json.Unmarshal(m.RawMetadata[ownParent], &parent) == nil {
		if _, ok := e.at[parent]; ok {
			m.ParentID = parent
			takeMember(&m.RawMetadata, ownParent)
		}
	}
	var children []string
	if json.Unmarshal(m.RawMetadata[ownChildren], &children) == nil && !slices.ContainsFunc(children, func(id string) bool { return !known[id] }) {
		m.ChildrenIDs = children
		takeMember(&m.RawMetadata, ownChildren)
	}
}

func takeMember(raw *memory.RawMetadata, name string) {
	if delete(*raw, name); len(*raw) == 0 {
		*raw = nil
	}
}

func textIn(raw memory.RawMetadata, name string) (text string, ok bool) {
	value, ok := raw[name]
	return text, ok && json.Unmarshal(value, &text) == nil
}
