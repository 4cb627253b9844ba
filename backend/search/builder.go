package search

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"slices"
	"sync"
)

// builder holds the words of a live segment. One goroutine adds documents while
// others read; mu stands between them.
type builder struct {
	mu    sync.RWMutex
	seed  maphash.Seed
	table []uint64 // hash in the upper half, number of the term plus 1 in the lower
	terms []termRow
	arena []byte   // the terms themselves
	pages [][]byte // postings, in chunks

	scan  *scanner
	doc   uint32
	words uint32 // in the document at hand
}

// termRow is one term. Its last posting stands here and not among the chunks,
// since it may still grow; so a term of one document has no chunk at all.
type termRow struct {
	off        uint32 // in the arena
	last, prev uint32 // documents: of the last posting, and of the one before
	df         uint32
	head, tail uint32 // addresses: of the first chunk, and where to write
	tf         uint16 // of the last posting
	size       uint8  // of the term
	left       uint8  // bytes left in the chunk
	level      uint8  // of the chunk
}

const (
	pageSize   = 1 << 15
	linkSize   = 4 // each chunk ends with the address of the next
	startTable = 1 << 12
	termCost   = 36 + 2*8 // bytes of a term in terms and table
)

// chunkSizes are how chunks of one term grow; the last goes on for ever.
var chunkSizes = [...]uint8{16, 24, 40, 64, 128, 248}

func newBuilder() *builder {
	b := &builder{seed: maphash.MakeSeed(), table: make([]uint64, startTable), scan: newScanner()}
	b.pages = append(b.pages, make([]byte, 0, pageSize))
	b.pages[0] = b.pages[0][:1] // address 0 is none
	return b
}

// add indexes the text of the next document and returns its number of words.
func (b *builder) add(doc uint32, text string) uint32 {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.doc, b.words = doc, 0
	b.scan.scan(text, b)
	return b.words
}

// token takes one word from the scanner.
func (b *builder) token(t *token) {
	b.words++
	h := maphash.Bytes(b.seed, t.term)
	mask := uint64(len(b.table) - 1)
	for slot := h & mask; ; slot = (slot + 1) & mask {
		at := b.table[slot]
		if at == 0 {
			b.insert(slot, h, t.term)
			return
		}
		if at>>32 != h>>32 {
			continue
		}
		row := &b.terms[uint32(at)-1]
		if string(b.arena[row.off:row.off+uint32(row.size)]) == string(t.term) {
			b.count(row)
			return
		}
	}
}

func (b *builder) insert(slot, h uint64, term []byte) {
	b.terms = append(b.terms, termRow{off: uint32(len(b.arena)), size: uint8(len(term)), last: b.doc, df: 1, tf: 1})
	b.arena = append(b.arena, term...)
	b.table[slot] = h>>32<<32 | uint64(len(b.terms))
	if 2*len(b.terms) > len(b.table) {
		b.grow()
	}
}

func (b *builder) grow() {
	b.table = make([]uint64, 2*len(b.table))
	mask := uint64(len(b.table) - 1)
	for i := range b.terms {
		h := maphash.Bytes(b.seed, b.term(uint32(i)))
		slot := h & mask
		for b.table[slot] != 0 {
			slot = (slot + 1) & mask
		}
		b.table[slot] = h>>32<<32 | uint64(i+1)
	}
}

func (b *builder) term(id uint32) []byte {
	row := &b.terms[id]
	return b.arena[row.off : row.off+uint32(row.size)]
}

// count adds one occurrence in the document at hand.
func (b *builder) count(row *termRow) {
	if row.last == b.doc {
		if row.tf < maxFreq {
			row.tf++
		}
		return
	}
	var tmp [2 * binary.MaxVarintLen32]byte
	for _, c := range appendPosting(tmp[:0], row.last-row.prev, uint32(row.tf)) {
		if row.left == 0 {
			b.chunk(row)
		}
		b.pages[row.tail/pageSize][row.tail%pageSize] = c
		row.tail++
		row.left--
	}
	row.prev, row.last, row.tf = row.last, b.doc, 1
	row.df++
}

// chunk gives a term its next chunk.
func (b *builder) chunk(row *termRow) {
	if row.head != 0 && int(row.level) < len(chunkSizes)-1 {
		row.level++
	}
	size := int(chunkSizes[row.level])
	page := b.pages[len(b.pages)-1]
	if cap(page)-len(page) < size {
		page = make([]byte, 0, pageSize)
		b.pages = append(b.pages, page)
	}
	at := uint32((len(b.pages)-1)*pageSize + len(page))
	b.pages[len(b.pages)-1] = page[:len(page)+size]
	if row.head == 0 {
		row.head = at
	} else {
		binary.LittleEndian.PutUint32(b.pages[row.tail/pageSize][row.tail%pageSize:], at)
	}
	row.tail, row.left = at, uint8(size-linkSize)
}

// bytes appends the postings of a term as a segment has them.
func (b *builder) bytes(dst []byte, id uint32) []byte {
	row := &b.terms[id]
	for at, level := row.head, 0; at != 0; {
		page, from := b.pages[at/pageSize], at%pageSize
		size := uint32(chunkSizes[min(level, len(chunkSizes)-1)]) - linkSize
		if row.tail >= at && row.tail <= at+size { // the last chunk
			dst = append(dst, page[from:from+row.tail-at]...)
			break
		}
		dst = append(dst, page[from:from+size]...)
		at = binary.LittleEndian.Uint32(page[from+size:])
		level++
	}
	return appendPosting(dst, row.last-row.prev, uint32(row.tf))
}

// used is about how much memory the words take, in bytes.
func (b *builder) used() int {
	return len(b.arena) + len(b.terms)*termCost + len(b.pages)*pageSize
}

// sorted lists the terms in order.
func (b *builder) sorted() []uint32 {
	type keyed struct {
		head uint64 // the first eight bytes: enough to tell most terms apart
		id   uint32
	}
	all := make([]keyed, len(b.terms))
	for i := range all {
		var head [8]byte
		copy(head[:], b.term(uint32(i)))
		all[i] = keyed{binary.BigEndian.Uint64(head[:]), uint32(i)}
	}
	slices.SortFunc(all, func(x, y keyed) int {
		switch {
		case x.head < y.head:
			return -1
		case x.head > y.head:
			return 1
		}
		return bytes.Compare(b.term(x.id), b.term(y.id))
	})
	ids := make([]uint32, len(all))
	for i, k := range all {
		ids[i] = k.id
	}
	return ids
}

// lookup finds a term; builder is the terms of a segment in memory.
func (b *builder) lookup(_ *reader, term string) (entry, bool, error) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	h := maphash.String(b.seed, term)
	mask := uint64(len(b.table) - 1)
	for slot := h & mask; b.table[slot] != 0; slot = (slot + 1) & mask {
		id := uint32(b.table[slot]) - 1
		if string(b.term(id)) == term {
			return entry{df: b.terms[id].df, id: id}, true, nil
		}
	}
	return entry{}, false, nil
}

// prefix calls yield for each term that begins with prefix, in no order.
func (b *builder) prefix(_ *reader, prefix string, yield func([]byte, entry)) error {
	b.mu.RLock()
	defer b.mu.RUnlock()
	for i := range b.terms {
		if term := b.term(uint32(i)); len(term) >= len(prefix) && string(term[:len(prefix)]) == prefix {
			yield(term, entry{df: b.terms[i].df, id: uint32(i)})
		}
	}
	return nil
}

// read fills p with the postings of documents below limit: what lies above is
// not published yet.
func (b *builder) read(_ *reader, e entry, limit uint32, p *postings) error {
	b.mu.RLock()
	p.buf = b.bytes(p.buf[:0], e.id)
	df := b.terms[e.id].df
	b.mu.RUnlock()
	if _, err := p.decode(p.buf, df, 1<<31); err != nil {
		return err
	}
	n, _ := slices.BinarySearch(p.docs, limit)
	p.docs, p.tfs = p.docs[:n], p.tfs[:n]
	return nil
}
