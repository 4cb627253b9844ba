package search

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// maxTx is how much one transaction writes, in bytes.
const maxTx = 8 << 20

// writer makes a segment of terms that come in order. Its blocks go to the
// store in transactions of maxTx, under a junk key; the last one takes that away
// and puts the root.
type writer struct {
	store  Store
	id     uint64
	begun  bool
	queue  []queued
	queued int // bytes

	dict   []byte // the block of the dictionary at hand
	term   []byte // the one before
	firsts []string
	post   []byte // the block of postings at hand
	posts  uint32 // blocks of postings so far
	root   root
}

type queued struct{ key, payload []byte }

func newWriter(store Store, id uint64) *writer { return &writer{store: store, id: id} }

// add takes the next term with its postings.
func (w *writer) add(term []byte, df uint32, data []byte) {
	shared := commonPrefix(w.term, term)
	if len(w.dict)+len(term)-shared+len(data[:min(len(data), maxInline)])+4*binary.MaxVarintLen32 > maxTerms {
		w.cutDict()
	}
	if len(w.dict) == 0 {
		shared = 0
		w.firsts = append(w.firsts, string(term))
		w.dict = binary.AppendUvarint(w.dict, w.root.postSize)
	}
	first, _ := uvarint(data)
	alone := df == 1 && first&1 == 1
	w.dict = appendSizes(w.dict, alone, shared, len(term)-shared)
	w.dict = append(w.dict, term[shared:]...)
	if alone {
		w.dict = binary.AppendUvarint(w.dict, first>>1)
	} else {
		w.list(df, data)
	}
	w.term = append(w.term[:0], term...)
	w.root.terms++
}

// list writes how many documents a term has, and the postings, here when they
// are short.
func (w *writer) list(df uint32, data []byte) {
	w.dict = binary.AppendUvarint(w.dict, uint64(df))
	if df > 1 {
		w.dict = binary.AppendUvarint(w.dict, uint64(len(data)))
	}
	if df == 1 || len(data) <= maxInline {
		w.dict = append(w.dict, data...)
	} else {
		w.postings(data)
	}
}

// Sizes in the first byte of an entry: the highest bit says that one document
// holds the term, once; most terms are so.
const (
	aloneFlag = 0x80
	mostShare = 7
	mostRest  = 15
)

// appendSizes writes how much of a term is shared with the one before and how
// much is new, in one byte, and what does not fit there after it.
func appendSizes(dst []byte, alone bool, shared, rest int) []byte {
	first := byte(min(shared, mostShare)<<4 | min(rest, mostRest))
	if alone {
		first |= aloneFlag
	}
	dst = append(dst, first)
	if shared >= mostShare {
		dst = append(dst, byte(shared-mostShare))
	}
	if rest >= mostRest {
		dst = append(dst, byte(rest-mostRest))
	}
	return dst
}

// sizes reads what appendSizes wrote, in n bytes; n is 0 when there are too few.
func sizes(b []byte) (alone bool, shared, rest, n int) {
	if len(b) < 3 { // a term has one letter and one document at least
		return false, 0, 0, 0
	}
	alone, shared, rest, n = b[0]&aloneFlag != 0, int(b[0]>>4&mostShare), int(b[0]&mostRest), 1
	if shared == mostShare {
		shared += int(b[n])
		n++
	}
	if rest == mostRest {
		rest += int(b[n])
		n++
	}
	return alone, shared, rest, n
}

func commonPrefix(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// postings appends to the one stream that all long lists make.
func (w *writer) postings(data []byte) {
	w.root.postSize += uint64(len(data))
	for len(data) > 0 {
		n := min(len(data), maxBytes-len(w.post))
		w.post = append(w.post, data[:n]...)
		data = data[n:]
		if len(w.post) == maxBytes {
			w.cutPost()
		}
	}
}

func (w *writer) cutDict() {
	w.enqueue(blockKey(w.id, sortTerms, uint32(len(w.firsts)-1)), w.dict)
	w.dict = w.dict[:0]
}

func (w *writer) cutPost() {
	w.enqueue(blockKey(w.id, sortPosts, w.posts), w.post)
	w.posts++
	w.post = w.post[:0]
}

func (w *writer) enqueue(key, payload []byte) {
	w.queue = append(w.queue, queued{key, bytes.Clone(payload)})
	w.queued += len(key) + len(payload) + sumSize
	w.root.size += uint64(len(payload) + sumSize)
}

// full reports that it is time to flush.
func (w *writer) full() bool { return w.queued >= maxTx-MaxBlock }

// flush writes what is queued, and takes more steps in the same transaction.
func (w *writer) flush(more ...func(Tx) error) error {
	err := w.store.Update(func(tx Tx) error {
		if !w.begun {
			if err := putBlock(tx, segmentKey(classJunk, w.id), nil); err != nil {
				return err
			}
		}
		for _, q := range w.queue {
			if err := putBlock(tx, q.key, q.payload); err != nil {
				return err
			}
		}
		for _, step := range more {
			if err := step(tx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("write segment: %w", err)
	}
	w.begun, w.queue, w.queued = true, nil, 0
	return nil
}

// finish writes what is left, the header and the root. In the same transaction
// as the root it takes more steps.
func (w *writer) finish(t *tables, more ...func(Tx) error) (*segment, error) {
	if len(w.dict) > 0 {
		w.cutDict()
	}
	if len(w.post) > 0 {
		w.cutPost()
	}
	header := appendHeader(nil, w.firsts, t)
	r := &w.root
	r.headerSize, r.docs, r.units, r.runs = uint64(len(header)), t.docs(), uint32(len(t.units)), uint32(len(t.runs))
	r.termBlocks, r.words = uint32(len(w.firsts)), t.words
	for n := uint32(0); len(header) > 0; n++ {
		if w.full() {
			if err := w.flush(); err != nil {
				return nil, err
			}
		}
		part := header[:min(len(header), maxBytes)]
		w.enqueue(blockKey(w.id, sortHeader, n), part)
		header = header[len(part):]
	}
	show := func(tx Tx) error {
		if err := tx.Delete(segmentKey(classJunk, w.id)); err != nil {
			return fmt.Errorf("delete index block: %w", err)
		}
		return putBlock(tx, segmentKey(classRoot, w.id), r.append(nil))
	}
	if err := w.flush(append([]func(Tx) error{show}, more...)...); err != nil {
		return nil, err
	}
	return newSegment(w.id, *r, w.firsts, *t), nil
}
