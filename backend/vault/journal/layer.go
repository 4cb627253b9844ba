package journal

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"slices"

	"go.etcd.io/bbolt"
)

// Layer lies over the data file: what transactions wrote that the journal has and
// the data file does not have yet (docs/vault-format.md §10.2). One that others can
// see is never changed.
type Layer struct {
	sheets      map[string]*sheet // by the name of the bucket
	Size        int               // bytes of the operations that made it
	Checkpoints uint64            // since the unlock
}

// sheet is what changed in one bucket, by key. It holds pointers, for a copy of it is
// made by each transaction that changes the bucket.
type sheet struct {
	changes []*change
	fill    float64 // how full its pages are made; 0 for bbolt's own
}

// change is how transactions left one key. It is never changed itself.
type change struct {
	key   []byte
	value []byte // nil where it was taken out
}

// Empty says that nothing lies over the data file; l may be nil, as for all that read it.
func (l *Layer) Empty() bool { return l == nil || len(l.sheets) == 0 }

// of is what changed in a bucket, in the order of the keys.
func (l *Layer) of(name []byte) []*change {
	if l == nil || l.sheets[string(name)] == nil {
		return nil
	}
	return l.sheets[string(name)].changes
}

// Touches says that something changed in a bucket.
func (l *Layer) Touches(name []byte) bool { return len(l.of(name)) > 0 }

// Most is about how many bytes a checkpoint of the layer writes where the data file has
// no free pages: each value, what else its page holds, and the pages that lead there.
func (l *Layer) Most() (size int64) {
	for _, s := range l.sheets {
		for _, c := range s.changes {
			size += int64(len(c.key)+len(c.value)) + 2*int64(os.Getpagesize()) // which bbolt's pages are as large as
		}
	}
	return size
}

func seek(changes []*change, key []byte) (at int, found bool) {
	return slices.BinarySearchFunc(changes, key, func(c *change, key []byte) int { return bytes.Compare(c.key, key) })
}

// Get is how the layer left a key; known is false where it did not touch it.
func (l *Layer) Get(name, key []byte) (value []byte, known bool) {
	changes := l.of(name)
	at, found := seek(changes, key)
	if !found {
		return nil, false
	}
	return changes[at].value, true
}

// Draft is a layer that a transaction writes into: another one, of which it has a
// copy as soon as it changes a bucket.
type Draft struct {
	Layer
	own map[string]bool // sheets that are no one else's
}

func NewDraft(on *Layer) *Draft {
	d := &Draft{own: map[string]bool{}}
	if on != nil {
		d.Layer = *on
	}
	d.sheets = maps.Clone(d.sheets)
	if d.sheets == nil {
		d.sheets = map[string]*sheet{}
	}
	return d
}

// Set notes how a key is left; a nil value takes it out. key and value become the
// draft's.
func (d *Draft) Set(name, key, value []byte, fill float64) {
	s := d.sheet(name)
	s.fill = max(s.fill, fill)
	at, found := seek(s.changes, key)
	if found {
		s.changes[at] = &change{key, value}
		return
	}
	s.changes = slices.Insert(s.changes, at, &change{key, value})
}

func (d *Draft) sheet(name []byte) *sheet {
	s := d.sheets[string(name)]
	switch {
	case s == nil:
		s = &sheet{}
	case d.own[string(name)]:
		return s
	default:
		s = &sheet{append(make([]*change, 0, len(s.changes)+2), s.changes...), s.fill} // as a rule there is one more
	}
	d.sheets[string(name)], d.own[string(name)] = s, true
	return s
}

// Take notes the operations of a frame of the journal.
func (d *Draft) Take(fr Frame) error {
	d.Size += len(fr.Ops)
	return eachOp(fr.Ops, func(op byte, name, key, value []byte) error {
		if op == OpDelete {
			value = nil
		}
		d.Set(name, key, value, 0)
		return nil
	})
}

// Into writes the layer into the data file.
func (l *Layer) Into(bt *bbolt.Tx) error {
	for _, name := range slices.Sorted(maps.Keys(l.sheets)) {
		b, err := bt.CreateBucketIfNotExists([]byte(name))
		if err != nil {
			return fmt.Errorf("checkpoint bucket: %w", err)
		}
		if err := l.sheets[name].into(b); err != nil {
			return err
		}
	}
	return nil
}

func (s *sheet) into(b *bbolt.Bucket) (err error) {
	if s.fill > 0 {
		b.FillPercent = s.fill
	}
	for _, c := range s.changes {
		if c.value == nil {
			err = b.Delete(c.key)
		} else {
			err = b.Put(c.key, c.value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Cursor goes over a bucket in the order of its keys, as bbolt's does.
type Cursor interface {
	First() (key, value []byte)
	Seek(key []byte) (k, value []byte)
	Next() (key, value []byte)
}

// Cursor is a cursor over a bucket and what changed in it; file is nil where the data file
// does not have the bucket.
func (l *Layer) Cursor(name []byte, file *bbolt.Bucket) Cursor {
	changes := l.of(name)
	if len(changes) == 0 && file != nil {
		return file.Cursor()
	}
	m := &merged{changes: changes}
	if file != nil {
		m.file = file.Cursor()
	}
	return m
}

// merged is a cursor over what the data file has and what lies over it.
type merged struct {
	file    *bbolt.Cursor // nil where the data file does not have the bucket
	k, v    []byte        // where file stands
	changes []*change
	at      int  // in changes
	over    bool // m stands on a change, not on what file has
}

func (m *merged) First() (key, value []byte) {
	m.at = 0
	if m.k, m.v = nil, nil; m.file != nil {
		m.k, m.v = m.file.First()
	}
	return m.here()
}

func (m *merged) Seek(key []byte) (k, value []byte) {
	m.at, _ = seek(m.changes, key)
	if m.k, m.v = nil, nil; m.file != nil {
		m.k, m.v = m.file.Seek(key)
	}
	return m.here()
}

func (m *merged) Next() (key, value []byte) {
	if m.over {
		m.at++
	} else if m.k != nil {
		m.k, m.v = m.file.Next()
	}
	return m.here()
}

// here is the lower one of the two, where a change hides what the file has under
// its key, and one that took a key out is passed over.
func (m *merged) here() (key, value []byte) {
	for m.at < len(m.changes) {
		c := m.changes[m.at]
		order := -1
		if m.k != nil {
			order = bytes.Compare(c.key, m.k)
		}
		if order > 0 {
			break
		}
		if order == 0 {
			m.k, m.v = m.file.Next()
		}
		if c.value != nil {
			m.over = true
			return c.key, c.value
		}
		m.at++
	}
	m.over = false
	return m.k, m.v
}
