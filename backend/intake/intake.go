package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"

	"keepsake/backend/fault"
)

// Scratch is a temporary store that can be read at random offsets while the
// tree lives. It is sealed: nothing of it can be read on disk.
type Scratch interface {
	io.Writer
	io.ReaderAt
	io.Closer // removes it
}

// Options of Open.
type Options struct {
	Limits     Limits                  // zero fields take the defaults
	NewScratch func() (Scratch, error) // needed only for deflated zips inside zips
}

// File is one file of a tree.
type File struct {
	Path   string // clean, slash separated, never absolute, never with ".."
	Source int    // index into Tree.Sources
	Size   int64  // as declared by the container; reading never gives more

	content content
	owner   *Tree
}

// Base is the last element of the path.
func (f File) Base() string { return path.Base(f.Path) }

// content is where the bytes of a file are.
type content interface {
	// open tells reached how far it was read.
	open(ctx context.Context, reached *track) (io.ReadCloser, error)
	// plain gives random access where the bytes lie in the clear as they are: a file
	// on disk, a stored entry. at is nil where they must be inflated, close where
	// there is nothing to close.
	plain() (at io.ReaderAt, close io.Closer, err error)
	read() *track
}

// Refusal is one entry that was left out while the rest is usable.
type Refusal struct {
	Path  string // printable form of the entry's name
	Fault *fault.Error
}

// Tree is what is in one or several sources, read-only. Its methods may be
// used from several goroutines; Close ends them all.
type Tree struct {
	sources []Source
	files   []File
	refused []Refusal
	byPath  map[string]int

	opts    Options
	budget  *budget
	meter   *meter
	depth   int // zips around this one
	parts   []*Tree
	closers closers
	disk    *disk
}

// Open opens everything a person handed over as one tree. Nothing is kept
// open when it fails. The whole is refused with a fault when a source cannot
// be trusted or read; single entries that cannot be used are in Refused.
func Open(ctx context.Context, sources []Source, o Options) (*Tree, error) {
	if len(sources) == 0 {
		return nil, fault.New(fault.Invalid, "no-input", "Nothing was given to read.")
	}
	o.Limits = o.Limits.orDefaults()
	trees := make([]*Tree, 0, len(sources))
	count := &budget{limits: o.Limits}
	for _, s := range sources {
		t, err := openSource(ctx, s, o, count, 0, nil)
		if err != nil {
			return nil, errors.Join(err, Join(trees...).Close())
		}
		trees = append(trees, t)
	}
	return Join(trees...), nil
}

// Join makes one tree of several, in their order; it takes them over, so that
// only the joined one is closed.
func Join(trees ...*Tree) *Tree {
	if len(trees) == 1 {
		return trees[0]
	}
	all := &Tree{parts: trees, meter: &meter{}}
	for _, t := range trees {
		for _, f := range t.files {
			f.Source += len(all.sources)
			all.files = append(all.files, f)
		}
		all.sources = append(all.sources, t.sources...)
		all.refused = append(all.refused, t.refused...)
	}
	all.index()
	return all
}

// Only is a view of t with those of its files for which keep is true. It takes t over:
// closing it closes t.
func (t *Tree) Only(keep func(File) bool) *Tree {
	view := &Tree{parts: []*Tree{t}, sources: t.sources, meter: &meter{}}
	for _, f := range t.files {
		if keep(f) {
			view.files = append(view.files, f)
		}
	}
	view.index()
	return view
}

// index sorts the files and makes them findable by path.
func (t *Tree) index() {
	slices.SortStableFunc(t.files, func(a, b File) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Path, b.Path))
	})
	t.byPath = make(map[string]int, len(t.files))
	for i, f := range t.files {
		if _, taken := t.byPath[f.Path]; !taken {
			t.byPath[f.Path] = i
		}
	}
}

// Name is what to call the tree in a sentence: the name of its only source, or
// the first and a count.
func (t *Tree) Name() string {
	switch len(t.sources) {
	case 0:
		return ""
	case 1:
		return t.sources[0].Name
	}
	return fmt.Sprintf("%s (+%d)", t.sources[0].Name, len(t.sources)-1)
}

// Sources lists what was handed over, in order.
func (t *Tree) Sources() []Source { return t.sources }

// Files lists what the tree holds, junk left out, sorted by source and path.
func (t *Tree) Files() []File { return t.files }

// Refused lists the entries that were left out, in order of their source.
func (t *Tree) Refused() []Refusal { return t.refused }

// File finds a file by its exact path; the first source that has it wins.
func (t *Tree) File(path string) (File, bool) {
	i, ok := t.byPath[path]
	if !ok {
		return File{}, false
	}
	return t.files[i], true
}

// Match lists the files that fit a pattern of path.Match. A pattern without a
// slash is compared with base names in any folder: exports are often zipped
// again inside a folder of their own. A malformed pattern fits nothing.
func (t *Tree) Match(pattern string) []File {
	var found []File
	base := path.Base(pattern) == pattern
	for _, f := range t.files {
		name := f.Path
		if base {
			name = f.Base()
		}
		if ok, err := path.Match(pattern, name); ok && err == nil {
			found = append(found, f)
		}
	}
	return found
}

// Open reads one file. Reads end with a fault where the bytes are not what the
// container promised (checksum, size), and with the context's error when ctx
// is done. The caller closes it.
func (t *Tree) Open(ctx context.Context, f File) (io.ReadCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return f.content.open(ctx, f.content.read())
}

// ReadAll reads a small file whole; more than max bytes is fault TooLarge.
func (t *Tree) ReadAll(ctx context.Context, f File, max int64) ([]byte, error) {
	r, err := t.OpenUpTo(ctx, f, max)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// OpenUpTo is Open of a file of which more than max bytes are fault TooLarge, once
// that many were read.
func (t *Tree) OpenUpTo(ctx context.Context, f File, max int64) (io.ReadCloser, error) {
	r, err := t.Open(ctx, f)
	if err != nil {
		return nil, err
	}
	return &upTo{r, max, tooLargeEntry(t.Name(), f.Path, max)}, nil
}

// upTo reads no more than left bytes.
type upTo struct {
	io.ReadCloser
	left int64
	more error
}

func (u *upTo) Read(p []byte) (int, error) {
	n, err := u.ReadCloser.Read(p)
	if u.left -= int64(n); u.left < 0 {
		return n, u.more
	}
	return n, err
}

// Size is what the sources take on disk, in bytes.
func (t *Tree) Size() int64 {
	var n int64
	for _, s := range t.sources {
		n += s.Size
	}
	return n
}

// Consumed is how many bytes of the sources were read so far: the furthest
// point reached in each file, so that reading twice counts once.
func (t *Tree) Consumed() int64 {
	n := t.meter.done.Load()
	for _, p := range t.parts {
		n += p.Consumed()
	}
	return n
}

// Failure is the first error of the disk that the sources lie on, nil as long as
// there was none. What could be read besides was given all the same; to have
// the rest, the sources must be read again.
func (t *Tree) Failure() error {
	if t.disk != nil {
		if err := t.disk.failure(); err != nil {
			return err
		}
	}
	for _, p := range t.parts {
		if err := p.Failure(); err != nil {
			return err
		}
	}
	return nil
}

// Rewind starts Consumed again from zero, for a second pass over the tree.
func (t *Tree) Rewind() {
	for _, f := range t.files {
		f.content.read().high.Store(0)
	}
	t.meter.done.Store(0)
	for _, p := range t.parts {
		p.Rewind()
	}
}

// Close gives everything back, nested trees included.
func (t *Tree) Close() error {
	errs := []error{t.closers.close()}
	for _, p := range t.parts {
		errs = append(errs, p.Close())
	}
	return errors.Join(errs...)
}
