package vault

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"io"
)

// The pre-flight looks at a bbolt file with plain reads, before bbolt maps it:
// bbolt trusts what a page says, and dies, hangs or shows something else where
// that is not true (docs/vault-format.md §10.6). A file that passes is a tree
// that bbolt can walk; whether its values are ours is for their AEAD to say.

// check is one thing that must not be found, in words. Each is looked for in
// one place, by [flight.finds].
type check string

func (c check) Error() string { return string(c) }

const (
	noMagic     check = "a start page is not one of bbolt"
	newVersion  check = "a start page is of another version of bbolt"
	badSum      check = "the checksum of a start page does not fit"
	noMeta      check = "neither start page is whole"
	strayNumber check = "the start page in use has a wrong number"
	strayKind   check = "the start page in use is not marked as one"
	oddPageSize check = "the page size is not a power of two from 512 to 65536"
	twoSizes    check = "the start pages name two page sizes"
	strayStart  check = "the second start page is not where its page size says"
	tooShort    check = "the file is shorter than its pages"
	tooFew      check = "the file has no room for a start, a free list and a tree"

	outOfRange check = "a page is not between the start and the end of the file"
	overlong   check = "a page goes on behind the end of the file"
	usedTwice  check = "a page is used twice"
	wrongID    check = "a page has the number of another"
	lostPage   check = "a page is neither used nor free"

	freeOutside  check = "a free page is not between the start and the end of the file"
	freeTwice    check = "a free page is used"
	notFreelist  check = "the free list is not marked as one"
	freeTooMany  check = "the free list is longer than its pages"
	freeUnsorted check = "the free list is not in order"

	notTree      check = "a page of the tree is neither branch nor leaf"
	tooDeep      check = "the tree is too deep"
	emptyPage    check = "a page of the tree is empty"
	bigBranch    check = "a branch is too large"
	longTable    check = "a table of entries is longer than its pages"
	wrongPlace   check = "an entry does not begin where the one before ends"
	overrun      check = "an entry ends behind its pages"
	emptyKey     check = "a key is empty"
	longKey      check = "a key is too long"
	unsorted     check = "a key does not come after the one before"
	belowBranch  check = "a key comes before the first of its branch"
	aboveBranch  check = "a key comes after the last of its branch"
	strangeEntry check = "an entry is neither value nor bucket"
	misplaced    check = "a bucket stands among values, or a value among buckets"
	shortBucket  check = "a bucket is too short"
	longBucket   check = "a bucket with a tree is too long"
	shortInline  check = "a bucket without a tree is too short"
	longInline   check = "a bucket without a tree is too long"
	inlineNumber check = "the page inside a bucket has a number"
	inlineKind   check = "the page inside a bucket is not a leaf"
	inlineLong   check = "the page inside a bucket goes on elsewhere"
)

// What bbolt writes into its files. Numbers have the byte order of the machine.
const (
	boltMagic    = 0xED0CDAED
	boltVersion  = 2
	branchFlag   = 0x01
	leafFlag     = 0x02
	metaFlag     = 0x04
	freelistFlag = 0x10
	bucketFlag   = 0x01

	pageHead   = 16 // id u64 | flags u16 | count u16 | overflow u32
	entrySize  = 16 // of both kinds of page
	bucketHead = 16 // root u64 | sequence u64
	metaSize   = 64
	maxKeySize = 32768

	maxDepth  = 64
	maxBranch = 1 << 20 // bytes; bbolt splits long before
)

var order = binary.NativeEndian

// flightReport is what a pre-flight saw in a file that is whole.
type flightReport struct {
	warnings []error // faults to tell about; none keeps the file from being used
	pageSize int
	pages    uint64 // up to the high-water mark, the free ones included
	free     uint64
}

// flight is one pre-flight. Its memory is a bit for each page and a few pages.
type flight struct {
	f     io.ReaderAt
	size  int64
	skip  check // is not looked for; for the test that shows that each is needed
	used  []uint64
	first []byte // of the page being looked at
	flightReport
}

// preflight reads a whole bbolt file, but for the values behind its pages'
// tables. What is wrong with it comes back as a Damaged fault.
func preflight(f io.ReaderAt, size int64) (flightReport, error) {
	p := flight{f: f, size: size}
	err := p.run()
	return p.flightReport, err
}

func (p *flight) finds(c check, bad bool) bool { return bad && c != p.skip }

func (p *flight) run() error {
	m, err := p.meta()
	if err != nil {
		return err
	}
	p.used = make([]uint64, (p.pages+63)/64)
	p.first = make([]byte, p.pageSize)
	p.mark(0)
	p.mark(1)
	if err := p.freelist(m.freelist); err != nil {
		return err
	}
	buckets, err := p.tree(m.root, true)
	if err != nil {
		return err
	}
	for _, root := range buckets {
		if _, err := p.tree(root, false); err != nil {
			return err
		}
	}
	for id := range p.pages {
		if p.finds(lostPage, !p.isMarked(id)) {
			return errFilePage(id, lostPage)
		}
	}
	return nil
}

// meta is a start page.
type meta struct {
	at       int64 // in the file
	pageSize uint32
	root     uint64
	freelist uint64
	high     uint64 // pages that were ever in use
	txid     uint64
	wrong    check // why it is of no use, "" when it is
	stray    check // how its page's head is wrong, "" when it is not
}

// meta finds the start page that bbolt would take: of those whose checksum fits
// the one of the newest transaction.
func (p *flight) meta() (meta, error) {
	a, b, err := p.metas()
	if err != nil {
		return meta{}, err
	}
	if p.finds(noMeta, a.wrong != "" && b.wrong != "") {
		return meta{}, errFileStart(noMeta)
	}
	if p.finds(twoSizes, a.wrong == "" && b.wrong == "" && a.pageSize != b.pageSize) {
		return meta{}, errFileStart(twoSizes)
	}
	m := a
	if a.wrong != "" || b.wrong == "" && b.txid > a.txid {
		m = b
	}
	if m.stray != "" {
		return meta{}, errFileStart(m.stray)
	}
	for _, other := range []meta{a, b} {
		if why := cmp.Or(other.wrong, other.stray); why != "" {
			p.warnings = append(p.warnings, warnStartPage(why))
		}
	}
	p.pages = m.high
	if p.finds(tooShort, m.high > uint64(p.size)/uint64(m.pageSize)) {
		return meta{}, errFileShort(uint64(p.size), m.high*uint64(m.pageSize))
	}
	if p.finds(tooFew, m.high < 4) {
		return meta{}, errFileStart(tooFew)
	}
	return m, nil
}

// metas reads both start pages. The second one stands at the page size; where
// the first does not tell that, bbolt takes the first place where it finds one.
func (p *flight) metas() (a, b meta, err error) {
	if a, err = p.readMeta(0, 0); err != nil {
		return a, b, err
	}
	if a.wrong == "" {
		if p.finds(oddPageSize, !isPageSize(a.pageSize)) {
			return a, b, errFileStart(oddPageSize)
		}
		p.pageSize = int(a.pageSize)
		b, err = p.readMeta(int64(a.pageSize), 1)
		return a, b, err
	}
	for at := int64(1024); at <= 65536; at *= 2 {
		if b, err = p.readMeta(at, 1); err != nil || b.wrong == "" {
			break
		}
	}
	if p.finds(strayStart, b.wrong == "" && int64(b.pageSize) != b.at) {
		return a, b, errFileStart(strayStart)
	}
	p.pageSize = int(b.pageSize)
	return a, b, err
}

func isPageSize(n uint32) bool { return n >= 512 && n <= 65536 && n&(n-1) == 0 }

// readMeta reads the start page of a number. What the file is too short for is
// no start page.
func (p *flight) readMeta(at int64, number uint64) (meta, error) {
	if at+pageHead+metaSize > p.size {
		return meta{at: at, wrong: noMagic}, nil
	}
	raw, err := p.read(at, pageHead+metaSize)
	if err != nil {
		return meta{}, err
	}
	head, body := raw[:pageHead], raw[pageHead:]
	m := meta{
		at: at, pageSize: order.Uint32(body[8:]), root: order.Uint64(body[16:]), freelist: order.Uint64(body[32:]),
		high: order.Uint64(body[40:]), txid: order.Uint64(body[48:]),
	}
	sum := fnv.New64a()
	_, _ = sum.Write(body[:56]) // never fails
	switch {
	case p.finds(noMagic, order.Uint32(body) != boltMagic):
		m.wrong = noMagic
	case p.finds(newVersion, order.Uint32(body[4:]) != boltVersion):
		m.wrong = newVersion
	case p.finds(badSum, sum.Sum64() != order.Uint64(body[56:])):
		m.wrong = badSum
	case p.finds(strayNumber, order.Uint64(head) != number):
		m.stray = strayNumber
	case p.finds(strayKind, order.Uint16(head[8:]) != metaFlag):
		m.stray = strayKind
	}
	return m, nil
}

// read returns n bytes at a place of the file.
func (p *flight) read(at int64, n int) ([]byte, error) {
	buf := make([]byte, n)
	return buf, p.readInto(buf, at)
}

func (p *flight) readInto(buf []byte, at int64) error {
	n, err := p.f.ReadAt(buf, at)
	if n == len(buf) {
		return nil // io.ReaderAt may say EOF beside it
	}
	return errFileRead(at, err)
}

func (p *flight) mark(id uint64)          { p.used[id/64] |= 1 << (id % 64) }
func (p *flight) isMarked(id uint64) bool { return p.used[id/64]&(1<<(id%64)) != 0 }

// inFile reports that id is a page behind the start pages.
func (p *flight) inFile(id uint64) bool { return id >= 2 && id < p.pages }

// page is a page with those that belong to it, or the leaf inside a small
// bucket.
type page struct {
	id     uint64
	at     int64 // in the file
	flags  uint16
	count  int
	extent int64 // bytes
	inline bool
	data   []byte // the first of them
}

// page reads the beginning of a page and takes it, with its overflow, off those
// that nobody used so far. Its data is good until the next page.
func (p *flight) page(id uint64) (page, error) {
	if p.finds(outOfRange, !p.inFile(id)) {
		return page{}, errFilePage(id, outOfRange)
	}
	at := int64(id) * int64(p.pageSize)
	if err := p.readInto(p.first, at); err != nil {
		return page{}, err
	}
	pg := pageIn(p.first)
	if p.finds(wrongID, pg.id != id) {
		return page{}, errFilePage(id, wrongID)
	}
	overflow := uint64(order.Uint32(p.first[12:]))
	if p.finds(overlong, overflow >= p.pages-id) {
		return page{}, errFilePage(id, overlong)
	}
	for n := id; n <= id+overflow; n++ {
		if p.finds(usedTwice, p.isMarked(n)) {
			return page{}, errFilePage(n, usedTwice)
		}
		p.mark(n)
	}
	pg.id, pg.at, pg.extent = id, at, int64(overflow+1)*int64(p.pageSize)
	return pg, nil
}

// pageIn reads the head of a page that is as long as data.
func pageIn(data []byte) page {
	return page{
		id: order.Uint64(data), flags: order.Uint16(data[8:]), count: int(order.Uint16(data[10:])),
		extent: int64(len(data)), data: data,
	}
}

// bytes returns n bytes of a page, from the part that was read where they are.
func (p *flight) bytes(pg page, at, n int64) ([]byte, error) {
	if at+n <= int64(len(pg.data)) {
		return pg.data[at : at+n], nil
	}
	return p.read(pg.at+at, int(n))
}

// freelist takes the free pages off those that nobody used so far.
func (p *flight) freelist(id uint64) error {
	pg, err := p.page(id)
	if err != nil {
		return err
	}
	if p.finds(notFreelist, pg.flags != freelistFlag) {
		return errFileFree(notFreelist)
	}
	from, count := int64(pageHead), uint64(pg.count)
	if count == 0xFFFF { // more than fit into the head
		count = order.Uint64(pg.data[pageHead:])
		from += 8
	}
	if p.finds(freeTooMany, count > uint64(pg.extent-from)/8) {
		return errFileFree(freeTooMany)
	}
	p.free = count
	var last uint64
	for left := int64(count) * 8; left > 0; {
		part, err := p.bytes(pg, from, min(left, 64<<10))
		if err != nil {
			return err
		}
		if last, err = p.freePages(part, last); err != nil {
			return err
		}
		from += int64(len(part))
		left -= int64(len(part))
	}
	return nil
}

// freePages marks a part of the free list and returns its last number.
func (p *flight) freePages(part []byte, last uint64) (uint64, error) {
	for ; len(part) > 0; part = part[8:] {
		id := order.Uint64(part)
		switch {
		case p.finds(freeOutside, !p.inFile(id)):
			return last, errFileFree(freeOutside)
		case p.finds(freeUnsorted, id <= last):
			return last, errFileFree(freeUnsorted)
		case p.finds(freeTwice, p.isMarked(id)):
			return last, errFilePage(id, freeTwice)
		}
		p.mark(id)
		last = id
	}
	return last, nil
}

// tree looks at all pages of one bucket. At the top of the file stand buckets
// and nothing else, below them values and nothing else, as the vault makes it.
// It returns the roots of the buckets that have pages of their own.
func (p *flight) tree(root uint64, top bool) (buckets []uint64, err error) {
	w := walk{flight: p, top: top, root: root}
	err = w.down(root, nil, nil, 1)
	return w.buckets, err
}

// walk is the way through one bucket's pages.
type walk struct {
	*flight
	top     bool
	root    uint64
	buckets []uint64
}

// down looks at a page whose keys stand from low up to high; nil is no bound.
func (w *walk) down(id uint64, low, high []byte, depth int) error {
	if w.finds(tooDeep, depth > maxDepth) {
		return errFilePage(id, tooDeep)
	}
	pg, err := w.page(id)
	if err != nil {
		return err
	}
	if w.finds(emptyPage, pg.count == 0 && (id != w.root || pg.flags == branchFlag)) {
		return errFilePage(id, emptyPage)
	}
	switch {
	case pg.flags == leafFlag:
		return w.leaf(pg, low, high)
	case pg.flags == branchFlag:
		return w.branch(pg, low, high, depth)
	case w.finds(notTree, true):
		return errFilePage(id, notTree)
	}
	return nil
}

// branch looks at a branch, and then at the pages below it. It keeps all of it
// meanwhile.
func (w *walk) branch(pg page, low, high []byte, depth int) error {
	if w.finds(bigBranch, pg.extent > maxBranch) {
		return errFilePage(pg.id, bigBranch)
	}
	data, err := w.read(pg.at, int(pg.extent))
	if err != nil {
		return err
	}
	pg.data = data
	keys := make([][]byte, 0, pg.count+1)
	err = w.entries(pg, low, high, func(e entry) error {
		keys = append(keys, e.key)
		return nil
	})
	if err != nil {
		return err
	}
	keys = append(keys, high)
	for i := range pg.count {
		child := order.Uint64(data[pageHead+i*entrySize+8:])
		if err := w.down(child, keys[i], keys[i+1], depth+1); err != nil {
			return err
		}
	}
	return nil
}

// leaf looks at a leaf, and at the small buckets in it.
func (w *walk) leaf(pg page, low, high []byte) error {
	return w.entries(pg, low, high, func(e entry) error {
		if w.finds(strangeEntry, e.flags > bucketFlag) {
			return errFilePage(pg.id, strangeEntry)
		}
		isBucket := e.flags == bucketFlag
		if w.finds(misplaced, isBucket != (w.top && !pg.inline)) {
			return errFilePage(pg.id, misplaced)
		}
		if isBucket {
			return w.bucket(pg, e)
		}
		return nil
	})
}

// entry is one of a page's table.
type entry struct {
	flags uint32 // of a leaf
	key   []byte
	at    int64 // of the value of a leaf, in the page
	size  int64
}

// entries looks at the table of a page and at every key, in order.
func (p *flight) entries(pg page, low, high []byte, each func(entry) error) error {
	next := int64(pageHead + pg.count*entrySize)
	if p.finds(longTable, next > pg.extent) {
		return errFilePage(pg.id, longTable)
	}
	table, err := p.bytes(pg, pageHead, next-pageHead)
	if err != nil {
		return err
	}
	var before []byte
	for i := range pg.count {
		e, at, keySize := parseEntry(table[i*entrySize:], pg.flags)
		at += int64(pageHead + i*entrySize)
		e.at = at + keySize
		switch {
		case p.finds(wrongPlace, at != next):
			return errFilePage(pg.id, wrongPlace)
		case p.finds(emptyKey, keySize == 0):
			return errFilePage(pg.id, emptyKey)
		case p.finds(longKey, keySize > maxKeySize):
			return errFilePage(pg.id, longKey)
		case p.finds(overrun, e.at+e.size > pg.extent):
			return errFilePage(pg.id, overrun)
		}
		if e.key, err = p.bytes(pg, at, keySize); err != nil {
			return err
		}
		switch {
		case p.finds(unsorted, i > 0 && bytes.Compare(before, e.key) >= 0):
			return errFilePage(pg.id, unsorted)
		case p.finds(belowBranch, i == 0 && bytes.Compare(e.key, low) < 0):
			return errFilePage(pg.id, belowBranch)
		case p.finds(aboveBranch, high != nil && bytes.Compare(e.key, high) >= 0):
			return errFilePage(pg.id, aboveBranch)
		}
		if err := each(e); err != nil {
			return err
		}
		next, before = e.at+e.size, e.key
	}
	return nil
}

// parseEntry reads one of a table: its flags and the size of its value, and
// how far behind it the key stands.
func parseEntry(raw []byte, kind uint16) (e entry, at, keySize int64) {
	if kind == branchFlag { // pos u32 | key size u32 | page u64
		return entry{}, int64(order.Uint32(raw)), int64(order.Uint32(raw[4:]))
	}
	// flags u32 | pos u32 | key size u32 | value size u32
	e = entry{flags: order.Uint32(raw), size: int64(order.Uint32(raw[12:]))}
	return e, int64(order.Uint32(raw[4:])), int64(order.Uint32(raw[8:]))
}

// bucket looks at a bucket's value: the page of its tree, or the one leaf it is.
func (w *walk) bucket(pg page, e entry) error {
	if w.finds(shortBucket, e.size < bucketHead) {
		return errFilePage(pg.id, shortBucket)
	}
	head, err := w.bytes(pg, e.at, bucketHead)
	if err != nil {
		return err
	}
	root := order.Uint64(head)
	if root == 0 {
		return w.inline(pg, e)
	}
	if w.finds(longBucket, e.size != bucketHead) {
		return errFilePage(pg.id, longBucket)
	}
	w.buckets = append(w.buckets, root)
	return nil
}

// inline looks at a bucket whose one leaf stands in its value.
func (w *walk) inline(pg page, e entry) error {
	if w.finds(shortInline, e.size < bucketHead+pageHead) {
		return errFilePage(pg.id, shortInline)
	}
	if w.finds(longInline, e.size > int64(w.pageSize)) {
		return errFilePage(pg.id, longInline)
	}
	value, err := w.bytes(pg, e.at, e.size)
	if err != nil {
		return err
	}
	in := pageIn(value[bucketHead:])
	switch {
	case w.finds(inlineNumber, in.id != 0):
		return errFilePage(pg.id, inlineNumber)
	case w.finds(inlineKind, in.flags != leafFlag):
		return errFilePage(pg.id, inlineKind)
	case w.finds(inlineLong, order.Uint32(in.data[12:]) != 0):
		return errFilePage(pg.id, inlineLong)
	}
	in.id, in.inline = pg.id, true
	return w.leaf(in, nil, nil)
}
