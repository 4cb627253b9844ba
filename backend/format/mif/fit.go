package mif

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/memory"
	"keepsake/backend/schema"
)

// What was kept of a document leaves as it stood, and not every document that was
// read is valid. So everything kept is held against the schema of the version that is
// written. What the schema refuses of a memory, a task or an edge stands beside it in a
// member that no version knows, from which it comes back; of the document's own members
// it stays in the vault.

// refusedMember is that member.
const refusedMember = "mif_refused"

// maxFits bounds how often an object is looked at again after something was left out.
const maxFits = 16

// checked says what the elements of a list are checked as, in version 1 and in
// version 2, and which of their members must be times.
var checked = map[string]struct {
	one, two schema.Kind
	times    []string
}{
	"memories": {schema.MIF1Memory, schema.MIF2Memory, []string{"created_at", "updated_at", "accessed_at"}},
	"todos":    {schema.MIF1Todo, schema.MIF2Todo, []string{"created_at", "updated_at", "due_date", "completed_at"}},
	Edges:      {schema.MIF1Edge, schema.MIF1Edge, []string{"created_at"}},
}

// kindOf is what the elements of a list are checked as, "" for none.
func kindOf(list, major string) schema.Kind {
	if major == "2" {
		return checked[list].two
	}
	return checked[list].one
}

// rootOf is what the document itself is checked as.
func rootOf(major string) schema.Kind {
	if major == "2" {
		return schema.MIF2
	}
	return schema.MIF1
}

func isTime(text string) bool {
	_, err := time.Parse(time.RFC3339Nano, text)
	return err == nil
}

// fit leaves out of an element of a list what validate refuses. What base has in its
// place, which is made of the vault alone, stands there instead.
func (d *writing) fit(list string, o, base object) object {
	kind, times := kindOf(list, d.Major), checked[list].times
	if d.Rules == nil || kind == "" {
		return o
	}
	fitted := d.fitTo(kind, times, o, base)
	if len(d.refused(kind, times, fitted)) > 0 {
		fitted = maps.Clone(base)
	}
	if kept := refusedOf(o, fitted); len(kept) > 0 {
		fitted[refusedMember] = kept.text()
	}
	return fitted
}

// neverBeside are members whose value is told otherwise where it is refused.
var neverBeside = known("id content created_at updated_at", refusedMember)

// refusedOf is what an object had and has no more.
func refusedOf(was, is object) object {
	kept := object{}
	for name, v := range was {
		now, there := is[name]
		switch in := is.object(name); {
		case neverBeside[name] || there && same(v, now):
		case in != nil && was.object(name) != nil:
			if gone := refusedOf(was.object(name), in); len(gone) > 0 {
				kept[name] = gone.text()
			}
		default:
			kept[name] = v
		}
	}
	return kept
}

// takeBack gives an object what a schema had refused of it. What stands there now counts
// where it says anything else; again is what the mapping makes of an object, nil where it
// replaces nothing.
func (o object) takeBack(again func(object) object) object {
	kept := o.object(refusedMember)
	if kept == nil {
		return o
	}
	o = maps.Clone(o)
	delete(o, refusedMember)
	for name, v := range kept {
		now, there := o[name]
		in, more := o.object(name), object{name: v}.object(name)
		switch {
		case neverBeside[name]:
		case !there:
			o[name] = v
		case in != nil && more != nil:
			for inner, v := range more {
				if in[inner] == nil {
					in[inner] = v
				}
			}
			o[name] = in.text()
		case again != nil && same(again(o.over(object{name: v}))[name], now):
			o[name] = v
		}
	}
	return o
}

func (d *writing) fitTo(kind schema.Kind, times []string, o, base object) object {
	o = maps.Clone(o)
	for range maxFits {
		bad := d.refused(kind, times, o)
		if len(bad) == 0 {
			break
		}
		for _, at := range bad {
			o.leaveOut(at, base)
		}
	}
	return o
}

// place is a member of an object, or one of an object in it.
type place struct{ outer, inner string }

// refused are the places that validate has an error for, each once.
func (d *writing) refused(kind schema.Kind, times []string, o object) (all []place) {
	note := func(p place) {
		if !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	for _, bad := range d.Rules.Check(kind, o.text()) {
		names := strings.SplitN(bad.Pointer, "/", 4)
		var p place
		if len(names) > 1 {
			p.outer = unescaped(names[1])
		}
		if len(names) > 2 {
			p.inner = unescaped(names[2])
		}
		note(p)
	}
	for _, name := range times {
		if text := o.string(name); text != "" && !isTime(text) {
			note(place{outer: name})
		}
	}
	return all
}

// unescaped is one name of a JSON pointer (RFC 6901).
func unescaped(name string) string {
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
}

// leaveOut takes out what stands at a place: of an object in a member only what is in
// it, and otherwise the whole member.
func (o object) leaveOut(at place, base object) {
	if at.outer == "" { // something that must be there is not
		for name, v := range base {
			if o[name] == nil {
				o[name] = v
			}
		}
		return
	}
	if in := o.object(at.outer); at.inner != "" && in != nil {
		delete(in, at.inner)
		o[at.outer] = in.text()
		return
	}
	if v := base[at.outer]; v != nil && !same(v, o[at.outer]) {
		o[at.outer] = v
		return
	}
	delete(o, at.outer)
}

// fitEdges does so for edges that are kept as they came.
func (d *writing) fitEdges(edges iter.Seq2[jsontext.Value, error]) iter.Seq2[jsontext.Value, error] {
	if d.Rules == nil {
		return edges
	}
	return func(yield func(jsontext.Value, error) bool) {
		for raw, err := range edges {
			if o, bad := asObject(raw); err == nil && bad == nil {
				raw = d.fit(Edges, o, leastEdge(o)).text()
			}
			if !yield(raw, err) || err != nil {
				return
			}
		}
	}
}

// leastEdge is what an edge must say, as far as a kept one says it.
func leastEdge(o object) object {
	e := object{"source": o["source"], "target": o["target"], "type": quoted(byUser), "weight": jsontext.Value("1")}
	for _, end := range []string{"source", "target"} {
		if e[end].Kind() != '"' {
			e[end] = quoted(string(orNull(e[end]))) // a number that somebody uses as an id
		}
	}
	return e
}

// fitRoot leaves out of the document's own members what its schema refuses.
func (d *writing) fitRoot(all []member) []member {
	if d.Rules == nil || len(d.source.Members) == 0 {
		return all
	}
	root := objectFrom(all)
	root["memories"] = jsontext.Value("[]")
	return fitting(all, d.fitTo(rootOf(d.Major), nil, root, nil))
}

// objectFrom is what members stand for, long lists emptied.
func objectFrom(all []member) object {
	o := object{}
	for _, m := range all {
		switch {
		case m.elements != nil:
			o[m.name] = jsontext.Value("[]")
		case m.inside != nil:
			o[m.name] = objectFrom(m.inside).text()
		default:
			o[m.name] = m.raw
		}
	}
	return o
}

// fitting are the members that an object still has, as it has them.
func fitting(all []member, o object) (left []member) {
	for _, m := range all {
		raw, there := o[m.name]
		switch {
		case !there:
			continue
		case m.inside != nil:
			m.inside = fitting(m.inside, o.object(m.name))
		case m.elements == nil:
			m.raw = raw
		}
		left = append(left, m)
	}
	return left
}

// typedEntities gives entities without a type, which version 2 allows, the one that
// says so: version 1 asks for one.
func typedEntities(m object) {
	m.each("entities", func(e object) object {
		if e["type"] == nil {
			e["type"] = quoted("unknown")
		}
		return e
	})
}

// withBase is what a memory leaves as: what the mapping alone makes of it, and what was
// kept, where both fit together.
func (d *writing) withBase(r memory.Record, m object) object {
	if _, kept := r.Metadata[Kept]; !kept {
		return m
	}
	base := baseMemory(r)
	if d.Major == "2" {
		base = memoryToTwo(base)
	}
	return d.fit("memories", m, base)
}
