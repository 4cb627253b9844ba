package search

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// formatVersion changes when blocks are written otherwise, when analysis finds other
// words in the same text, or when records are given with other texts: then the index
// must be built again.
const formatVersion = 5

var magic = []byte("keepsake search")

// root is the first block of a segment, written last.
type root struct {
	headerSize uint64 // of the header, which lies in blocks of its own
	docs       uint32
	units      uint32
	runs       uint32
	terms      uint64
	termBlocks uint32
	postSize   uint64
	size       uint64 // of all blocks together
	words      uint64
}

func (r *root) append(dst []byte) []byte {
	dst = append(append(dst, magic...), formatVersion)
	for _, v := range []uint64{
		r.headerSize, uint64(r.docs), uint64(r.units), uint64(r.runs), r.terms, uint64(r.termBlocks),
		r.postSize, r.size, r.words,
	} {
		dst = binary.AppendUvarint(dst, v)
	}
	return dst
}

func parseRoot(b []byte) (root, error) {
	f := fields{b: b}
	if string(f.bytes(uint64(len(magic)))) != string(magic) {
		return root{}, damaged("not an index of ours")
	}
	if v := f.bytes(1); v == nil || v[0] != formatVersion {
		return root{}, damaged("written by another version")
	}
	r := root{headerSize: f.uvarint(), docs: f.u32(), units: f.u32(), runs: f.u32(), terms: f.uvarint(), termBlocks: f.u32()}
	r.postSize, r.size, r.words = f.uvarint(), f.uvarint(), f.uvarint()
	if f.err == nil && len(f.b) > 0 {
		f.fail()
	}
	return r, f.err
}

// appendHeader writes what a segment keeps at hand: the first term of each block
// of the dictionary, then the tables. Norms and times stand as they are used.
func appendHeader(dst []byte, firsts []string, t *tables) []byte {
	for _, term := range firsts {
		dst = append(binary.AppendUvarint(dst, uint64(len(term))), term...)
	}
	dst = append(append(dst, t.norms...), t.times...)
	doc := uint32(0)
	for _, r := range t.runs {
		dst = binary.AppendUvarint(dst, uint64(r.doc-doc))
		dst = binary.AppendUvarint(dst, uint64(r.value))
		doc = r.doc
	}
	var before unitRow
	for i := range t.units {
		u := &t.units[i]
		dst = append(dst, byte(u.kind))
		dst = binary.AppendVarint(dst, int64(u.seq-before.seq))
		dst = binary.LittleEndian.AppendUint64(dst, u.mark)
		dst = binary.AppendUvarint(dst, uint64(u.first-before.first))
		dst = binary.AppendVarint(dst, int64(u.stamp)-int64(before.stamp))
		dst = binary.AppendUvarint(dst, uint64(u.piece))
		before = *u
	}
	return dst
}

// parseHeader reads what appendHeader wrote. Nothing keeps b.
func parseHeader(b []byte, r root) (firsts []string, t tables, err error) {
	if uint64(r.docs)*5+uint64(r.units)+uint64(r.runs)+uint64(r.termBlocks) > uint64(len(b)) {
		return nil, t, damaged("a header too short for its counts")
	}
	f := fields{b: b}
	for range r.termBlocks {
		firsts = append(firsts, string(f.bytes(f.uvarint())))
	}
	t = tables{words: r.words}
	t.norms, t.times = bytes.Clone(f.bytes(uint64(r.docs))), bytes.Clone(f.bytes(4*uint64(r.docs)))
	t.runs, t.units = make([]run, r.runs), make([]unitRow, r.units)
	f.runs(&t)
	f.units(&t)
	if f.err == nil && len(f.b) > 0 {
		f.fail()
	}
	return firsts, t, f.err
}

func (f *fields) runs(t *tables) {
	doc := uint32(0)
	for i := range t.runs {
		delta := f.u32()
		if uint64(doc)+uint64(delta) >= uint64(t.docs()) || (i > 0) != (delta > 0) {
			f.fail()
			return
		}
		doc += delta
		t.runs[i] = run{doc, f.u32()}
	}
	if len(t.runs) == 0 && t.docs() > 0 {
		f.fail()
	}
}

func (f *fields) units(t *tables) {
	var before unitRow
	for i := range t.units {
		u := unitRow{}
		if kind := f.bytes(1); kind != nil {
			u.kind = Kind(kind[0])
		}
		u.seq = before.seq + uint64(f.varint())
		u.mark = f.fixed64()
		first := uint64(before.first) + uint64(f.u32())
		u.stamp = uint32(int64(before.stamp) + f.varint())
		u.piece = f.u32()
		if f.err != nil || first > uint64(t.docs()) || i == 0 && first != 0 {
			f.fail()
			return
		}
		u.first = uint32(first)
		t.units[i], before = u, u
	}
	if len(t.units) == 0 && t.docs() > 0 {
		f.fail()
	}
}

// openSegment reads the root and the header of a segment.
func openSegment(tx Tx, id uint64) (*segment, error) {
	b, err := getBlock(tx, segmentKey(classRoot, id))
	if err != nil {
		return nil, fmt.Errorf("open segment %d: %w", id, err)
	}
	r, err := parseRoot(b)
	if err != nil {
		return nil, fmt.Errorf("open segment %d: %w", id, err)
	}
	header, err := readHeader(tx, id, r.headerSize)
	if err != nil {
		return nil, fmt.Errorf("open segment %d: %w", id, err)
	}
	firsts, t, err := parseHeader(header, r)
	if err != nil {
		return nil, fmt.Errorf("open segment %d: %w", id, err)
	}
	return newSegment(id, r, firsts, t), nil
}

func readHeader(tx Tx, id, size uint64) ([]byte, error) {
	if size > 1<<32 {
		return nil, damaged("a header that cannot be so large")
	}
	var header []byte
	for n := uint32(0); uint64(len(header)) < size; n++ {
		b, err := getBlock(tx, blockKey(id, sortHeader, n))
		if err != nil {
			return nil, err
		}
		if len(b) == 0 {
			return nil, damaged("an empty header block")
		}
		if header == nil {
			header = make([]byte, 0, min(size, 16<<20))
		}
		header = append(header, b...)
	}
	if uint64(len(header)) != size {
		return nil, damaged("a header of another size")
	}
	return header, nil
}
