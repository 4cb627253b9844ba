package intake

import (
	"context"
	"io"
	"slices"

	"keepsake/backend/fault"
)

// verdict is what is known of the bytes of an entry; err says why they are not
// those that were packed.
type verdict struct{ err error }

// Sound goes over the files of that base name that nobody has read to their end yet,
// archives opened inside included: an error says that one of them is not what its
// archive promises. What was gone over once is not gone over again.
func (t *Tree) Sound(ctx context.Context, base string) error {
	for _, f := range t.files {
		c := f.content
		if z, ok := c.(*zstFile); ok {
			c = z.packed
		}
		e, ok := c.(*zipEntry)
		if !ok || f.Base() != base {
			continue
		}
		if err := e.sound(ctx); err != nil {
			return err
		}
	}
	for _, inner := range t.inside() {
		if err := inner.Sound(ctx, base); err != nil {
			return err
		}
	}
	return nil
}

// inside are the archives that were opened in this tree so far. What a tree was
// joined of is looked into for its archives only: its files are the tree's.
func (t *Tree) inside() (all []*Tree) {
	for _, p := range t.parts {
		all = append(all, p.inside()...)
	}
	t.closers.mu.Lock()
	defer t.closers.mu.Unlock()
	for _, c := range t.closers.list {
		if nested, ok := c.(*Tree); ok {
			all = append(all, nested)
		}
	}
	return slices.Clip(all)
}

// sound reads the entry beside whoever reads it, and counts for no progress.
func (e *zipEntry) sound(ctx context.Context) error {
	if known := e.known.Load(); known != nil {
		return known.err
	}
	r, err := e.open(ctx, uncounted())
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = io.Copy(io.Discard, r)
	return err
}

// judge remembers how a reading to the end went. An error of the disk says nothing
// about the entry.
func (e *zipEntry) judge(err error) error {
	f := fault.From(err)
	if err == nil || f.Reason == "entry-damaged" || f.Reason == "entry-broken" || f.Reason == "entry-longer" {
		e.known.Store(&verdict{err})
	}
	return err
}
