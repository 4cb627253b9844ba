package pam

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/jcs"
	"keepsake/backend/memory"
)

// Leader is the member with which another is taken or left, because neither says
// anything without the other; "" for one that stands for itself. Paths are as in
// FieldDiff.
func Leader(path string) string {
	switch path {
	case "/content_hash", "/embedding_ref":
		return "/content"
	case "/custom_type":
		return "/type"
	case "/temporal/superseded_by":
		return "/status"
	}
	return ""
}

// IsPickable reports that somebody can choose between two versions of a member
// among those in which two memories differ. The id is what makes them versions of
// one memory; when it was changed is when somebody chose; and what PAM 1.0 does not
// have comes along from neither.
func IsPickable(path string, among []FieldDiff) bool {
	if path == "/id" || path == "/temporal/updated_at" || path == "/embedding_ref" || !memoryForm.has(path) {
		return false
	}
	leader := Leader(path)
	return leader == "" || !slices.ContainsFunc(among, func(f FieldDiff) bool { return f.Path == leader })
}

// Suggest is what becomes of a memory that differs between two files, by the third
// that both come from: each member as the side has it that changed it, and what both
// changed as b has it.
func (e Entry) Suggest() Choice {
	var theirs []string
	ours := false
	for _, f := range e.Fields {
		switch {
		case !IsPickable(f.Path, e.Fields):
		case bytes.Equal(f.B, f.Base):
			ours = true
		default:
			theirs = append(theirs, f.Path)
		}
	}
	switch {
	case !ours:
		return Choice{Of: OfDelta}
	case len(theirs) == 0:
		return Choice{Of: OfBase}
	}
	return Choice{Of: OfBoth, Fields: theirs}
}

// Mix is memory a with the named members, and those that go with them, as b has
// them, changed at a moment. A member that b does not have goes.
func Mix(a, b memory.Record, fields []string, at memory.Time) (memory.Record, error) {
	one, err := EncodeMemory(a)
	if err != nil {
		return a, err
	}
	other, err := EncodeMemory(b)
	if err != nil {
		return a, err
	}
	mixed, err := mix(one, other, fields, at)
	if err != nil {
		return a, err
	}
	return DecodeMemory(mixed)
}

// mix is Mix of canonical text. What is null or an object without members is not
// there, as in fieldsOf.
func mix(a, b []byte, fields []string, at memory.Time) ([]byte, error) {
	is, others := fieldsOf(a), fieldsOf(b)
	for _, path := range pathsOf(is, others) {
		if !IsPickable(path, nil) || !slices.Contains(fields, path) && !slices.Contains(fields, Leader(path)) {
			continue
		}
		if value, ok := others[path]; ok {
			is[path] = value
		} else {
			delete(is, path)
		}
	}
	return joined(is, at)
}

// joined puts a memory together again, changed at a moment.
func joined(fields map[string]jsontext.Value, at memory.Time) ([]byte, error) {
	members := map[string]any{}
	for path, value := range fields {
		into := members
		outer, inner, nested := strings.Cut(path[1:], "/")
		if nested {
			part, ok := members[unescape(outer)].(map[string]any)
			if !ok {
				part = map[string]any{}
				members[unescape(outer)] = part
			}
			into, outer = part, inner
		}
		into[unescape(outer)] = value
	}
	if temporal, ok := members["temporal"].(map[string]any); ok {
		changed, err := changedBy(temporal, at)
		if err != nil {
			return nil, err
		}
		temporal["updated_at"] = changed
	}
	return jcs.Marshal(members)
}

// changedBy is when a memory was changed: never before it was made.
func changedBy(temporal map[string]any, at memory.Time) (memory.Time, error) {
	raw, _ := temporal["created_at"].(jsontext.Value)
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return at, fmt.Errorf("mix memories: %w", err)
	}
	made, err := memory.ParseTime(text)
	if err != nil {
		return at, fmt.Errorf("mix memories: %w", err)
	}
	if at.Compare(made) < 0 {
		return made, nil
	}
	return at, nil
}
