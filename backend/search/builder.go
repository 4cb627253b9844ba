package search

import (
	"bytes"
	"cmp"
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
	rows  [][]termRow
	terms int
	arena []byte   // the rest of long terms
	pages [][]byte // postings, in chunks

	scan  *scanner
	doc   uint32
	words uint32 // in the document at hand
	wait  waiting
}

// termRow is one term, in one line of the processor's cache. Its last posting
// stands here and not among the chunks, since it may still grow; so a term of one
// document has no chunk at all.
type termRow struct {
	last, prev uint32 // documents: of the last posting, and of the one before
	df         uint32
	head, tail uint32 // addresses: of the first chunk, and where to write
	rest       uint32 // where in the arena the rest of a long term begins
	tf         uint16 // of the last posting
	size       uint8  // of the term
	left       uint8  // bytes left in the chunk
	level      uint8  // of the chunk
	begin      [shortTerm]byte
}

// shortTerm is how much of a term stands in its row.
const shortTerm = 64 - 29

const (
	rowsPage   = 1 << 12 // terms
	pageSize   = 1 << 15
	linkSize   = 4 // each chunk ends with the address of the next
	startTable = 1 << 12
	termCost   = 64 + 3*8 // bytes of a term in terms and table
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
	b.drain()
	return b.words
}

// batch is how many words wait for each other. Nearly every word is far away in
// memory; looked up one by one, the processor would stand still for each.
const batch = 64

// waiting are the words of a batch.
type waiting struct {
	n      int
	hashes [batch]uint32
	ends   [batch]uint16
	terms  [batch * MaxTerm]byte
	warm   uint64 // keeps loads from being left out
}

// token takes one word from the scanner.
func (b *builder) token(t *token) {
	w := &b.wait
	from := 0
	if w.n > 0 {
		from = int(w.ends[w.n-1])
	}
	w.ends[w.n] = uint16(from + copy(w.terms[from:], t.term))
	w.hashes[w.n] = uint32(maphash.Bytes(b.seed, t.term))
	if w.n++; w.n == batch {
		b.drain()
	}
}

// drain counts the words that wait. First it touches what they will need, all
// of it at once.
func (b *builder) drain() {
	w := &b.wait
	mask := uint32(len(b.table) - 1)
	var at [batch]uint64
	for i, h := range w.hashes[:w.n] {
		at[i] = b.table[h&mask]
	}
	for _, a := range at[:w.n] {
		if id := uint32(a); id > 0 {
			w.warm += uint64(b.row(id - 1).tf)
		}
	}
	from := uint16(0)
	for i, h := range w.hashes[:w.n] {
		b.take(h, w.terms[from:w.ends[i]])
		from = w.ends[i]
	}
	b.words += uint32(w.n)
	w.n = 0
}

func (b *builder) take(h uint32, term []byte) {
	mask := uint32(len(b.table) - 1)
	for slot := h & mask; ; slot = (slot + 1) & mask {
		at := b.table[slot]
		if at == 0 {
			b.insert(slot, h, term)
			return
		}
		if uint32(at>>32) != h {
			continue
		}
		if row := b.row(uint32(at) - 1); b.is(row, term) {
			b.count(row)
			return
		}
	}
}

// row is a term by its number.
func (b *builder) row(id uint32) *termRow { return &b.rows[id/rowsPage][id%rowsPage] }

// is reports that a row is that of a term.
func (b *builder) is(row *termRow, term []byte) bool {
	if int(row.size) != len(term) {
		return false
	}
	if len(term) <= shortTerm {
		return string(row.begin[:len(term)]) == string(term)
	}
	n := uint32(len(term) - shortTerm)
	return string(row.begin[:]) == string(term[:shortTerm]) && string(b.arena[row.rest:row.rest+n]) == string(term[shortTerm:])
}

func (b *builder) insert(slot, h uint32, term []byte) {
	row := termRow{rest: uint32(len(b.arena)), size: uint8(len(term)), last: b.doc, df: 1, tf: 1}
	if n := copy(row.begin[:], term); n < len(term) {
		b.arena = append(b.arena, term[n:]...)
	}
	if b.terms%rowsPage == 0 {
		b.rows = append(b.rows, make([]termRow, 0, rowsPage))
	}
	last := len(b.rows) - 1
	b.rows[last] = append(b.rows[last], row)
	b.terms++
	b.table[slot] = uint64(h)<<32 | uint64(b.terms)
	if 2*b.terms > len(b.table) {
		b.grow()
	}
}

func (b *builder) grow() {
	old := b.table
	b.table = make([]uint64, 2*len(old))
	mask := uint32(len(b.table) - 1)
	for _, at := range old {
		if at == 0 {
			continue
		}
		slot := uint32(at>>32) & mask
		for b.table[slot] != 0 {
			slot = (slot + 1) & mask
		}
		b.table[slot] = at
	}
}

// term appends a term to dst.
func (b *builder) term(dst []byte, id uint32) []byte {
	row := b.row(id)
	dst = append(dst, row.begin[:min(row.size, shortTerm)]...)
	if row.size > shortTerm {
		dst = append(dst, b.arena[row.rest:row.rest+uint32(row.size)-shortTerm]...)
	}
	return dst
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
	row := b.row(id)
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

// touch brings terms that are wanted soon near, all of them at once.
func (b *builder) touch(ids []uint32) {
	var heads [batch]uint32
	for i, id := range ids {
		heads[i] = b.row(id).head
	}
	for _, at := range heads[:len(ids)] {
		b.wait.warm += uint64(b.pages[at/pageSize][at%pageSize])
	}
}

// used is about how much memory the words take, in bytes.
func (b *builder) used() int {
	return len(b.arena) + b.terms*termCost + len(b.pages)*pageSize
}

// sorted lists the terms in order.
func (b *builder) sorted() []uint32 {
	type keyed struct {
		head, more uint64 // the first sixteen bytes: enough to tell most terms apart
		id         uint32
	}
	all := make([]keyed, b.terms)
	for i := range all {
		begin := &b.row(uint32(i)).begin
		all[i] = keyed{binary.BigEndian.Uint64(begin[:]), binary.BigEndian.Uint64(begin[8:]), uint32(i)}
	}
	slices.SortFunc(all, func(x, y keyed) int {
		switch {
		case x.head != y.head:
			return cmp.Compare(x.head, y.head)
		case x.more != y.more:
			return cmp.Compare(x.more, y.more)
		}
		var s, t [MaxTerm]byte
		return bytes.Compare(b.term(s[:0], x.id), b.term(t[:0], y.id))
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
	h := uint32(maphash.String(b.seed, term))
	mask := uint32(len(b.table) - 1)
	for slot := h & mask; b.table[slot] != 0; slot = (slot + 1) & mask {
		id := uint32(b.table[slot]) - 1
		if row := b.row(id); b.is(row, []byte(term)) {
			return entry{df: row.df, id: id}, true, nil
		}
	}
	return entry{}, false, nil
}

// prefix calls yield for each term that begins with prefix, in no order.
func (b *builder) prefix(_ *reader, prefix string, yield func([]byte, entry)) error {
	b.mu.RLock()
	defer b.mu.RUnlock()
	short := min(len(prefix), shortTerm)
	var term []byte
	for i := range b.terms {
		row := b.row(uint32(i))
		if int(row.size) < len(prefix) || string(row.begin[:short]) != prefix[:short] {
			continue
		}
		if term = b.term(term[:0], uint32(i)); string(term[:len(prefix)]) == prefix {
			yield(term, entry{df: row.df, id: uint32(i)})
		}
	}
	return nil
}

// read fills p with the postings of documents below limit: what lies above is
// not published yet.
func (b *builder) read(_ *reader, e entry, limit uint32, p *postings) error {
	b.mu.RLock()
	p.buf = b.bytes(p.buf[:0], e.id)
	df := b.row(e.id).df
	b.mu.RUnlock()
	if _, err := p.decode(p.buf, df, 1<<31); err != nil {
		return err
	}
	n, _ := slices.BinarySearch(p.docs, limit)
	p.docs, p.tfs = p.docs[:n], p.tfs[:n]
	return nil
}
