package chatgpt

import (
	"encoding/json"
	"math"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

// The structs below are the provider's own forms. Every field is loose: the
// same member is a string here and an object there, and one of a wrong type
// must not lose the record around it. They are filled by walking the text that
// the stream has checked; values lie inside it and are copied where they are
// kept. (Unmarshalling checks and copies every level once more: half of the
// time that reading took.)

// rest holds the members that have no field.
type rest []member

type member struct {
	name  string
	value jsontext.Value
}

func (r *rest) Other(name string, v jsontext.Value) { *r = append(*r, member{name, v}) }

// nothing drops the members that have no field: they are kept with the whole.
type nothing struct{}

func (nothing) Other(string, jsontext.Value) {}

// flat forms look into no member.
type flat struct{}

func (flat) Inner(string) jsonstream.Form { return nil }

type wireConversation struct {
	rest
	nodes                                                                                                     wireNodes
	ID, ConversationID, Title, CreateTime, UpdateTime, Mapping, CurrentNode, Model, IsArchived, DoNotRemember jsontext.Value
}

func (w *wireConversation) Field(name string) *jsontext.Value {
	switch name {
	case "id":
		return &w.ID
	case "conversation_id":
		return &w.ConversationID
	case "title":
		return &w.Title
	case "create_time":
		return &w.CreateTime
	case "update_time":
		return &w.UpdateTime
	case "mapping":
		return &w.Mapping
	case "current_node":
		return &w.CurrentNode
	case "default_model_slug":
		return &w.Model
	case "is_archived":
		return &w.IsArchived
	case "is_do_not_remember":
		return &w.DoNotRemember
	}
	return nil
}

func (w *wireConversation) Inner(name string) jsonstream.Form {
	if name == "mapping" {
		return &w.nodes
	}
	return nil
}

// wireNodes is a conversation's mapping, in the order of the file.
type wireNodes []wireNode

func (*wireNodes) Field(string) *jsontext.Value { return nil }

func (w *wireNodes) Inner(key string) jsonstream.Form {
	*w = append(*w, wireNode{key: key})
	return &(*w)[len(*w)-1] // filled before there is another
}

// Other takes what is a node already, or none that can be understood.
func (w *wireNodes) Other(key string, v jsontext.Value) {
	if v.Kind() != '{' {
		*w = append(*w, wireNode{key: key})
	}
}

// keepNodes is how many nodes' memory may stay between conversations.
const keepNodes = 1 << 10

// emptied is the memory of nodes that nobody needs any more, for others.
func (w wireNodes) emptied() wireNodes {
	if cap(w) > keepNodes {
		return nil
	}
	clear(w) // or their texts would stay
	return w[:0]
}

// wireNode holds its message as it is written: a conversation may have hundreds
// of thousands, and they are looked into one at a time.
type wireNode struct {
	rest
	flat
	key                           string
	ID, Message, Parent, Children jsontext.Value
}

func (w *wireNode) Field(name string) *jsontext.Value {
	switch name {
	case "id":
		return &w.ID
	case "message":
		return &w.Message
	case "parent":
		return &w.Parent
	case "children":
		return &w.Children
	}
	return nil
}

// own gives the node memory of its own, so that it can be let go of whatever becomes of
// its neighbours: the order of the file is not that of the conversation.
func (w *wireNode) own() {
	values := []*jsontext.Value{&w.ID, &w.Message, &w.Parent, &w.Children}
	for i := range w.rest {
		values = append(values, &w.rest[i].value)
	}
	size := 0
	for _, v := range values {
		size += len(*v)
	}
	own := make([]byte, 0, size)
	for _, v := range values {
		if *v != nil {
			from := len(own)
			own = append(own, *v...)
			*v = own[from:len(own):len(own)]
		}
	}
}

// isSpoken reports a message, which a root has none of.
func (w *wireNode) isSpoken() bool { return len(w.Message) > 0 && w.Message[0] == '{' }

// at is when the message was written.
func (w *wireNode) at() memory.Time {
	for name, value := range jsonstream.Pairs(w.Message) {
		if jsonstream.Says(name, "create_time") {
			return moment(value)
		}
	}
	return memory.Time{}
}

type wireMessage struct {
	rest
	author                                                       wireAuthor
	content                                                      wireContent
	meta                                                         wireMetadata
	ID, Author, CreateTime, Content, Metadata, Recipient, Weight jsontext.Value
}

func (w *wireMessage) Field(name string) *jsontext.Value {
	switch name {
	case "id":
		return &w.ID
	case "author":
		return &w.Author
	case "create_time":
		return &w.CreateTime
	case "content":
		return &w.Content
	case "metadata":
		return &w.Metadata
	case "recipient":
		return &w.Recipient
	case "weight":
		return &w.Weight
	}
	return nil
}

// read looks into a message. What was read of the one before is forgotten, and
// its memory used again.
func (w *wireMessage) read(v jsontext.Value, ends jsonstream.Ends) {
	*w = wireMessage{
		rest: w.rest[:0], author: wireAuthor{rest: w.author.rest[:0]}, content: wireContent{rest: w.content.rest[:0]},
	}
	names.Fill(v, ends, w)
}

func (w *wireMessage) Inner(name string) jsonstream.Form {
	switch name {
	case "author":
		return &w.author
	case "content":
		return &w.content
	case "metadata":
		return &w.meta
	}
	return nil
}

// wireContent has the fields of all content types together.
type wireContent struct {
	rest
	flat
	Type, Parts, Text, Language, Result, Summary, Title, URL, Name, Thoughts, Content, UserProfile, Instructions, ModelSetContext jsontext.Value
}

func (w *wireContent) Field(name string) *jsontext.Value {
	switch name {
	case "content_type":
		return &w.Type
	case "parts":
		return &w.Parts
	case "text":
		return &w.Text
	case "language":
		return &w.Language
	case "result":
		return &w.Result
	case "summary":
		return &w.Summary
	case "title":
		return &w.Title
	case "url":
		return &w.URL
	case "name":
		return &w.Name
	case "thoughts":
		return &w.Thoughts
	case "content":
		return &w.Content
	case "user_profile":
		return &w.UserProfile
	case "user_instructions":
		return &w.Instructions
	case "model_set_context":
		return &w.ModelSetContext
	}
	return nil
}

// wireMetadata is what is read of a message's metadata; all of it is kept raw.
type wireMetadata struct {
	nothing
	flat
	Model, Hidden, Attachments, Citations, References, UserContext, AggregateResult, Canvas jsontext.Value
}

func (w *wireMetadata) Field(name string) *jsontext.Value {
	switch name {
	case "model_slug":
		return &w.Model
	case "is_visually_hidden_from_conversation":
		return &w.Hidden
	case "attachments":
		return &w.Attachments
	case "citations":
		return &w.Citations
	case "content_references":
		return &w.References
	case "user_context_message_data":
		return &w.UserContext
	case "aggregate_result":
		return &w.AggregateResult
	case "canvas":
		return &w.Canvas
	}
	return nil
}

type wireAuthor struct {
	rest
	flat
	Role, Name, Metadata jsontext.Value
}

func (w *wireAuthor) Field(name string) *jsontext.Value {
	switch name {
	case "role":
		return &w.Role
	case "name":
		return &w.Name
	case "metadata":
		return &w.Metadata
	}
	return nil
}

// names of the members that every message has.
var names = jsonstream.NamesOf(
	"id", "message", "parent", "children", "author", "create_time", "update_time", "content", "status", "end_turn", "weight", "metadata",
	"recipient", "channel", "content_type", "parts", "text", "role", "name", "model_slug", "default_model_slug", "citations",
	"content_references", "finish_details", "is_complete", "request_id", "parent_id", "timestamp_", "message_type", "message_source",
	"serialization_metadata", "mapping", "title", "current_node", "conversation_id",
)

// fields are the members of a small object that are looked at.
type fields map[string]*jsontext.Value

// pick fills the fields from an object; anything else leaves them as they are.
func pick(v jsontext.Value, into fields) bool {
	if v.Kind() != '{' {
		return false
	}
	for name, value := range jsonstream.Members(v) {
		if at := into[name]; at != nil {
			*at = value
		}
	}
	return true
}

// text is the string v holds, "" for anything else.
func text(v jsontext.Value) string {
	s, _ := jsonstream.Text(v)
	return s
}

// word is text that is likely to be one of the words that every message has.
func word(v jsontext.Value) string {
	if s, ok := words.Find(v); ok {
		return s
	}
	return text(v)
}

// words that stand in every message.
var words = jsonstream.NamesOf("user", "assistant", "system", "tool", "all", "text", "multimodal_text", "code", "thoughts")

// moment reads a time: float seconds, milliseconds by some tools, or RFC 3339.
// Null, 0 and anything from before the year 2000 are unknown.
func moment(v jsontext.Value) memory.Time {
	const year2000, yearMillis = 946684800, 1e11
	if s, ok := jsonstream.Text(v); ok {
		t, err := memory.ParseTime(strings.TrimSpace(s))
		if err != nil || t.Unix() < year2000 {
			return memory.Time{}
		}
		return t
	}
	n, ok := jsonstream.Number(v)
	if !ok || math.IsInf(n, 0) {
		return memory.Time{}
	}
	if n > yearMillis {
		n /= 1000
	}
	if n < year2000 {
		return memory.Time{}
	}
	return memory.FromUnix(n)
}

// into adds the members to raw, verbatim.
func (r rest) into(raw memory.RawMetadata) {
	for _, m := range r {
		raw[m.name] = keep(m.value)
	}
}

// object is the members as one object again, nil when there are none.
func (r rest) object() json.RawMessage {
	var out []byte
	for _, m := range r {
		out = jsonstream.AppendMember(out, m.name, m.value)
	}
	if out == nil {
		return nil
	}
	return append(out, '}')
}

// keep copies a value, to be held longer than its conversation. An absent one
// is null.
func keep(v jsontext.Value) json.RawMessage {
	switch string(v) {
	case "", "null":
		return json.RawMessage("null")
	}
	return jsonstream.Keep(v)
}
