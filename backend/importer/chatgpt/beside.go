package chatgpt

import (
	"bytes"
	"cmp"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/memory"
)

// besides are the lists of an export that say something of its conversations:
// what the person thought of an answer, and links that show one to others. A
// row is kept, as it is, under the name of its list.
var besides = []string{"message_feedback", "shared_conversations"}

// remark is a row of one of them.
type remark struct {
	list    string
	message string // the message it is about, where it names one
	row     json.RawMessage
}

type wireRemark struct{ Conversation, Message, ID jsontext.Value }

func (w *wireRemark) read(v jsontext.Value) bool {
	return pick(v, fields{"conversation_id": &w.Conversation, "message_id": &w.Message, "id": &w.ID})
}

// remarks by the conversation they are about.
type remarks struct {
	of   map[string][]remark
	used map[string]bool
}

func newRemarks() *remarks { return &remarks{map[string][]remark{}, map[string]bool{}} }

// read takes one row of a list.
func (r *remarks) read(list string, v jsontext.Value) {
	var w wireRemark
	if !w.read(v) {
		return
	}
	id := text(w.Conversation)
	r.of[id] = append(r.of[id], remark{list, cmp.Or(text(w.Message), text(w.ID)), bytes.Clone(v)})
}

// join puts what is said of a conversation into it, or into its message.
func (r *remarks) join(d *importer.ConversationDraft) {
	native := d.Provider.ConversationID
	r.used[native] = true
	for _, about := range r.of[native] {
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
