package chatgpt

import (
	"bytes"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

// besides are the lists of an export that say something of its conversations:
// what the person thought of an answer, which of two answers they took, and
// links that show a conversation to others. A row is kept, as it is, under the
// name of its list.
var besides = []string{"message_feedback", "model_comparisons", "shared_conversations"}

// asides are the lists that are of no conversation in the export. Nobody has
// published what their rows look like; each is counted, so that none goes
// missing in silence.
var asides = []string{"group_chats", "shopping", "sora", "tool_messages", "ads"}

// unread names the row of a list that is not read, for Sink.Unknown.
func unread(list string) string { return "record:" + list }

// rowsIn counts the rows of an aside that is one object: the items of its
// lists, and one for the object itself where it says anything else.
func rowsIn(v jsontext.Value) int {
	n, more := 0, false
	for _, member := range jsonstream.Members(v) {
		if member.Kind() == '[' {
			for range jsonstream.Items(member) {
				n++
			}
		} else if !importer.IsNothing(member) {
			more = true
		}
	}
	if more {
		n++
	}
	return n
}

// remark is a row of one of them.
type remark struct {
	list    string
	message string // the message it is about, where it names one
	row     json.RawMessage
}

// remarks by the conversation they are about.
type remarks struct {
	of   map[string][]remark
	used map[string]bool
}

func newRemarks() *remarks { return &remarks{map[string][]remark{}, map[string]bool{}} }

// read takes one row of a list, and reports whether it says which conversation
// it is about.
func (r *remarks) read(list string, v jsontext.Value) bool {
	id := importer.TextIn(v, "conversation_id")
	if id == "" {
		return false
	}
	r.of[id] = append(r.of[id], remark{list, importer.FirstText(v, "message_id", "id"), bytes.Clone(v)})
	return true
}

// join puts what is said of a conversation into it, or into its message.
func (r *remarks) join(d *importer.ConversationDraft) {
	native := d.Provider.ConversationID
	all, ok := r.of[native]
	if !ok {
		return // nothing need be known of it: an export may hold a million
	}
	r.used[native] = true
	for _, about := range all {
		raw := &d.RawMetadata
		for i := range d.Messages {
			if d.Messages[i].ID == about.message {
				raw = &d.Messages[i].RawMetadata
			}
		}
		if *raw == nil {
			*raw = memory.RawMetadata{}
		}
		(*raw)[about.list] = listed((*raw)[about.list], about.row)
	}
}

// listed adds a row to a list of JSON.
func listed(list, row json.RawMessage) json.RawMessage {
	if list == nil {
		return json.RawMessage("[" + string(row) + "]")
	}
	return json.RawMessage(string(list[:len(list)-1]) + "," + string(row) + "]")
}

// left counts the rows about conversations that were not read: unchanged ones,
// and those that the export does not hold.
func (r *remarks) left() int {
	n := 0
	for id, all := range r.of {
		if !r.used[id] {
			n += len(all)
		}
	}
	return n
}
