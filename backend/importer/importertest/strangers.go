package importertest

import (
	"testing"

	"keepsake/backend/importer"
	"keepsake/backend/importer/importertest/gen"
)

// Strangers are small exports of every reader but the one with that id, and
// files that nobody reads: what a reader must leave alone.
func Strangers(id string) []Fixture {
	list := []Fixture{
		Loose("empty.json", `[]`), Loose("object.json", `{}`), Loose("notes.txt", "uuid chat_messages sender"),
		Loose("page.json", `<html><body>mapping</body></html>`), Loose("notes.json", `{"notes":["a"],"memory":"b"}`),
		Loose("log.jsonl", "{\"level\":\"info\",\"type\":\"start\"}\n{\"level\":\"info\",\"message\":\"ok\"}\n"),
		Loose("readme.md", "# A project\n\nSome words.\n\n- a list\n- of things\n"),
	}
	for _, s := range gen.Samples() {
		if s.Reader != id {
			list = append(list, Fixture{Name: s.Reader + " " + s.Name, Files: s.Files})
		}
	}
	return list
}

// FuzzReader holds that no file makes a reader panic or hang, and that what it
// gives is sound.
func FuzzReader(f *testing.F, im importer.Importer, name string) {
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 0 {
			return
		}
		tree, err := Fixture{Name: name, Files: []gen.File{{Name: name, Data: data}}}.Open()
		if err != nil {
			return // refused before any reader saw it
		}
		defer tree.Close()
		if _, err := im.Sniff(t.Context(), tree); err != nil {
			t.Fatal(err)
		}
		r := &Recording{}
		if err := im.Read(t.Context(), tree, r.Sink()); err == nil {
			CheckDrafts(t, im.Info(), r)
		}
	})
}
