package pam

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strings"

	"keepsake/backend/intake"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// form is the members that an object of the specification may have, each with
// the form of its own value, or of the elements of it; nil where that is open or
// no object.
type form struct {
	name    string
	members map[string]*form
}

func formOf(name, plain string, inner map[string]*form) *form {
	f := &form{name, map[string]*form{}}
	for _, member := range strings.Fields(plain) {
		f.members[member] = nil
	}
	maps.Copy(f.members, inner)
	return f
}

var (
	storeForm = formOf("document", strings.Join(storeMembers, " "), map[string]*form{
		"owner":     formOf("document.owner", "id did created_at", nil),
		"integrity": formOf("document.integrity", "canonicalization checksum total_memories", nil),
		"signature": formOf("document.signature", "algorithm public_key value signed_at key_id", nil),
	})
	memoryForm = formOf("memory", "id type custom_type content content_hash status summary tags embedding_ref metadata", map[string]*form{
		"temporal":   formOf("memory.temporal", "created_at updated_at valid_from valid_until superseded_by", nil),
		"provenance": formOf("memory.provenance", "platform platform_user_id conversation_ref message_ref extraction_method extracted_at extractor", nil),
		"confidence": formOf("memory.confidence", "initial current decay_model last_reinforced", nil),
		"access": formOf("memory.access", "visibility exportable", map[string]*form{
			"shared_with": formOf("memory.access.shared_with", "entity permissions", nil),
		}),
	})
	relationForm = formOf("relation", "id from to type confidence created_at", nil)
	entryForm    = formOf("conversations_index", "id platform title message_count tags derived_memories", map[string]*form{
		"temporal": formOf("conversations_index.temporal", "created_at updated_at", nil),
		"storage":  formOf("conversations_index.storage", "type ref format", nil),
	})
	conversationForm = formOf("conversation", "schema schema_version id title model system_instruction is_archived tags raw_metadata", map[string]*form{
		"temporal":        formOf("conversation.temporal", "created_at updated_at", nil),
		"provider":        formOf("conversation.provider", "name conversation_id account_id export_format_version", nil),
		"participants":    formOf("conversation.participants", "role name provider_id", nil),
		"import_metadata": formOf("conversation.import_metadata", "importer importer_version imported_at source_file source_checksum", nil),
		"messages":        messageForm,
	})
	messageForm = formOf("message", "id provider_message_id role created_at parent_id children_ids model is_thought token_count raw_metadata", map[string]*form{
		"content": formOf("message.content", "type text", map[string]*form{
			"parts": formOf("message.content.parts", "type text language mime_type ref", nil),
		}),
		"attachments": formOf("message.attachments", "type name mime_type ref provider_id size_bytes", nil),
		"citations":   formOf("message.citations", "title url snippet", nil),
		"tool_calls":  formOf("message.tool_calls", "id name input output", nil),
	})
	embeddingsForm = formOf("embeddings", "schema schema_version", map[string]*form{"embeddings": embeddingForm})
	embeddingForm  = formOf("embedding", "id memory_id model dimensions created_at vector", map[string]*form{
		"storage": formOf("embedding.storage", "type ref", nil),
	})
)

// formIn is the form of the objects of an array of a store, nil of any other.
func formIn(array string) *form {
	switch array {
	case "memories":
		return memoryForm
	case "relations":
		return relationForm
	case "conversations_index":
		return entryForm
	}
	return nil
}

// has reports that the form has the member that a JSON pointer names.
func (f *form) has(path string) bool {
	for _, name := range strings.Split(strings.TrimPrefix(path, "/"), "/") {
		inner, ok := f.members[name]
		if !ok {
			return false
		}
		if f = inner; f == nil {
			return true
		}
	}
	return true
}

// strangeIn lists of an object of a store what form.unknown or form.additions does.
func strangeIn(array string, raw jsontext.Value, of func(*form, jsontext.Value) []string) []string {
	f, n := formIn(array), 0
	switch array {
	case "memories":
		_, n = look(raw)
	case "relations":
		n = lookRelation(raw)
	case "conversations_index":
		n = lookEntry(raw)
	}
	if f == nil || n == len(raw) { // as PAM 1.0 has it, a glance says
		return nil
	}
	return of(f, raw)
}

// strangeInRoot lists the members of the root of a store that PAM 1.0 does not
// have, and of the objects in it.
func strangeInRoot(root map[string]jsontext.Value) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(root)) {
		inner, ok := storeForm.members[name]
		if !ok {
			names = append(names, storeForm.name+":"+clip(name))
		}
		if inner != nil {
			names = append(names, inner.unknown(root[name])...)
		}
	}
	return names
}

// unknown lists the members of an object that the form does not have, and of the
// objects in it.
func (f *form) unknown(raw jsontext.Value) []string {
	return f.strange(jsontext.NewDecoder(bytes.NewBuffer(raw)), nil, false)
}

// additions are what unknown lists and, for a newer minor version may have more of
// them, the members whose word is none of 1.0.
func (f *form) additions(raw jsontext.Value) []string {
	return f.strange(jsontext.NewDecoder(bytes.NewBuffer(raw)), nil, true)
}

// strange adds those of the value that comes next to names.
func (f *form) strange(dec *jsontext.Decoder, names []string, words bool) []string {
	switch dec.PeekKind() {
	case '[':
		_, _ = dec.ReadToken() // the bracket
		for k := dec.PeekKind(); k != ']' && k != 0; k = dec.PeekKind() {
			names = f.strange(dec, names, words)
		}
		_, _ = dec.ReadToken()
		return names
	case '{':
		_, _ = dec.ReadToken()
	default:
		_ = dec.SkipValue()
		return names
	}
	for dec.PeekKind() == '"' {
		token, err := dec.ReadToken()
		if err != nil {
			return names
		}
		name := token.String()
		inner, ok := f.members[name]
		if !ok {
			names = append(names, f.name+":"+clip(name))
		}
		if inner != nil {
			names = inner.strange(dec, names, words)
			continue
		}
		value, err := dec.ReadValue()
		if err != nil {
			return names
		}
		if words && f.strangeWord(name, value) {
			names = append(names, f.name+":"+name)
		}
	}
	_, _ = dec.ReadToken()
	return names
}

// without is a value, whose objects come without the members that unknown lists and
// with words that 1.0 has. It is nil where that leaves nothing.
func (f *form) without(raw jsontext.Value) any {
	if f == nil {
		return raw
	}
	switch raw.Kind() {
	case '[':
		var items []jsontext.Value
		if json.Unmarshal(raw, &items) != nil {
			return nil
		}
		out := make([]any, 0, len(items))
		for _, item := range items {
			if value := f.without(item); value != nil {
				out = append(out, value)
			}
		}
		return out
	case '{':
		if object := f.object(raw); object != nil {
			return object
		}
		return nil
	}
	return raw
}

// of10 is without, written again.
func (f *form) of10(raw jsontext.Value) jsontext.Value {
	out, err := json.Marshal(f.without(raw))
	if err != nil {
		return raw // as it is, it is read or refused
	}
	return out
}

// object is without of an object.
func (f *form) object(raw jsontext.Value) map[string]any {
	var members map[string]jsontext.Value
	if json.Unmarshal(raw, &members) != nil {
		return nil
	}
	out := make(map[string]any, len(members))
	worded := []string{} // for which word is nearest, the others count
	for name, value := range members {
		switch _, known := f.members[name]; {
		case known && f.strangeWord(name, value):
			worded = append(worded, name)
		case known:
			if value := f.members[name].without(value); value != nil {
				out[name] = value
			}
		}
	}
	for _, name := range worded {
		if !f.reword(out, name, members[name]) {
			return nil
		}
	}
	return out
}

// lookThrough tells the version of a file of a bundle, whose form is given, and
// lists the members that the form does not have.
func lookThrough(ctx context.Context, tree *intake.Tree, f intake.File, of *form) (head Head, strange []string, err error) {
	note := func(name string, raw jsontext.Value) {
		if inner := of.members[name]; inner != nil {
			strange = append(strange, inner.additions(raw)...)
		}
	}
	err = walkFile(ctx, tree, f, visitor{
		member: func(name string, raw jsontext.Value) error {
			if _, ok := of.members[name]; !ok {
				strange = append(strange, of.name+":"+clip(name))
			}
			if name == "schema_version" {
				head.SchemaVersion = textOf(map[string]jsontext.Value{name: raw}, name)
			}
			note(name, raw)
			return nil
		},
		element: func(array string, _ int, raw jsontext.Value) error {
			note(array, raw)
			return nil
		},
	})
	return head, strange, err
}

// storeMembers are the members of the root (§3). Of others only the name is
// kept, for the schema to refuse.
var storeMembers = []string{
	"schema", "schema_version", "spec_uri", "export_id", "exported_by", "export_date", "owner", "memories", "relations",
	"conversations_index", "integrity", "export_type", "base_export_id", "since", "type_registry", "signature",
}
