package importer_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/memory"
)

// TestOwner holds that what a message keeps says the same in memory of its own, and that
// what the one before kept alike is there once.
func TestOwner(t *testing.T) {
	var owner importer.Owner
	var before memory.RawMetadata
	for _, text := range []string{`{"a":1,"b":"x"}`, `{"a":1,"b":"y","c":[]}`, `{"c":[],"b":"y"}`} {
		var m memory.Message
		importer.KeepOthers(&m.RawMetadata, jsontext.Value(text))
		importer.KeepRaw(&m.RawMetadata, "all", []byte(text))
		want := maps.Clone(m.RawMetadata)
		for name, v := range want {
			want[name] = slices.Clone(v)
		}
		lent := m.RawMetadata["all"]
		owner.Own(&m)
		owner.Own(&memory.Message{}) // keeps nothing
		clear(lent)
		same := func(a, b json.RawMessage) bool { return string(a) == string(b) }
		if !maps.EqualFunc(m.RawMetadata, want, same) {
			t.Errorf("%s is kept as %s", want, m.RawMetadata)
		}
		for name, v := range m.RawMetadata {
			if was, ok := before[name]; ok && same(was, v) != (&was[0] == &v[0]) {
				t.Errorf("%s is there twice, or not its own: %s", name, v)
			}
		}
		before = m.RawMetadata
	}
}
