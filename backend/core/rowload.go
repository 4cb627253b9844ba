package core

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"keepsake/backend/collector"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// loadRows reads the rows of an unlocked vault. Where their pages do not cover
// every record, or are of another version, they are made again.
func loadRows(v *vault.Vault) (*rows, error) {
	// All that is read here stays. Going over it again and again while it grows
	// takes as long as reading it; a memory limit still holds.
	defer collector.Let(collector.Never)()
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
	number := func(text string) word {
		filling.Lock()
		defer filling.Unlock()
		return r.words.number(text)
	}
	memories, conversations := desks[memoryRow](nil), desks[conversationEntry](number)
	allGood := true
	err = tx.ScanRows(func(c vault.Collection, page []vault.Row) error {
		switch c {
		case vault.Memories:
			read, good := keepRows(memories, page, readMemoryRow)
			filling.Lock()
			defer filling.Unlock()
			allGood = allGood && good
			for i := range read {
				r.memories.fill(&read[i])
			}
		case vault.Conversations:
			read, good := keepRows(conversations, page, readEntry)
			filling.Lock()
			defer filling.Unlock()
			allGood = allGood && good
			for i := range read {
				r.conversations.fill(&read[i])
				r.messages += int(read[i].messages)
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

// desks are as many as there are who read at once; number is that of rowTexts.
func desks[T any](number func(text string) word) *sync.Pool {
	return &sync.Pool{New: func() any {
		d := &desk[T]{texts: textsOf(deskRows)}
		d.texts.number = number
		return d
	}}
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

// keepRows reads a page of rows that stay in memory.
func keepRows[T any](desks *sync.Pool, page []vault.Row, one func(vault.Row, *rowTexts, *T) bool) (rows []T, good bool) {
	d := desks.Get().(*desk[T])
	defer desks.Put(d)
	rows, good = d.read(page, one)
	d.free = d.free[len(rows):]
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
