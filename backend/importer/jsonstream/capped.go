package jsonstream

import (
	"errors"
	"io"
)

// ErrCapped ends a text of which one piece is larger than is read of one.
var ErrCapped = errors.New("too much in one piece")

// Capped gives at most Left bytes; whoever reads raises it piece by piece.
type Capped struct {
	R    io.Reader
	Left int64
}

func (c *Capped) Read(p []byte) (int, error) {
	if c.Left <= 0 {
		return 0, ErrCapped
	}
	n, err := c.R.Read(p)
	c.Left -= int64(n)
	return n, err
}
