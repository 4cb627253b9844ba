package vault

import (
	"bytes"
	"cmp"
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

// salvage reads what can be read of a damaged data file: every page that looks
// like a leaf, whether the tree leads there or not, and every sealed value in
// it that its AEAD opens. It calls each with the newest revision of every
// record, link (seq 0) and chunk (id empty), by collection and number; the body
// is the callee's own. An error of each ends it.
//
// Pages that are free now are read too, so what was deleted may come back: a
// file without its tree does not say what was deleted. A collection cannot be
// told from a page either; it is the one under which the value opens. Keys that
// are not in keys yet are looked for in the file first.
func salvage(f io.ReaderAt, size int64, keys *seal.Keys, each func(c Collection, seq uint64, r seal.Record, id string, body []byte) error) (salvaged, error) {
	s := newSalvor(f, size, keys)
	s.scan(s.takeEpoch)
	s.Pages, s.Failed = 0, 0 // counted by the second round
	s.scan(s.takeValue)
	s.Lost = s.lost()
	for _, at := range s.newest() {
		value, ok := s.read(at.at, at.size)
		if !ok {
			s.Lost++
			continue
		}
		r, id, body, err := s.sealer.Open(uint16(at.c), at.seq, value)
		if err != nil { // the disk gave something else before
			s.Lost++
			continue
		}
		s.Values++
		if err := each(at.c, at.seq, r, id, body); err != nil {
			return s.salvaged, err
		}
	}
	return s.salvaged, nil
}

// salvor is one salvage.
type salvor struct {
	f        io.ReaderAt
	size     int64
	keys     *seal.Keys
	sealer   *seal.Sealer
	pageSize int64
	budget   int64      // bytes of values that are still read
	last     Collection // of the value opened last
	found    map[identity]sighting
	closed   map[seal.Locator]uint64 // newest revision of values that do not open
	salvaged
}

// identity is what all revisions of a value have in common.
type identity struct {
	c       Collection
	locator seal.Locator
}

// sighting is where a value stands in the file.
type sighting struct {
	identity
	seq, revision uint64
	at, size      int64
}

// maxValue is more than the largest sealed value takes.
const maxValue = seal.MaxRecord + seal.MaxRecord/8 + 4096

func newSalvor(f io.ReaderAt, size int64, keys *seal.Keys) *salvor {
	return &salvor{
		f: f, size: size, keys: keys, sealer: keys.Sealer(), pageSize: salvagePageSize(f, size),
		budget: 8*size + 1<<30, // pages made to overlap cost no more than that
		found:  map[identity]sighting{}, closed: map[seal.Locator]uint64{},
	}
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
func (s *salvor) read(at, n int64) ([]byte, bool) {
	if s.budget -= n; s.budget < 0 || at+n > s.size {
		return nil, false
	}
	buf := make([]byte, n)
	got, _ := s.f.ReadAt(buf, at) // what was read is what counts
	return buf, got == len(buf)
}

// cell is a key in a leaf, and where its value stands in the file.
type cell struct {
	key      []byte
	at, size int64
}

// scan yields the cells of all leaves.
func (s *salvor) scan(take func(cell)) {
	page := make([]byte, s.pageSize)
	for at := int64(0); at < s.size; at += s.pageSize {
		n := min(s.pageSize, s.size-at)
		if got, _ := s.f.ReadAt(page[:n], at); int64(got) < n {
			s.Failed++
			continue
		}
		s.Pages++
		s.leaf(page[:n], at, uint64(at/s.pageSize), func(c cell) { s.unfold(c, take) })
	}
}

// leaf yields the cells of a page, or of the page inside a small bucket, when
// it looks like a leaf: of its number, its kind and its table two must fit.
func (s *salvor) leaf(data []byte, at int64, number uint64, take func(cell)) {
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
	s.table(at, min(count, (s.size-at-pageHead)/entrySize), take)
}

// table yields the cells of the leaf at a place that stand inside the file.
func (s *salvor) table(at, count int64, take func(cell)) {
	table, _ := s.read(at+pageHead, count*entrySize)
	for i := int64(0); len(table) > 0; i, table = i+1, table[entrySize:] {
		e, pos, keySize := parseEntry(table, leafFlag)
		pos += at + pageHead + i*entrySize
		if keySize > 16 || e.size > maxValue || pos+keySize+e.size > s.size {
			continue // no key of ours, or not as written
		}
		if key, ok := s.read(pos, keySize); ok {
			take(cell{key, pos + keySize, e.size})
		}
	}
}

// unfold yields a cell, or those of the leaf inside a small bucket. A sealed
// value never begins with zeros, and such a bucket always does. There are none
// in one another.
func (s *salvor) unfold(c cell, take func(cell)) {
	if c.size >= bucketHead+pageHead && c.size <= s.pageSize {
		if value, ok := s.read(c.at, c.size); ok && order.Uint64(value) == 0 {
			s.leaf(value[bucketHead:], c.at+bucketHead, 0, take)
			return
		}
	}
	take(c)
}

// takeEpoch keeps the key of an epoch.
func (s *salvor) takeEpoch(c cell) {
	const small = 256
	if len(c.key) != 5 || c.key[0] != epochKey(0)[0] || c.size > small {
		return
	}
	value, ok := s.read(c.at, c.size)
	if !ok {
		return
	}
	if _, err := s.keys.OpenEpoch(binary.BigEndian.Uint32(c.key[1:]), value); err == nil {
		s.Epochs++
	}
}

// takeValue notes where a sealed value stands, if it opens.
func (s *salvor) takeValue(c cell) {
	if len(c.key) != 8 && len(c.key) != 12 && len(c.key) != 16 {
		return
	}
	value, ok := s.read(c.at, c.size)
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
		r, _, _, err := s.sealer.Open(uint16(try), seq, value)
		if err == nil {
			s.last = try
			s.see(sighting{identity{try, r.Locator}, seq, r.Revision, c.at, c.size})
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
	for c := Memories; c <= Receipts; c++ {
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
