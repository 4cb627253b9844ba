package intake

import (
	"context"
	"errors"
	"io"
)

// guarded gives exactly the bytes that were promised, or an error: never one
// byte more, and no silent end before.
type guarded struct {
	ctx    context.Context
	r      io.Reader
	left   int64 // promised and not yet given
	close  io.Closer
	check  func() error // asked once when everything was given; may be nil
	broken func(cause error, more bool) error
	done   error
}

func (g *guarded) Read(p []byte) (int, error) {
	if g.done == nil {
		g.done = g.ctx.Err()
	}
	if g.done != nil || len(p) == 0 {
		return 0, g.done
	}
	if g.left == 0 {
		g.done = g.end()
		return 0, g.done
	}
	n, err := g.r.Read(p[:min(int64(len(p)), g.left)])
	g.left -= int64(n)
	switch {
	case g.ctx.Err() != nil:
		g.done = g.ctx.Err()
	case errors.Is(err, io.EOF) && g.left > 0:
		g.done = g.broken(io.ErrUnexpectedEOF, false)
	case err != nil && !errors.Is(err, io.EOF):
		g.done = g.broken(err, false)
	}
	if n > 0 {
		return n, nil
	}
	return 0, g.done
}

// end looks whether there is more than was promised, and asks for the checksum.
func (g *guarded) end() error {
	var one [1]byte
	n, err := io.ReadFull(g.r, one[:])
	if n > 0 {
		return g.broken(nil, true)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return g.broken(err, false)
	}
	if g.check != nil {
		if err := g.check(); err != nil {
			return err
		}
	}
	return io.EOF
}

func (g *guarded) Close() error { return g.close.Close() }
