package intake

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"sync/atomic"
)

// meter counts bytes of the sources that were read.
type meter struct {
	done atomic.Int64
	up   func(delta int64) // tells the archive around this one; may be nil
}

func (m *meter) add(n int64) {
	m.done.Add(n)
	if m.up != nil {
		m.up(n)
	}
}

// track is the furthest point reached in one file.
type track struct {
	high  atomic.Int64
	meter *meter
}

// uncounted is for reading a file beside whoever reads it: that is no progress.
func uncounted() *track { return &track{meter: &meter{}} }

func (t *track) reached(offset int64) {
	for {
		high := t.high.Load()
		if offset <= high {
			return
		}
		if t.high.CompareAndSwap(high, offset) {
			t.meter.add(offset - high)
			return
		}
	}
}

// counted tells a track how far r was read, and reads no further once ctx is
// done: on a slow disk what is inflated at once may take many reads.
type counted struct {
	ctx   context.Context
	r     io.Reader
	at    int64
	share float64 // bytes of the source for each one of r
	track *track
}

func (c *counted) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.r.Read(p)
	c.at += int64(n)
	c.track.reached(int64(float64(c.at) * c.share))
	return n, err
}

// closers is what has to be given back, last first.
type closers struct {
	mu   sync.Mutex
	list []io.Closer
}

func (c *closers) add(x io.Closer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = append(c.list, x)
}

func (c *closers) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	for _, x := range slices.Backward(c.list) {
		errs = append(errs, x.Close())
	}
	c.list = nil
	return errors.Join(errs...)
}
