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
// which is an import, goes into the data file at once: a snapshot follows it.
const redoMost = 1 << 20

// redo collects what a transaction writes, as it is stored, so that writing it
// into the data file leads to the same bytes.
type redo struct{ ops []byte }

func (r *redo) note(op byte, parts ...[]byte) {
	r.ops = append(r.ops, op)
	for _, p := range parts {
		r.ops = append(binary.BigEndian.AppendUint32(r.ops, uint32(len(p))), p...)
	}
}

var errRedo = errors.New("replay journal: an operation is not as written")

// again writes the operations into a transaction of the data file.
func again(bt *bbolt.Tx, ops []byte) error {
	return eachOp(ops, func(op byte, name, key, value []byte) error {
		b, err := bt.CreateBucketIfNotExists(name)
		switch {
		case err != nil:
		case op == opPut:
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
		name, rest, ok := part(ops[1:])
		if !ok {
			return errRedo
		}
		key, rest, ok := part(rest)
		var value []byte
		if ok && op == opPut {
			value, rest, ok = part(rest)
		}
		if !ok || op != opPut && op != opDelete {
			return errRedo
		}
		if err := take(op, name, key, value); err != nil {
			return err
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
	return b[4 : 4+n : 4+n], b[4+n:], true
}
