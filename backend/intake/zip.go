package intake

import (
	"cmp"
	"context"
	"io"
	"path"
	"slices"
	"strings"

	"keepsake/backend/fault"
)

// fillZip lists a zip after looking at every header of it. Nothing is inflated.
func (t *Tree) fillZip(ctx context.Context, at io.ReaderAt, size int64) error {
	z := zipError{t.sources[0].Name}
	looking := whileAt{ctx, at}
	d, err := findDirectory(looking, size, z)
	if err != nil {
		return err
	}
	if d.entries > uint64(t.opts.Limits.Entries) {
		return t.budget.take(z.name, t.opts.Limits.Entries+1, 0)
	}
	headers, err := readHeaders(looking, d, z)
	if err != nil {
		return err
	}
	if err := t.guard(looking, d, headers, z); err != nil {
		return err
	}
	for _, h := range headers {
		t.addEntry(at, h, z.name)
	}
	return nil
}

// maxDirectory bounds what is read whole, in bytes: 200,000 entries with names
// of usual length take 30 MB.
const maxDirectory = 160 << 20

func readHeaders(at io.ReaderAt, d directory, z zipError) ([]*header, error) {
	if d.size > int64(d.entries)*(sizeCentral+3*(1<<16)) || d.size > maxDirectory {
		return nil, z.damaged("central directory")
	}
	dir := make([]byte, d.size)
	for from := int64(0); from < d.size; from += readBuffer {
		if _, err := at.ReadAt(dir[from:min(from+readBuffer, d.size)], d.start+from); err != nil {
			return nil, z.unreadable(err)
		}
	}
	headers := make([]*header, 0, d.entries)
	for range d.entries {
		h, rest, err := parseCentral(dir, d, z)
		if err != nil {
			return nil, err
		}
		headers, dir = append(headers, h), rest
	}
	if len(dir) != 0 {
		return nil, z.damaged("number of entries")
	}
	return headers, nil
}

// guard refuses the archive as a whole: names that lead outside, entries that
// are two things at once, and bombs.
func (t *Tree) guard(at io.ReaderAt, d directory, headers []*header, z zipError) error {
	names := make(map[string]bool, len(headers))
	var total int64
	for _, h := range headers {
		if err := outside(z.name, h.name); err != nil {
			return err
		}
		if err := t.checkSize(h, z); err != nil {
			return err
		}
		key := folded(path.Clean(h.name))
		if names[key] {
			return twice(z.name, h.name)
		}
		names[key] = true
		total += h.size
	}
	if err := t.budget.take(z.name, len(headers), total); err != nil {
		return err
	}
	if err := noOverlap(at, d, headers, z); err != nil {
		return err
	}
	if total > ratioFreeAll && total/t.opts.Limits.Ratio > t.sources[0].Size {
		return bomb(z.name, z.name, t.opts.Limits.Ratio)
	}
	return nil
}

func twice(archive, name string) error {
	return fault.New(fault.Refused, "zip-duplicate",
		"{name} holds two entries called {entry}, and nothing says which one is meant; nothing of it was read.").
		With("name", archive).With("entry", printable(name)).
		Advise("Download the export again, directly from the provider.")
}

// checkSize looks at what an entry declares; reading never gives more.
func (t *Tree) checkSize(h *header, z zipError) error {
	l := t.opts.Limits
	if h.size > l.Entry {
		return tooLargeEntry(z.name, h.name, l.Entry)
	}
	if h.size > ratioFree && h.size/l.Ratio > h.packed {
		return bomb(z.name, h.name, l.Ratio)
	}
	return nil
}

func bomb(archive, name string, ratio int64) error {
	return fault.New(fault.Refused, "zip-bomb",
		"{entry} in {name} unfolds to more than {ratio} times its size, as only a zip bomb does; nothing of it was read.").
		With("name", archive).With("entry", printable(name)).With("ratio", ratio).
		Advise("Do not open this file. Download the export again, directly from the provider.")
}

// noOverlap reads every local header, in the order of the file, and refuses
// entries that share bytes: that is how 42 KB become gigabytes.
func noOverlap(at io.ReaderAt, d directory, headers []*header, z zipError) error {
	order := slices.Clone(headers)
	slices.SortFunc(order, func(a, b *header) int { return cmp.Compare(a.offset, b.offset) })
	end := d.base
	for _, h := range order {
		if h.offset < end {
			return fault.New(fault.Refused, "zip-overlap",
				"{name} holds entries that lie on top of each other ({entry}), as only a zip bomb does; nothing of it was read.").
				With("name", z.name).With("entry", printable(h.name)).
				Advise("Do not open this file. Download the export again, directly from the provider.")
		}
		if err := h.readLocal(at, d.start, z); err != nil {
			return err
		}
		end = h.data + h.packed
	}
	return nil
}

// addEntry lists one entry, or says why it is left out.
func (t *Tree) addEntry(at io.ReaderAt, h *header, archive string) {
	name := path.Clean(h.name)
	if strings.HasSuffix(h.name, "/") || isJunk(name) {
		return
	}
	if f := unusable(h, archive); f != nil {
		t.refused = append(t.refused, Refusal{Path: printable(h.name), Fault: f})
		return
	}
	e := &zipEntry{header: *h, at: at, archive: archive, ratio: t.opts.Limits.Ratio, track: track{meter: t.meter}}
	t.files = append(t.files, File{Path: name, Size: h.size, content: e, owner: t})
}

// unusable refuses one entry while the rest of the archive can be read.
func unusable(h *header, archive string) *fault.Error {
	if f := unfit(archive, h.name); f != nil {
		return f
	}
	var f *fault.Error
	switch {
	case path.Clean(h.name) == ".":
		f = fault.New(fault.Invalid, "entry-nameless", "An entry of {name} has no name; it was left out.")
	case !h.isRegular():
		return linkOrDevice(archive, h.name)
	case h.encrypted():
		f = fault.New(fault.Unsupported, "entry-encrypted", "{entry} in {name} is locked with a password; it was left out.").
			Advise("Unpack it with its password and drop the folder.")
	case h.method != stored && h.method != deflated:
		f = fault.New(fault.Unsupported, "entry-method", "{entry} in {name} is packed by a method that Keepsake does not know ({method}); it was left out.").
			With("method", h.method).Advise("Unpack it and drop the folder.")
	case h.method == stored && h.packed != h.size:
		f = fault.New(fault.Invalid, "entry-size", "{entry} in {name} is not as long as the zip says; it was left out.")
	default:
		return nil
	}
	return f.With("entry", printable(h.name)).With("name", archive)
}
