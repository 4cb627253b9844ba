package vault

import (
	"bytes"
	"context"
	"io"

	"keepsake/backend/seal"
)

// wreck is a file that a salvage reads.
type wreck struct {
	f        io.ReaderAt
	size     int64
	pageSize int64
	budget   int64  // bytes of values that are still read
	cells    []cell // of a journal, which tells them itself; of another file nil
}

// maxValue is more than the largest sealed value takes.
const maxValue = seal.MaxRecord + seal.MaxRecord/8 + 4096

// newCells is a text in which values stand that [wreck.add] names.
func newCells(text []byte) *wreck {
	w := unread(bytes.NewReader(text), int64(len(text)))
	w.cells = []cell{}
	return w
}

func (w *wreck) add(key []byte, at, size int64) { w.cells = append(w.cells, cell{w, key, at, size}) }

// scan yields the cells of the file, and counts the pages of it that the disk gives out
// and those that it does not.
func (w *wreck) scan(ctx context.Context, take func(cell)) (read, failed uint64) {
	if w.cells == nil {
		return w.leaves(ctx, take)
	}
	for _, c := range w.cells {
		take(c)
	}
	return 0, 0
}

// newWreck is a data file, of which nothing is taken to be as it was written.
func newWreck(f io.ReaderAt, size int64) *wreck {
	w := unread(f, size)
	w.pageSize = salvagePageSize(f, size)
	return w
}

// unread is a file of which nothing was read yet. Its budget bounds what pages or cells
// that are made to overlap cost.
func unread(f io.ReaderAt, size int64) *wreck {
	return &wreck{f: f, size: size, budget: 8*size + 1<<30}
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

// leaves yields the cells of all leaves of a data file, and counts the pages of it that
// the disk gives out and those that it does not.
func (w *wreck) leaves(ctx context.Context, take func(cell)) (read, failed uint64) {
	page := make([]byte, w.pageSize)
	for at := int64(0); at < w.size && ctx.Err() == nil; at += w.pageSize {
		n := min(w.pageSize, w.size-at)
		if got, _ := w.f.ReadAt(page[:n], at); int64(got) < n {
			failed++
			continue
		}
		read++
		w.leaf(page[:n], at, uint64(at/w.pageSize), func(c cell) { w.unfold(c, take) })
	}
	return read, failed
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
