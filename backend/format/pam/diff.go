package pam

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/intake"
	"keepsake/backend/jcs"
	"keepsake/backend/memory"
)

// FieldDiff is one member that differs. A value that is not there is nil. Base
// is only there where three are compared.
type FieldDiff struct {
	Path     string         `json:"path"` // JSON pointer into the object
	A        jsontext.Value `json:"a,omitempty"`
	B        jsontext.Value `json:"b,omitempty"`
	Base     jsontext.Value `json:"base,omitempty"`
	Conflict bool           `json:"conflict,omitempty"` // both differ from the base, and from each other
}

// split are the members whose own members are compared one by one.
var split = []string{"temporal", "provenance", "confidence", "access", "metadata", "storage"}

// DiffRecords lists what differs between two memories, without confidence.current,
// which is of the day it was written.
func DiffRecords(a, b memory.Record) []FieldDiff {
	one, errA := EncodeMemory(a)
	other, errB := EncodeMemory(b)
	if errA != nil || errB != nil {
		return nil
	}
	return slices.DeleteFunc(diffFields(one, other, nil), func(f FieldDiff) bool { return f.Path == "/confidence/current" })
}

// DiffObjects lists what differs between two JSON objects, member by member.
func DiffObjects(a, b []byte) []FieldDiff { return diffFields(a, b, nil) }

// diffFields compares two objects member by member, and both with a base where
// there is one. It lists what differs between a and b.
func diffFields(a, b, base jsontext.Value) []FieldDiff {
	left, right, ground := fieldsOf(a), fieldsOf(b), fieldsOf(base)
	var found []FieldDiff
	for _, path := range pathsOf(left, right) {
		one, other, was := left[path], right[path], ground[path]
		if bytes.Equal(one, other) {
			continue
		}
		f := FieldDiff{Path: path, A: one, B: other}
		if base != nil {
			f.Base = was
			f.Conflict = !bytes.Equal(one, was) && !bytes.Equal(other, was)
		}
		found = append(found, f)
	}
	return found
}

func pathsOf(all ...map[string]jsontext.Value) []string {
	var paths []string
	for _, fields := range all {
		for path := range fields {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// fieldsOf lays an object out flat, each value in canonical form. A member that
// is null is not there.
func fieldsOf(v jsontext.Value) map[string]jsontext.Value {
	out := map[string]jsontext.Value{}
	flatten(out, "", v)
	return out
}

func flatten(out map[string]jsontext.Value, at string, v jsontext.Value) {
	var members map[string]jsontext.Value
	if v == nil || json.Unmarshal(v, &members) != nil {
		return
	}
	for name, value := range members {
		path := at + "/" + escape(name)
		switch {
		case value.Kind() == 'n':
		case at == "" && value.Kind() == '{' && slices.Contains(split, name):
			flatten(out, path, value)
		default:
			if canonical, err := jcs.Fast(value); err == nil {
				value = canonical
			}
			out[path] = value
		}
	}
}

// Entry is one object that is not the same in both documents.
type Entry struct {
	ID       string         `json:"id"`
	A        jsontext.Value `json:"a,omitempty"` // as it stands in a; nil where it is not there
	B        jsontext.Value `json:"b,omitempty"`
	Fields   []FieldDiff    `json:"fields"`
	Conflict bool           `json:"conflict,omitempty"`
	Gone     bool           `json:"gone,omitempty"` // base has it, and one of the two no more
}

// Changes is how one array of b differs from that of a.
type Changes struct {
	Added     []Entry `json:"added"`   // only in b
	Removed   []Entry `json:"removed"` // only in a
	Changed   []Entry `json:"changed"`
	Same      int     `json:"same"`
	Conflicts int     `json:"conflicts"`
}

// Difference is how b differs from a, object by object, by their ids. With a
// base it says of each whether both changed it: a conflict.
type Difference struct {
	Identical     bool    `json:"identical"`
	Conflicts     int     `json:"conflicts"`
	Memories      Changes `json:"memories"`
	Relations     Changes `json:"relations"`
	Conversations Changes `json:"conversations_index"`
	Beside        bool    `json:"-"` // files lie beside the store of a or b

	// Unknown is how often each member that PAM 1.0 does not have stands in "a", "b"
	// and "base", by its name: "memory:mood". Those of objects are compared like any
	// other, those of the root are not.
	Unknown map[string]map[string]int `json:"unknown,omitempty"`
	// Newer lists those of "a", "b" and "base" that are of a newer minor version.
	Newer []string `json:"newer,omitempty"`
}

// holdsMore reports that files lie beside the store of a bundle and its digest.
func holdsMore(t *intake.Tree) bool {
	n := 0
	for _, f := range t.Files() {
		if f.Base() != DigestName {
			n++
		}
	}
	return n > 1
}

// Diff compares two documents, and both with a third that they come from where
// base is not nil. Of each is asked strict JSON, numbers of one form, a version
// that can be read, and an id of each object. It holds all three.
func Diff(ctx context.Context, a, b, base *intake.Tree) (Difference, error) {
	d := Difference{Beside: holdsMore(a) || holdsMore(b)}
	var sides [3]side
	for i, tree := range []*intake.Tree{a, b, base} {
		if tree == nil {
			continue
		}
		var err error
		if sides[i], err = sideOf(ctx, tree); err != nil {
			return Difference{}, err
		}
		d.note([]string{"a", "b", "base"}[i], sides[i])
	}
	for array, into := range map[string]*Changes{"memories": &d.Memories, "relations": &d.Relations, "conversations_index": &d.Conversations} {
		var was map[string]jsontext.Value
		if base != nil {
			was = sides[2].objects[array]
			if was == nil {
				was = map[string]jsontext.Value{}
			}
		}
		*into = Compare(sides[0].objects[array], sides[1].objects[array], was)
		d.Conflicts += into.Conflicts
	}
	d.Identical = d.Memories.none() && d.Relations.none() && d.Conversations.none()
	return d, nil
}

func (c Changes) none() bool { return len(c.Added)+len(c.Removed)+len(c.Changed) == 0 }

// side is one document that is compared: the objects of its three arrays in
// canonical form, by array and id, and what of it is not of PAM 1.0.
type side struct {
	objects map[string]map[string]jsontext.Value
	at      map[string]places // where each stands
	unknown map[string]int
	isNewer bool
	size    int
}

func (d *Difference) note(name string, s side) {
	if s.isNewer {
		d.Newer = append(d.Newer, name)
	}
	if len(s.unknown) > 0 {
		if d.Unknown == nil {
			d.Unknown = map[string]map[string]int{}
		}
		d.Unknown[name] = s.unknown
	}
}

func sideOf(ctx context.Context, tree *intake.Tree) (side, error) {
	s := side{objects: map[string]map[string]jsontext.Value{}, at: map[string]places{}, unknown: map[string]int{}}
	store, err := findStore(tree)
	if err != nil {
		return s, err
	}
	r, err := open(ctx, tree, store)
	if err != nil {
		return s, err
	}
	defer r.Close()
	head := verification{root: map[string]jsontext.Value{}}
	err = walk(ctx, r, visitor{
		member: func(name string, raw jsontext.Value) error {
			for _, strange := range strangeInRoot(map[string]jsontext.Value{name: raw}) {
				s.unknown[strange]++
			}
			if name == "schema" || name == "schema_version" {
				head.root[name] = raw.Clone()
			}
			return nil
		},
		element: func(array string, i int, raw jsontext.Value) error { return s.add(tree.Name(), array, i, raw) },
	})
	if errors.Is(err, errNotJSON) {
		err = asFault(err, tree.Name())
	}
	if err != nil {
		return s, err
	}
	if len(s.objects) == 0 && !head.isDocument() {
		return s, errNoStore(tree)
	}
	if refused := head.head().Refused(tree.Name()); refused != nil {
		return s, refused
	}
	s.isNewer = head.head().IsNewer()
	return s, nil
}

// add holds one object. What has no id cannot be told from the others.
func (s *side) add(name, array string, i int, raw jsontext.Value) error {
	canonical, err := jcs.Fast(raw)
	if err != nil {
		return fault.New(fault.Invalid, "diff-number", "What stands at {place} of {name} holds a number that programs round differently, so the files cannot be compared.").
			With("place", pointer(array, i)).With("name", name).Because(err)
	}
	id := idOf(raw)
	if id == "" {
		return fault.New(fault.Invalid, "diff-no-id", "What stands at {place} of {name} has no id, so the files cannot be compared.").
			With("place", pointer(array, i)).With("name", name).Advise("keepsake validate says what else is wrong with the file.")
	}
	if s.size += len(canonical); s.size > maxHeld {
		return fault.New(fault.TooLarge, "diff-too-large", "{name} is over {limit} MiB and cannot be compared at once.").
			With("name", name).With("limit", maxHeld>>20)
	}
	for _, member := range strangeIn(array, raw, (*form).unknown) {
		s.unknown[member]++
	}
	if s.objects[array] == nil {
		s.objects[array], s.at[array] = map[string]jsontext.Value{}, places{}
	}
	if before, twice := s.at[array][id]; twice {
		return ErrTwice(name, pointer(array, before)+"/id", pointer(array, i)+"/id", id)
	}
	s.at[array][id] = i
	s.objects[array][id] = slices.Clone(canonical)
	return nil
}

// Compare tells two sets of objects apart, by id. Values are in canonical form;
// base is nil where two are compared.
func Compare(a, b, base map[string]jsontext.Value) Changes {
	c := Changes{Added: []Entry{}, Removed: []Entry{}, Changed: []Entry{}}
	for _, id := range idsOf(a, b) {
		one, inA := a[id]
		other, inB := b[id]
		if inA && inB && bytes.Equal(one, other) {
			c.Same++
			continue
		}
		e := Entry{ID: id, A: one, B: other, Fields: []FieldDiff{}}
		was, known := base[id]
		switch {
		case inA && inB:
			if base != nil && !known {
				was = jsontext.Value("{}") // both added it
			}
			e.Fields = diffFields(one, other, was)
			e.Conflict = slices.ContainsFunc(e.Fields, func(f FieldDiff) bool { return f.Conflict })
		case known:
			e.Gone = true // a conflict where one side removed what the other changed
			e.Conflict = !bytes.Equal(was, one) && inA || !bytes.Equal(was, other) && inB
		}
		if e.Conflict {
			c.Conflicts++
		}
		switch {
		case inA && inB:
			c.Changed = append(c.Changed, e)
		case inB:
			c.Added = append(c.Added, e)
		default:
			c.Removed = append(c.Removed, e)
		}
	}
	return c
}

func idsOf(all ...map[string]jsontext.Value) []string {
	var ids []string
	for _, objects := range all {
		for id := range objects {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
