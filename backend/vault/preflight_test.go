package vault_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/fnv"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"go.etcd.io/bbolt"

	"keepsake/backend/fault"
	"keepsake/backend/vault"
)

const boltPage = 4096

var native = binary.NativeEndian

// boltFile is the bytes of a bbolt file with 4 KiB pages, to be changed by hand.
type boltFile []byte

func (b boltFile) u16(at int) int          { return int(native.Uint16(b[at:])) }
func (b boltFile) u32(at int) int          { return int(native.Uint32(b[at:])) }
func (b boltFile) u64(at int) int          { return int(native.Uint64(b[at:])) }
func (b boltFile) set16(at, v int)         { native.PutUint16(b[at:], uint16(v)) }
func (b boltFile) set32(at, v int)         { native.PutUint32(b[at:], uint32(v)) }
func (b boltFile) set64(at, v int)         { native.PutUint64(b[at:], uint64(v)) }
func (b boltFile) clone() boltFile         { return bytes.Clone(b) }
func (b boltFile) entry(page, i int) int   { return page*boltPage + 16 + 16*i }
func (b boltFile) count(page int) int      { return b.u16(page*boltPage + 10) }
func (b boltFile) flags(page int) int      { return b.u16(page*boltPage + 8) }
func (b boltFile) keyAt(page, i int) int   { return b.entry(page, i) + b.u32(b.entry(page, i)+4) }
func (b boltFile) valueAt(page, i int) int { return b.keyAt(page, i) + b.u32(b.entry(page, i)+8) }

// key of a leaf's entry.
func (b boltFile) key(page, i int) []byte {
	at := b.keyAt(page, i)
	return b[at : at+b.u32(b.entry(page, i)+8)]
}

// Places in a start page.
const (
	metaMagic    = 16
	metaVersion  = 20
	metaPageSize = 24
	metaRoot     = 32
	metaSequence = 40
	metaFreelist = 48
	metaHigh     = 56
	metaTx       = 64
	metaSum      = 72
)

// resum makes the checksum of a start page fit again.
func (b boltFile) resum(meta int) {
	at := meta * boltPage
	sum := fnv.New64a()
	_, _ = sum.Write(b[at+16 : at+metaSum])
	native.PutUint64(b[at+metaSum:], sum.Sum64())
}

// newest is the start page in use.
func (b boltFile) newest() int {
	if b.u64(boltPage+metaTx) > b.u64(metaTx) {
		return 1
	}
	return 0
}

// setMeta changes a place of both start pages, and their checksums with it.
func (b boltFile) setMeta(at, v int) {
	for i := range 2 {
		if at == metaPageSize {
			b.set32(i*boltPage+at, v)
		} else {
			b.set64(i*boltPage+at, v)
		}
		b.resum(i)
	}
}

func (b boltFile) root() int     { return b.u64(b.newest()*boltPage + metaRoot) }
func (b boltFile) freelist() int { return b.u64(b.newest()*boltPage + metaFreelist) }
func (b boltFile) high() int     { return b.u64(b.newest()*boltPage + metaHigh) }

// branch is the root page of the first bucket that has a branch there, above
// leaves of several entries.
func (b boltFile) branch() int {
	root := b.root()
	for i := range b.count(root) {
		if page := b.u64(b.valueAt(root, i)); page != 0 && b.flags(page) == 1 && b.count(b.child(page, 0)) > 4 {
			return page
		}
	}
	panic("no bucket has a branch")
}

// child is the page below a branch.
func (b boltFile) child(branch, i int) int { return b.u64(b.entry(branch, i) + 8) }

// append puts pages behind the others and returns the number of the first.
func (b *boltFile) append(pages int) int {
	first := b.high()
	*b = append((*b)[:first*boltPage:first*boltPage], make([]byte, pages*boltPage)...)
	b.setMeta(metaHigh, first+pages)
	return first
}

// newBoltFile has buckets with a branch, with pages that go on, and in small.
func newBoltFile(t testing.TB) boltFile {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.db")
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{PageSize: boltPage, FreelistType: bbolt.FreelistMapType})
	if err != nil {
		t.Fatal(err)
	}
	fill := func(tx *bbolt.Tx) error {
		var errs []error
		put := func(bucket string, key, value []byte) {
			b, err := tx.CreateBucketIfNotExists([]byte(bucket))
			errs = append(errs, err, b.Put(key, value))
		}
		for i := range 200 {
			put("big", fmt.Appendf(nil, "key%05d", i), make([]byte, 100))
		}
		for i := range 5 {
			put("over", fmt.Appendf(nil, "key%05d", i), make([]byte, 9000))
		}
		put("over", []byte("long"), make([]byte, 50_000))
		put("zsmall", []byte("a"), []byte("one"))
		put("zsmall", []byte("b"), []byte("two"))
		return errors.Join(errs...)
	}
	thin := func(tx *bbolt.Tx) error {
		var errs []error
		for i := range 120 {
			errs = append(errs, tx.Bucket([]byte("big")).Delete(fmt.Appendf(nil, "key%05d", i+40)))
		}
		return errors.Join(errs...)
	}
	if err := errors.Join(db.Update(fill), db.Update(thin), db.Close()); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func fly(b boltFile) (vault.FlightReport, error) {
	return vault.Preflight(bytes.NewReader(b), int64(len(b)))
}

// flightCase is a file with one thing wrong, and what the pre-flight calls it.
type flightCase struct {
	name   string
	reason string
	found  string // the check, in words
	warned bool   // and not refused
	edit   func(*boltFile)
}

// leafOf is the first leaf of a bucket that has several.
func leafOf(b boltFile) int { return b.child(b.branch(), 0) }

// last is the last small bucket in the root; of newBoltFile, its last entry.
func last(b boltFile) (entry, value int) {
	root := b.root()
	for i := b.count(root) - 1; i >= 0; i-- {
		if at := b.valueAt(root, i); b.u64(at) == 0 {
			return b.entry(root, i), at
		}
	}
	panic("no small bucket")
}

var flightCases = []flightCase{
	{"magic of one", "vault-file-start-page", "a start page is not one of bbolt", true, func(b *boltFile) {
		b.set32((1-b.newest())*boltPage+metaMagic, 7)
		b.resum(1 - b.newest())
	}},
	{"version of one", "vault-file-start-page", "a start page is of another version of bbolt", true, func(b *boltFile) {
		b.set32((1-b.newest())*boltPage+metaVersion, 3)
		b.resum(1 - b.newest())
	}},
	{"checksum of the first", "vault-file-start-page", "the checksum of a start page does not fit", true, func(b *boltFile) { b.set64(metaSequence, 1) }},
	{"checksum of the second", "vault-file-start-page", "the checksum of a start page does not fit", true, func(b *boltFile) { b.set64(boltPage+metaSequence, 1) }},
	{"number of the older", "vault-file-start-page", "the start page in use has a wrong number", true, func(b *boltFile) { b.set64((1-b.newest())*boltPage, 9) }},
	{"number of the newest", "vault-file-start", "the start page in use has a wrong number", false, func(b *boltFile) { b.set64(b.newest()*boltPage, 9) }},
	{"kind of the newest", "vault-file-start", "the start page in use is not marked as one", false, func(b *boltFile) { b.set16(b.newest()*boltPage+8, 2) }},
	{"both checksums", "vault-file-start", "neither start page is whole", false, func(b *boltFile) { b.set64(metaSequence, 1); b.set64(boltPage+metaSequence, 1) }},
	{"an empty file", "vault-file-start", "neither start page is whole", false, func(b *boltFile) { *b = nil }},
	{"one page", "vault-file-short", "the file is shorter than its pages", false, func(b *boltFile) { *b = (*b)[:boltPage] }},
	{"page size 256", "vault-file-start", "the page size is not a power of two from 512 to 65536", false, func(b *boltFile) { b.setMeta(metaPageSize, 256) }},
	{"page size 3000", "vault-file-start", "the page size is not a power of two from 512 to 65536", false, func(b *boltFile) { b.setMeta(metaPageSize, 3000) }},
	{"page size 131072", "vault-file-start", "the page size is not a power of two from 512 to 65536", false, func(b *boltFile) { b.setMeta(metaPageSize, 131072) }},
	{"page size 0", "vault-file-start", "the page size is not a power of two from 512 to 65536", false, func(b *boltFile) { b.setMeta(metaPageSize, 0) }},
	{"two page sizes", "vault-file-start", "the start pages name two page sizes", false, func(b *boltFile) { b.set32(boltPage+metaPageSize, 8192); b.resum(1) }},
	{"the second elsewhere", "vault-file-start", "the second start page is not where its page size says", false, func(b *boltFile) {
		b.set64(metaSequence, 1)
		b.set32(boltPage+metaPageSize, 8192)
		b.resum(1)
	}},
	{"last page cut", "vault-file-short", "the file is shorter than its pages", false, func(b *boltFile) { *b = (*b)[:(b.high()-1)*boltPage] }},
	{"last byte cut", "vault-file-short", "the file is shorter than its pages", false, func(b *boltFile) { *b = (*b)[:b.high()*boltPage-1] }},
	{"a mark beyond all numbers", "vault-file-short", "the file is shorter than its pages", false, func(b *boltFile) { b.setMeta(metaHigh, -1) }},
	{"three pages", "vault-file-start", "the file has no room for a start, a free list and a tree", false, func(b *boltFile) { b.setMeta(metaHigh, 3) }},
	{"root outside", "vault-file-page", "a page is not between the start and the end of the file", false, func(b *boltFile) { b.setMeta(metaRoot, b.high()) }},
	{"root at the start", "vault-file-page", "a page is not between the start and the end of the file", false, func(b *boltFile) { b.setMeta(metaRoot, 1) }},
	{"free list outside", "vault-file-page", "a page is not between the start and the end of the file", false, func(b *boltFile) { b.setMeta(metaFreelist, -1) }},
	{"child outside", "vault-file-page", "a page is not between the start and the end of the file", false, func(b *boltFile) { b.set64(b.entry(b.branch(), 1)+8, 1<<60) }},
	{"bucket outside", "vault-file-page", "a page is not between the start and the end of the file", false, func(b *boltFile) { b.set64(b.valueAt(b.root(), 0), 1<<60) }},
	{"a leaf goes on", "vault-file-page", "a page goes on behind the end of the file", false, func(b *boltFile) { b.set32(leafOf(*b)*boltPage+12, 1<<30) }},
	{"a leaf goes on into others", "vault-file-page", "a page is used twice", false, func(b *boltFile) { b.set32(b.branch()*boltPage+12, 1) }},
	{"a child twice", "vault-file-page", "a page is used twice", false, func(b *boltFile) { b.set64(b.entry(b.branch(), 1)+8, leafOf(*b)) }},
	{"a ring", "vault-file-page", "a page is used twice", false, func(b *boltFile) { b.set64(b.entry(b.branch(), 1)+8, b.branch()) }},
	{"root is the free list", "vault-file-page", "a page is used twice", false, func(b *boltFile) { b.setMeta(metaRoot, b.freelist()) }},
	{"a leaf's number", "vault-file-page", "a page has the number of another", false, func(b *boltFile) { b.set64(leafOf(*b)*boltPage, 1<<40) }},
	{"a branch's number", "vault-file-page", "a page has the number of another", false, func(b *boltFile) { b.set64(b.branch()*boltPage, 1<<40) }},
	{"a free page forgotten", "vault-file-page", "a page is neither used nor free", false, func(b *boltFile) { b.set16(b.freelist()*boltPage+10, b.count(b.freelist())-1) }},
	{"a free list of another kind", "vault-file-free", "the free list is not marked as one", false, func(b *boltFile) { b.set16(b.freelist()*boltPage+8, 2) }},
	{"a free list too long", "vault-file-free", "the free list is longer than its pages", false, func(b *boltFile) { b.set16(b.freelist()*boltPage+10, 511) }},
	{"a great free list too long", "vault-file-free", "the free list is longer than its pages", false, func(b *boltFile) {
		b.set16(b.freelist()*boltPage+10, 0xFFFF)
		b.set64(b.freelist()*boltPage+16, -1)
	}},
	{"free pages in disorder", "vault-file-free", "the free list is not in order", false, func(b *boltFile) {
		at := b.freelist()*boltPage + 16
		first, second := b.u64(at), b.u64(at+8)
		b.set64(at, second)
		b.set64(at+8, first)
	}},
	{"a free page twice", "vault-file-free", "the free list is not in order", false, func(b *boltFile) {
		at := b.freelist()*boltPage + 16
		b.set64(at+8, b.u64(at))
	}},
	{"a free page outside", "vault-file-free", "a free page is not between the start and the end of the file", false, func(b *boltFile) {
		b.set64(b.freelist()*boltPage+16+8*(b.count(b.freelist())-1), b.high())
	}},
	{"a start page free", "vault-file-free", "a free page is not between the start and the end of the file", false, func(b *boltFile) { b.set64(b.freelist()*boltPage+16, 1) }},
	{"the free list free", "vault-file-page", "a free page is used", false, func(b *boltFile) {
		at := b.freelist()*boltPage + 16
		b.set16(b.freelist()*boltPage+10, 1)
		b.set64(at, b.freelist())
	}},
	{"a page of the tree of no kind", "vault-file-page", "a page of the tree is neither branch nor leaf", false, func(b *boltFile) { b.set16(leafOf(*b)*boltPage+8, 8) }},
	{"a leaf marked as free list", "vault-file-page", "a page of the tree is neither branch nor leaf", false, func(b *boltFile) { b.set16(leafOf(*b)*boltPage+8, 16) }},
	{"a leaf marked as both", "vault-file-page", "a page of the tree is neither branch nor leaf", false, func(b *boltFile) { b.set16(leafOf(*b)*boltPage+8, 3) }},
	{"branches without end", "vault-file-page", "the tree is too deep", false, func(b *boltFile) {
		root, first := b.root(), b.append(70)
		for id := first; id < first+70; id++ {
			b.set64(id*boltPage, id)
			b.set16(id*boltPage+8, 1)
			b.set16(id*boltPage+10, 1)
			b.set32(b.entry(id, 0), 16)
			b.set32(b.entry(id, 0)+4, 1)
			b.set64(b.entry(id, 0)+8, id+1)
			(*b)[b.entry(id, 0)+16] = 'a'
		}
		b.set64(b.entry(first+69, 0)+8, root)
		b.setMeta(metaRoot, first)
	}},
	{"a leaf without entries", "vault-file-page", "a page of the tree is empty", false, func(b *boltFile) { b.set16(leafOf(*b)*boltPage+10, 0) }},
	{"a branch without entries", "vault-file-page", "a page of the tree is empty", false, func(b *boltFile) { b.set16(b.branch()*boltPage+10, 0) }},
	{"a branch of 2 MiB", "vault-file-page", "a branch is too large", false, func(b *boltFile) {
		old, root := b.branch(), b.root()
		id := b.append(513)
		copy((*b)[id*boltPage:], (*b)[old*boltPage:(old+1)*boltPage])
		b.set64(id*boltPage, id)
		b.set32(id*boltPage+12, 512)
		for i := range b.count(root) {
			if at := b.valueAt(root, i); b.u64(at) == old {
				b.set64(at, id)
			}
		}
	}},
	{"a table of 65535", "vault-file-page", "a table of entries is longer than its pages", false, func(b *boltFile) { b.set16(leafOf(*b)*boltPage+10, 0xFFFF) }},
	{"a small bucket's table", "vault-file-page", "a table of entries is longer than its pages", false, func(b *boltFile) { _, v := last(*b); b.set16(v+16+10, 40) }},
	{"an entry elsewhere", "vault-file-page", "an entry does not begin where the one before ends", false, func(b *boltFile) { at := b.entry(leafOf(*b), 3) + 4; b.set32(at, b.u32(at)+8) }},
	{"an entry far away", "vault-file-page", "an entry does not begin where the one before ends", false, func(b *boltFile) { b.set32(b.entry(leafOf(*b), 3)+4, -1) }},
	{"a branch's entry elsewhere", "vault-file-page", "an entry does not begin where the one before ends", false, func(b *boltFile) { at := b.entry(b.branch(), 1); b.set32(at, b.u32(at)+1) }},
	{"one entry less", "vault-file-page", "an entry does not begin where the one before ends", false, func(b *boltFile) { at := leafOf(*b)*boltPage + 10; b.set16(at, b.u16(at)-1) }},
	{"a value too long", "vault-file-page", "an entry ends behind its pages", false, func(b *boltFile) { leaf := leafOf(*b); b.set32(b.entry(leaf, b.count(leaf)-1)+12, 1<<31) }},
	{"a branch's key too long", "vault-file-page", "an entry ends behind its pages", false, func(b *boltFile) { at := b.branch(); b.set32(b.entry(at, b.count(at)-1)+4, 30_000) }},
	{"a key of nothing", "vault-file-page", "a key is empty", false, func(b *boltFile) {
		at := b.entry(leafOf(*b), 0)
		b.set32(at+12, b.u32(at+8)+b.u32(at+12))
		b.set32(at+8, 0)
	}},
	{"a key of 40,000 bytes", "vault-file-page", "a key is too long", false, func(b *boltFile) { longKey(*b, 40_000) }},
	{"keys exchanged", "vault-file-page", "a key does not come after the one before", false, func(b *boltFile) {
		leaf := leafOf(*b)
		x, y := bytes.Clone(b.key(leaf, 1)), bytes.Clone(b.key(leaf, 2))
		copy(b.key(leaf, 1), y)
		copy(b.key(leaf, 2), x)
	}},
	{"a key twice", "vault-file-page", "a key does not come after the one before", false, func(b *boltFile) { leaf := leafOf(*b); copy(b.key(leaf, 2), b.key(leaf, 1)) }},
	{"a key before its branch", "vault-file-page", "a key comes before the first of its branch", false, func(b *boltFile) { copy(b.key(b.child(b.branch(), 1), 0), "a") }},
	{"a key behind its branch", "vault-file-page", "a key comes after the last of its branch", false, func(b *boltFile) { leaf := leafOf(*b); copy(b.key(leaf, b.count(leaf)-1), "z") }},
	{"a key as the next branch's", "vault-file-page", "a key comes after the last of its branch", false, func(b *boltFile) {
		leaf := leafOf(*b)
		copy(b.key(leaf, b.count(leaf)-1), b.key(b.child(b.branch(), 1), 0))
	}},
	{"an entry of no kind", "vault-file-page", "an entry is neither value nor bucket", false, func(b *boltFile) { b.set32(b.entry(leafOf(*b), 0), 2) }},
	{"a bucket of two kinds", "vault-file-page", "an entry is neither value nor bucket", false, func(b *boltFile) { b.set32(b.entry(b.root(), 0), 3) }},
	{"a value called bucket", "vault-file-page", "a bucket stands among values, or a value among buckets", false, func(b *boltFile) { b.set32(b.entry(leafOf(*b), 0), 1) }},
	{"a bucket called value", "vault-file-page", "a bucket stands among values, or a value among buckets", false, func(b *boltFile) { e, _ := last(*b); b.set32(e, 0) }},
	{"a bucket in a small bucket", "vault-file-page", "a bucket stands among values, or a value among buckets", false, func(b *boltFile) { _, v := last(*b); b.set32(v+32, 1) }},
	{"a bucket of 8 bytes", "vault-file-page", "a bucket is too short", false, func(b *boltFile) { e, _ := last(*b); b.set32(e+12, 8) }},
	{"a tree's bucket of 40 bytes", "vault-file-page", "a bucket with a tree is too long", false, func(b *boltFile) { _, v := last(*b); b.set64(v, leafOf(*b)) }},
	{"a small bucket of 20 bytes", "vault-file-page", "a bucket without a tree is too short", false, func(b *boltFile) { e, _ := last(*b); b.set32(e+12, 20) }},
	{"a small bucket of 8 KiB", "vault-file-page", "a bucket without a tree is too long", false, func(b *boltFile) {
		old := b.root()
		id := b.append(4)
		copy((*b)[id*boltPage:], (*b)[old*boltPage:(old+1)*boltPage])
		b.set64(id*boltPage, id)
		b.set32(id*boltPage+12, 3)
		b.setMeta(metaRoot, id)
		e, _ := last(*b)
		b.set32(e+12, 8192)
	}},
	{"a small bucket's number", "vault-file-page", "the page inside a bucket has a number", false, func(b *boltFile) { _, v := last(*b); b.set64(v+16, 5) }},
	{"a small bucket's kind", "vault-file-page", "the page inside a bucket is not a leaf", false, func(b *boltFile) { _, v := last(*b); b.set16(v+24, 1) }},
	{"a small bucket goes on", "vault-file-page", "the page inside a bucket goes on elsewhere", false, func(b *boltFile) { _, v := last(*b); b.set32(v+28, 1) }},
}

// longKey takes a key of n bytes out of a long value.
func longKey(b boltFile, n int) {
	for page := 2; page < b.high(); page++ {
		if b.u64(page*boltPage) != page || b.flags(page) != 2 {
			continue
		}
		for i := range b.count(page) {
			if e := b.entry(page, i); b.u32(e+12) >= n {
				b.set32(e+12, b.u32(e+12)+b.u32(e+8)-n)
				b.set32(e+8, n)
				return
			}
		}
	}
	panic("no long value")
}

// holds compares what a pre-flight says with what the case calls it.
func (c flightCase) holds(r vault.FlightReport, err error) error {
	if c.warned {
		if err != nil {
			return fmt.Errorf("it was refused: %w", errors.Unwrap(err))
		}
		if len(r.Warnings()) != 1 {
			return fmt.Errorf("%d warnings", len(r.Warnings()))
		}
		err = r.Warnings()[0]
	}
	var found vault.Check
	if !errors.As(err, &found) {
		return fmt.Errorf("it found nothing: %w", err)
	}
	if f := fault.From(err); f.Reason != c.reason || f.Code != fault.Damaged || string(found) != c.found {
		return fmt.Errorf("it is called %s: %s", f.Reason, found)
	}
	return nil
}

// Promise: the pre-flight names what is wrong with a file, whatever it is.
func TestPreflightFinds(t *testing.T) {
	good := newBoltFile(t)
	for _, c := range flightCases {
		t.Run(c.name, func(t *testing.T) {
			b := good.clone()
			c.edit(&b)
			if err := c.holds(fly(b)); err != nil {
				t.Error(err)
			}
		})
	}
	t.Logf("pre-flight: %d files with one thing wrong, each named", len(flightCases))
}

// checks reads the names and words of all checks from the source.
func checks(t *testing.T) map[string]vault.Check {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "preflight.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]vault.Check{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if kind, ok := spec.Type.(*ast.Ident); ok && kind.Name == "check" {
			words, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			out[spec.Names[0].Name] = vault.Check(words)
		}
		return true
	})
	return out
}

// Promise: no check of the pre-flight can be taken away without a test that
// fails, and each is looked for in one place.
func TestPreflightMutations(t *testing.T) {
	good := newBoltFile(t)
	source, err := os.ReadFile("preflight.go")
	if err != nil {
		t.Fatal(err)
	}
	all := checks(t)
	survivors := 0
	for name, skip := range all {
		if n := bytes.Count(source, []byte(".finds("+name+",")); n != 1 {
			t.Errorf("%s is looked for in %d places", name, n)
		}
		failing := 0
		for _, c := range flightCases {
			b := good.clone()
			c.edit(&b)
			if c.holds(flyWithout(skip, b)) != nil {
				failing++
			}
		}
		if failing == 0 {
			survivors++
			t.Errorf("%s (%s) can be taken away", name, skip)
		}
	}
	if len(all) < 30 {
		t.Errorf("only %d checks were found in the source", len(all))
	}
	t.Logf("pre-flight: %d checks taken away one at a time, %d survivors", len(all), survivors)
}

// flyWithout is a pre-flight without one check, which may well panic.
func flyWithout(skip vault.Check, b boltFile) (r vault.FlightReport, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return vault.PreflightWithout(skip, bytes.NewReader(b), int64(len(b)))
}

// breaking fails from the nth read on.
type breaking struct {
	r *bytes.Reader
	n int
}

var errDisk = errors.New("input/output error")

func (b *breaking) ReadAt(p []byte, at int64) (int, error) {
	if b.n--; b.n < 0 {
		return 0, errDisk
	}
	return b.r.ReadAt(p, at)
}

// Promise: a disk that fails at any read of the pre-flight ends it in a fault.
func TestPreflightOnFailingDisk(t *testing.T) {
	damaged := newBoltFile(t)
	damaged.set64(metaSequence, 1)
	for name, b := range map[string]boltFile{"whole": newBoltFile(t), "first start page lost": damaged, "many free pages": manyFree(t), "long names": longNames(t)} {
		reads := 0
		for ; ; reads++ {
			_, err := vault.Preflight(&breaking{bytes.NewReader(b), reads}, int64(len(b)))
			if err == nil {
				break
			}
			wantFault(t, err, fault.Damaged, "vault-file-unreadable")
			if !errors.Is(err, errDisk) {
				t.Fatalf("the cause is gone: %v", errors.Unwrap(err))
			}
		}
		if reads < 5 {
			t.Errorf("%s: only %d reads", name, reads)
		}
	}
}

// longNames has small buckets behind the first page of the root.
func longNames(t testing.TB) boltFile {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.db")
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{PageSize: boltPage})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		var errs []error
		for i := range 3 {
			b, err := tx.CreateBucket(bytes.Repeat([]byte{byte('a' + i)}, 5000))
			errs = append(errs, err, b.Put([]byte("key"), []byte("value")))
		}
		return errors.Join(errs...)
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// manyFree has a free list whose count does not fit into the page's head.
func manyFree(t testing.TB) boltFile {
	t.Helper()
	const free = 0x10010
	b := newBoltFile(t)
	var list []int
	for at, n := b.freelist()*boltPage+16, b.count(b.freelist()); n > 0; at, n = at+8, n-1 {
		list = append(list, b.u64(at))
	}
	list = append(list, b.freelist())
	id := b.append(free)
	pages := (16+8*(free+1+len(list)))/boltPage + 1
	for p := id + pages; p < id+free; p++ {
		list = append(list, p)
	}
	b.set64(id*boltPage, id)
	b.set16(id*boltPage+8, 16)
	b.set16(id*boltPage+10, 0xFFFF)
	b.set32(id*boltPage+12, pages-1)
	b.set64(id*boltPage+16, len(list))
	for i, p := range list {
		b.set64(id*boltPage+24+8*i, p)
	}
	b.setMeta(metaFreelist, id)
	return b
}

// Promise: files that are whole pass, whatever they hold.
func TestPreflightPasses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	read := func() boltFile {
		checkpointed(t, v)
		raw, err := os.ReadFile(filepath.Join(dir, "vault.db"))
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	files := map[string]boltFile{"built": newBoltFile(t), "new": read(), "many free pages": manyFree(t), "long names": longNames(t)}
	put(t, v, vault.Memories, "m", 3000)
	update(t, v, func(tx *vault.Tx) error {
		return putConversation(tx, vault.ConversationHead{}, conversation("c", 400, 3000))
	})
	files["grown"] = read()
	update(t, v, func(tx *vault.Tx) error {
		for i := range 2900 {
			if err := tx.Delete(vault.Memories, fmt.Sprint("m", i)); err != nil {
				return err
			}
		}
		return tx.DeleteConversation("c")
	})
	files["shrunk"] = read()
	for name, b := range files {
		report, err := fly(b)
		if err != nil || len(report.Warnings()) > 0 {
			t.Errorf("%s: %v, %v, %v", name, err, errors.Unwrap(err), report.Warnings())
		}
		if report.Pages() != uint64(b.high()) || report.Free() == 0 && name != "new" && name != "long names" {
			t.Errorf("%s: %d pages, %d free", name, report.Pages(), report.Free())
		}
	}
	if files["grown"].high() < 100 {
		t.Error("the grown file is too small to say anything")
	}
}

// Promise: no file, however made, lets the pre-flight panic or run for ever.
func FuzzPreflight(f *testing.F) {
	good := newBoltFile(f)
	f.Add([]byte{0, 0, 0, 0})
	f.Add([]byte{12, 0, 8, 255, 40, 1, 10, 3})
	f.Fuzz(func(t *testing.T, edits []byte) {
		b := good.clone()
		for ; len(edits) >= 4; edits = edits[4:] { // page | place in its head or table | value
			at := int(edits[0])%(len(b)/boltPage)*boltPage + int(native.Uint16(edits[1:]))%boltPage
			b[at] = edits[3]
		}
		b.resum(0)
		b.resum(1)
		if _, err := fly(b); err != nil && fault.CodeOf(err) != fault.Damaged {
			t.Errorf("not a coded fault: %v", err)
		}
	})
}
