package circles

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// accessMember stands in the canonical JSON of every memory that somebody else may read, so that
// only those are decoded. It cannot stand in a text, where quotes are escaped.
var accessMember = []byte(`"access":{`)

// shared is a memory that somebody else may read.
type shared struct {
	row         *rows.Memory
	access      *memory.Access
	status      memory.Status
	unconfirmed []string // see rows.ProvenanceRecord
}

// view is a transaction of the vault as circles see it.
type view struct {
	rows  *rows.Rows
	tx    *vault.Tx
	cache *sharing // nil: not to be used
}

// viewOf returns the view of a transaction that reads.
func viewOf(v *library.Session, tx *vault.Tx) view {
	return view{v.Rows, tx, library.Kept[sharing](v)}
}

func writing(e *library.Tx) view { return view{e.Rows, e.VaultTx, nil} }

// sharing caches who may read memories, so that a call reads only those that were written since the
// one before. It holds no text, and is dropped when the vault is locked.
type sharing struct {
	mu sync.Mutex
	of map[uint64]known // by sequence number
}

type known struct {
	generation uint64 // of the row when the memory was read
	shared     shared // without access: nobody else may read it
}

// shared lists the memories that somebody else may read, by sequence number.
func (w view) shared(ctx context.Context) ([]shared, error) {
	cache := w.cache
	if cache == nil {
		cache = &sharing{}
	}
	w.rows.RLock()
	list := slices.Clone(w.rows.Memories.BySeq)
	w.rows.RUnlock()
	cache.mu.Lock()
	defer cache.mu.Unlock()
	return cache.list(ctx, w.tx, list)
}

// list reads the memories of those rows that it does not know, and returns the shared ones. A row
// that is newer than the transaction is read anew by the next one. The caller holds mu.
func (s *sharing) list(ctx context.Context, tx *vault.Tx, list []*rows.Memory) ([]shared, error) {
	generation := tx.Generation()
	of := make(map[uint64]known, len(list))
	var unknown []*rows.Memory
	for _, row := range list {
		switch {
		case row == nil:
		case row.Generation <= generation && s.of[row.Seq].generation == row.Generation:
			of[row.Seq] = s.of[row.Seq]
		default:
			unknown = append(unknown, row)
		}
	}
	unknown = rows.StoredIn(tx, unknown)
	i := 0
	for e, err := range tx.Numbered(vault.Memories, rows.SeqsOf(unknown)) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		m, err := sharedIn(tx, unknown[i], e.Plain)
		if err != nil {
			return nil, err
		}
		of[unknown[i].Seq] = known{unknown[i].Generation, m}
		i++
	}
	s.of = of
	var all []shared
	for _, row := range list {
		if row == nil || of[row.Seq].shared.access == nil {
			continue
		}
		m := of[row.Seq].shared
		m.row = row
		all = append(all, m)
	}
	for _, row := range unknown {
		if row.Generation > generation {
			delete(of, row.Seq)
		}
	}
	return all, nil
}

// sharedIn decodes who may read a memory. Its access is nil where only the owner may.
func sharedIn(tx *vault.Tx, row *rows.Memory, text []byte) (shared, error) {
	if !bytes.Contains(text, accessMember) {
		return shared{}, nil
	}
	m, err := pam.DecodeMemory(text)
	if err != nil {
		return shared{}, fmt.Errorf("read who may read memories: %w", err)
	}
	if m.Access == nil || m.Access.Visibility == memory.Private {
		return shared{}, nil
	}
	beside, err := tx.Find(vault.Sources, row.ID)
	if err != nil {
		return shared{}, err
	}
	side, err := rows.DecodeProvenance(beside)
	return shared{row, m.Access, m.Status, side.Unconfirmed}, err
}

// list lists the circles that have a record, and every entity that memories are shared with.
func (w view) list(ctx context.Context) (All, error) {
	all := All{Circles: []Listed{}}
	known, err := stored(w.tx)
	if err != nil {
		return all, err
	}
	of := map[string]*Listed{}
	for _, c := range known {
		of[c.Entity] = &Listed{Circle: c.Circle}
	}
	shared, err := w.shared(ctx)
	if err != nil {
		return all, err
	}
	for _, m := range shared {
		if m.isOpen() {
			all.Public++
		}
		for _, g := range m.access.SharedWith {
			if of[g.Entity] == nil {
				of[g.Entity] = &Listed{Circle: Circle{Entity: g.Entity, Name: g.Entity}}
			}
			of[g.Entity].count(m, g)
		}
	}
	for _, c := range of {
		c.Members += all.Public
		all.Circles = append(all.Circles, *c)
	}
	slices.SortFunc(all.Circles, func(a, b Listed) int { return byName(a.Circle, b.Circle) })
	w.rows.RLock()
	defer w.rows.RUnlock()
	for _, row := range w.rows.Memories.BySeq {
		if row != nil && !row.Exportable {
			all.Nobody++
		}
	}
	return all, nil
}

// find returns the circle that a word means.
func (w view) find(ctx context.Context, word string) (record, error) {
	var c record
	if known, err := rows.FindJSON(w.tx, vault.Circles, word, "circle", &c); known || err != nil {
		return c, err // the entity of a circle wins, and spares reading all memories
	}
	all, err := w.findable(ctx)
	if err != nil {
		return record{}, err
	}
	return find(all, word)
}

// findable lists all circles, by name. An entity that memories are shared with is a circle of that
// name, also without a record.
func (w view) findable(ctx context.Context) ([]record, error) {
	known, err := stored(w.tx)
	if err != nil {
		return nil, err
	}
	listed, err := w.list(ctx)
	all := make([]record, len(listed.Circles))
	for i, c := range listed.Circles {
		all[i].Circle = c.Circle
		if at := slices.IndexFunc(known, func(k record) bool { return k.Entity == c.Entity }); at >= 0 {
			all[i] = known[at]
		}
	}
	return all, err
}

// mayHold lists the circles that a memory may be in, by name.
func (w view) mayHold(ctx context.Context, m shared) ([]record, error) {
	if m.access.Visibility == memory.Public {
		return w.findable(ctx)
	}
	all, err := stored(w.tx)
	for _, g := range m.access.SharedWith {
		if !slices.ContainsFunc(all, func(c record) bool { return c.Entity == g.Entity }) {
			all = append(all, record{Circle: Circle{Entity: g.Entity, Name: g.Entity}})
		}
	}
	slices.SortFunc(all, func(a, b record) int { return byName(a.Circle, b.Circle) })
	return all, err
}
