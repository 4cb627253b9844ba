package importertest

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

// CheckMembers holds that every text in a JSON value came out somewhere: as
// part of a draft, or kept verbatim. A text that was taken apart must have come
// out word by word, a time in the form that is written. Members named in except
// are translated into something else, or left out by design.
func CheckMembers(t *testing.T, raw jsontext.Value, r *Recording, except ...string) {
	t.Helper()
	var out strings.Builder
	out.WriteString(strings.Join(leaves(nil, form(t, r), nil), "\x00"))
	for _, c := range r.Conversations {
		out.WriteString("\x00" + c.Leaf)
	}
	all := out.String()
	for _, leaf := range leaves(nil, raw, except) {
		if !strings.Contains(all, leaf) && !hasTime(all, leaf) && !hasWords(all, leaf) {
			t.Errorf("%q of the export is nowhere in what was read", leaf)
		}
	}
}

func hasTime(all, leaf string) bool {
	at, err := memory.ParseTime(leaf)
	return err == nil && strings.Contains(all, at.String())
}

// hasWords is for texts of several words that were cut.
func hasWords(all, leaf string) bool {
	words := strings.FieldsFunc(leaf, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for _, w := range words {
		if !strings.Contains(all, w) {
			return false
		}
	}
	return len(words) > 1
}

// leaves lists the texts and numbers of a value.
func leaves(list []string, v jsontext.Value, except []string) []string {
	for name, value := range jsonstream.Members(v) {
		if !slices.Contains(except, name) {
			list = leaves(list, value, except)
		}
	}
	for _, value := range jsonstream.Items(v) {
		list = leaves(list, value, except)
	}
	if s, ok := jsonstream.Text(v); ok && s != "" {
		list = append(list, s)
	} else if v.Kind() == '0' {
		list = append(list, string(v))
	}
	return list
}
