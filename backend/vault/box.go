package vault

import (
	"bytes"
	"fmt"

	"go.etcd.io/bbolt"

	"keepsake/backend/vault/journal"
)

// box is a bucket as a transaction sees it: what the data file has, and what lies
// over it.
type box struct {
	tx   *Tx
	name []byte
	file *bbolt.Bucket // nil where the data file does not have it
	fill float64       // how full its pages are made; 0 for bbolt's own
}

// find looks the bucket up in the transaction's data file.
func (b *box) find() {
	if b.file = b.tx.bt.Bucket(b.name); b.file != nil && b.fill > 0 {
		b.file.FillPercent = b.fill
	}
}

// Get is bbolt's.
func (b *box) Get(key []byte) []byte {
	if value, known := b.tx.over.Get(b.name, key); known || b.file == nil {
		return value
	}
	b.tx.mapped.read(b.tx.bt, faultBytes)
	return b.file.Get(key)
}

// Cursor is bbolt's. It ends with the next Put or Delete.
func (b *box) Cursor() journal.Cursor {
	return b.tx.over.Cursor(b.name, b.file)
}

// Put is bbolt's, and makes the bucket where there is none; value is not to be
// changed any more.
func (b *box) Put(key, value []byte) error {
	if err := b.note(journal.OpPut, key, value); err != nil {
		return err
	}
	if b.tx.redo != nil {
		b.tx.draft.Set(b.name, bytes.Clone(key), value, b.fill)
		return nil
	}
	if b.file == nil {
		if _, err := b.tx.bt.CreateBucket(b.name); err != nil {
			return fmt.Errorf("create bucket: %w", err)
		}
		b.find()
	}
	b.tx.mapped.read(b.tx.bt, faultBytes)
	return b.file.Put(key, value)
}

// Delete is bbolt's.
func (b *box) Delete(key []byte) error {
	if err := b.note(journal.OpDelete, key); err != nil {
		return err
	}
	switch {
	case b.tx.redo != nil:
		b.tx.draft.Set(b.name, bytes.Clone(key), nil, b.fill)
	case b.file != nil:
		return b.file.Delete(key)
	}
	return nil
}

// note writes an operation down for the journal. What the journal does not take
// any more goes on in the data file, this operation among the others.
func (b *box) note(op byte, parts ...[]byte) error {
	r := b.tx.redo
	if r == nil {
		return nil
	}
	r.Note(op, append([][]byte{b.name}, parts...)...)
	if len(r.Ops) <= journal.RedoMost {
		return nil
	}
	return b.tx.direct()
}
