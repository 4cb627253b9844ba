package chatgpt

import (
	"cmp"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

type wireCitation struct {
	Metadata, Title, URL, Text, Snippet, Matched, Alt, Items, Fallback, Sources jsontext.Value
}

func (w *wireCitation) read(v jsontext.Value) {
	pick(v, fields{"metadata": &w.Metadata, "title": &w.Title, "url": &w.URL, "text": &w.Text, "snippet": &w.Snippet, "matched_text": &w.Matched, "alt": &w.Alt, "items": &w.Items, "fallback_items": &w.Fallback, "sources": &w.Sources})
}

// citations collects the sources of a message, each address once. Offsets into
// the text are not used: they count bytes in one place and characters in
// another.
func citations(m *wireMetadata, found []memory.Citation) []memory.Citation {
	for _, v := range jsonstream.Items(m.Citations) {
		var c, inner wireCitation
		c.read(v)
		inner.read(c.Metadata)
		found = append(found, citation(inner.Title, inner.URL, inner.Text))
	}
	for _, v := range jsonstream.Items(m.References) {
		var c wireCitation
		c.read(v)
		found = append(found, citation(c.Title, c.URL, c.Snippet))
		for _, list := range []jsontext.Value{c.Items, c.Fallback, c.Sources} {
			for _, item := range jsonstream.Items(list) {
				var i wireCitation
				i.read(item)
				found = append(found, citation(i.Title, i.URL, i.Snippet))
			}
		}
	}
	return distinct(found)
}

// citation reads one source; only web addresses count as one.
func citation(title, address, snippet jsontext.Value) memory.Citation {
	c := memory.Citation{Title: text(title), Snippet: text(snippet)}
	if u, err := url.Parse(text(address)); err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http") {
		c.URL = u.String()
	}
	return c
}

func distinct(all []memory.Citation) []memory.Citation {
	var kept []memory.Citation
	seen := map[string]bool{}
	for _, c := range all {
		key := cmp.Or(c.URL, c.Title)
		if key == "" || seen[key] {
			continue
		}
		seen[key] = true
		kept = append(kept, c)
	}
	return kept
}

// instead says what the provider shows in place of a marked span of the text.
// References to unmarked text are left alone: some match a single space.
func instead(m *wireMetadata) map[string]string {
	var shown map[string]string
	for _, v := range jsonstream.Items(m.References) {
		var c wireCitation
		c.read(v)
		matched, alt := text(c.Matched), text(c.Alt)
		if alt == "" || !strings.HasPrefix(matched, string(markBegin)) || strings.ContainsFunc(alt, isMark) {
			continue
		}
		if shown == nil {
			shown = map[string]string{}
		}
		shown[matched] = alt
	}
	return shown
}
