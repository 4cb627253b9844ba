package journal

import (
	"encoding/binary"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"
)

// Operations of a redo log.
const (
	OpPut    = 1 // bucket, key, value
	OpDelete = 2 // bucket, key
)

// RedoMost bounds what one transaction puts into the journal. A larger one,
// which is an import, goes into the data file at once: a snapshot follows it.
const RedoMost = 1 << 20

// Redo collects what a transaction writes, as it is stored, so that writing it
// into the data file leads to the same bytes.
type Redo struct{ Ops []byte }

// Note adds one operation: OpPut with bucket, key and value, OpDelete with bucket and key.
func (r *Redo) Note(op byte, parts ...[]byte) {
	r.Ops = append(r.Ops, op)
	for _, p := range parts {
		r.Ops = append(binary.BigEndian.AppendUint32(r.Ops, uint32(len(p))), p...)
	}
}

var errRedo = errors.New("replay journal: an operation is not as written")

// Replay writes the operations into a transaction of the data file.
func Replay(bt *bbolt.Tx, ops []byte) error {
	return eachOp(ops, func(op byte, name, key, value []byte) error {
		b, err := bt.CreateBucketIfNotExists(name)
		switch {
		case err != nil:
		case op == OpPut:
			err = b.Put(key, value)
		default:
			err = b.Delete(key)
		}
		if err != nil {
			return fmt.Errorf("replay journal: %w", err)
		}
		return nil
	})
}

// eachOp gives the operations in order; value is nil where a key is deleted.
func eachOp(ops []byte, take func(op byte, name, key, value []byte) error) error {
	for len(ops) > 0 {
		op := ops[0]
		name, rest, ok := ReadPart(ops[1:])
		if !ok {
			return errRedo
		}
		key, rest, ok := ReadPart(rest)
		var value []byte
		if ok && op == OpPut {
			value, rest, ok = ReadPart(rest)
		}
		if !ok || op != OpPut && op != OpDelete {
			return errRedo
		}
		if err := take(op, name, key, value); err != nil {
			return err
		}
		ops = rest
	}
	return nil
}

// ReadPart reads one part behind its length.
func ReadPart(b []byte) (p, rest []byte, ok bool) {
	if len(b) < 4 {
		return nil, nil, false
	}
	n := int64(binary.BigEndian.Uint32(b))
	if n > int64(len(b)-4) {
		return nil, nil, false
	}
	return b[4 : 4+n : 4+n], b[4+n:], true
}
