package pam

import (
	"context"
	"errors"
	"path"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/intake"
	"keepsake/backend/jcs"
	"keepsake/backend/memory"
)

// Taken is one piece of a document. Unknown lists the members that this version
// does not know and Value does not hold: "memory:mood", "memory.temporal:era".
type Taken[T any] struct {
	At      string // JSON pointer
	Value   T
	Unknown []string
}

// Taker takes what a memory store holds, in the order of the document. A nil
// function takes nothing; an error of one ends the reading.
type Taker struct {
	Memory   func(Taken[memory.Record]) error
	Relation func(Taken[memory.Relation]) error
	Entry    func(Taken[IndexEntry]) error
	// Newer says that the document is of a newer minor version: a word that 1.0 does
	// not have is taken as the nearest that it has, and is listed with what is unknown.
	Newer bool
	// Bad gets a piece that cannot be taken, and why.
	Bad func(at string, why *fault.Error) error
}

// Store finds the memory store of a file or bundle.
func Store(tree *intake.Tree) (intake.File, error) { return findStore(tree) }

// Take streams a memory store and returns what it says of
// itself, with the unknown members of its root. Members that are not known are
// passed over; nothing but strict JSON is asked of the rest.
func Take(ctx context.Context, tree *intake.Tree, store intake.File, to Taker) (Head, []string, error) {
	r, err := open(ctx, tree, store)
	if err != nil {
		return Head{}, nil, err
	}
	defer r.Close()
	t := &taking{to: to, verification: verification{root: map[string]jsontext.Value{}}}
	err = walk(ctx, r, visitor{member: t.member, element: t.element, known: t.known})
	if errors.Is(err, errNotJSON) {
		err = asFault(err, tree.Name())
	}
	if err != nil {
		return Head{}, nil, err
	}
	return t.head(), strangeInRoot(t.root), nil
}

// taking is one reading of a store.
type taking struct {
	verification // for its root
	to           Taker
}

// known passes over what nobody takes, where a glance is enough.
func (t *taking) known(array string, _ int, b []byte) int {
	switch {
	case array == "memories" && t.to.Memory == nil:
		_, n := look(b)
		return n
	case array == "relations" && t.to.Relation == nil:
		return lookRelation(b)
	case array == "conversations_index" && t.to.Entry == nil:
		return lookEntry(b)
	}
	return 0
}

func (t *taking) element(array string, i int, raw jsontext.Value) error {
	at := pointer(array, i)
	switch array {
	case "memories":
		return give(t, at, raw, memoryForm, t.to.Memory, takeMemory)
	case "relations":
		return give(t, at, raw, relationForm, t.to.Relation, into[memory.Relation])
	case "conversations_index":
		return give(t, at, raw, entryForm, t.to.Entry, into[IndexEntry])
	}
	return nil
}

func give[T any](t *taking, at string, raw jsontext.Value, f *form, take func(Taken[T]) error, read func(jsontext.Value) (T, error)) error {
	if take == nil {
		return nil
	}
	strange := f.unknown
	if t.to.Newer {
		strange = f.additions
	}
	unknown := strange(raw)
	if t.to.Newer && len(unknown) > 0 {
		raw = f.of10(raw)
	}
	value, err := read(raw)
	if err != nil {
		if t.to.Bad == nil {
			return nil
		}
		return t.to.Bad(at, errPiece(at+PlaceOf(err), err))
	}
	return take(Taken[T]{At: at, Value: value, Unknown: unknown})
}

func errPiece(at string, cause error) *fault.Error {
	return fault.New(fault.Invalid, "pam-piece", "What stands at {place} is not of the form that Portable AI Memory gives it.").
		With("place", at).Because(cause)
}

func into[T any](raw jsontext.Value) (v T, err error) {
	err = json.Unmarshal(raw, &v, wholeNumbers)
	return v, err
}

var errNoContent = errors.New("no id or no content")

// takeMemory reads a memory as §4 means it: a status that is left out is active,
// and an access block that does not say otherwise may be exported (§9). A number
// that programs round differently is refused, since it has no one form.
func takeMemory(raw jsontext.Value) (memory.Record, error) {
	r, err := DecodeMemory(raw)
	if err != nil {
		return r, err
	}
	if _, n := look(raw); n == 0 || n != len(raw) {
		if _, err := jcs.Fast(raw); err != nil {
			return r, err
		}
	}
	if r.ID == "" || r.Content == "" {
		return r, errNoContent
	}
	if r.Status == "" {
		r.Status = memory.Active
	}
	if r.Access != nil && !r.Access.Exportable {
		r.Access.Exportable = saysNothingOf(raw, "access", "exportable")
	}
	return r, nil
}

// saysNothingOf reports that the object in a member has no member of a name.
func saysNothingOf(raw jsontext.Value, member, name string) bool {
	var outer map[string]jsontext.Value
	var inner map[string]jsontext.Value
	if json.Unmarshal(raw, &outer) != nil || json.Unmarshal(outer[member], &inner) != nil {
		return false
	}
	_, ok := inner[name]
	return !ok
}

// MaxCompanion bounds one companion file, in bytes.
const MaxCompanion = 256 << 20

// Companions lists the conversation files beside a store: those that its index
// names, and those in the folder "conversations".
func Companions(tree *intake.Tree, store intake.File, refs []string) []intake.File {
	var files []intake.File
	seen := map[string]bool{store.Path: true}
	add := func(f intake.File) {
		if !seen[f.Path] {
			seen[f.Path] = true
			files = append(files, f)
		}
	}
	for _, ref := range refs {
		if f, ok := sibling(tree, store, ref); ok {
			add(f)
		}
	}
	folder := path.Join(path.Dir(store.Path), "conversations") + "/"
	for _, f := range tree.Files() {
		if strings.HasPrefix(f.Path, folder) && strings.HasSuffix(f.Path, ".json") {
			add(f)
		}
	}
	return files
}

// Beside finds a file of the bundle by a reference from its store. One that
// leaves the bundle finds nothing, and is not inside.
func Beside(tree *intake.Tree, store intake.File, ref string) (f intake.File, found, inside bool) {
	f, found = sibling(tree, store, ref)
	return f, found, isInside(ref)
}
