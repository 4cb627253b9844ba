package core

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// loadRows reads the rows of an unlocked vault. Where their pages do not cover
// every record, or are of another version, they are made again.
func loadRows(v *vault.Vault) (*rows, error) {
	// All that is read here stays. Going over it again and again while it grows
	// takes as long as reading it; a memory limit still holds.
	defer letLie(noCollecting)()
	rs := newRows()
	whole := false
	err := v.View(func(tx *vault.Tx) error {
		var err error
		if whole, err = rs.scan(tx); err != nil || !whole {
			return err
		}
		return rs.readRest(tx)
	})
	if err != nil || whole {
		return rs, err
	}
	if err := v.Update(remakeRows); err != nil {
		return nil, err
	}
	rs = newRows()
	return rs, v.View(func(tx *vault.Tx) error {
		if whole, err := rs.scan(tx); err != nil || !whole {
			return errors.Join(err, errors.New("read rows: they do not cover the records"))
		}
		return rs.readRest(tx)
	})
}

// scan reads all pages on all cores. whole means that every record has its row.
func (r *rows) scan(tx *vault.Tx) (whole bool, err error) {
	r.memories.expect(tx.Count(vault.Memories))
	r.conversations.expect(tx.Count(vault.Conversations))
	var filling sync.Mutex
	memories, conversations := desks[memoryRow](), desks[conversationRow]()
	allGood := true
	err = tx.ScanRows(func(c vault.Collection, page []vault.Row) error {
		switch c {
		case vault.Memories:
			d := memories.Get().(*desk[memoryRow])
			defer memories.Put(d)
			read, good := d.read(page, readMemoryRow)
			d.free = d.free[len(read):] // these stay
			filling.Lock()
			defer filling.Unlock()
			allGood = allGood && good
			for i := range read {
				r.memories.fill(&read[i])
			}
		case vault.Conversations:
			d := conversations.Get().(*desk[conversationRow])
			defer conversations.Put(d)
			read, good := d.read(page, readConversationRow) // of which an entry is all that stays
			filling.Lock()
			defer filling.Unlock()
			allGood = allGood && good
			for i := range read {
				r.conversations.fill(r.entryOf(&read[i]))
				r.messages += read[i].MessageCount
			}
		}
		return nil
	})
	if err != nil || !allGood {
		return false, err
	}
	return r.memories.count == tx.Count(vault.Memories) && r.conversations.count == tx.Count(vault.Conversations), nil
}

// desk is where one goroutine reads pages of rows. Each takes memory for itself: to make
// all of it ready takes a third of the time that reading does.
type desk[T any] struct {
	texts *rowTexts
	free  []T
}

// deskRows is how many rows a desk takes memory for at a time.
const deskRows = 600

func desks[T any]() *sync.Pool {
	return &sync.Pool{New: func() any { return &desk[T]{texts: textsOf(deskRows)} }}
}

// read reads a page into the first of the free rows.
func (d *desk[T]) read(page []vault.Row, one func(vault.Row, *rowTexts, *T) bool) (rows []T, good bool) {
	if len(page) > len(d.free) {
		d.free = make([]T, max(len(page), deskRows))
	}
	rows, good = d.free[:len(page)], true
	for i, row := range page {
		good = one(row, d.texts, &rows[i]) && good
	}
	return rows, good
}

// readRest reads what has no rows: there is little of it.
func (r *rows) readRest(tx *vault.Tx) error {
	for e, err := range tx.Each(vault.Relations) {
		if err != nil {
			return err
		}
		var rel memory.Relation
		if err := json.Unmarshal(e.Plain, &rel); err != nil {
			return fmt.Errorf("read relation: %w", err)
		}
		r.putRelation(rel)
	}
	for report, err := range reports(tx) {
		if err != nil {
			return err
		}
		r.putReport(report)
	}
	return nil
}

// remakeRows writes the row of every record anew.
func remakeRows(tx *vault.Tx) error {
	for e, err := range tx.Each(vault.Memories) {
		if err != nil {
			return err
		}
		m, _, err := load(tx, e.ID)
		if err != nil {
			return err
		}
		row := memoryRowOf(m.Record, m.side)
		row.generation = tx.Generation()
		if _, err := tx.PutRow(vault.Memories, e.ID, row.encode()); err != nil {
			return fmt.Errorf("store row: %w", err)
		}
	}
	for h, err := range tx.EachConversation() {
		if err != nil {
			return err
		}
		row := headOf(h)
		row.generation = tx.Generation()
		if _, err := tx.PutRow(vault.Conversations, h.ID, row.encode()); err != nil {
			return fmt.Errorf("store row: %w", err)
		}
	}
	return nil
}
