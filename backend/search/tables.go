package search

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"sort"
)

// tables is what a segment keeps at hand of its documents and units: about five
// bytes a document and 32 a unit. A published value never changes; a live
// segment only appends beyond it.
type tables struct {
	norms []byte // the lengths of documents, as packLength writes them
	times []byte // unix seconds, four bytes each, little endian
	runs  []run  // which parts the documents are
	units []unitRow

	words uint64 // sum of the lengths, as norms has them
}

// run is documents in a row, from doc on, of which each is the part
// value + (its number within its unit), wrapping around.
type run struct{ doc, value uint32 }

// unitRow is one unit, or a piece of one that did not fit into a segment.
type unitRow struct {
	seq, mark uint64
	first     uint32 // document; the next row's first ends it
	stamp     uint32 // counts calls of Put: of two rows of one unit the higher holds
	piece     uint32 // number of the piece, times four, and the two flags
	kind      Kind
}

const (
	lastPiece = 1
	cutText   = 2 // text beyond MaxText was left out
)

func (r *unitRow) key() unitKey { return unitKey{r.kind, r.seq} }
func (r *unitRow) last() bool   { return r.piece&lastPiece != 0 }

func (t *tables) docs() uint32 { return uint32(len(t.norms)) }

// span is the documents of a row.
func (t *tables) span(row int) (from, to uint32) { return t.units[row].first, t.rowEnd(row) }

// rowEnd is the document after the last of a row.
func (t *tables) rowEnd(row int) uint32 {
	if row+1 < len(t.units) {
		return t.units[row+1].first
	}
	return t.docs()
}

// rowOf is the row that holds a document.
func (t *tables) rowOf(doc uint32) int {
	// Rows without documents share their first with the next one.
	return sort.Search(len(t.units), func(i int) bool { return t.units[i].first > doc }) - 1
}

func (t *tables) time(doc uint32) int64 {
	return int64(binary.LittleEndian.Uint32(t.times[4*doc:]))
}

// part is which part of its unit a document is. Pieces after the first begin a
// run of their own.
func (t *tables) part(doc uint32, row int) uint32 {
	return t.runs[t.runOf(doc)].value + doc - t.units[row].first
}

// runOf is the run that holds a document.
func (t *tables) runOf(doc uint32) int {
	return sort.Search(len(t.runs), func(i int) bool { return t.runs[i].doc > doc }) - 1
}

// runEnd is the document after the last of a run.
func (t *tables) runEnd(i int) uint32 {
	if i+1 < len(t.runs) {
		return t.runs[i+1].doc
	}
	return t.docs()
}

// addDoc appends a document to the row that begins at first.
func (t *tables) addDoc(d Doc, first uint32) {
	doc := t.docs()
	value := d.Part - (doc - first)
	if n := len(t.runs); n == 0 || t.runs[n-1].value != value {
		t.runs = append(t.runs, run{doc, value})
	}
	t.times = binary.LittleEndian.AppendUint32(t.times, clipTime(d.Time))
	t.norms = append(t.norms, 0)
}

func (t *tables) setLength(doc uint32, norm byte) {
	t.norms[doc] = norm
	t.words += uint64(lengthOf(norm))
}

func clipTime(unix int64) uint32 {
	switch {
	case unix == 0:
		return 0
	case unix < 1:
		return 1
	}
	return uint32(min(unix, math.MaxUint32))
}

// packLength writes a length in a byte: exact below 16, within an eighth above.
func packLength(words uint32) byte {
	if words < 16 {
		return byte(words)
	}
	exp := bits.Len32(words) - 4
	return byte(min(8*exp+int(words>>exp), 255))
}

// lengthOf reads what packLength wrote.
func lengthOf(n byte) float32 {
	if n < 16 {
		return float32(n)
	}
	exp := (int(n) - 8) / 8
	return float32(uint64(n)-uint64(8*exp)) * float32(math.Pow(2, float64(exp)))
}

// order lists rows by unit, then row.
func (t *tables) order() []uint32 {
	order := make([]uint32, len(t.units))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortStableFunc(order, func(a, b uint32) int { return compareKeys(t.units[a].key(), t.units[b].key()) })
	return order
}

func compareKeys(a, b unitKey) int {
	switch {
	case a.kind != b.kind:
		return int(a.kind) - int(b.kind)
	case a.seq < b.seq:
		return -1
	case a.seq > b.seq:
		return 1
	}
	return 0
}

// tombs says which rows of a segment are gone. It is copied when it changes, so
// whoever holds one sees one moment. nil is none.
type tombs struct {
	rows bitset
	n    int
	docs uint32
}

func (d *tombs) has(row int) bool { return d != nil && d.rows.has(uint32(row)) }

func (d *tombs) count() uint32 {
	if d == nil {
		return 0
	}
	return d.docs
}

// with is d and these rows of t.
func (d *tombs) with(t *tables, rows ...int) *tombs {
	next := &tombs{rows: make(bitset, (len(t.units)+63)/64)}
	if d != nil {
		copy(next.rows, d.rows)
		next.docs, next.n = d.docs, d.n
	}
	for _, row := range rows {
		if !next.rows.has(uint32(row)) {
			next.rows.set(uint32(row))
			from, to := t.span(row)
			next.docs += to - from
			next.n++
		}
	}
	return next
}

// without is d and not these rows.
func (d *tombs) without(t *tables, row int) *tombs {
	next := d.with(t)
	if next.rows.has(uint32(row)) {
		next.rows.clear(uint32(row))
		from, to := t.span(row)
		next.docs -= to - from
		next.n--
	}
	return next
}

// alive is the set of documents that are not in a tomb.
func (t *tables) alive(d *tombs) bitset {
	set := newBitset(t.docs())
	set.setRange(0, t.docs())
	if d == nil {
		return set
	}
	d.rows.each(func(row uint32) bool {
		from, to := t.span(int(row))
		set.clearRange(from, to)
		return true
	})
	return set
}
