package pam_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"keepsake/backend/format/pam"
	"keepsake/backend/jcs"
	"keepsake/backend/schema"
)

// looks are the quick ways to tell that a piece is valid.
var looks = map[schema.Kind]func([]byte) bool{schema.Memory: pam.Look, schema.Relation: pam.LookRelation, schema.IndexEntry: pam.LookEntry}

// agrees holds a quick look to the schema and the referee: what it takes is in
// canonical form, and the schema allows it.
func agrees(t *testing.T, kind schema.Kind, raw []byte) (taken bool) {
	t.Helper()
	if !looks[kind](raw) {
		return false
	}
	if canonical, err := jcs.Transform(raw); err != nil || !bytes.Equal(canonical, raw) {
		t.Fatalf("taken, but not in canonical form (%v): %s", err, raw)
	}
	if found := compiled(t).Check(kind, raw); len(found) > 0 {
		t.Fatalf("taken, but %v: %s", found, raw)
	}
	return true
}

// TestQuickLookTakesWhatWeWrite: otherwise every file would go the long way.
func TestQuickLookTakesWhatWeWrite(t *testing.T) {
	r := record(0)
	r.Metadata = map[string]any{"language": "zh-Hant-TW", "x": []any{nil, true, -0.25, 1e14, map[string]any{"a": "\n\u0001\u2028"}}}
	text, err := pam.EncodeMemory(r)
	if err != nil {
		t.Fatal(err)
	}
	if !agrees(t, schema.Memory, text) {
		t.Errorf("not taken: %s", text)
	}
}

// values are put in every place of a memory.
var values = []string{
	`null`, `""`, `"a"`, `"A"`, `"-a"`, `"a b"`, `0`, `-0`, `-1`, `1`, `0.5`, `0.50`, `0.000001`, `0.0000001`, `0.123456`, `0.1234567`, `0.0`, `00`, `01`, `.5`, `2`, `1.5`, `1.0`, `1e2`, `1e20`, `1e21`, `0.1`, `1e-7`, `true`, `false`, `[]`, `{}`, `["a"]`, `["a","a"]`,
	`["A"]`, `[""]`, `[null]`, `["read"]`, `["read","read"]`, `{"x":1}`, `{"b":1,"a":2}`, `{"a":1,"a":2}`, `"sha256:AA"`, `"pt-BR"`, `"pt_BR"`, `"custom"`, `"fact"`, `"a/1.0"`, `"a/1.0.0"`,
	`"\u00e9"`, `"\/"`, `"\u000a"`, `"\u0001"`, `"\ud800"`, "\"\xff\"", `"é"`, `{"é":1}`, `9007199254740993`, `0.1000000000000000055`, `0.30000000000000004`, `{"entity":"e","permissions":["read"]}`,
	`[{"entity":"e","permissions":["read","write"]}]`, `[{"entity":"","permissions":["read"]}]`, `[{"entity":"e","permissions":[]}]`, `"yesterday"`, ` 1`, `[1 ]`,
}

// pieces are one of each kind, with every member set.
func pieces(t testing.TB) map[schema.Kind][]byte {
	t.Helper()
	r := record(0)
	r.CustomType, r.EmbeddingRef, r.Temporal.SupersededBy = "", "e", "m"
	text, err := pam.EncodeMemory(r)
	if err != nil {
		t.Fatal(err)
	}
	return map[schema.Kind][]byte{
		schema.Memory:   text,
		schema.Relation: []byte(`{"confidence":0.5,"created_at":"2026-11-21T09:00:00Z","from":"a","id":"r","to":"b","type":"supports"}`),
		schema.IndexEntry: []byte(`{"derived_memories":["m"],"id":"c","message_count":2,"platform":"chatgpt","storage":{"format":"json","ref":"c.json","type":"file"},` +
			`"tags":["a"],"temporal":{"created_at":"2026-11-21T09:00:00Z","updated_at":null},"title":"T"}`),
	}
}

// TestQuickLookIsNeverLaxer puts every value in every place, takes every
// member away, and adds one everywhere.
func TestQuickLookIsNeverLaxer(t *testing.T) {
	for kind, text := range pieces(t) {
		if !agrees(t, kind, text) {
			t.Errorf("%s not taken: %s", kind, text)
		}
		var piece any
		if err := json.Unmarshal(text, &piece); err != nil {
			t.Fatal(err)
		}
		tried, taken := 0, 0
		try := func() {
			raw, err := jcs.Marshal(piece)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range values {
				tried++
				if agrees(t, kind, bytes.ReplaceAll(raw, []byte(`"<here>"`), []byte(v))) {
					taken++
				}
			}
		}
		everywhere(piece, try)
		t.Logf("%s: %d mutants tried, %d taken", kind, tried, taken)
		if tried < 500 || taken < 20 {
			t.Errorf("%s: %d mutants tried, %d taken", kind, tried, taken)
		}
	}
}

// everywhere calls try with "<here>" in each place below v.
func everywhere(v any, try func()) {
	switch node := v.(type) {
	case map[string]any:
		for _, name := range sortedNames(node) {
			value := node[name]
			node[name] = "<here>"
			try()
			delete(node, name)
			try()
			node[name] = value
			everywhere(value, try)
		}
		node["zz"] = "<here>"
		try()
		delete(node, "zz")
	case []any:
		for i, value := range node {
			node[i] = "<here>"
			try()
			node[i] = value
			everywhere(value, try)
		}
	}
}

// FuzzQuickLook: the same for whatever bytes.
func FuzzQuickLook(f *testing.F) {
	for _, text := range pieces(f) {
		f.Add(text)
		for _, v := range values {
			f.Add(bytes.Replace(text, []byte(`"s"`), []byte(v), 1))
			f.Add(bytes.Replace(text, []byte(`"m"`), []byte(v), 1))
			f.Add(bytes.Replace(text, []byte(`0.5`), []byte(v), 1))
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for kind := range looks {
			agrees(t, kind, raw)
		}
	})
}

func sortedNames(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
