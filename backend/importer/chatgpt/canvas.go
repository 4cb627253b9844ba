package chatgpt

import (
	"encoding/json"
	"path"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
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
// its message, and what of the call that leaves.
func page(tool string, input json.RawMessage) (shown memory.Part, rest json.RawMessage, ok bool) {
	var w wirePage
	if !strings.HasPrefix(tool, canvasTool) || !w.read(jsontext.Value(input)) {
		return memory.Part{}, nil, false
	}
	shown = memory.Part{Type: "code", Language: pageLanguage(text(w.Type)), Text: text(w.Content)}
	rest = jsonstream.Without(jsontext.Value(input), "content")
	if whole, ok := rewritten(w.Updates); ok && shown.Text == "" {
		shown.Text, rest = whole, nil
	}
	return shown, rest, strings.TrimSpace(shown.Text) != ""
}

// rewritten is the text that a single update puts in the place of all of it.
func rewritten(updates jsontext.Value) (whole string, ok bool) {
	n := 0
	for _, v := range jsonstream.Items(updates) {
		var u wireUpdate
		u.read(v)
		whole, ok = text(u.Replacement), text(u.Pattern) == ".*"
		n++
	}
	return whole, ok && n == 1
}

type wireEdit struct{ Pattern, Multiple, Replacement jsontext.Value }

func (w *wireEdit) read(v jsontext.Value) bool {
	return pick(v, fields{"pattern": &w.Pattern, "multiple": &w.Multiple, "replacement": &w.Replacement})
}

// edited is the version that the changes of a call make of a document. Patterns
// are regular expressions of Python: one that is no plain text, or a replacement
// that may name a group, is left to the site.
func edited(e *importer.Editor, before string, updates jsontext.Value) (string, bool) {
	made, some := before, false
	for _, v := range jsonstream.Items(updates) {
		var w wireEdit
		w.read(v)
		pattern, other := text(w.Pattern), text(w.Replacement)
		if jsonstream.True(w.Multiple) || strings.Contains(other, `\`) || strings.ContainsAny(pattern, special) {
			return "", false
		}
		var ok bool
		if made, ok = e.Replace(made, pattern, other); !ok {
			return "", false
		}
		some = true
	}
	return made, some
}

// special are the characters that mean more than themselves in a pattern.
const special = `\.+*?()|[]{}^$`

// document is what a call to the canvas leaves to be shown at a node, and what of
// the call that leaves. A change of one place gives the next version where the
// branch holds the document and the change can mean one thing; it is counted
// otherwise, and stays in the call.
func (r *reader) document(t *talk, node int, call memory.ToolCall) (shown memory.Part, rest json.RawMessage, ok bool) {
	shown, rest, ok = page(call.Name, call.Input)
	before := t.pages[node]
	if !ok {
		var w wirePage
		if !strings.HasPrefix(call.Name, canvasTool) || !w.read(jsontext.Value(call.Input)) || isEmpty(w.Updates) {
			return shown, rest, false
		}
		made, could := "", false
		if before != nil {
			made, could = edited(&t.editor, before.Text, w.Updates)
		}
		if !could {
			r.sink.Unknown("edit:canvas")
			return shown, rest, false
		}
		shown, rest, ok = memory.Part{Type: "code", Language: before.Language, Text: made}, call.Input, strings.TrimSpace(made) != ""
	}
	if shown.Language == "" && before != nil {
		shown.Language = before.Language // all of it was replaced
	}
	t.pages[node] = &importer.Page{Text: shown.Text, Language: shown.Language, Before: before}
	return shown, rest, ok
}

// inherit gives a node the document that its parent leaves: a conversation has
// one at a time, and parents are read before their children.
func (t *talk) inherit(n *node) {
	if t.pages == nil {
		t.pages = make([]*importer.Page, len(t.graph.nodes))
	}
	if n.parent != noParent {
		t.pages[t.graph.at[n.id]] = t.pages[n.parent]
	}
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
	for _, v := range jsonstream.Members(canvas) {
		id := text(v)
		if at, ok := s.byName[id]; ok && path.Base(path.Dir(at.file.Path)) == textdocs {
			all = append(all, pointer{id: id, kind: "file", part: -1})
		}
	}
	return all
}
