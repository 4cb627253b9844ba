package vault

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"io"
	"slices"

	"keepsake/backend/seal"
)

// salvaged counts what a salvage came upon.
type salvaged struct {
	Pages  uint64 // of the file, as far as the disk gives them out
	Failed uint64 // that it does not
	Epochs int    // keys of epochs that open, copies of them included
	Values int    // handed out
	Older  int    // other copies of them, and older revisions
	Lost   int    // sealed values that do not open, where no copy as new does
}

// salvor reads what can be read of damaged files: every page that looks like a
// leaf, whether the tree leads there or not, and every sealed value in it that
// its AEAD opens, whichever of the files has its newest revision.
//
// Pages that are free now are read too, so what was deleted may come back: a
// file without its tree does not say what was deleted. A collection cannot be
// told from a page either; it is the one under which the value opens. Keys of
// epochs that are not known yet are looked for in the files first.
type salvor struct {
	ctx    context.Context
	files  []*wreck
	keys   *seal.Keys
	sealer *seal.Sealer
	last   Collection // of the value opened last
	found  map[identity]sighting
	closed map[seal.Locator]uint64 // newest revision of values that do not open
	state  *state                  // the newest state record that opens; nil: none does
	salvaged
}

// wreck is a file that a salvage reads.
type wreck struct {
	f        io.ReaderAt
	size     int64
	pageSize int64
	budget   int64  // bytes of values that are still read
	cells    []cell // of a journal, which tells them itself; of another file nil
}

// identity is what all revisions of a value have in common.
type identity struct {
	c       Collection
	locator seal.Locator
}

// sighting is where a value stands.
type sighting struct {
	identity
	id            string // of a record or link; "" of a chunk
	seq, revision uint64
	cell
}

// maxValue is more than the largest sealed value takes.
const maxValue = seal.MaxRecord + seal.MaxRecord/8 + 4096

// newWreck is a data file, of which nothing is taken to be as it was written.
func newWreck(f io.ReaderAt, size int64) *wreck {
	return &wreck{
		f: f, size: size, pageSize: salvagePageSize(f, size),
		budget: 8*size + 1<<30, // pages made to overlap cost no more than that
	}
}

// journalWreck is what the frames of a journal put, each behind its name.
func journalWreck(ops []byte) *wreck {
	w := &wreck{f: bytes.NewReader(ops), size: int64(len(ops)), budget: 8*int64(len(ops)) + 1<<30}
	for at := int64(0); at < w.size; {
		op, rest := ops[at], ops[at+1:]
		_, rest, _ = part(rest)
		key, rest, ok := part(rest)
		if op == opPut && ok {
			var value []byte
			if value, rest, ok = part(rest); ok {
				w.cells = append(w.cells, cell{w, key, w.size - int64(len(rest)+len(value)), int64(len(value))})
			}
		}
		if !ok {
			return w
		}
		at = w.size - int64(len(rest))
	}
	return w
}

func newSalvor(ctx context.Context, keys *seal.Keys, files ...*wreck) *salvor {
	return &salvor{ctx: ctx, files: files, keys: keys, sealer: keys.Sealer(), found: map[identity]sighting{}, closed: map[seal.Locator]uint64{}}
}

// look finds everything. Only the end of its context ends it early.
func (s *salvor) look() error {
	s.scan(s.takeSystem)
	s.Pages, s.Failed = 0, 0 // counted by the second round
	s.scan(s.takeValue)
	s.Lost = s.lost()
	return s.ctx.Err()
}

// open reads a value again that was seen, and counts it.
func (s *salvor) open(at sighting) (seal.Record, []byte, bool) {
	value, ok := at.value()
	if ok {
		if r, _, body, err := s.sealer.Open(uint16(at.c), at.seq, value); err == nil {
			s.Values++
			return r, body, true
		}
	}
	s.Lost++ // the disk gave something else before
	return seal.Record{}, nil, false
}

// salvagePageSize takes the page size from a start page, or else the one for
// which the most pages bear their own number.
func salvagePageSize(f io.ReaderAt, size int64) int64 {
	p := flight{f: f, size: size}
	var best, most int64
	for at := int64(512); at <= 65536; at *= 2 {
		for _, m := range []int64{0, at} {
			if m, err := p.readMeta(m, 1); err == nil && m.wrong == "" && int64(m.pageSize) == at {
				return at
			}
		}
		if n := ownNumbers(f, size, at); n > most {
			best, most = at, n
		}
	}
	return max(best, 512)
}

// ownNumbers counts the bytes in pages of a size that bear their own number.
func ownNumbers(f io.ReaderAt, size, pageSize int64) (total int64) {
	var head [8]byte
	for at := 2 * pageSize; at+pageHead <= min(size, 64<<20); at += pageSize {
		if _, err := f.ReadAt(head[:], at); err == nil && order.Uint64(head[:]) == uint64(at/pageSize) {
			total += pageSize
		}
	}
	return total
}

// read returns bytes of the file, if the disk gives them out.
func (w *wreck) read(at, n int64) ([]byte, bool) {
	if w.budget -= n; w.budget < 0 || at+n > w.size {
		return nil, false
	}
	buf := make([]byte, n)
	got, _ := w.f.ReadAt(buf, at) // what was read is what counts
	return buf, got == len(buf)
}

// cell is a key, and where its value stands.
type cell struct {
	in       *wreck
	key      []byte
	at, size int64
}

func (c cell) value() ([]byte, bool) { return c.in.read(c.at, c.size) }

// scan yields the cells of all files.
func (s *salvor) scan(take func(cell)) {
	for _, w := range s.files {
		for _, c := range w.cells {
			take(c)
		}
		if w.cells == nil {
			s.pages(w, take)
		}
	}
}

// pages yields the cells of all leaves of a data file.
func (s *salvor) pages(w *wreck, take func(cell)) {
	page := make([]byte, w.pageSize)
	for at := int64(0); at < w.size && s.ctx.Err() == nil; at += w.pageSize {
		n := min(w.pageSize, w.size-at)
		if got, _ := w.f.ReadAt(page[:n], at); int64(got) < n {
			s.Failed++
			continue
		}
		s.Pages++
		w.leaf(page[:n], at, uint64(at/w.pageSize), func(c cell) { w.unfold(c, take) })
	}
}

// leaf yields the cells of a page, or of the page inside a small bucket, when
// it looks like a leaf: of its number, its kind and its table two must fit.
func (w *wreck) leaf(data []byte, at int64, number uint64, take func(cell)) {
	if len(data) < pageHead+entrySize {
		return
	}
	pg := pageIn(data)
	tableSize := int64(order.Uint32(data[pageHead+4:])) // as the place of the first key says
	fits := 0
	for _, ok := range []bool{pg.id == number, pg.flags == leafFlag, pg.count > 0 && tableSize == int64(pg.count)*entrySize} {
		if ok {
			fits++
		}
	}
	if fits < 2 {
		return
	}
	count := int64(pg.count)
	if tableSize%entrySize == 0 && tableSize/entrySize <= 0xFFFF {
		count = max(count, tableSize/entrySize)
	}
	w.table(at, min(count, (w.size-at-pageHead)/entrySize), take)
}

// table yields the cells of the leaf at a place that stand inside the file.
func (w *wreck) table(at, count int64, take func(cell)) {
	table, _ := w.read(at+pageHead, count*entrySize)
	for i := int64(0); len(table) > 0; i, table = i+1, table[entrySize:] {
		e, pos, keySize := parseEntry(table, leafFlag)
		pos += at + pageHead + i*entrySize
		if keySize > 16 || e.size > maxValue || pos+keySize+e.size > w.size {
			continue // no key of ours, or not as written
		}
		if key, ok := w.read(pos, keySize); ok {
			take(cell{w, key, pos + keySize, e.size})
		}
	}
}

// unfold yields a cell, or those of the leaf inside a small bucket. A sealed
// value never begins with zeros, and such a bucket always does. There are none
// in one another.
func (w *wreck) unfold(c cell, take func(cell)) {
	if c.size >= bucketHead+pageHead && c.size <= w.pageSize {
		if value, ok := c.value(); ok && order.Uint64(value) == 0 {
			w.leaf(value[bucketHead:], c.at+bucketHead, 0, take)
			return
		}
	}
	take(c)
}

// takeSystem keeps the key of an epoch, and the newest state record.
func (s *salvor) takeSystem(c cell) {
	switch {
	case len(c.key) == 5 && c.key[0] == epochKey(0)[0] && c.size <= maxEpoch:
		if value, ok := c.value(); ok {
			if _, err := s.keys.OpenEpoch(binary.BigEndian.Uint32(c.key[1:]), value); err == nil {
				s.Epochs++
			}
		}
	case bytes.Equal(c.key, stateKey) && c.size <= maxState:
		if value, ok := c.value(); ok {
			s.takeState(value)
		}
	}
}

// More than a wrapped key and a state record take.
const (
	maxEpoch = 256
	maxState = 1 << 20
)

func (s *salvor) takeState(value []byte) {
	if st, err := readState(value, s.keys); err == nil && (s.state == nil || st.Generation > s.state.Generation) {
		s.state = st
	}
}

// takeValue notes where a sealed value stands, if it opens.
func (s *salvor) takeValue(c cell) {
	if len(c.key) != 8 && len(c.key) != 12 && len(c.key) != 16 {
		return
	}
	value, ok := c.value()
	if !ok {
		return
	}
	head, err := seal.ParseRecord(0, 0, value)
	if err != nil {
		return // an entry of an index, or nothing of ours
	}
	for _, try := range s.collections(c.key) {
		var seq uint64
		if len(c.key) != 16 {
			seq = binary.BigEndian.Uint64(c.key)
		}
		r, id, _, err := s.sealer.Open(uint16(try), seq, value)
		if err == nil {
			s.last = try
			s.see(sighting{identity{try, r.Locator}, id, seq, r.Revision, c})
			return
		}
	}
	s.closed[head.Locator] = max(s.closed[head.Locator], head.Revision)
}

// collections are those that a value under the key may belong to, the likeliest
// first: its neighbour's.
func (s *salvor) collections(key []byte) []Collection {
	if len(key) == 12 {
		return []Collection{Chunks}
	}
	out := []Collection{max(s.last, Memories)}
	for c := Memories; c <= Uses; c++ {
		if c != out[0] {
			out = append(out, c)
		}
	}
	return out
}

// see keeps the newest of the revisions of a value. A number is never used
// again, so a greater one is newer whatever its revision.
func (s *salvor) see(at sighting) {
	old, known := s.found[at.identity]
	if known {
		s.Older++
	}
	if !known || cmp.Or(cmp.Compare(at.seq, old.seq), cmp.Compare(at.revision, old.revision)) > 0 {
		s.found[at.identity] = at
	}
}

// newest are the values to hand out, in order. Chunks that a newer head of
// their conversation has left behind are not among them.
func (s *salvor) newest() []sighting {
	heads := map[uint64]uint64{}
	for _, at := range s.found {
		if at.c == Conversations && at.seq > 0 {
			heads[at.seq] = at.revision
		}
	}
	out := make([]sighting, 0, len(s.found))
	for _, at := range s.found {
		if at.c == Chunks && at.revision < heads[at.seq] {
			s.Older++
			continue
		}
		out = append(out, at)
	}
	slices.SortFunc(out, func(a, b sighting) int {
		return cmp.Or(cmp.Compare(a.c, b.c), cmp.Compare(a.seq, b.seq), bytes.Compare(a.locator[:], b.locator[:]))
	})
	return out
}

// lost counts the values that do not open and have no copy as new that does.
func (s *salvor) lost() int {
	newest := map[seal.Locator]uint64{}
	for _, at := range s.found {
		newest[at.locator] = max(newest[at.locator], at.revision)
	}
	n := 0
	for locator, revision := range s.closed {
		if newest[locator] < revision {
			n++
		}
	}
	return n
}
