package importer

import "strings"

// Page is one version of a document that was written beside a conversation. It
// stands above the versions and documents before it on the same branch; nil is
// none at all.
type Page struct {
	Name, Text, Language string
	Before               *Page
}

// Find is the newest version of a document, nil where there is none.
func (p *Page) Find(name string) *Page {
	for ; p != nil; p = p.Before {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// maxEdited bounds the versions that are made by edits in one conversation, in
// bytes: a small edit of a large document gives a large version.
const maxEdited = 16 << 20

// Editor makes versions for one conversation. The zero value is ready.
type Editor struct{ made int }

// Replace puts other words in the place of old ones that stand in a text exactly
// once. It does not where they stand nowhere or more often, for then nobody but
// the site knows what came of it, nor once the versions are too much.
func (e *Editor) Replace(text, old, other string) (string, bool) {
	if old == "" || strings.Count(text, old) != 1 {
		return "", false
	}
	if e.made += len(text) - len(old) + len(other); e.made > maxEdited {
		return "", false
	}
	return strings.Replace(text, old, other, 1), true
}
