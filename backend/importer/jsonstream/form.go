package jsonstream

import "github.com/go-json-experiment/json/jsontext"

// Form is a struct of a provider's, filled from an object. Values lie inside
// the object's text.
type Form interface {
	// Field is where a member goes, nil for one that has no field.
	Field(name string) *jsontext.Value
	// Inner is the form of a member that is an object itself, nil where it is
	// looked into later or not at all. It is filled in the same pass; a big
	// value inside values is gone over once and not once a level.
	Inner(name string) Form
	// Other takes a member that has no field.
	Other(name string, v jsontext.Value)
}

// Names holds the texts that a provider repeats in every message, so that each
// is in memory once.
type Names struct {
	slots [1 << 7]string    // most of them, as they are written, in quotes
	all   map[string]string // by how they are written
}

// NamesOf makes the table.
func NamesOf(all ...string) *Names {
	n := &Names{all: make(map[string]string, len(all))}
	for _, name := range all {
		quoted := `"` + name + `"`
		n.all[quoted] = name
		n.slots[slotOf([]byte(quoted))] = quoted
	}
	return n
}

// slotOf tells most names of a provider apart.
func slotOf(quoted []byte) byte {
	n := len(quoted)
	return (quoted[1] + 3*quoted[n-2] + 5*byte(n)) & (1<<7 - 1)
}

// Find is the text that v holds where it is one of them.
func (n *Names) Find(v []byte) (string, bool) {
	if len(v) < 2 {
		return "", false
	}
	if quoted := n.slots[slotOf(v)]; quoted == string(v) {
		return quoted[1 : len(quoted)-1], true
	}
	name, ok := n.all[string(v)]
	return name, ok
}

// Of is the text that v holds, which is in memory once where it is one of them; ""
// where it holds none.
func (n *Names) Of(v []byte) string {
	if name, ok := n.Find(v); ok {
		return name
	}
	name, _ := Text(v)
	return name
}

// Fill fills a form. Anything but an object leaves it as it is. Ends may be
// those of v or of a text it was cut from.
func (n *Names) Fill(v jsontext.Value, ends Ends, into Form) bool {
	i := skipSpace(v, 0)
	if i >= len(v) || v[i] != '{' {
		return false
	}
	known := ends.of(v)
	n.fill(v, i, &known, into)
	return true
}

// fill reads the object that begins at i and returns where it ends.
func (n *Names) fill(v []byte, i int, ends *endings, into Form) int {
	for i = skipSpace(v, i+1); i < len(v) && v[i] == '"'; {
		end := valueEnd(v, i)
		name := n.Of(v[i:end])
		from := skipSpace(v, skipSpace(v, end)+1) // over the colon
		to := n.member(v, from, name, ends, into)
		if at := into.Field(name); at != nil {
			*at = v[from:to]
		} else {
			into.Other(name, v[from:to])
		}
		if i = skipSpace(v, to); i < len(v) && v[i] == ',' {
			i = skipSpace(v, i+1)
		}
	}
	return min(i+1, len(v))
}

// member returns where the value that begins at from ends.
func (n *Names) member(v []byte, from int, name string, ends *endings, into Form) int {
	if from < len(v) && v[from] == '{' {
		if inner := into.Inner(name); inner != nil {
			return n.fill(v, from, ends, inner)
		}
	}
	return ends.valueEnd(v, from)
}
