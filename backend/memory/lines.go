package memory

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A message is stored as a line from which three members are left out where they
// follow: provider_message_id where it is the id, parent_id where it is the
// message before, and children_ids where they are what followingChildren says.
// A member that is there counts, "" and [] too. This is a tenth of what is
// packed, and most conversations have no branch.

// followingParent is the parent that a message has unless its line says
// otherwise; before is nil for the first.
func followingParent(before *Message) string {
	if before == nil {
		return ""
	}
	return before.ID
}

// followingChildren is the same of children; after is nil for the last.
func followingChildren(m, after *Message) []string {
	if after == nil || after.ParentID != m.ID {
		return nil
	}
	return []string{after.ID}
}

// follows reports whether ids are followingChildren, without making them.
func follows(ids []string, m, after *Message) bool {
	if after == nil || after.ParentID != m.ID {
		return len(ids) == 0
	}
	return len(ids) == 1 && ids[0] == after.ID
}

// wire is a line as it is stored; nil says that a member was left out.
type wire struct {
	Message
	ProviderMessageID *string   `json:"provider_message_id"`
	ParentID          *string   `json:"parent_id"`
	ChildrenIDs       *[]string `json:"children_ids"`
}

// Lines puts together again what AppendMessage wrote, in the same order. The
// zero value is at the start.
type Lines struct {
	held      *Message // whole but for its children
	childless bool     // its line says nothing of them
}

// Next takes a line and returns the message of the line before, of which
// nothing is open now; nil for the first line.
func (l *Lines) Next(line []byte) (*Message, error) {
	var w wire
	// What a provider wrote twice or not in UTF-8 stands in a line as it was.
	if err := json.Unmarshal(line, &w, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return nil, err
	}
	m := &w.Message
	m.ProviderMessageID, m.ParentID = m.ID, followingParent(l.held)
	if w.ProviderMessageID != nil {
		m.ProviderMessageID = *w.ProviderMessageID
	}
	if w.ParentID != nil {
		m.ParentID = *w.ParentID
	}
	if w.ChildrenIDs != nil && len(*w.ChildrenIDs) > 0 {
		m.ChildrenIDs = slices.Clip(*w.ChildrenIDs)
	}
	before := l.Last(m)
	l.held, l.childless = m, w.ChildrenIDs == nil
	return before, nil
}

// Last returns the message of the last line; nil where there was none. After is
// nil at the end.
func (l *Lines) Last(after *Message) *Message {
	if l.held != nil && l.childless {
		l.held.ChildrenIDs = followingChildren(l.held, after)
	}
	return l.held
}
