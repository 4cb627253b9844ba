package jsonstream

import (
	"cmp"
	"context"

	"github.com/go-json-experiment/json/jsontext"
)

// Elements go to the loop in batches, bounded by bytes and by elements: an export
// with a million tiny conversations would be slowed down by handing over each.
const (
	batchBytes = 256 << 10
	batchItems = 512
)

// element is one element of the stream with its position, hash and other attributes.
type element struct {
	value   jsontext.Value
	bad     error
	index   int     // from 1
	mended  mending // in the stream so far
	sum     [32]byte
	outline Outline
	ends    Ends
	pieces  Pieces
	nodes   []Node
	in      string // the member that it comes from
}

// prefetcher is the reading side of a stream, a goroutine of its own. At most three
// batches exist at a time: one that fills, one that waits, one that the loop works on.
type prefetcher struct {
	s        *Stream
	ctx      context.Context
	out      chan<- []element
	batch    []element
	bytes    int
	err      error // why it ended; to be read once out is closed
	panicked any
}

func (p *prefetcher) run() {
	defer close(p.out)
	defer func() { p.panicked = recover() }() // the loop's caller knows what to do with it
	s := p.s
	s.scan.ctx = p.ctx
	s.scan.limit, s.scan.nests = s.Max, s.Nests
	if s.scan.limit <= 0 {
		s.scan.limit = MaxElement
	}
	if p.err = s.walk(p.take); p.err != nil {
		p.err = cmp.Or(s.scan.rest(), p.err)
	}
	if !p.flush() && p.err == nil {
		p.err = p.ctx.Err()
	}
}

// take is where the walk yields to.
func (p *prefetcher) take(v jsontext.Value, bad error) bool {
	e := p.s.next
	e.value, e.bad = v, bad
	p.batch = append(p.batch, e)
	p.bytes += len(v) + e.pieces.Size + sizeOf(e.nodes)
	return p.bytes < batchBytes && len(p.batch) < batchItems || p.flush()
}

// flush sends the batch to the loop. It blocks until the loop is done with the one
// before; false means that the loop was left.
func (p *prefetcher) flush() bool {
	if len(p.batch) == 0 {
		return true
	}
	large := p.bytes > keepBuffer
	ok := p.send(p.batch)
	if p.batch, p.bytes = nil, 0; ok && large {
		return p.send(nil) // of what is large the loop has one at a time
	}
	return ok
}

func (p *prefetcher) send(batch []element) bool {
	select {
	case p.out <- batch:
		return true
	case <-p.ctx.Done():
		return false
	}
}
