package vault

import (
	"encoding/binary"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"
)

// Operations of a redo log.
const (
	opPut    = 1 // bucket, key, value
	opDelete = 2 // bucket, key
)

// redoMost bounds what one transaction puts into the journal. A larger one,
// which is an import, is not journalled: a snapshot follows it.
const redoMost = 1 << 20

// redo collects what a transaction writes into the data file, as it is stored,
// so that writing it again leads to the same bytes.
type redo struct {
	ops  []byte
	over bool // it was more than redoMost
}

// newRedo collects nothing where there is no journal to take it.
func (v *Vault) newRedo() *redo {
	v.mu.Lock()
	defer v.mu.Unlock()
	return &redo{over: v.trail.journal == nil}
}

func (r *redo) note(op byte, parts ...[]byte) {
	if r.over {
		return
	}
	r.ops = append(r.ops, op)
	for _, p := range parts {
		r.ops = append(binary.BigEndian.AppendUint32(r.ops, uint32(len(p))), p...)
	}
	if len(r.ops) > redoMost {
		r.ops, r.over = nil, true
	}
}

// box is a bucket whose changes are noted.
type box struct {
	*bbolt.Bucket
	name []byte
	redo *redo // nil in a View
}

// Put is bbolt's, noted.
func (b *box) Put(key, value []byte) error {
	b.redo.note(opPut, b.name, key, value)
	return b.Bucket.Put(key, value)
}

// Delete is bbolt's, noted.
func (b *box) Delete(key []byte) error {
	b.redo.note(opDelete, b.name, key)
	return b.Bucket.Delete(key)
}

var errRedo = errors.New("replay journal: an operation is not as written")

// again writes the operations into a transaction of the data file.
func again(bt *bbolt.Tx, ops []byte) error {
	for len(ops) > 0 {
		op := ops[0]
		name, rest, ok := part(ops[1:])
		if !ok {
			return errRedo
		}
		key, rest, ok := part(rest)
		if !ok {
			return errRedo
		}
		b, err := bt.CreateBucketIfNotExists(name)
		if err != nil {
			return fmt.Errorf("replay journal: %w", err)
		}
		switch op {
		case opPut:
			var value []byte
			if value, rest, ok = part(rest); !ok {
				return errRedo
			}
			err = b.Put(key, value)
		case opDelete:
			err = b.Delete(key)
		default:
			return errRedo
		}
		if err != nil {
			return fmt.Errorf("replay journal: %w", err)
		}
		ops = rest
	}
	return nil
}

// part reads one part behind its length.
func part(b []byte) (p, rest []byte, ok bool) {
	if len(b) < 4 {
		return nil, nil, false
	}
	n := int64(binary.BigEndian.Uint32(b))
	if n > int64(len(b)-4) {
		return nil, nil, false
	}
	return b[4 : 4+n], b[4+n:], true
}
