package intake

import (
	"cmp"
	"fmt"

	"keepsake/backend/fault"
)

// Limits bound what a tree may hold. See DefaultLimits.
type Limits struct {
	Archive int64 // bytes of one archive on disk
	Entries int   // entries of all archives together, nested ones included
	Entry   int64 // bytes of one entry once inflated
	Total   int64 // bytes of everything inflated, nested archives included
	Ratio   int64 // inflated to deflated bytes of one entry, once above 1 MiB
	Nested  int   // levels of zips inside zips that Nested will open
}

// ratioFree is the inflated size up to which any ratio is honest: a page of
// spaces packs a thousand to one.
const ratioFree = 1 << 20

// ratioFreeAll is the same for everything in a zip: a bomb can be cut into as
// many small entries as it likes.
const ratioFreeAll = 64 << 20

// DefaultLimits are far above any real export (the largest seen: 6 GB, 28
// shards, some thousand attachments) and far below what hurts. Indented,
// nearly empty JSON packs 150:1, so the ratio stands above that. Attachments
// hardly shrink, so everything inflated may be twice the largest archive.
func DefaultLimits() Limits {
	return Limits{
		Archive: 64 << 30,
		Entries: 200_000,
		Entry:   16 << 30,
		Total:   128 << 30,
		Ratio:   250,
		Nested:  2,
	}
}

func (l Limits) orDefaults() Limits {
	d := DefaultLimits()
	return Limits{
		Archive: cmp.Or(l.Archive, d.Archive),
		Entries: cmp.Or(l.Entries, d.Entries),
		Entry:   cmp.Or(l.Entry, d.Entry),
		Total:   cmp.Or(l.Total, d.Total),
		Ratio:   cmp.Or(l.Ratio, d.Ratio),
		Nested:  cmp.Or(l.Nested, d.Nested),
	}
}

// budget counts what all sources and the archives nested in them declare. The
// declared sizes may be summed because reading never gives more than them.
type budget struct {
	limits  Limits
	entries int
	total   int64
}

func (b *budget) take(archive string, entries int, size int64) error {
	if entries > b.limits.Entries-b.entries {
		return fault.New(fault.TooLarge, "too-many-entries",
			"{name} holds more than {limit} files, the most that Keepsake opens at once.").
			With("name", archive).With("limit", b.limits.Entries).
			Advise("Import its parts one after another.")
	}
	if size > b.limits.Total-b.total {
		return fault.New(fault.TooLarge, "unfolds-too-large",
			"{name} unfolds to more than {limit} GiB, the most that Keepsake opens at once.").
			With("name", archive).With("limit", b.limits.Total>>30).
			Advise("Import its parts one after another.")
	}
	b.entries += entries
	b.total += size
	return nil
}

// tooLargeEntry is about a file in an archive, or about one that stands by itself.
func tooLargeEntry(archive, entry string, limit int64) *fault.Error {
	if entry == archive {
		return fault.New(fault.TooLarge, "loose-too-large", "{name} is larger than {limit}, the most that is read of such a file.").
			With("name", archive).With("limit", sized(limit))
	}
	return fault.New(fault.TooLarge, "entry-too-large",
		"{entry} in {name} is larger than {limit}, the most that is read of such a file.").
		With("entry", printable(entry)).With("name", archive).With("limit", sized(limit))
}

// sized is a limit for people.
func sized(limit int64) string {
	switch {
	case limit >= 1<<30:
		return fmt.Sprintf("%d GiB", limit>>30)
	case limit >= 1<<20:
		return fmt.Sprintf("%d MiB", limit>>20)
	}
	return fmt.Sprintf("%d bytes", limit)
}
