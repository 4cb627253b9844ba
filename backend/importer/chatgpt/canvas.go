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

// page is the document that a call writes as a whole, to be shown as code of
// its message, and what of the call that leaves.
func page(tool string, input json.RawMessage) (shown memory.Part, rest json.RawMessage, ok bool) {
	v := jsontext.Value(input)
	if !strings.HasPrefix(tool, canvasTool) || v.Kind() != '{' {
		return memory.Part{}, nil, false
	}
	shown = memory.Part{Type: "code", Language: pageLanguage(importer.TextIn(v, "type")), Text: importer.TextIn(v, "content")}
	rest = jsonstream.Without(v, "content")
	if whole, ok := rewritten(jsonstream.Member(v, "updates")); ok && shown.Text == "" {
		shown.Text, rest = whole, nil
	}
	return shown, rest, strings.TrimSpace(shown.Text) != ""
}

// rewritten is the text that a single update puts in the place of all of it.
func rewritten(updates jsontext.Value) (whole string, ok bool) {
	n := 0
	for _, v := range jsonstream.Items(updates) {
		whole, ok = importer.TextIn(v, "replacement"), importer.TextIn(v, "pattern") == ".*"
		n++
	}
	return whole, ok && n == 1
}

// edited is the version that the changes of a call make of a document. Patterns
// are regular expressions of Python: one that is no plain text, or a replacement
// that may name a group, is left to the site.
func edited(e *importer.Editor, before string, updates jsontext.Value) (string, bool) {
	made, some := before, false
	for _, v := range jsonstream.Items(updates) {
		pattern, other := importer.TextIn(v, "pattern"), importer.TextIn(v, "replacement")
		if jsonstream.True(jsonstream.Member(v, "multiple")) || strings.Contains(other, `\`) || strings.ContainsAny(pattern, special) {
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
		updates := jsonstream.Member(jsontext.Value(call.Input), "updates")
		if !strings.HasPrefix(call.Name, canvasTool) || importer.IsNothing(updates) {
			return shown, rest, false
		}
		made, could := "", false
		if before != nil {
			made, could = edited(&t.editor, before.Text, updates)
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
