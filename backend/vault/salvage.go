package vault

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"slices"

	"keepsake/backend/seal"
	"keepsake/backend/vault/journal"
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

// journalWreck is what the frames of a journal put, each behind its name.
func journalWreck(ops []byte) *wreck {
	w := newCells(ops)
	for rest := ops; len(rest) > 0; {
		op := rest[0]
		_, behind, _ := journal.ReadPart(rest[1:])
		key, behind, ok := journal.ReadPart(behind)
		if ok && op == journal.OpPut {
			var value []byte
			if value, behind, ok = journal.ReadPart(behind); ok {
				w.add(key, int64(len(ops)-len(behind)-len(value)), int64(len(value)))
			}
		}
		if !ok {
			return w
		}
		rest = behind
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

// scan yields the cells of all files.
func (s *salvor) scan(take func(cell)) {
	for _, w := range s.files {
		read, failed := w.scan(s.ctx, take)
		s.Pages += read
		s.Failed += failed
	}
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
