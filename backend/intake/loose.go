package intake

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"

	"keepsake/backend/fault"
	"keepsake/backend/plainfile"
)

// loose is a file as it lies: the only one of its source, or one in a folder.
type loose struct {
	name   string
	size   int64
	reopen func() (io.ReaderAt, io.Closer, error)
	track  track
}

// fillLoose makes a tree of one file.
func (t *Tree) fillLoose(at io.ReaderAt, size int64) error {
	name := path.Base(t.sources[0].Name)
	if err := t.budget.take(name, 1, size); err != nil {
		return err
	}
	if size > t.opts.Limits.Entry {
		return tooLargeEntry(name, name, t.opts.Limits.Entry)
	}
	c := &loose{name: name, size: size, track: track{meter: t.meter}}
	c.reopen = func() (io.ReaderAt, io.Closer, error) { return at, io.NopCloser(nil), nil }
	t.files = append(t.files, File{Path: name, Size: size, content: c, owner: t})
	return nil
}

// fillFolder lists an unpacked export. Links are left out: they may lead
// anywhere. The root keeps later opens inside the folder.
func (t *Tree) fillFolder(ctx context.Context, s *Source) error {
	root, err := os.OpenRoot(s.Path)
	if err != nil {
		return unreadable(s.Path, err)
	}
	t.closers.add(root)
	s.Size = 0
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			t.refuse(name, unreadable(name, err))
			return nil
		case d.IsDir() && isJunk(name):
			return fs.SkipDir
		case d.IsDir(), isJunk(name):
			return nil
		}
		return t.addLoose(s, root, name, d)
	})
}

func (t *Tree) addLoose(s *Source, root *os.Root, name string, d fs.DirEntry) error {
	if !d.Type().IsRegular() {
		t.refuse(name, linkOrDevice(s.Name, name))
		return nil
	}
	info, err := d.Info()
	if err != nil {
		t.refuse(name, unreadable(name, err))
		return nil
	}
	if info.Size() > t.opts.Limits.Entry {
		t.refuse(name, tooLargeEntry(s.Name, name, t.opts.Limits.Entry))
		return nil
	}
	if err := t.budget.take(s.Name, 1, info.Size()); err != nil {
		return err
	}
	s.Size += info.Size()
	c := &loose{name: name, size: info.Size(), track: track{meter: t.meter}}
	c.reopen = func() (io.ReaderAt, io.Closer, error) {
		f, err := plainfile.OpenIn(root, name)
		return t.disk.watch(f), f, err
	}
	t.files = append(t.files, File{Path: name, Size: info.Size(), content: c, owner: t})
	return nil
}

func (t *Tree) refuse(name string, err error) {
	t.refused = append(t.refused, Refusal{Path: printable(name), Fault: fault.From(err)})
}

func linkOrDevice(archive, name string) *fault.Error {
	return fault.New(fault.Refused, "entry-link", "{entry} in {name} is a link or a device, not a file; it was left out.").
		With("entry", printable(name)).With("name", archive)
}

func (l *loose) read() *track { return &l.track }

func (l *loose) plain() (io.ReaderAt, io.Closer, error) {
	at, c, err := l.reopen()
	if err != nil {
		return nil, nil, unreadable(l.name, err)
	}
	return at, c, nil
}

func (l *loose) open(ctx context.Context, reached *track) (io.ReadCloser, error) {
	at, c, err := l.plain()
	if err != nil {
		return nil, err
	}
	r := &counted{ctx: ctx, r: io.NewSectionReader(at, 0, l.size), share: 1, track: reached}
	return &guarded{ctx: ctx, r: r, left: l.size, close: c, broken: l.broken}, nil
}

// broken says what happened to a file that ended early or failed.
func (l *loose) broken(cause error, _ bool) error {
	if cause == nil || errors.Is(cause, io.ErrUnexpectedEOF) {
		return fault.New(fault.Invalid, "file-changed", "{name} became shorter while it was being read.").
			With("name", printable(l.name)).Advise("Wait until the download has finished, then try again.")
	}
	return diskFailed(l.name, cause)
}
