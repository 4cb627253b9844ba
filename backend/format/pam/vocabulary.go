package pam

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/memory"
)

// vocabulary is the words that a member may have in version 1.0. A newer minor
// version may add some (§22.3); what is read of it is then the nearest that 1.0 can
// say.
type vocabulary struct {
	words []string
	// nearest says without the word what is left of the object, of which the member is
	// gone already. False is to leave out the object as a whole.
	nearest func(object map[string]any, word string) bool
}

func wordsOf[T ~string](words []T, nearest func(map[string]any, string) bool) vocabulary {
	known := make([]string, len(words))
	for i, w := range words {
		known[i] = string(w)
	}
	return vocabulary{known, nearest}
}

func leftOut(map[string]any, string) bool { return true }
func dropped(map[string]any, string) bool { return false }

func instead(name, word string) func(map[string]any, string) bool {
	return func(object map[string]any, _ string) bool {
		object[name] = word
		return true
	}
}

// asOwnType makes of a type that 1.0 does not have one of the person's own (§5.1).
func asOwnType(object map[string]any, word string) bool {
	object["type"], object["custom_type"] = string(memory.Custom), word
	return true
}

// asItsParts says of a content or a part what it is by what it holds.
func asItsParts(member, holding, otherwise string) func(map[string]any, string) bool {
	return func(object map[string]any, _ string) bool {
		object["type"] = otherwise
		if _, ok := object[member]; ok {
			object["type"] = holding
		}
		return true
	}
}

// vocabularies by the form and the member, in the order of the specification.
var vocabularies = map[string]vocabulary{
	"memory/type":                           wordsOf(memory.Types(), asOwnType),
	"memory/status":                         wordsOf(memory.Statuses(), leftOut), // §4.3: it is active
	"memory.provenance/extraction_method":   wordsOf(strings.Fields("llm_inference explicit_user_input api_export browser_extraction manual"), leftOut),
	"memory.confidence/decay_model":         wordsOf(strings.Fields("time_linear time_exponential none"), leftOut),
	"memory.access/visibility":              wordsOf(strings.Fields("private shared public"), leftOut), // §9: it is private
	"memory.access.shared_with/permissions": wordsOf(strings.Fields("read write delete"), dropped),
	"relation/type":                         wordsOf(memory.RelationTypes(), instead("type", string(memory.RelatedTo))),
	"conversations_index.storage/type":      wordsOf(storageTypes, dropped),
	"conversation.participants/role":        wordsOf(roles, dropped),
	"message/role":                          wordsOf(roles, instead("role", string(memory.System))),
	"message.content/type":                  wordsOf(strings.Fields("text multipart"), asItsParts("parts", "multipart", "text")),
	"message.content.parts/type":            wordsOf(strings.Fields("text image code file audio video"), asItsParts("text", "text", "file")),
	"message.attachments/type":              wordsOf(strings.Fields("file image audio video document"), instead("type", "file")),
	"embedding.storage/type":                wordsOf(storageTypes, dropped),
}

var (
	storageTypes = strings.Fields("file database object_storage vector_db uri")
	roles        = []memory.Role{memory.User, memory.Assistant, memory.System, memory.Tool}
)

// isStrange reports a word that the member does not have in 1.0.
func (v vocabulary) isStrange(raw jsontext.Value) (word string, strange bool) {
	return word, json.Unmarshal(raw, &word) == nil && word != "" && !slices.Contains(v.words, word)
}

// known is the array of words without those that 1.0 does not have.
func (v vocabulary) known(raw jsontext.Value) []jsontext.Value {
	var items []jsontext.Value
	if json.Unmarshal(raw, &items) != nil {
		return nil
	}
	return slices.DeleteFunc(items, func(item jsontext.Value) bool { _, strange := v.isStrange(item); return strange })
}

// reword writes a member that has a strange word into what an object is to be; false
// where that is to be left out.
func (f *form) reword(out map[string]any, name string, raw jsontext.Value) bool {
	v := vocabularies[f.name+"/"+name]
	if raw.Kind() == '[' {
		known := v.known(raw)
		out[name] = known
		return len(known) > 0
	}
	word, _ := v.isStrange(raw)
	return v.nearest(out, word)
}

// strangeWord reports a member with a word that 1.0 does not have.
func (f *form) strangeWord(name string, raw jsontext.Value) bool {
	v, ok := vocabularies[f.name+"/"+name]
	if !ok {
		return false
	}
	if raw.Kind() == '[' {
		var items []jsontext.Value
		return json.Unmarshal(raw, &items) == nil && len(v.known(raw)) < len(items)
	}
	_, strange := v.isStrange(raw)
	return strange
}
