package search

import (
	"encoding/binary"
	"math"
	"slices"
)

// postings is a list of documents with the number of times each holds a term.
type postings struct {
	docs, tfs []uint32
	buf       []byte
}

// maxFreq is the largest number of times that is counted.
const maxFreq = math.MaxUint16

// appendPosting writes one posting: the distance from the document before,
// doubled, plus 1 when it holds the term once; else the number of times follows.
func appendPosting(dst []byte, delta, tf uint32) []byte {
	if tf == 1 {
		return binary.AppendUvarint(dst, uint64(delta)<<1|1)
	}
	return binary.AppendUvarint(binary.AppendUvarint(dst, uint64(delta)<<1), uint64(tf))
}

// putPosting is appendPosting into dst; it returns the size.
func putPosting(dst []byte, delta, tf uint32) int {
	if tf == 1 {
		return binary.PutUvarint(dst, uint64(delta)<<1|1)
	}
	n := binary.PutUvarint(dst, uint64(delta)<<1)
	return n + binary.PutUvarint(dst[n:], uint64(tf))
}

// one is a list of one document below limit that holds the term once.
func (p *postings) one(doc, limit uint32) error {
	if doc >= limit {
		return damaged("postings out of order")
	}
	p.docs, p.tfs = append(p.docs[:0], doc), append(p.tfs[:0], 1)
	return nil
}

// decode reads df postings of documents below limit. It returns the bytes that
// are left.
func (p *postings) decode(data []byte, df, limit uint32) ([]byte, error) {
	if df > limit || int(df) > len(data) {
		return nil, damaged("more postings than documents or bytes")
	}
	p.docs = slices.Grow(p.docs[:0], int(df))[:df]
	p.tfs = slices.Grow(p.tfs[:0], int(df))[:df]
	tfs := p.tfs[:len(p.docs)]
	doc := uint64(0)
	for i := range p.docs {
		v, n := uvarint(data)
		if n <= 0 {
			return nil, damaged("a posting that ends early")
		}
		data = data[n:]
		tf := uint64(1)
		if v&1 == 0 {
			if tf, n = uvarint(data); n <= 0 || tf > maxFreq {
				return nil, damaged("a frequency that cannot be")
			}
			data = data[n:]
		}
		doc += v >> 1
		if doc >= uint64(limit) || v>>1 == 0 && i > 0 {
			return nil, damaged("postings out of order")
		}
		p.docs[i], tfs[i] = uint32(doc), uint32(tf)
	}
	return data, nil
}

// uvarint is binary.Uvarint with short numbers first.
func uvarint(b []byte) (uint64, int) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	if len(b) > 1 && b[1] < 0x80 {
		return uint64(b[0]&0x7f) | uint64(b[1])<<7, 2
	}
	return binary.Uvarint(b)
}

// entry is one term in a dictionary.
type entry struct {
	df     uint32
	size   uint32 // bytes of its postings
	off    uint64 // where they begin among all postings of the segment
	inline []byte // the postings themselves, when they are short
	alone  bool   // doc holds it, once, and there are no postings
	doc    uint32
	id     uint32 // of a term in memory, in place of off
}
