package search

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"
)

// sortTerm is a term with eight of its bytes, the first the most significant.
type sortTerm struct {
	head uint64
	id   uint32
}

// sorted lists the terms in order.
func (b *builder) sorted() []sortTerm {
	all := make([]sortTerm, b.terms)
	for i := range all {
		all[i] = sortTerm{bits.ReverseBytes64(b.row(uint32(i)).key.lo), uint32(i)}
	}
	all = sortHeads(all)
	for alike := range sameHeads(all) { // terms that begin with the same eight bytes
		for i := range alike {
			alike[i].head = bits.ReverseBytes64(b.row(alike[i].id).key.hi)
		}
		slices.SortFunc(alike, func(x, y sortTerm) int {
			if x.head != y.head {
				return cmp.Compare(x.head, y.head)
			}
			var s, t [MaxTerm]byte
			return bytes.Compare(b.term(s[:0], x.id), b.term(t[:0], y.id))
		})
	}
	return all
}

// sameHeads yields the stretches of more than one term with the same head.
func sameHeads(all []sortTerm) func(yield func([]sortTerm) bool) {
	return func(yield func([]sortTerm) bool) {
		for from, i := 0, 1; i <= len(all); i++ {
			if i < len(all) && all[i].head == all[from].head {
				continue
			}
			if i-from > 1 && !yield(all[from:i]) {
				return
			}
			from = i
		}
	}
}

// Digits of a head, for sorting.
const (
	digitBits = 11
	digits    = (64 + digitBits - 1) / digitBits
)

// sortHeads sorts by heads, digit by digit from the last one, and returns all or
// the room that it needed beside it.
func sortHeads(all []sortTerm) []sortTerm {
	var counts [digits][1 << digitBits]uint32
	for _, t := range all {
		for d := range counts {
			counts[d][t.head>>(digitBits*d)&(1<<digitBits-1)]++
		}
	}
	room := make([]sortTerm, len(all))
	for d := range counts {
		count, sum := &counts[d], uint32(0)
		if len(all) > 0 && count[all[0].head>>(digitBits*d)&(1<<digitBits-1)] == uint32(len(all)) {
			continue // it is the same everywhere
		}
		for i, n := range count {
			count[i], sum = sum, sum+n
		}
		for _, t := range all {
			at := &count[t.head>>(digitBits*d)&(1<<digitBits-1)]
			room[*at] = t
			*at++
		}
		all, room = room, all
	}
	return all
}
