package chatgpt

import (
	"math"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/memory"
)

// The structs below are the provider's own forms. Every field is loose: the
// same member is a string here and an object there, and one of a wrong type
// must not lose the record around it. Rest holds all other members.

type wireConversation struct {
	ID             jsontext.Value `json:"id"`
	ConversationID jsontext.Value `json:"conversation_id"`
	Title          jsontext.Value `json:"title"`
	CreateTime     jsontext.Value `json:"create_time"`
	UpdateTime     jsontext.Value `json:"update_time"`
	Mapping        jsontext.Value `json:"mapping"`
	CurrentNode    jsontext.Value `json:"current_node"`
	Model          jsontext.Value `json:"default_model_slug"`
	IsArchived     jsontext.Value `json:"is_archived"`
	DoNotRemember  jsontext.Value `json:"is_do_not_remember"`
	Rest           jsontext.Value `json:",embed"`
}

type wireNode struct {
	Message  jsontext.Value `json:"message"`
	Parent   jsontext.Value `json:"parent"`
	Children jsontext.Value `json:"children"`
	ID       jsontext.Value `json:"id"`
	Rest     jsontext.Value `json:",embed"`
}

type wireMessage struct {
	ID         jsontext.Value `json:"id"`
	Author     jsontext.Value `json:"author"`
	CreateTime jsontext.Value `json:"create_time"`
	Content    jsontext.Value `json:"content"`
	Metadata   jsontext.Value `json:"metadata"`
	Recipient  jsontext.Value `json:"recipient"`
	Weight     jsontext.Value `json:"weight"`
	Rest       jsontext.Value `json:",embed"`
}

// wireContent has the fields of all content types together.
type wireContent struct {
	Type            jsontext.Value `json:"content_type"`
	Parts           jsontext.Value `json:"parts"`
	Text            jsontext.Value `json:"text"`
	Language        jsontext.Value `json:"language"`
	Result          jsontext.Value `json:"result"`
	Summary         jsontext.Value `json:"summary"`
	Title           jsontext.Value `json:"title"`
	URL             jsontext.Value `json:"url"`
	Name            jsontext.Value `json:"name"`
	Thoughts        jsontext.Value `json:"thoughts"`
	Content         jsontext.Value `json:"content"`
	UserProfile     jsontext.Value `json:"user_profile"`
	Instructions    jsontext.Value `json:"user_instructions"`
	ModelSetContext jsontext.Value `json:"model_set_context"`
	Rest            jsontext.Value `json:",embed"`
}

// wireMetadata is what is read of a message's metadata; all of it is kept raw.
type wireMetadata struct {
	Model           jsontext.Value `json:"model_slug"`
	Hidden          jsontext.Value `json:"is_visually_hidden_from_conversation"`
	Attachments     jsontext.Value `json:"attachments"`
	Citations       jsontext.Value `json:"citations"`
	References      jsontext.Value `json:"content_references"`
	UserContext     jsontext.Value `json:"user_context_message_data"`
	AggregateResult jsontext.Value `json:"aggregate_result"`
	Rest            jsontext.Value `json:",embed"`
}

// decode reads an object that a stream has already checked. Anything but an
// object leaves into as it is.
func decode(v jsontext.Value, into any) bool {
	return v.Kind() == '{' && json.Unmarshal(v, into, jsontext.AllowDuplicateNames(true)) == nil
}

// text is the string v holds, "" for anything else.
func text(v jsontext.Value) string {
	s, _ := importer.Text(v)
	return s
}

// isEmpty reports absent, null, {}, [] and "".
func isEmpty(v jsontext.Value) bool {
	switch string(v) {
	case "", "null", "{}", "[]", `""`:
		return true
	}
	return false
}

// moment reads a time: float seconds, milliseconds by some tools, or RFC 3339.
// Null, 0 and anything from before the year 2000 are unknown.
func moment(v jsontext.Value) memory.Time {
	const year2000, yearMillis = 946684800, 1e11
	if s, ok := importer.Text(v); ok {
		t, err := memory.ParseTime(strings.TrimSpace(s))
		if err != nil || t.Unix() < year2000 {
			return memory.Time{}
		}
		return t
	}
	n, ok := importer.Number(v)
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

// keepRaw adds the members of an object to raw, verbatim.
func keepRaw(raw memory.RawMetadata, object jsontext.Value) {
	for name, value := range importer.Members(object) {
		raw[name] = importer.Keep(value)
	}
}
