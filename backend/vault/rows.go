package vault

import (
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"

	"keepsake/backend/seal"
)

// pageRows is how many consecutive records share a page of rows. A change of
// one row seals its page again, so a page stays small.
const pageRows = 64

// rowsFormat begins a page.
const rowsFormat = 1

// rowHead is offset in the page u8 | mark u64 | length u32.
const rowHead = 1 + 8 + 4

// Row is what lists need of one record, as the caller encoded it. All rows are
// read at unlock, so that no record has to be opened to show a list.
type Row struct {
	Seq  uint64 // number of the record in its collection, for ever
	Mark uint64 // another one each time the row is put, also after an undo or a restored copy
	Text []byte // the caller's own encoding; the rows of a page share its memory
}

// pageAt names a page of rows.
type pageAt struct {
	c Collection
	n uint64
}

// id is the name of the record that a page is stored in.
func (p pageAt) id() string {
	return string(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint16(nil, uint16(p.c)), p.n))
}

func pageOf(c Collection, seq uint64) pageAt { return pageAt{c, seq / pageRows} }

// PutRow stores the row of the record with that id, which must exist. It goes
// when the record is deleted.
func (tx *Tx) PutRow(c Collection, id string, row []byte) (Row, error) {
	if !tx.writes {
		return Row{}, errReadOnly
	}
	p, err := tx.find(c, id)
	if err != nil {
		return Row{}, err
	}
	page, err := tx.page(pageOf(c, p.seq))
	if err != nil {
		return Row{}, err
	}
	var mark [8]byte
	_, _ = rand.Read(mark[:]) // never fails
	r := Row{Seq: p.seq, Mark: binary.BigEndian.Uint64(mark[:]), Text: slices.Clone(row)}
	page.put(r)
	tx.changed = true
	return r, nil
}

// Row is the row of the record with that number. It is NotFound no-record where
// there is none.
func (tx *Tx) Row(c Collection, seq uint64) (Row, error) {
	page, err := tx.page(pageOf(c, seq))
	if err != nil {
		return Row{}, err
	}
	at, found := page.find(seq)
	if !found {
		return Row{}, errNoRecord()
	}
	return page.rows[at], nil
}

// dropRow takes away the row of a record that is deleted.
func (tx *Tx) dropRow(c Collection, seq uint64) error {
	if c == Rows {
		return nil
	}
	page, err := tx.page(pageOf(c, seq))
	if err != nil {
		return err
	}
	page.drop(seq)
	return nil
}

// rowPage is a page that this transaction looked at. Pages are sealed once, at
// the end, however many of their rows changed.
type rowPage struct {
	rows  []Row // by Seq
	dirty bool
}

func (p *rowPage) find(seq uint64) (int, bool) {
	return slices.BinarySearchFunc(p.rows, seq, func(r Row, seq uint64) int { return int(r.Seq%pageRows) - int(seq%pageRows) })
}

func (p *rowPage) put(r Row) {
	p.dirty = true
	at, found := p.find(r.Seq)
	if found {
		p.rows[at] = r
		return
	}
	p.rows = slices.Insert(p.rows, at, r)
}

func (p *rowPage) drop(seq uint64) {
	if at, found := p.find(seq); found {
		p.rows = slices.Delete(p.rows, at, at+1)
		p.dirty = true
	}
}

func (tx *Tx) page(at pageAt) (*rowPage, error) {
	if p := tx.pages[at]; p != nil {
		return p, nil
	}
	p := &rowPage{}
	text, err := tx.Find(Rows, at.id())
	if err != nil {
		return nil, err
	}
	if text != nil {
		if p.rows, err = parsePage(make([]Row, 0, pageRows), at.n, text); err != nil {
			return nil, err
		}
	}
	if tx.pages == nil || !tx.writes { // who only reads keeps the last one
		tx.pages = map[pageAt]*rowPage{}
	}
	tx.pages[at] = p
	return p, nil
}

// savePages seals the pages that changed.
func (tx *Tx) savePages() error {
	inOrder := slices.SortedFunc(maps.Keys(tx.pages), func(a, b pageAt) int { return cmp.Or(cmp.Compare(a.c, b.c), cmp.Compare(a.n, b.n)) })
	for _, at := range inOrder {
		if p := tx.pages[at]; p.dirty {
			if err := tx.savePage(at.id(), p); err != nil {
				return err
			}
		}
	}
	return nil
}

func (tx *Tx) savePage(id string, p *rowPage) error {
	if len(p.rows) > 0 {
		place, r, err := tx.slot(Rows, id, tx.v.now())
		if err != nil {
			return err
		}
		tx.v.desk.page = p.encode(tx.v.desk.page[:0])
		return tx.store(place, r, id, tx.v.desk.page)
	}
	if !tx.Has(Rows, id) {
		return nil
	}
	place, err := tx.find(Rows, id)
	if err != nil {
		return err
	}
	return tx.drop(place, tx.sealer.Locate('r', uint16(Rows), id))
}

// encode puts the page behind out.
func (p *rowPage) encode(out []byte) []byte {
	out = append(out, rowsFormat)
	for _, r := range p.rows {
		out = append(out, byte(r.Seq%pageRows))
		out = binary.BigEndian.AppendUint64(out, r.Mark)
		out = binary.BigEndian.AppendUint32(out, uint32(len(r.Text)))
		out = append(out, r.Text...)
	}
	return out
}

// parsePage reads page n into rows, which it makes longer where they are too few.
// Their texts lie in page.
func parsePage(rows []Row, n uint64, page []byte) ([]Row, error) {
	if len(page) == 0 || page[0] != rowsFormat {
		return nil, errDataDamaged(errors.New("read rows: page is not as written"))
	}
	for page = page[1:]; len(page) > 0; {
		if len(page) < rowHead {
			return nil, errDataDamaged(errors.New("read rows: page is cut"))
		}
		r := Row{Seq: n*pageRows + uint64(page[0]), Mark: binary.BigEndian.Uint64(page[1:])}
		size := int(binary.BigEndian.Uint32(page[9:]))
		if page[0] >= pageRows || size > len(page)-rowHead {
			return nil, errDataDamaged(errors.New("read rows: row is not as written"))
		}
		r.Text, page = page[rowHead:rowHead+size:rowHead+size], page[rowHead+size:]
		rows = append(rows, r)
	}
	return rows, nil
}

// ScanRows gives all rows of all collections, a page at a time and in no
// order, to take, which is called from several goroutines at once. Page and the
// texts of its rows are only there until it returns: the next page is opened over
// them.
func (tx *Tx) ScanRows(take func(c Collection, page []Row) error) error {
	return tx.openPages(take, func(b *box, jobs chan<- []stored) error {
		feed(b.Cursor(), jobs, pagesAtOnce, tx.mapped, tx.bt)
		return nil
	})
}

// RowsOf is ScanRows of one collection: the pages of others are not opened.
func (tx *Tx) RowsOf(c Collection, take func(page []Row) error) error {
	ours := func(of Collection, page []Row) error {
		if of != c {
			return errDataDamaged(errors.New("read rows: a page stands under another's name"))
		}
		return take(page)
	}
	return tx.openPages(ours, func(b *box, jobs chan<- []stored) error {
		return tx.feedPages(c, b, jobs)
	})
}

// openPages opens the pages that fill puts into the queue, which it closes.
func (tx *Tx) openPages(take func(c Collection, page []Row) error, fill func(*box, chan<- []stored) error) error {
	b := tx.bucket(shelf{Rows, recordKind}, false)
	if b == nil {
		return nil
	}
	jobs := make(chan []stored, 4)
	errs := make(chan error, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for range cap(errs) {
		wg.Go(func() { errs <- takePages(tx.keys.Sealer(), jobs, take) })
	}
	err := contained(func() error { return fill(b, jobs) })
	wg.Wait() // before the file may be unmapped
	close(errs)
	for failed := range errs {
		err = errors.Join(err, failed)
	}
	return err
}

// feedPages is feed for the pages of one collection, which it finds by their names.
func (tx *Tx) feedPages(c Collection, b *box, jobs chan<- []stored) error {
	defer close(jobs)
	var part []stored
	for n := range pageOf(c, tx.Next(c)-1).n + 1 {
		seq, ok, err := tx.lookup(Rows, tx.sealer.Locate('r', uint16(Rows), pageAt{c, n}.id()))
		if err != nil {
			return err
		}
		if !ok { // its records were deleted
			continue
		}
		key := seqKey(seq)
		if part = append(part, stored{key, b.Get(key)}); len(part) == pagesAtOnce {
			jobs <- part
			part = nil
		}
	}
	jobs <- part
	return nil
}

// pagesAtOnce is how many pages a worker takes in hand.
const pagesAtOnce = 32

func takePages(s *seal.Sealer, jobs <-chan []stored, take func(Collection, []Row) error) error {
	var space []byte // each page is opened into
	rows := make([]Row, 0, pageRows)
	return eachStored(jobs, func(it stored) error {
		if n := len(it.value); n > cap(space) {
			space = make([]byte, 0, 2*n)
		}
		return takePage(s, it, space, rows, take)
	})
}

func takePage(s *seal.Sealer, it stored, space []byte, rows []Row, take func(Collection, []Row) error) error {
	seq, err := seqOf(shelf{Rows, recordKind}, it.key)
	if err != nil {
		return err
	}
	_, id, text, err := s.OpenInto(space, uint16(Rows), seq, it.value)
	if err != nil {
		return err
	}
	if len(id) != 10 {
		return errDataDamaged(fmt.Errorf("read rows: name of %d bytes", len(id)))
	}
	at := pageAt{Collection(binary.BigEndian.Uint16([]byte(id))), binary.BigEndian.Uint64([]byte(id[2:]))}
	rows, err = parsePage(rows, at.n, text)
	if err != nil {
		return err
	}
	return take(at.c, rows)
}
