package library

import (
	"slices"
	"strings"

	"keepsake/backend/core/rows"
	"keepsake/backend/format/mif"
	"keepsake/backend/memory"
)

// ReferenceMatcher reports whether a text refers to a forgotten record: by its id or
// another name of it, or by repeating its content.
type ReferenceMatcher func(text string) bool

// scrub returns a JSON value without references to forgotten records. A list loses each
// element that contains a reference; an object outside of lists loses only the member.
// listed says that value is inside a list; gone reports that value itself must be removed.
func (n ReferenceMatcher) scrub(value any, listed bool) (rest any, gone bool) {
	switch x := value.(type) {
	case string:
		return x, n(x)
	case []any:
		kept := []any{}
		for _, in := range x {
			if in, gone := n.scrub(in, true); !gone {
				kept = append(kept, in)
			}
		}
		return kept, false
	case map[string]any:
		kept := make(map[string]any, len(x))
		for name, in := range x {
			in, gone := n.scrub(in, listed)
			switch gone = gone || n(name); {
			case gone && listed:
				return nil, true
			case !gone:
				kept[name] = in
			}
		}
		return kept, false
	}
	return value, false
}

// ScrubJSON removes references to forgotten records from encoded JSON, like scrub. If it
// finds none, it returns raw itself. If raw is not JSON, it is matched as one text.
func (n ReferenceMatcher) ScrubJSON(raw string, listed bool) (rest string, gone bool) {
	value, ok := ValueOf([]byte(raw))
	if !ok {
		return raw, n(raw)
	}
	found := false
	see := ReferenceMatcher(func(text string) bool {
		is := n(text)
		found = found || is
		return is
	})
	value, gone = see.scrub(value, listed)
	if gone || !found {
		return raw, gone
	}
	text, err := rows.EncodeJSON(value)
	return string(text), err != nil
}

// MatchesIn reports whether any string in raw refers to a forgotten record, also inside
// strings that hold a JSON object. If raw is not JSON, all of it is matched as one text.
func (n ReferenceMatcher) MatchesIn(raw string) (found bool) {
	value, ok := ValueOf([]byte(raw))
	if !ok {
		return n(raw)
	}
	ReferenceMatcher(func(text string) bool {
		found = found || n(text) || strings.HasPrefix(text, "{") && n.MatchesIn(text)
		return false
	}).scrub(value, false)
	return found
}

// ScrubPiece applies ScrubJSON to a piece of a document. gone reports that the piece
// itself must be removed.
func (n ReferenceMatcher) ScrubPiece(p *BesidePiece) (gone bool) {
	if n(p.Name) {
		return true
	}
	p.Raw, gone = n.ScrubJSON(p.Raw, mif.Piece{Name: p.Name}.IsElement())
	return gone
}

// ScrubTodo removes references to forgotten records from a task's related ids and MIF
// data. The text of the task stays.
func (n ReferenceMatcher) ScrubTodo(t *memory.Todo) (changed bool) {
	related, kept := len(t.Related), t.MIF
	t.Related = slices.DeleteFunc(slices.Clone(t.Related), n)
	if t.MIF != "" {
		t.MIF, _ = n.ScrubJSON(t.MIF, false)
	}
	return len(t.Related) != related || t.MIF != kept
}

// MinWithin is the length in bytes from which a name (id or text of a forgotten record)
// also matches inside a text. Shorter ones may be common words and match as a whole only.
const MinWithin = 16
