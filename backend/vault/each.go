package vault

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"keepsake/backend/seal"
)

// Records are opened in batches, on all cores: a first list shows soon, and a
// whole collection costs little per record.
const (
	firstBatch = 32
	fullBatch  = 1024
)

// Each yields the records of c in the order of their first Put. An error ends
// it. In an Update, records may be put and deleted meanwhile; what is put
// behind the place reached is yielded too.
func (tx *Tx) Each(c Collection) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		b := newBatch(tx)
		size := firstBatch
		if tx.writes {
			size = 1 // what fn changes must not be read ahead
		}
		var after uint64
		for {
			n, err := b.read(shelf{c, recordKind}, after, size)
			if err != nil {
				yield(Entry{}, err)
				return
			}
			if n == 0 {
				return
			}
			if !yieldAll(b.out[:n], yield) {
				return
			}
			after = b.in[n-1].seq
			if size > 1 {
				size = min(2*size, fullBatch)
			}
		}
	}
}

// Numbered yields the records of c with those numbers, in that order, opened on
// all cores. A number that no record has ends it with NotFound no-record. Plain
// is not the caller's own: it is valid until the next record is asked for.
func (tx *Tx) Numbered(c Collection, seqs []uint64) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		parts := slices.Collect(slices.Chunk(seqs, fullBatch))
		w := wanted{tx: tx, shelf: shelf{c, recordKind}, left: seqs}
		// While one part is used the next is opened, unless what is done with the
		// one may change the other.
		ahead := len(parts) > 1 && !tx.writes
		var turns [2]*batch
		for i := range turns {
			turns[i] = newBatch(tx)
			turns[i].space = make([][]byte, min(fullBatch, len(seqs)))
			if ahead {
				turns[i].workers = nil // the sealer of tx is the caller's meanwhile
			}
			defer turns[i].opening.Wait()
		}
		for i, part := range parts {
			b := turns[i%2]
			if i == 0 || !ahead {
				b.pick(&w, part)
			}
			if ahead && i+1 < len(parts) {
				turns[(i+1)%2].pick(&w, parts[i+1])
			}
			b.opening.Wait()
			if !yieldAll(b.out[:len(part)], yield) {
				return
			}
		}
	}
}

// yieldAll reports whether more is wanted.
func yieldAll(all []result, yield func(Entry, error) bool) bool {
	for _, r := range all {
		if r.err != nil {
			yield(Entry{}, r.err)
			return false
		}
		if !yield(r.entry(), nil) {
			return false
		}
	}
	return true
}

// batch reads ahead and opens on several cores.
type batch struct {
	tx      *Tx
	workers []*seal.Sealer
	in      []place
	values  [][]byte
	out     []result
	opening sync.WaitGroup
	space   [][]byte // to open into, again and again; nil where each record gets its own
}

// memory is where the record at a place of the batch is opened into.
func (b *batch) memory(at int) []byte {
	if b.space == nil {
		return nil
	}
	if n := len(b.values[at]); cap(b.space[at]) < n {
		b.space[at] = make([]byte, 0, n+n/4) // the next record is about as long
	}
	return b.space[at]
}

type result struct {
	opened
	err error
}

func newBatch(tx *Tx) *batch { return &batch{tx: tx, workers: []*seal.Sealer{tx.sealer}} }

// read opens up to size records of a shelf that stand after a sequence number.
func (b *batch) read(s shelf, after uint64, size int) (int, error) {
	bucket := b.tx.bucket(s, false)
	if bucket == nil {
		return 0, nil
	}
	b.in, b.values = b.in[:0], b.values[:0]
	cursor := bucket.Cursor()
	for k, value := cursor.Seek(seqKey(after + 1)); k != nil && len(b.in) < size; k, value = cursor.Next() {
		if len(k) != 8 {
			return 0, errDataDamaged(fmt.Errorf("read records: key of %d bytes", len(k)))
		}
		b.in = append(b.in, place{s, k, binary.BigEndian.Uint64(k)})
		b.values = append(b.values, value)
		b.tx.mapped.read(b.tx.bt, inOrder(len(value)))
	}
	if len(b.out) < len(b.in) {
		b.out = make([]result, len(b.in))
	}
	b.openAll()
	return len(b.in), nil
}

// pick finds the next part of what is wanted and begins to open it. Where a record is
// missing, each result says so.
func (b *batch) pick(w *wanted, part []uint64) {
	b.in, b.values = b.in[:0], b.values[:0]
	if len(b.out) < len(part) {
		b.out = make([]result, len(part))
	}
	values, err := w.next(len(part))
	if err != nil {
		for i := range part {
			b.out[i] = result{err: err}
		}
		return
	}
	for i, value := range values {
		b.in, b.values = append(b.in, place{shelf: w.shelf, seq: part[i]}), append(b.values, value)
	}
	b.begin()
}

// wanted looks up many records at once, in the order in which they are stored: they
// are asked for in another, and a search for each would cost half as much as opening it.
type wanted struct {
	tx     *Tx
	shelf  shelf
	left   []uint64 // the numbers that have not been looked up
	space  [][]byte
	values [][]byte // of the numbers before those, as far as they have not been asked for, in space
	order  []numbered
}

// numbered is a number, and in its last bits which of a window it is: sorting plain
// numbers takes a third of the time.
type numbered uint64

const (
	windowBits = 17
	window     = 1 << windowBits
	near       = 8 // as many steps cost about as much as a search
)

func (n numbered) seq() uint64 { return uint64(n >> windowBits) }
func (n numbered) at() int     { return int(n % window) }

// next is the values of the next n numbers, of which a window holds a whole many. What
// may be changed before it is asked for is not looked up ahead.
func (w *wanted) next(n int) ([][]byte, error) {
	if len(w.values) == 0 {
		size := n
		if !w.tx.writes {
			size = min(window, len(w.left))
		}
		if err := w.find(w.left[:size]); err != nil {
			return nil, err
		}
		w.left = w.left[size:]
	}
	values := w.values[:n]
	w.values = w.values[n:]
	return values, nil
}

func (w *wanted) find(seqs []uint64) error {
	bucket := w.tx.bucket(w.shelf, false)
	if bucket == nil {
		return errNoRecord()
	}
	w.order = w.order[:0]
	for at, seq := range seqs {
		if seq == 0 || seq >= 1<<(64-windowBits) { // no record has such a number
			return errNoRecord()
		}
		w.order = append(w.order, numbered(seq<<windowBits)+numbered(at))
	}
	slices.Sort(w.order)
	w.space = slices.Grow(w.space[:0], len(seqs))[:len(seqs)]
	w.values = w.space
	cursor := bucket.Cursor()
	var key, value []byte
	for _, n := range w.order {
		want := n.seq()
		for step := 0; step < near && key != nil && keySeq(key) < want; step++ {
			key, value = cursor.Next()
		}
		if keySeq(key) != want {
			key, value = cursor.Seek(seqKey(want))
		}
		if keySeq(key) != want || value == nil {
			return errNoRecord()
		}
		w.values[n.at()] = value
		w.tx.mapped.read(w.tx.bt, inOrder(len(value)))
	}
	return nil
}

// keySeq is the number that a key stands for, 0 for a key that is none.
func keySeq(key []byte) uint64 {
	if len(key) != 8 {
		return 0
	}
	return binary.BigEndian.Uint64(key)
}

// share is how many records a worker takes in hand. One whose core is needed for what
// is done with the batch before takes fewer of them.
const share = 32

// begin opens what was read, on several cores; opening tells when it is done.
func (b *batch) begin() {
	n := len(b.in)
	workers := min(runtime.GOMAXPROCS(0), n/share+1)
	for len(b.workers) < workers {
		b.workers = append(b.workers, b.tx.keys.Sealer())
	}
	if workers == 1 {
		b.openPart(b.workers[0], 0, n)
		return
	}
	var taken atomic.Int64
	for i := range workers {
		b.opening.Go(func() {
			for {
				to := int(taken.Add(share))
				if to-share >= n {
					return
				}
				b.openPart(b.workers[i], to-share, min(to, n))
			}
		})
	}
}

func (b *batch) openAll() {
	b.begin()
	b.opening.Wait()
}

func (b *batch) openPart(s *seal.Sealer, from, to int) {
	at := from
	err := contained(func() error {
		touch(b.values[from:to])
		for ; at < to; at++ {
			o, err := openInto(b.memory(at), s, b.in[at], b.values[at])
			b.out[at] = result{o, err}
		}
		return nil
	})
	if err != nil {
		for ; at < to; at++ {
			b.out[at] = result{err: err}
		}
	}
}

// touch brings what is opened next near, the beginnings of all at once. They lie all over
// the file, as a rule: opened one by one, the processor would stand still for each.
func touch(values [][]byte) {
	const (
		apart = 256 // bytes; the processor fetches what follows by itself
		most  = 1024
	)
	var sum byte
	for _, value := range values {
		for at := 0; at < min(len(value), most); at += apart {
			sum += value[at]
		}
	}
	runtime.KeepAlive(sum) // else nothing would be read
}

// keysUnder are copies of the keys of a bucket that start with prefix.
func (tx *Tx) keysUnder(s shelf, prefix []byte) (out [][]byte) {
	b := tx.bucket(s, false)
	if b == nil {
		return nil
	}
	c := b.Cursor()
	for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, _ = c.Next() {
		out = append(out, bytes.Clone(k))
	}
	return out
}
