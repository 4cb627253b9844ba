package chatgpt

import (
	"encoding/json"
	"path"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/memory"
)

// canvasTool is how the names of the tools begin that write documents beside a
// conversation.
const canvasTool = "canmore."

type wirePage struct{ Type, Content, Updates jsontext.Value }

func (w *wirePage) read(v jsontext.Value) bool {
	return pick(v, fields{"type": &w.Type, "content": &w.Content, "updates": &w.Updates})
}

type wireUpdate struct{ Pattern, Replacement jsontext.Value }

func (w *wireUpdate) read(v jsontext.Value) bool {
	return pick(v, fields{"pattern": &w.Pattern, "replacement": &w.Replacement})
}

// page is the document that a call writes as a whole, to be shown as code of
// its message, and what of the call that leaves. A change of one place stays in
// the call: what it would lead to is for the site to say.
func page(tool string, input json.RawMessage) (shown memory.Part, rest json.RawMessage, ok bool) {
	var w wirePage
	if !strings.HasPrefix(tool, canvasTool) || !w.read(jsontext.Value(input)) {
		return memory.Part{}, nil, false
	}
	shown = memory.Part{Type: "code", Language: pageLanguage(text(w.Type)), Text: text(w.Content)}
	rest = importer.Without(jsontext.Value(input), "content")
	if whole, ok := rewritten(w.Updates); ok && shown.Text == "" {
		shown.Text, rest = whole, nil
	}
	return shown, rest, strings.TrimSpace(shown.Text) != ""
}

// rewritten is the text that a single update puts in the place of all of it.
func rewritten(updates jsontext.Value) (whole string, ok bool) {
	n := 0
	for _, v := range importer.Items(updates) {
		var u wireUpdate
		u.read(v)
		whole, ok = text(u.Replacement), text(u.Pattern) == ".*"
		n++
	}
	return whole, ok && n == 1
}

// pageLanguage reads the type of a document: "document", "code/python".
func pageLanguage(kind string) string {
	if _, language, ok := strings.Cut(kind, "/"); ok {
		return language
	}
	if kind == "document" {
		return "markdown"
	}
	return ""
}

// pages are the files of textdocs/ that a message's canvas names.
func (s *shelf) pages(canvas jsontext.Value) []pointer {
	var all []pointer
	for _, v := range importer.Members(canvas) {
		id := text(v)
		if at, ok := s.byName[id]; ok && path.Base(path.Dir(at.file.Path)) == textdocs {
			all = append(all, pointer{id: id, kind: "file", part: -1})
		}
	}
	return all
}
