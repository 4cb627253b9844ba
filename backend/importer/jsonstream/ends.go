package jsonstream

import (
	"cmp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Ends says where the larger objects and arrays of a text end. Stream finds out
// while it checks an element, so who reads one need not go over its texts once
// a level to find where they end. The zero value knows of none.
type Ends struct {
	text jsontext.Value
	big  []bracket // in the order in which they begin
}

// bracket is where an object or array begins, and the place after it.
type bracket struct{ from, to uint32 }

// bigBracket is from how many bytes on a bracket is remembered.
const bigBracket = 128

// of are the ends within part. Of a part that does not lie in the memory of the
// text nothing is known.
func (e Ends) of(part []byte) endings {
	base := cap(e.text) - cap(part) // a slice goes on to the end of what it was cut from
	if len(part) == 0 || base < 0 || base >= len(e.text) || &e.text[base] != &part[0] {
		return endings{}
	}
	first, _ := slices.BinarySearchFunc(e.big, base, func(b bracket, base int) int { return cmp.Compare(int(b.from), base) })
	return endings{e.big[first:], base}
}

// endings answers for a part that is gone over from its beginning to its end.
type endings struct {
	left []bracket // those that do not begin before the last place asked for
	base int       // where in the text the part begins
}

// valueEnd is where the value of v that begins at i ends. No place before the
// last one may be asked for.
func (e *endings) valueEnd(v []byte, i int) int {
	for len(e.left) > 0 && int(e.left[0].from) < e.base+i {
		e.left = e.left[1:]
	}
	if len(e.left) > 0 && int(e.left[0].from) == e.base+i {
		return int(e.left[0].to) - e.base
	}
	return valueEnd(v, i)
}
