package rows

import (
	"errors"
	"fmt"
	"sync"

	"keepsake/backend/collector"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Load reads the rows of an unlocked vault. If a record has no row, or some row is not
// readable or in an old format, Load first rebuilds all rows from the records.
func Load(v *vault.Vault) (*Rows, error) {
	// Garbage collection is paused: everything read here stays in memory, and repeated
	// scans of it would take as long as reading. A memory limit still applies.
	defer collector.Pause()()
	rs, err := read(v)
	if !errors.Is(err, errNotCovered) {
		return rs, err
	}
	if err := v.Update(remakeRows); err != nil {
		return nil, err
	}
	return read(v)
}

var errNotCovered = errors.New("read rows: they do not cover the records")

// read reads all stored rows; errNotCovered if a record has no valid row.
func read(v *vault.Vault) (*Rows, error) {
	rs := New()
	return rs, v.View(func(tx *vault.Tx) error {
		whole, err := rs.scan(tx)
		if err == nil && !whole {
			err = errNotCovered
		}
		if err != nil {
			return err
		}
		return rs.readRest(tx)
	})
}

// scan reads all pages of rows in parallel. whole reports that every record has a row.
func (r *Rows) scan(tx *vault.Tx) (whole bool, err error) {
	r.Memories.expect(tx.Count(vault.Memories))
	r.Conversations.expect(tx.Count(vault.Conversations))
	var filling sync.Mutex
	number := func(text string) Word {
		filling.Lock()
		defer filling.Unlock()
		return r.Words.number(text)
	}
	memories, conversations := desks[Memory](nil), desks[ConversationEntry](number)
	allGood := true
	err = tx.ScanRows(func(c vault.Collection, page []vault.Row) error {
		switch c {
		case vault.Memories:
			read, good := keepRows(memories, page, ReadMemory)
			filling.Lock()
			defer filling.Unlock()
			allGood = allGood && good
			for i := range read {
				r.Memories.fill(&read[i])
			}
		case vault.Conversations:
			read, good := keepRows(conversations, page, readEntry)
			filling.Lock()
			defer filling.Unlock()
			allGood = allGood && good
			for i := range read {
				r.Conversations.fill(&read[i])
				r.Messages += int(read[i].Messages)
			}
		}
		return nil
	})
	if err != nil || !allGood {
		return false, err
	}
	return r.Memories.Count == tx.Count(vault.Memories) && r.Conversations.Count == tx.Count(vault.Conversations), nil
}

// desk is the working memory of one goroutine that reads pages of rows. Each goroutine has
// rows of its own (free), so that they are allocated in parallel: allocation takes a third
// as long as reading.
type desk[T any] struct {
	texts *Texts
	free  []T
}

// deskRows is the minimum of rows that a desk (memory of one reader) allocates at once.
const deskRows = 600

// desks returns a pool of buffers, one per concurrent reader. Texts.number is number.
func desks[T any](number func(text string) Word) *sync.Pool {
	return &sync.Pool{New: func() any {
		d := &desk[T]{texts: NewTexts()}
		d.texts.number = number
		return d
	}}
}

// read decodes a page into the first rows of d.free. one decodes one row; good is false if
// it failed for a row. The rows stay in d.free, so the next read overwrites them.
func (d *desk[T]) read(page []vault.Row, one func(vault.Row, *Texts, *T) bool) (rows []T, good bool) {
	if len(page) > len(d.free) {
		d.free = make([]T, max(len(page), deskRows))
	}
	rows, good = d.free[:len(page)], true
	for i, row := range page {
		good = one(row, d.texts, &rows[i]) && good
	}
	return rows, good
}

// keepRows decodes a page with a pooled desk (a reader's working memory). It takes the
// rows out of the desk's free rows, so that the next page does not overwrite them.
func keepRows[T any](desks *sync.Pool, page []vault.Row, one func(vault.Row, *Texts, *T) bool) (rows []T, good bool) {
	d := desks.Get().(*desk[T])
	defer desks.Put(d)
	rows, good = d.read(page, one)
	d.free = d.free[len(rows):]
	return rows, good
}

// readRest reads the relations, which have no row pages because they are few.
func (r *Rows) readRest(tx *vault.Tx) error {
	for rel, err := range EachJSON[memory.Relation](tx, vault.Relations, "relation") {
		if err != nil {
			return err
		}
		r.PutRelation(rel)
	}
	return nil
}

// remakeRows builds the row of every memory and conversation from its record and stores it.
func remakeRows(tx *vault.Tx) error {
	for e, err := range tx.Each(vault.Memories) {
		if err != nil {
			return err
		}
		m, _, err := LoadMemory(tx, e.ID)
		if err != nil {
			return err
		}
		row := MemoryOf(m.Record, m.Side)
		row.Generation = tx.Generation()
		if _, err := tx.PutRow(vault.Memories, e.ID, row.Encode()); err != nil {
			return fmt.Errorf("store row: %w", err)
		}
	}
	for h, err := range tx.EachConversation() {
		if err != nil {
			return err
		}
		row := HeadOf(h)
		row.Generation = tx.Generation()
		if _, err := tx.PutRow(vault.Conversations, h.ID, row.Encode()); err != nil {
			return fmt.Errorf("store row: %w", err)
		}
	}
	return nil
}
