package importer

import (
	"cmp"
	"context"

	"github.com/go-json-experiment/json/jsontext"
)

// A parcel is what is handed over at once: by bytes, or by elements. Exports
// with a million tiny conversations would be slowed down by handing over each.
const (
	parcelBytes = 256 << 10
	parcelItems = 512
)

// element is one element on its way from the reading side to the loop.
type element struct {
	value   jsontext.Value
	bad     error
	index   int
	mended  mending // in the stream so far
	sum     [32]byte
	outline Outline
	ends    Ends
	pieces  Pieces
	nodes   []Node
	in      string
}

// ahead is the reading side of a stream. At most three parcels exist at a time:
// one that fills, none or one that waits, one in the loop's hands.
type ahead struct {
	s        *Stream
	ctx      context.Context
	out      chan<- []element
	full     []element
	bytes    int
	err      error // why it ended; to be read once out is closed
	panicked any
}

func (a *ahead) run() {
	defer close(a.out)
	defer func() { a.panicked = recover() }() // the loop's caller knows what to do with it
	s := a.s
	s.scan.ctx = a.ctx
	s.scan.limit, s.scan.nests = s.Max, s.Nests
	if s.scan.limit <= 0 {
		s.scan.limit = MaxElement
	}
	if a.err = s.walk(a.take); a.err != nil {
		a.err = cmp.Or(s.scan.rest(), a.err)
	}
	if !a.hand() && a.err == nil {
		a.err = a.ctx.Err()
	}
}

// take is where the walk yields to.
func (a *ahead) take(v jsontext.Value, bad error) bool {
	a.full = append(a.full, element{v, bad, a.s.cut, a.s.mended, a.s.summed, a.s.outlined, a.s.ended, a.s.parted, a.s.nested, a.s.within})
	a.bytes += len(v) + a.s.parted.Size + sizeOf(a.s.nested)
	return a.bytes < parcelBytes && len(a.full) < parcelItems || a.hand()
}

// hand gives the parcel to the loop. It waits until the loop is done with the
// one before; false means that the loop was left.
func (a *ahead) hand() bool {
	if len(a.full) == 0 {
		return true
	}
	large := a.bytes > keepBuffer
	ok := a.send(a.full)
	if a.full, a.bytes = nil, 0; ok && large {
		return a.send(nil) // of what is large the loop has one at a time
	}
	return ok
}

func (a *ahead) send(parcel []element) bool {
	select {
	case a.out <- parcel:
		return true
	case <-a.ctx.Done():
		return false
	}
}
