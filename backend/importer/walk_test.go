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

// FuzzText holds what is read of a string to what jsontext reads.
func FuzzText(f *testing.F) {
	for _, s := range []string{
		`""`, `"a"`, `"\n\t\r\b\f\/\"\\"`, `"a\u00e9b\u4e2d\uD83D\uDE00c"`, `"\ud83d"`, `"\ude00\ud83d"`, `"\u12G4"`, `"\u12"`, `"\x"`, `"\"`,
		`"中文"`, `"\u0000"`, `"\ufffd"`, `"\uD83D\uD83D"`, `"\u00E9\u00Ff"`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, v []byte) {
		if len(v) == 0 || v[0] != '"' || !jsontext.Value(v).IsValid() || v[len(v)-1] != '"' {
			return // a stream hands on nothing else
		}
		want, err := jsontext.AppendUnquote(nil, v)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := importer.Text(v)
		if !ok || got != string(want) {
			t.Errorf("%s is read as %q, not %q", v, got, want)
		}
		if plain, ok := importer.Plain(v); ok && string(plain) != got {
			t.Errorf("%s is plainly %q, not %q", v, plain, got)
		}
		if !importer.Says(v, got) || importer.Says(v, got+"x") || got != "" && importer.Says(v, got[1:]) {
			t.Errorf("%s does not say what it says", v)
		}
	})
}
