package intake

import (
	"context"
	"errors"
	"fmt"
	"io"

	"keepsake/backend/fault"
)

// Nested opens a zip that lies inside this tree. Only importers whose format
// has archives in archives call it; Limits.Nested bounds how deep, and the
// entries and bytes count against the limits of the whole. The nested tree
// is closed with this one. One call at a time.
//
// A stored or unpacked zip is read where it lies. A deflated one is inflated
// into a Scratch first, because a zip is read from its end.
func (t *Tree) Nested(ctx context.Context, f File) (*Tree, error) {
	owner := f.owner
	if owner.depth >= owner.opts.Limits.Nested {
		return nil, fault.New(fault.Refused, "zip-too-deep",
			"{entry} is a zip inside {limit} others; Keepsake does not open archives nested that deep.").
			With("entry", printable(f.Path)).With("limit", owner.opts.Limits.Nested)
	}
	at, err := owner.spread(ctx, f)
	if err != nil {
		return nil, err
	}
	s := Source{Name: printable(f.Base()), At: at, Size: f.Size}
	nested, err := openSource(ctx, s, owner.opts, owner.budget, owner.depth+1, owner.scale(f))
	if err != nil {
		return nil, err
	}
	owner.closers.add(nested)
	return nested, nil
}

// spread makes a file readable at random offsets.
func (t *Tree) spread(ctx context.Context, f File) (io.ReaderAt, error) {
	at, c, err := f.content.plain()
	if c != nil {
		t.closers.add(c)
	}
	if err != nil || at != nil {
		return at, err
	}
	if t.opts.NewScratch == nil {
		return nil, errors.New("open nested zip: no scratch store given")
	}
	scratch, err := t.opts.NewScratch()
	if err != nil {
		return nil, fmt.Errorf("make scratch store: %w", err)
	}
	t.closers.add(scratch)
	r, err := f.content.open(ctx, f.content.read())
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if _, err := io.Copy(scratch, r); err != nil {
		return nil, fmt.Errorf("inflate nested zip: %w", err)
	}
	return scratch, nil
}

// scale turns bytes read of a nested archive into bytes of this tree. Where
// the archive had to be inflated those were counted already.
func (t *Tree) scale(f File) func(int64) {
	if f.content.read().high.Load() > 0 || f.Size == 0 {
		return nil
	}
	return t.meter.add
}
