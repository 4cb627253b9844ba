package search

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// ErrDamaged is every error about what the store holds: a block that is
// missing, altered, in the wrong place, or written by another version. The index
// can be emptied with [Reset] and built again; nothing is lost.
var ErrDamaged = errors.New("search index damaged")

func damaged(what string) error { return fmt.Errorf("%w: %s", ErrDamaged, what) }

// MaxBlock is the size of a full block as Put gets it. With some 40 bytes of
// sealing it makes a value of 8 pages less 128 bytes, which bbolt keeps in
// exactly 8 pages of 4096.
const MaxBlock = 8*4096 - 128 - 40

// Sizes without the checksum. A block of the dictionary is smaller, since it is
// read from its beginning for a single term: 2 pages.
const (
	sumSize  = 4
	maxBytes = MaxBlock - sumSize
	maxTerms = 2*4096 - 128 - 40 - sumSize
)

// Classes of keys; the first byte. A root makes a segment visible. Junk names a
// segment whose blocks are being written or deleted: while it stands, they mean
// nothing.
const (
	classRoot  = 0
	classBlock = 1
	classJunk  = 2
)

// Sorts of blocks; the byte after the segment.
const (
	sortHeader = 1
	sortTerms  = 2
	sortPosts  = 3
)

// A key is a class, the segment's number, and for blocks their sort and number,
// all big-endian: so a segment is written in order.
func segmentKey(class byte, id uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{class}, id)
}

func blockKey(id uint64, sort byte, n uint32) []byte {
	return binary.BigEndian.AppendUint32(append(segmentKey(classBlock, id), sort), n)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(key, payload []byte) uint32 {
	return crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, payload)
}

// putBlock stores payload with its checksum.
func putBlock(tx Tx, key, payload []byte) error {
	block := make([]byte, 0, len(payload)+sumSize)
	block = binary.LittleEndian.AppendUint32(append(block, payload...), checksum(key, payload))
	if err := tx.Put(key, block); err != nil {
		return fmt.Errorf("put index block: %w", err)
	}
	return nil
}

// getBlock reads what putBlock stored.
func getBlock(tx Tx, key []byte) ([]byte, error) {
	block, err := tx.Get(key)
	if err != nil {
		return nil, fmt.Errorf("get index block: %w", err)
	}
	n := len(block) - sumSize
	if n < 0 {
		return nil, damaged("a block is missing")
	}
	if binary.LittleEndian.Uint32(block[n:]) != checksum(key, block[:n]) {
		return nil, damaged("a block is not as it was written")
	}
	return block[:n:n], nil
}

// fields takes numbers and bytes from a block; after a failure it gives zeros
// and err says why.
type fields struct {
	b   []byte
	err error
}

func (f *fields) fail() {
	if f.err == nil {
		f.err = damaged("a header that ends early")
	}
	f.b = nil
}

func (f *fields) uvarint() uint64 {
	v, n := uvarint(f.b)
	if n <= 0 {
		f.fail()
		return 0
	}
	f.b = f.b[n:]
	return v
}

func (f *fields) varint() int64 {
	v := f.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

func (f *fields) u32() uint32 {
	v := f.uvarint()
	if v > 1<<32-1 {
		f.fail()
	}
	return uint32(v)
}

func (f *fields) fixed64() uint64 {
	b := f.bytes(8)
	if b == nil {
		return 0
	}
	return binary.LittleEndian.Uint64(b)
}

// bytes takes n bytes; nil when there are not so many.
func (f *fields) bytes(n uint64) []byte {
	if n > uint64(len(f.b)) {
		f.fail()
		return nil
	}
	b := f.b[:n:n]
	f.b = f.b[n:]
	return b
}
