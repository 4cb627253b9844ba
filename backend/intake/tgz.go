package intake

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"path"
	"strings"

	"github.com/klauspost/compress/gzip"

	"keepsake/backend/fault"
)

// tarBlock is what a tar consists of, and tarMagic stands at 257 of a header.
const (
	tarBlock = 512
	tarMagic = "ustar"
)

// paxSizeFrom is the size from which a tar needs an extended header for it.
const paxSizeFrom = 8 << 30

// isCalledTGZ knows a packed tar by its name, however little is left of it.
func isCalledTGZ(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, ".tgz") || strings.HasSuffix(name, ".tar.gz")
}

// isTGZ tells a packed tar from other gzip files by what it unfolds to.
func isTGZ(at io.ReaderAt, size int64) bool {
	unfolded, err := gzip.NewReader(io.NewSectionReader(at, 0, size))
	if err != nil {
		return false
	}
	head := make([]byte, tarBlock)
	_, err = io.ReadFull(unfolded, head)
	return err == nil && bytes.HasPrefix(head[257:], []byte(tarMagic))
}

// fillTGZ unfolds a packed tar into a sealed scratch store, since nothing inside
// of it can be reached but from its beginning, and lists its entries as they
// come by. Every limit holds while it unfolds.
func (t *Tree) fillTGZ(ctx context.Context, at io.ReaderAt, size int64) error {
	if t.opts.NewScratch == nil {
		return errors.New("open tgz: no scratch store given")
	}
	scratch, err := t.opts.NewScratch()
	if err != nil {
		return err
	}
	t.closers.add(scratch)
	u := &unfolding{ctx: ctx, tree: t, scratch: scratch, room: t.opts.Limits.Total - t.budget.total}
	u.packed = &counted{ctx: ctx, r: io.NewSectionReader(at, 0, size), track: uncounted()}
	u.gzip, u.err = gzip.NewReader(bufio.NewReaderSize(u.packed, readBuffer))
	if u.err == nil {
		u.err = u.list()
	}
	if u.err != nil {
		return u.explain()
	}
	for _, e := range u.entries {
		e.share = float64(size) / float64(max(u.written, 1))
		t.files = append(t.files, File{Path: e.name, Size: e.size, content: e, owner: t})
	}
	return nil
}

// unfolding is a tgz on its way into the scratch store.
type unfolding struct {
	ctx     context.Context
	tree    *Tree
	packed  *counted
	gzip    *gzip.Reader
	scratch Scratch
	room    int64 // how much may unfold
	written int64
	entries []*tarEntry
	err     error
}

// Read gives what unfolds, and keeps it.
func (u *unfolding) Read(p []byte) (int, error) {
	if u.err = u.ctx.Err(); u.err != nil {
		return 0, u.err
	}
	n, err := u.gzip.Read(p[:min(len(p), readBuffer)])
	u.written += int64(n)
	if n > 0 {
		if f := u.overLimits(); f != nil {
			u.err = f
			return 0, f
		}
		if _, failed := u.scratch.Write(p[:n]); failed != nil {
			u.err = &scratchError{failed}
			return 0, u.err
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		u.err = err
	}
	return n, err
}

// overLimits counts what really unfolds; a tgz declares nothing that could be
// believed.
func (u *unfolding) overLimits() error {
	limits, name := u.tree.opts.Limits, u.tree.sources[0].Name
	if u.written > u.room {
		return u.tree.budget.take(name, 0, limits.Total+1)
	}
	if u.written > ratioFree && u.written/max(u.packed.at, 1) > limits.Ratio {
		return bomb(name, name, limits.Ratio)
	}
	return nil
}

// list goes over the headers. What follows the end must be nothing.
func (u *unfolding) list() error {
	names := map[string]bool{}
	for archive := tar.NewReader(u); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return u.rest()
		}
		if err != nil {
			return err
		}
		if err := u.take(h, names); err != nil {
			return err
		}
	}
}

// rest holds that after the end of the tar nothing comes but padding: one
// program stops there, another reads on.
func (u *unfolding) rest() error {
	block := make([]byte, readBuffer)
	for {
		n, err := u.Read(block)
		if len(bytes.Trim(block[:n], "\x00")) > 0 {
			return fault.New(fault.Refused, "tgz-ambiguous",
				"{name} holds something after its end, so that one program would unpack other files from it than another. Nothing of it was read.").
				With("name", u.tree.sources[0].Name).Advise("Download the export again, directly from the provider.")
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// take lists one entry, whose bytes begin where the unfolding stands.
func (u *unfolding) take(h *tar.Header, names map[string]bool) error {
	t, archive := u.tree, u.tree.sources[0].Name
	if err := outside(archive, h.Name); err != nil {
		return err
	}
	if _, extended := h.PAXRecords["size"]; extended && h.Size < paxSizeFrom {
		return twoThings(archive, h.Name)
	}
	if h.Size > t.opts.Limits.Entry {
		return tooLargeEntry(archive, h.Name, t.opts.Limits.Entry)
	}
	if err := t.budget.take(archive, 1, 0); err != nil {
		return err
	}
	name := path.Clean(h.Name)
	switch {
	case h.Typeflag == tar.TypeDir, h.Typeflag == tar.TypeXGlobalHeader, isJunk(name):
		return nil
	case names[folded(name)]:
		return twice(archive, h.Name)
	}
	names[folded(name)] = true
	if err := t.budget.take(archive, 0, h.Size); err != nil {
		return err
	}
	f := unfit(archive, h.Name)
	if f == nil && name == "." {
		f = fault.New(fault.Invalid, "entry-nameless", "An entry of {name} has no name; it was left out.").With("name", archive)
	}
	switch {
	case f != nil:
		t.refused = append(t.refused, Refusal{Path: printable(h.Name), Fault: f})
	case h.Typeflag != tar.TypeReg || isSparse(h):
		t.refuse(h.Name, linkOrDevice(archive, h.Name))
	default:
		u.entries = append(u.entries, &tarEntry{at: u.scratch, archive: archive, name: name, start: u.written, size: h.Size, track: track{meter: t.meter}})
	}
	return nil
}

// isSparse knows files whose size is more than the bytes they hold.
func isSparse(h *tar.Header) bool {
	for name := range h.PAXRecords {
		if strings.HasPrefix(name, "GNU.sparse.") {
			return true
		}
	}
	return h.Typeflag == tar.TypeGNUSparse
}

// explain says in words why a tgz was refused.
func (u *unfolding) explain() error {
	if err := u.ctx.Err(); err != nil {
		return err
	}
	if err := u.tree.disk.failure(); err != nil {
		return err
	}
	if fault.From(u.err).Code != fault.Internal {
		return u.err
	}
	name := u.tree.sources[0].Name
	if errors.Is(u.err, io.ErrUnexpectedEOF) || errors.Is(u.err, io.EOF) {
		return fault.New(fault.Invalid, "tgz-truncated", "{name} is cut off: its end is missing.").With("name", name).
			Advise("The download was probably interrupted; download the export again.").Because(u.err)
	}
	var broken *scratchError
	if errors.As(u.err, &broken) {
		return broken.error
	}
	return fault.New(fault.Invalid, "tgz-damaged", "{name} is damaged and cannot be unpacked.").With("name", name).
		Advise("Download the export again.").Because(u.err)
}

// scratchError is an error of the scratch store, not of the archive.
type scratchError struct{ error }

// tarEntry is one file of a tar that lies in the scratch store.
type tarEntry struct {
	at      io.ReaderAt
	archive string
	name    string
	start   int64
	size    int64
	share   float64 // bytes of the packed file for each of the unfolded
	track   track
}

func (e *tarEntry) read() *track { return &e.track }

func (e *tarEntry) plain() (io.ReaderAt, io.Closer, error) {
	return io.NewSectionReader(e.at, e.start, e.size), nil, nil
}

func (e *tarEntry) open(ctx context.Context, reached *track) (io.ReadCloser, error) {
	r := &counted{ctx: ctx, r: io.NewSectionReader(e.at, e.start, e.size), share: e.share, track: reached}
	return &guarded{ctx: ctx, r: r, left: e.size, close: io.NopCloser(nil), broken: func(cause error, _ bool) error { return cause }}, nil
}
