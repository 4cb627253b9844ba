package search

import "math/bits"

// bitset is a set of small numbers: documents of a segment, or its rows.
type bitset []uint64

func newBitset(n uint32) bitset { return make(bitset, (int(n)+63)/64) }

func (b bitset) has(i uint32) bool { return int(i/64) < len(b) && b[i/64]&(1<<(i%64)) != 0 }
func (b bitset) set(i uint32)      { b[i/64] |= 1 << (i % 64) }
func (b bitset) clear(i uint32)    { b[i/64] &^= 1 << (i % 64) }

func (b bitset) setRange(from, to uint32)   { b.fill(from, to, ^uint64(0)) }
func (b bitset) clearRange(from, to uint32) { b.fill(from, to, 0) }

// fill writes the bits of a word again and again.
func (b bitset) fill(from, to uint32, word uint64) {
	for i := from; i < to; {
		if i%64 == 0 && to-i >= 64 {
			b[i/64] = word
			i += 64
			continue
		}
		bit := uint64(1) << (i % 64)
		b[i/64] = b[i/64]&^bit | word&bit
		i++
	}
}

// and, or and minus make a new set of two of the same size.
func (b bitset) and(c bitset) bitset {
	out := make(bitset, len(b))
	for i := range out {
		out[i] = b[i] & c[i]
	}
	return out
}

func (b bitset) or(c bitset) bitset {
	out := make(bitset, len(b))
	for i := range out {
		out[i] = b[i] | c[i]
	}
	return out
}

func (b bitset) minus(c bitset) bitset {
	out := make(bitset, len(b))
	for i := range out {
		out[i] = b[i] &^ c[i]
	}
	return out
}

func (b bitset) empty() bool {
	for _, w := range b {
		if w != 0 {
			return false
		}
	}
	return true
}

func (b bitset) count() (n int) {
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// each calls f for every number in order until it returns false.
func (b bitset) each(f func(uint32) bool) {
	for i, w := range b {
		for ; w != 0; w &= w - 1 {
			if !f(uint32(i*64 + bits.TrailingZeros64(w))) {
				return
			}
		}
	}
}
