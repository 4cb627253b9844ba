package core

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/format/mif"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// names holds the texts that refer to forgotten (deleted) memories: their ids in the vault
// and in documents, their content, and content hashes of their texts here and in sources.
type names struct {
	alone  map[string]bool                      // all names: a field equal to one refers to a forgotten memory
	within map[[library.MinWithin]byte][]string // names of at least MinWithin bytes, by their first bytes
	said   map[string]bool                      // content hashes, as forgetRun.said
}

func (n *names) add(name string) {
	if name == "" || n.alone[name] {
		return
	}
	n.alone[name] = true
	if len(name) >= library.MinWithin {
		begin := [library.MinWithin]byte([]byte(name[:library.MinWithin]))
		n.within[begin] = append(n.within[begin], name)
	}
}

// in reports whether text refers to a forgotten memory (library.ReferenceMatcher): text
// equals a name (an id or content), contains one of MinWithin bytes or more, or has its
// hash in n.said. The lookup by first bytes takes the same time for any number of names.
func (n *names) in(text string) bool {
	if n.alone[text] || n.said[memory.ContentHash(text)] {
		return true
	}
	for i := 0; i+library.MinWithin <= len(text); i++ {
		for _, name := range n.within[[library.MinWithin]byte([]byte(text[i:i+library.MinWithin]))] {
			if strings.HasPrefix(text[i:], name) {
				return true
			}
		}
	}
	return false
}

// of adds every text by which a record may name memory m: its content, its id here, the
// ids that its source documents gave it, and the form that MIF gives each of these ids.
func (n *names) of(m rows.StoredMemory) {
	n.add(m.Content)
	for _, id := range append([]string{m.ID}, originals(m.Side)...) {
		n.add(id)
		n.add(mif.MemoryID(id))
	}
}

func originals(side rows.ProvenanceRecord) (ids []string) {
	for _, s := range side.Sources {
		if s.OriginalID != "" {
			ids = append(ids, s.OriginalID)
		}
	}
	return ids
}

// rewritten holds the checksums of a record before (was) and after (is) a reference was
// removed from it. In undo data of that record, Image.After is changed from was to is.
type rewritten struct{ was, is []byte }

// rewrite stores rest in place of a record, or deletes the record if rest is nil. It notes
// both checksums in f.rewritten.
func (f *forgetRun) rewrite(e *library.Tx, kind library.ImageKind, rec vault.Entry, rest any) error {
	text, err := e.Rewrite(kind, rec, rest)
	if err != nil {
		return err
	}
	f.rewritten[string(kind)+rec.ID] = rewritten{rows.Sum(rec.Plain), rows.Sum(text)}
	return nil
}

// elsewhere removes references to the forgotten memories from stored document content,
// tasks, drafts, and the memories that a forgotten memory had replaced.
func (f *forgetRun) elsewhere(e *library.Tx) error {
	if len(f.memories) == 0 {
		return nil
	}
	for _, step := range []func(*library.Tx) error{f.besides, f.todos, f.successors, f.drafts} {
		if err := step(e); err != nil {
			return err
		}
	}
	return nil
}

// changing calls judge for all records of a kind. A record for which judge returns changed
// is replaced by rest, but only after the iteration has ended.
func (f *forgetRun) changing(e *library.Tx, kind library.ImageKind, judge func(rec vault.Entry) (rest any, changed bool, err error)) error {
	type todo struct {
		rec  vault.Entry
		rest any
	}
	var all []todo
	for rec, err := range e.VaultTx.Each(kind.Collection()) {
		if err != nil {
			return err
		}
		rest, changed, err := judge(rec)
		if err != nil {
			return err
		}
		if changed {
			rec.ID, rec.Plain = strings.Clone(rec.ID), bytes.Clone(rec.Plain)
			all = append(all, todo{rec, rest})
		}
	}
	for _, t := range all {
		if err := f.rewrite(e, kind, t.rec, t.rest); err != nil {
			return err
		}
	}
	return nil
}

func (f *forgetRun) besides(e *library.Tx) error {
	return f.changing(e, library.OfInterchange, func(rec vault.Entry) (any, bool, error) {
		if strings.HasPrefix(rec.ID, library.DocumentPrefix) {
			return withoutNamed(rec, func(p *library.BesidePiece) bool { return library.ReferenceMatcher(f.names.in).ScrubPiece(p) })
		}
		return withoutNamed(rec, func(text *string) (gone bool) {
			*text, gone = library.ReferenceMatcher(f.names.in).ScrubJSON(*text, true)
			return gone
		})
	})
}

// withoutNamed decodes a record, which is a JSON list, and returns it without the elements
// for which gone is true; nil if none is left. gone may also edit an element that stays.
func withoutNamed[T comparable](rec vault.Entry, gone func(*T) bool) (any, bool, error) {
	var rest []T
	all, err := rows.DecodeJSON[[]T](rec.Plain, "what was kept")
	if err != nil {
		return nil, false, err
	}
	changed := false
	for _, was := range all {
		is := was
		if gone(&is) {
			changed = true
			continue
		}
		changed = changed || is != was
		rest = append(rest, is)
	}
	if rest == nil {
		return nil, changed, nil
	}
	return rest, changed, nil
}

func (f *forgetRun) todos(e *library.Tx) error {
	return f.changing(e, library.OfTodo, func(rec vault.Entry) (any, bool, error) {
		t, err := rows.DecodeJSON[memory.Todo](rec.Plain, "task")
		if err != nil {
			return nil, false, err
		}
		changed := library.ReferenceMatcher(f.names.in).ScrubTodo(&t)
		return t, changed, nil
	})
}

// successors clears superseded_by in the memories that a forgotten memory had replaced.
func (f *forgetRun) successors(e *library.Tx) error {
	for _, id := range e.Rows.ReplacedBy(f.memories) {
		m, ok, err := rows.LoadMemory(e.VaultTx, id)
		if err != nil {
			return err
		}
		if !ok || !f.memories[m.Temporal.SupersededBy] {
			continue
		}
		was := rows.Sum(m.Bytes)
		m.Temporal.SupersededBy = ""
		if err := e.PutMemory(m.Record, m.Side); err != nil {
			return err
		}
		f.rewritten[string(library.OfMemory)+id] = rewritten{was, e.Known[string(library.OfMemory)+"\x00"+id].After}
	}
	return nil
}

// drafts deletes the stored drafts of edits to forgotten memories.
func (f *forgetRun) drafts(e *library.Tx) error {
	text, err := e.VaultTx.Find(vault.Settings, library.DraftsID)
	var all []library.Draft
	if err != nil || text == nil || json.Unmarshal(text, &all) != nil {
		return err
	}
	rest := slices.DeleteFunc(slices.Clone(all), func(d library.Draft) bool { return f.memories[d.MemoryID] })
	if len(rest) == len(all) {
		return nil
	}
	return e.PutSetting(library.DraftsID, rest)
}
