package rows

import (
	"encoding/base64"
	"encoding/binary"
	"maps"
	"slices"
)

// Numbers is a set of sequence numbers of one collection, packed: ascending runs, each as two
// uvarints, how far after the end of the one before it begins, and how long it is. A number is
// never used again, so that one of a deleted record says nothing.
type Numbers string

// NumbersOf packs a set.
func NumbersOf(set map[uint64]bool) Numbers {
	var packed []byte
	seqs := slices.DeleteFunc(slices.Sorted(maps.Keys(set)), func(seq uint64) bool { return !set[seq] })
	end := uint64(0)
	for i := 0; i < len(seqs); {
		n := 1
		for i+n < len(seqs) && seqs[i+n] == seqs[i]+uint64(n) {
			n++
		}
		packed = binary.AppendUvarint(binary.AppendUvarint(packed, seqs[i]-end), uint64(n))
		end = seqs[i] + uint64(n)
		i += n
	}
	return Numbers(base64.RawStdEncoding.EncodeToString(packed))
}

// Set unpacks the numbers, and stops at what cannot be read.
func (n Numbers) Set() map[uint64]bool {
	set := map[uint64]bool{}
	n.each(func(begin, length uint64) bool {
		for seq := begin; seq < begin+length; seq++ {
			set[seq] = true
		}
		return true
	})
	return set
}

// Has reports whether a number is among them.
func (n Numbers) Has(seq uint64) (found bool) {
	n.each(func(begin, length uint64) bool {
		found = seq >= begin && seq < begin+length
		return !found
	})
	return found
}

// each calls fn for every run, until it returns false.
func (n Numbers) each(fn func(begin, length uint64) bool) {
	packed, err := base64.RawStdEncoding.DecodeString(string(n))
	if err != nil {
		return
	}
	end := uint64(0)
	for len(packed) > 0 {
		gap, read := binary.Uvarint(packed)
		if read <= 0 {
			return
		}
		length, more := binary.Uvarint(packed[read:])
		if more <= 0 || !fn(end+gap, length) {
			return
		}
		packed = packed[read+more:]
		end += gap + length
	}
}
