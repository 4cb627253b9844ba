package search

import (
	"fmt"
	"sort"
	"sync/atomic"
)

// terms is the dictionary of a segment with its postings: sealed ones lie in
// the store, live ones in memory.
type terms interface {
	lookup(rd *reader, term string) (entry, bool, error)
	prefix(rd *reader, prefix string, yield func([]byte, entry)) error
	read(rd *reader, e entry, limit uint32, p *postings) error
}

// segment is some units with their words. What may change is guarded by the
// index's mu.
type segment struct {
	tables
	terms
	id      uint64 // 0 in memory
	size    uint64 // of its blocks
	nTerms  uint64
	dead    *tombs
	pending bool // a row belongs to a Put that is not finished

	refs atomic.Int32 // searches at work in it

	byUnit []uint32 // rows by unit, made when first needed; guarded by the index's writing

	live map[unitKey]int // in memory only: the row of each unit that is not in a tomb
}

func newSegment(id uint64, r root, firsts []string, t tables) *segment {
	return &segment{id: id, size: r.size, nTerms: r.terms, tables: t,
		terms: &sealed{id: id, firsts: firsts, postSize: r.postSize}}
}

// find returns the rows of a unit that are not in a tomb.
func (s *segment) find(k unitKey) (rows []int) {
	if s.live != nil {
		if row, ok := s.live[k]; ok && !s.dead.has(row) {
			return []int{row}
		}
		return nil
	}
	if s.byUnit == nil {
		s.byUnit = s.order()
	}
	if n := len(s.byUnit); n == 0 || compareKeys(k, s.units[s.byUnit[0]].key()) < 0 || compareKeys(k, s.units[s.byUnit[n-1]].key()) > 0 {
		return nil // most segments hold a stretch of the vault that k is not in
	}
	i := sort.Search(len(s.byUnit), func(i int) bool { return compareKeys(s.units[s.byUnit[i]].key(), k) >= 0 })
	for ; i < len(s.byUnit) && s.units[s.byUnit[i]].key() == k; i++ {
		if row := int(s.byUnit[i]); !s.dead.has(row) {
			rows = append(rows, row)
		}
	}
	return rows
}

// reader reads blocks within one transaction. It keeps the last block of
// postings of each segment, since neighbours are read one after another.
type reader struct {
	tx   Tx
	kept map[uint64]keptBlock
}

type keptBlock struct {
	n uint32
	b []byte
}

func newReader(tx Tx) *reader { return &reader{tx: tx, kept: map[uint64]keptBlock{}} }

// sealed is the dictionary of a segment in the store.
type sealed struct {
	id       uint64
	firsts   []string // the first term of each block
	postSize uint64
}

// A block of the dictionary says where the postings of its first entry with
// postings of its own begin; then come its entries to the end: sizes of
// what is shared with the term before and of the rest; the rest; and of a term
// that one document holds once, the document. Of others, how many documents;
// then for a term of one document its posting, for others the size of the
// postings, and the postings themselves when they are at most maxInline.
const maxInline = 16

// cursor walks the entries of a dictionary.
type cursor struct {
	s     *sealed
	block uint32 // the next to load
	b     []byte
	off   uint64
	term  []byte
	entry entry
}

// load takes the next block; false after the last.
func (c *cursor) load(rd *reader) (bool, error) {
	if int(c.block) >= len(c.s.firsts) {
		return false, nil
	}
	b, err := getBlock(rd.tx, blockKey(c.s.id, sortTerms, c.block))
	if err != nil {
		return false, err
	}
	f := fields{b: b}
	c.off = f.uvarint()
	if f.err != nil || len(f.b) == 0 {
		return false, damaged("an empty block of terms")
	}
	c.b, c.term = f.b, c.term[:0]
	c.block++
	return true, nil
}

// next steps to the next entry; false after the last one of all.
func (c *cursor) next(rd *reader) (bool, error) {
	if len(c.b) == 0 {
		if ok, err := c.load(rd); !ok {
			return false, err
		}
	}
	alone, shared, rest, n := sizes(c.b)
	if n == 0 || shared > len(c.term) || shared+rest > MaxTerm || n+rest > len(c.b) {
		return false, damaged("a term that cannot be")
	}
	c.b = c.b[n:]
	c.term = append(c.term[:shared], c.b[:rest]...)
	c.b = c.b[rest:]
	if alone {
		return true, c.one()
	}
	return true, c.entryFields()
}

// one reads an entry that has no more than a document.
func (c *cursor) one() error {
	doc, n := uvarint(c.b)
	if n <= 0 || doc >= 1<<31 {
		return damaged("a term of no documents")
	}
	c.b = c.b[n:]
	c.entry = entry{df: 1, alone: true, doc: uint32(doc)}
	return nil
}

func (c *cursor) entryFields() error {
	df, n := uvarint(c.b)
	if n <= 0 || df == 0 || df > 1<<31 {
		return damaged("a term of no documents")
	}
	c.b = c.b[n:]
	c.entry = entry{df: uint32(df)}
	if df == 1 {
		return c.inline(onePosting(c.b))
	}
	size, n := uvarint(c.b)
	if n <= 0 {
		return damaged("postings of no size")
	}
	c.b = c.b[n:]
	if size <= maxInline {
		return c.inline(int(size))
	}
	if size > c.s.postSize || c.off > c.s.postSize-size {
		return damaged("postings beyond the end")
	}
	c.entry.size, c.entry.off = uint32(size), c.off
	c.off += size
	return nil
}

func (c *cursor) inline(n int) error {
	if n <= 0 || n > len(c.b) {
		return damaged("postings that end early")
	}
	c.entry.inline = c.b[:n:n]
	c.b = c.b[n:]
	return nil
}

// onePosting is the size of the posting at the start of b, 0 when it is none.
func onePosting(b []byte) int {
	v, n := uvarint(b)
	if n <= 0 || v&1 == 1 {
		return max(n, 0)
	}
	_, m := uvarint(b[n:])
	if m <= 0 {
		return 0
	}
	return n + m
}

// seek returns a cursor that stands before the first block that may hold term.
func (s *sealed) seek(term string) *cursor {
	i := sort.Search(len(s.firsts), func(i int) bool { return s.firsts[i] > term })
	return &cursor{s: s, block: uint32(max(i-1, 0))}
}

func (s *sealed) lookup(rd *reader, term string) (entry, bool, error) {
	c := s.seek(term)
	for {
		ok, err := c.next(rd)
		if err != nil {
			return entry{}, false, fmt.Errorf("read dictionary: %w", err)
		}
		if !ok || string(c.term) > term {
			return entry{}, false, nil
		}
		if string(c.term) == term {
			return c.entry, true, nil
		}
	}
}

func (s *sealed) prefix(rd *reader, prefix string, yield func([]byte, entry)) error {
	c := s.seek(prefix)
	for {
		ok, err := c.next(rd)
		if err != nil {
			return fmt.Errorf("read dictionary: %w", err)
		}
		if !ok || string(c.term[:min(len(c.term), len(prefix))]) > prefix {
			return nil
		}
		if len(c.term) >= len(prefix) && string(c.term[:len(prefix)]) == prefix {
			yield(c.term, c.entry)
		}
	}
}

func (s *sealed) read(rd *reader, e entry, limit uint32, p *postings) error {
	if e.alone {
		return p.one(e.doc, limit)
	}
	data := e.inline
	if data == nil {
		var err error
		if data, err = s.bytes(rd, e, p); err != nil {
			return fmt.Errorf("read postings: %w", err)
		}
	}
	rest, err := p.decode(data, e.df, limit)
	if err == nil && len(rest) > 0 {
		err = damaged("postings that go on")
	}
	return err
}

// bytes gathers the postings of an entry, which may lie in several blocks.
func (s *sealed) bytes(rd *reader, e entry, p *postings) ([]byte, error) {
	p.buf = p.buf[:0]
	for off, left := e.off, uint64(e.size); left > 0; {
		b, err := s.postBlock(rd, uint32(off/maxBytes))
		if err != nil {
			return nil, err
		}
		from := off % maxBytes
		if from >= uint64(len(b)) {
			return nil, damaged("postings beyond their block")
		}
		part := b[from:min(from+left, uint64(len(b)))]
		if left == uint64(e.size) && uint64(len(part)) == left {
			return part, nil
		}
		p.buf = append(p.buf, part...)
		off, left = off+uint64(len(part)), left-uint64(len(part))
	}
	return p.buf, nil
}

// postBlock is block n of the postings. The last one read is kept.
func (s *sealed) postBlock(rd *reader, n uint32) ([]byte, error) {
	if kept, ok := rd.kept[s.id]; ok && kept.n == n {
		return kept.b, nil
	}
	b, err := getBlock(rd.tx, blockKey(s.id, sortPosts, n))
	if err != nil {
		return nil, err
	}
	rd.kept[s.id] = keptBlock{n, b}
	return b, nil
}
