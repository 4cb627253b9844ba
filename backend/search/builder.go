package search

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"
)

// builder holds the words of a live segment. One goroutine adds documents while
// others read; mu stands between them.
type builder struct {
	mu    sync.RWMutex
	seed  seed
	table []slot
	rows  [][]termRow
	terms int
	arena []byte   // the rest of long terms
	pages [][]byte // postings, in chunks

	scan  *scanner
	doc   uint32
	words uint32 // in the document at hand
	wait  waiting
}

// slot is a place in the table: the number of a term plus 1 in idBits, 0 for
// none, and above it as much of the hash as there is room for.
type slot uint32

const idBits = 24

func slotOf(h, id uint32) slot { return slot(h>>idBits<<idBits | id + 1) }

// id is the number of the term; there must be one.
func (s slot) id() uint32 { return uint32(s)&(1<<idBits-1) - 1 }

// may reports that the term may have this hash.
func (s slot) may(h uint32) bool { return s != 0 && uint32(s)>>idBits == h>>idBits }

// termRow is one term, in one line of the processor's cache. Its last posting
// stands in fields, since it may still grow, and those before it in recent until
// there is a block of them: so most terms have no chunk at all, and the common
// ones seldom reach into another line.
type termRow struct {
	key        key    // the first bytes of the term
	last, prev uint32 // documents: of the last posting, and of the one before
	df         uint32
	tail       uint32 // address: where to write in the last chunk, 0 when there is none
	rest       uint32 // where in the arena the rest of a long term begins
	tf         uint16 // of the last posting
	size       uint8  // of the term
	used       uint8  // bytes of recent
	left       uint8  // blocks left in the chunk
	level      uint8  // of the chunk
	recent     [postingsBlock - 1 + maxPosting]byte
}

// key is the first shortTerm bytes of a term as they lie in memory, then zeros.
// A term has no zeros itself.
type key struct{ lo, hi uint64 }

// shortTerm is how much of a term stands in its row.
const shortTerm = 16

// keyOf is the key of a term.
func keyOf(term []byte) key {
	var begin [shortTerm]byte
	copy(begin[:], term)
	return key{binary.LittleEndian.Uint64(begin[:]), binary.LittleEndian.Uint64(begin[8:])}
}

// bytes are the bytes of a key with its zeros.
func (k key) bytes() (begin [shortTerm]byte) {
	binary.LittleEndian.PutUint64(begin[:], k.lo)
	binary.LittleEndian.PutUint64(begin[8:], k.hi)
	return begin
}

// seed makes hashes that nobody can foresee, so that no export is made to be
// slow.
type seed struct {
	long   maphash.Seed
	lo, hi uint64
}

func newSeed() seed { return seed{maphash.MakeSeed(), rand.Uint64(), rand.Uint64()} }

// short is the hash of a term of at most shortTerm bytes.
func (s *seed) short(k key) uint32 {
	hi, lo := bits.Mul64(k.lo^s.lo, k.hi^s.hi)
	return uint32((hi ^ lo) >> 16)
}

func (s *seed) hash(k key, term []byte) uint32 {
	if len(term) <= shortTerm {
		return s.short(k)
	}
	return uint32(maphash.Bytes(s.long, term))
}

const (
	rowsPage   = 1 << 12 // terms
	pageSize   = 1 << 15
	linkSize   = 5 // each chunk begins with where the one before ends, and its blocks
	startTable = 1 << 12
	termCost   = 64 + 3*4 // bytes of a term in rows and table
)

// Postings go to the chunks in blocks. A posting is a document, of which a live
// segment has far fewer than 1<<27, doubled, and at most maxFreq.
const (
	postingsBlock = 16
	maxPosting    = 4 + 3
)

// chunkBlocks are how chunks of one term grow; the last goes on for ever.
var chunkBlocks = [...]uint8{1, 2, 4, 8, 16}

func newBuilder() *builder {
	b := &builder{seed: newSeed(), table: make([]slot, startTable), scan: newScanner()}
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
	n     int
	keys  [batch]key
	sizes [batch]uint8
	warm  uint64 // keeps loads from being left out
}

// token takes one word from the scanner.
func (b *builder) token(t *token) {
	if k := keyOf(t.term); len(t.term) <= shortTerm {
		b.short(k, len(t.term))
	} else {
		b.take(b.seed.hash(k, t.term), k, t.term, len(t.term))
		b.words++
	}
}

// short takes one word of at most shortTerm bytes.
func (b *builder) short(k key, size int) {
	w := &b.wait
	w.keys[w.n], w.sizes[w.n] = k, uint8(size)
	if w.n++; w.n == batch {
		b.drain()
	}
}

// drain counts the words that wait. First it touches what they will need, all
// of it at once.
func (b *builder) drain() {
	w := &b.wait
	mask := uint32(len(b.table) - 1)
	var hashes [batch]uint32
	var at [batch]slot
	for i := range w.n {
		h := b.seed.short(w.keys[i])
		hashes[i], at[i] = h, b.table[h&mask]
	}
	var rows [batch]*termRow // of the words that stand where they are looked for first
	for i := range w.n {
		if at[i].may(hashes[i]) {
			rows[i] = b.row(at[i].id())
			w.warm += uint64(rows[i].tf)
		}
	}
	for i := range w.n {
		if row := rows[i]; row != nil && row.key == w.keys[i] && row.size == w.sizes[i] {
			b.count(row)
		} else {
			b.take(hashes[i], w.keys[i], nil, int(w.sizes[i]))
		}
	}
	b.words += uint32(w.n)
	w.n = 0
}

// take counts a word, of which term is given when it is longer than its key.
func (b *builder) take(h uint32, k key, term []byte, size int) {
	mask := uint32(len(b.table) - 1)
	at := h & mask
	for ; b.table[at] != 0; at = (at + 1) & mask {
		if !b.table[at].may(h) {
			continue
		}
		if row := b.row(b.table[at].id()); b.is(row, k, term, size) {
			b.count(row)
			return
		}
	}
	b.table[at] = slotOf(h, uint32(b.terms))
	b.insert(k, term, size)
}

// row is a term by its number.
func (b *builder) row(id uint32) *termRow { return &b.rows[id/rowsPage][id%rowsPage] }

// is reports that a row is that of a term.
func (b *builder) is(row *termRow, k key, term []byte, size int) bool {
	return row.key == k && int(row.size) == size && (size <= shortTerm || string(b.rest(row)) == string(term[shortTerm:]))
}

// rest is what of a long term does not stand in its row.
func (b *builder) rest(row *termRow) []byte {
	return b.arena[row.rest : row.rest+uint32(row.size)-shortTerm]
}

// insert adds a row, which the table has already.
func (b *builder) insert(k key, term []byte, size int) {
	row := termRow{key: k, rest: uint32(len(b.arena)), size: uint8(size), last: b.doc, df: 1, tf: 1}
	if size > shortTerm {
		b.arena = append(b.arena, term[shortTerm:]...)
	}
	if b.terms%rowsPage == 0 {
		b.rows = append(b.rows, make([]termRow, 0, rowsPage))
	}
	last := len(b.rows) - 1
	b.rows[last] = append(b.rows[last], row)
	b.terms++
	if 2*b.terms > len(b.table) {
		b.grow()
	}
}

// grow makes the table twice as large. It is written to before it is read, or
// the system would hand out each page twice: one of zeros for all who read, then
// one to write to.
func (b *builder) grow() {
	b.table = make([]slot, 2*len(b.table))
	clear(b.table)
	mask := uint32(len(b.table) - 1)
	var term [MaxTerm]byte
	for id := range uint32(b.terms) {
		h := b.seed.hash(b.row(id).key, b.term(term[:0], id))
		at := h & mask
		for b.table[at] != 0 {
			at = (at + 1) & mask
		}
		b.table[at] = slotOf(h, id)
	}
}

// term appends a term to dst.
func (b *builder) term(dst []byte, id uint32) []byte {
	row := b.row(id)
	begin := row.key.bytes()
	dst = append(dst, begin[:min(row.size, shortTerm)]...)
	if row.size > shortTerm {
		dst = append(dst, b.rest(row)...)
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
	row.used += uint8(putPosting(row.recent[row.used:], row.last-row.prev, uint32(row.tf)))
	if row.used >= postingsBlock {
		b.spill(row)
	}
	row.prev, row.last, row.tf = row.last, b.doc, 1
	row.df++
}

// spill moves a block of postings from the row to its chunk.
func (b *builder) spill(row *termRow) {
	if row.left == 0 {
		b.chunk(row)
	}
	copy(b.pages[row.tail/pageSize][row.tail%pageSize:], row.recent[:postingsBlock])
	row.tail += postingsBlock
	row.left--
	copy(row.recent[:], row.recent[postingsBlock:])
	row.used -= postingsBlock
}

// chunk gives a term its next chunk.
func (b *builder) chunk(row *termRow) {
	before := uint8(0)
	if row.tail != 0 {
		before = chunkBlocks[row.level]
		row.level = min(row.level+1, uint8(len(chunkBlocks)-1))
	}
	blocks := chunkBlocks[row.level]
	size := linkSize + postingsBlock*int(blocks)
	page := b.pages[len(b.pages)-1]
	if pageSize-len(page) < size {
		page = make([]byte, 0, pageSize)
		b.pages = append(b.pages, page)
	}
	at := uint32((len(b.pages)-1)*pageSize + len(page))
	page = page[:len(page)+size]
	b.pages[len(b.pages)-1] = page
	binary.LittleEndian.PutUint32(page[len(page)-size:], row.tail)
	page[len(page)-size+linkSize-1] = before
	row.tail, row.left = at+linkSize, blocks
}

// bytes appends the postings of a term as a segment has them.
func (b *builder) bytes(dst []byte, id uint32) []byte {
	row := b.row(id)
	dst = b.chunks(dst, row.tail, chunkBlocks[row.level]-row.left)
	dst = append(dst, row.recent[:row.used]...)
	return appendPosting(dst, row.last-row.prev, uint32(row.tf))
}

// chunks appends the postings of the chunks up to the one that ends, with so
// many blocks, at an address.
func (b *builder) chunks(dst []byte, end uint32, blocks uint8) []byte {
	if end == 0 {
		return dst
	}
	start := end - postingsBlock*uint32(blocks)
	page, at := b.pages[start/pageSize], start%pageSize
	link := page[at-linkSize : at]
	dst = b.chunks(dst, binary.LittleEndian.Uint32(link), link[linkSize-1])
	return append(dst, page[at:at+postingsBlock*uint32(blocks)]...)
}

// touch brings terms that are wanted soon near, all of them at once.
func (b *builder) touch(terms []sortTerm) {
	var tails [batch]uint32
	for i, t := range terms {
		tails[i] = b.row(t.id).tail
	}
	for _, at := range tails[:len(terms)] {
		if at != 0 {
			at -= postingsBlock // it may be the end of a page
			b.wait.warm += uint64(b.pages[at/pageSize][at%pageSize])
		}
	}
}

// used is about how much memory the words take, in bytes.
func (b *builder) used() int {
	return len(b.arena) + b.terms*termCost + len(b.pages)*pageSize
}

// lookup finds a term; builder is the terms of a segment in memory.
func (b *builder) lookup(_ *reader, term string) (entry, bool, error) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	k, wanted := keyOf([]byte(term)), []byte(term)
	h, mask := b.seed.hash(k, wanted), uint32(len(b.table)-1)
	for at := h & mask; b.table[at] != 0; at = (at + 1) & mask {
		if !b.table[at].may(h) {
			continue
		}
		id := b.table[at].id()
		if row := b.row(id); b.is(row, k, wanted, len(wanted)) {
			return entry{df: row.df, id: id}, true, nil
		}
	}
	return entry{}, false, nil
}

// prefix calls yield for each term that begins with prefix, in no order.
func (b *builder) prefix(_ *reader, prefix string, yield func([]byte, entry)) error {
	b.mu.RLock()
	defer b.mu.RUnlock()
	begin := keyOf([]byte(prefix))
	lo, hi := maskOf(len(prefix)), maskOf(len(prefix)-8)
	var term []byte
	for i := range b.terms {
		row := b.row(uint32(i))
		if int(row.size) < len(prefix) || row.key.lo&lo != begin.lo || row.key.hi&hi != begin.hi {
			continue
		}
		if term = b.term(term[:0], uint32(i)); string(term[:len(prefix)]) == prefix {
			yield(term, entry{df: row.df, id: uint32(i)})
		}
	}
	return nil
}

// maskOf selects the first n of the eight bytes of a half of a key.
func maskOf(n int) uint64 {
	if n >= 8 {
		return 1<<64 - 1
	}
	return 1<<(8*max(n, 0)) - 1
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
