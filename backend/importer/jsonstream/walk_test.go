package jsonstream_test

import (
	"keepsake/backend/importer/jsonstream"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// FuzzText compares Text, Plain and Says with what jsontext decodes.
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
		got, ok := jsonstream.Text(v)
		if !ok || got != string(want) {
			t.Errorf("%s is read as %q, not %q", v, got, want)
		}
		if plain, ok := jsonstream.Plain(v); ok && string(plain) != got {
			t.Errorf("%s is plainly %q, not %q", v, plain, got)
		}
		if !jsonstream.Says(v, got) || jsonstream.Says(v, got+"x") || got != "" && jsonstream.Says(v, got[1:]) {
			t.Errorf("%s does not say what it says", v)
		}
	})
}
