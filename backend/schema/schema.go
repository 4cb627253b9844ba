package schema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"keepsake/schemas"
)

// Kind names what a value is checked as: a whole document, or one of the
// objects that documents are checked by, piece by piece.
type Kind string

const (
	MemoryStore  Kind = "portable-ai-memory"
	Conversation Kind = "portable-ai-memory-conversation"
	Embeddings   Kind = "portable-ai-memory-embeddings"

	Memory     Kind = "memory"
	Relation   Kind = "relation"
	IndexEntry Kind = "conversations_index entry"
	Embedding  Kind = "embedding"
	Message    Kind = "message"

	// Of the Memory Interchange Format, by major version.
	MIF1       Kind = "mif 1"
	MIF1Memory Kind = "mif 1 memory"
	MIF1Todo   Kind = "mif 1 todo"
	MIF1Edge   Kind = "mif 1 edge"
	MIF2       Kind = "mif 2"
	MIF2Memory Kind = "mif 2 memory"
	MIF2Todo   Kind = "mif 2 todo"
)

// where says which file, and which definition in it, a kind is.
var where = map[Kind]string{
	MemoryStore:  schemas.MemoryStore,
	Conversation: schemas.Conversation,
	Embeddings:   schemas.Embeddings,
	Memory:       schemas.MemoryStore + "#/$defs/MemoryObject",
	Relation:     schemas.MemoryStore + "#/$defs/RelationObject",
	IndexEntry:   schemas.MemoryStore + "#/$defs/ConversationIndexEntry",
	Message:      schemas.Conversation + "#/$defs/Message",
	Embedding:    schemas.Embeddings + "#/$defs/EmbeddingObject",
	MIF1:         schemas.MIF1,
	MIF1Memory:   schemas.MIF1 + "#/$defs/Memory",
	MIF1Todo:     schemas.MIF1 + "#/$defs/Todo",
	MIF1Edge:     schemas.MIF1 + "#/$defs/Edge",
	MIF2:         schemas.MIF2,
	MIF2Memory:   schemas.MIF2 + "#/$defs/Memory",
	MIF2Todo:     schemas.MIF2 + "#/$defs/Todo",
}

// Violation is one broken rule. Pointer is a JSON pointer into the value;
// Message names the rule. Expected and Found say what should and what does
// stand there. None of them quotes the value, which may be content.
type Violation struct {
	Pointer  string
	Message  string
	Expected string
	Found    string
	// MayBeAdded says that a newer minor version may have made it right: a member or a
	// word more (PAM §22.3).
	MayBeAdded bool
}

// Set is the compiled schemas; it may be used from several goroutines.
type Set struct {
	byKind map[Kind]*jsonschema.Schema
}

// Compile reads the embedded schemas. It takes a few milliseconds.
func Compile() (*Set, error) {
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	c.LoadURL = func(url string) (io.ReadCloser, error) {
		return nil, fmt.Errorf("load %s: schemas come from the binary only", url)
	}
	for _, name := range []string{schemas.MemoryStore, schemas.Conversation, schemas.Embeddings, schemas.MIF1, schemas.MIF2} {
		text, err := schemas.FS.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read schema: %w", err)
		}
		if err := c.AddResource(name, bytes.NewReader(text)); err != nil {
			return nil, fmt.Errorf("add schema %s: %w", name, err)
		}
	}
	set := &Set{byKind: map[Kind]*jsonschema.Schema{}}
	for kind, url := range where {
		compiled, err := c.Compile(url)
		if err != nil {
			return nil, fmt.Errorf("compile schema %s: %w", url, err)
		}
		set.byKind[kind] = compiled
	}
	return set, nil
}

// Check returns the rules that raw breaks, none when it is valid. What is not
// JSON breaks one rule. Memory use is a multiple of raw: check big documents
// piece by piece.
func (s *Set) Check(kind Kind, raw []byte) []Violation {
	v, err := decode(raw)
	if err != nil {
		return []Violation{{Message: "cannot be read", Expected: "JSON", Found: "what is not JSON"}}
	}
	return s.CheckValue(kind, v)
}

// decode reads numbers as doubles, as every other validator does: 1e-400 is a
// whole number to them. One that no double can hold stays as it is written.
func decode(raw []byte) (v any, err error) {
	if jsonv2.Unmarshal(raw, &v) == nil { // twice as fast, and stricter
		return v, nil
	}
	v = nil
	err = json.NewDecoder(bytes.NewReader(raw)).Decode(&v)
	var beyond *json.UnmarshalTypeError
	if errors.As(err, &beyond) {
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.UseNumber()
		err = dec.Decode(&v)
	}
	return v, err
}

// CheckValue is Check on a decoded value (maps, slices, json.Number or float64).
func (s *Set) CheckValue(kind Kind, v any) []Violation {
	err := s.byKind[kind].Validate(v)
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return []Violation{{Message: "cannot be read"}}
	}
	found := leaves(invalid, v, nil)
	slices.SortStableFunc(found, func(a, b Violation) int {
		return cmp.Or(strings.Compare(a.Pointer, b.Pointer), strings.Compare(a.Message, b.Message))
	})
	return found
}

// CheckMemory is Check as Memory: what every memory passes before it is stored.
func (s *Set) CheckMemory(raw []byte) []Violation { return s.Check(Memory, raw) }

// leaves collects the innermost causes, which name the rule that was broken. Of
// what may be an object or null, and is an object, only the object's causes count.
func leaves(e *jsonschema.ValidationError, v any, found []Violation) []Violation {
	if len(e.Causes) == 0 {
		return append(found, violation(e, v))
	}
	_, isObject := at(v, e.InstanceLocation).(map[string]any)
	for _, cause := range e.Causes {
		if isObject && strings.HasSuffix(cause.KeywordLocation, "/type") && strings.HasSuffix(cause.Message, "expected null, but got object") && len(e.Causes) > 1 {
			continue
		}
		found = leaves(cause, v, found)
	}
	return found
}

// violation names the broken keyword. The library's own words may quote the
// value, so only the names and numbers in them are passed on.
func violation(e *jsonschema.ValidationError, v any) Violation {
	keyword := e.KeywordLocation[strings.LastIndexByte(e.KeywordLocation, '/')+1:]
	said, known := sentences[keyword]
	if !known {
		said = sentence{"breaks a rule of the schema", keyword}
	}
	out := Violation{Pointer: e.InstanceLocation, Message: said.message, Expected: said.expected, Found: kindOf(at(v, e.InstanceLocation))}
	out.MayBeAdded = keyword == "additionalProperties" || keyword == "enum"
	switch keyword {
	case "required":
		out.Expected, out.Found = strings.TrimPrefix(e.Message, "missing properties: "), "nothing"
	case "additionalProperties":
		out.Found = strings.TrimSuffix(strings.TrimPrefix(e.Message, "additionalProperties "), " not allowed")
	case "type":
		out.Expected, _, _ = strings.Cut(strings.TrimPrefix(e.Message, "expected "), ", but got ")
	case "minimum", "maximum":
		out.Expected, _, _ = strings.Cut(strings.TrimPrefix(e.Message, "must be "), " but found ")
	case "enum", "const":
		out.Expected = strings.TrimPrefix(strings.TrimPrefix(e.Message, "value must be one of "), "value must be ")
		out.Expected = strings.ReplaceAll(out.Expected, "<nil>", "null")
	case "pattern":
		out.Expected = strings.TrimPrefix(e.Message, "does not match pattern ")
	}
	return out
}

// sentence is what is said of a value that breaks a rule, and what should stand
// there, "" where the rule itself names it.
type sentence struct{ message, expected string }

// sentences by the keyword of a schema that sets the rule.
var sentences = map[string]sentence{
	"required":             {"lacks what must be there", ""},
	"additionalProperties": {"has a member that the schema does not know", "no other members"},
	"type":                 {"is of another kind", ""},
	"minimum":              {"is too small", ""},
	"maximum":              {"is too large", ""},
	"minLength":            {"is empty", "at least one character"},
	"minItems":             {"is empty", "at least one item"},
	"uniqueItems":          {"has an item twice", "no item twice"},
	"enum":                 {"is not one of the allowed words", ""},
	"const":                {"is not the one allowed value", ""},
	"pattern":              {"does not have the required form", ""},
}

// at is the part of a decoded value that a JSON pointer leads to.
func at(v any, pointer string) any {
	for _, name := range strings.Split(pointer, "/")[1:] {
		switch node := v.(type) {
		case map[string]any:
			v = node[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(node) {
				return nil
			}
			v = node[i]
		}
	}
	return v
}

// kindOf says what a value is without saying it.
func kindOf(v any) string {
	switch node := v.(type) {
	case nil:
		return "null"
	case bool:
		return "true or false"
	case string:
		return fmt.Sprintf("a string of length %d", utf8.RuneCountInString(node))
	case []any:
		return fmt.Sprintf("an array of %d", len(node))
	case map[string]any:
		return fmt.Sprintf("an object with %d members", len(node))
	}
	return fmt.Sprintf("the number %v", v)
}
