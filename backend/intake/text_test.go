package intake_test

import (
	"io"
	"strings"
	"testing"
	"unicode/utf16"

	"keepsake/backend/intake"
)

// TestField57TextInUTF16: a file of text in UTF-16 with its mark is read as UTF-8, and
// any other as it is; Open gives the bytes as they are.
func TestField57TextInUTF16(t *testing.T) {
	encoded := func(low, high int, s string) string {
		out := []byte{}
		for _, unit := range utf16.Encode([]rune("\ufeff" + s)) {
			pair := [2]byte{}
			pair[low], pair[high] = byte(unit), byte(unit>>8)
			out = append(out, pair[:]...)
		}
		return string(out)
	}
	for stored, want := range map[string]string{
		encoded(0, 1, "olá 🐝"): "olá 🐝", encoded(1, 0, "olá 🐝"): "olá 🐝",
		"olá": "olá", "\xEF\xBB\xBFx": "\xEF\xBB\xBFx", "x": "x",
	} {
		tree, err := intake.Open(t.Context(), []intake.Source{intake.FromReaderAt("a.json", int64(len(stored)), strings.NewReader(stored))}, intake.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer tree.Close()
		for raw, open := range map[bool]func() (io.ReadCloser, error){
			false: func() (io.ReadCloser, error) { return tree.OpenText(t.Context(), tree.Files()[0]) },
			true:  func() (io.ReadCloser, error) { return tree.Open(t.Context(), tree.Files()[0]) },
		} {
			r, err := open()
			if err != nil {
				t.Fatal(err)
			}
			data, err := io.ReadAll(r)
			if expected := map[bool]string{false: want, true: stored}[raw]; err != nil || string(data) != expected {
				t.Errorf("%q: %q, %v", stored, data, err)
			}
			r.Close()
		}
	}
}
