package intake

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"keepsake/backend/fault"
	"keepsake/backend/plainfile"
)

// Source is one thing a person handed over: a path, or an upload that can be
// read at random offsets.
type Source struct {
	Name string      // base name, for people
	Path string      // "" for an upload
	At   io.ReaderAt // nil for a path
	Size int64       // bytes on disk; for a folder, of all its files once opened
}

// FromPath is a file or folder of this computer. It only looks whether it is there.
func FromPath(path string) (Source, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return Source{}, unreadable(path, err)
	}
	info, err := os.Stat(abs)
	if err != nil {
		return Source{}, unreadable(path, err)
	}
	return Source{Name: filepath.Base(abs), Path: abs, Size: info.Size()}, nil
}

// FromReaderAt is an upload: name as the browser gave it, its folders cut off.
// The caller keeps at open as long as the tree lives.
func FromReaderAt(name string, size int64, at io.ReaderAt) Source {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	return Source{Name: printable(name), At: at, Size: size}
}

func unreadable(path string, err error) error {
	name := printable(filepath.Base(path))
	if errors.Is(err, fs.ErrNotExist) {
		if inFlatpak() {
			return fault.New(fault.NotFound, "hidden-by-sandbox", "Keepsake runs as a Flatpak here, and sees no file or folder {name}.").
				With("name", name).Advise("Choose it with the button on the page: Keepsake may read what is chosen there, and not what is dropped on the window or named in a terminal.").Because(err)
		}
		return fault.New(fault.NotFound, "no-such-file", "There is no file or folder {name}.").
			With("name", name).Because(err)
	}
	return fault.New(fault.Refused, "file-unreadable", "{name} cannot be read on this computer.").
		With("name", name).Advise("Check that you may open the file, or copy it to your own folder.").Because(err)
}

// inFlatpak says whether this program runs in Flatpak's sandbox, which puts that file into
// every one (flatpak-metadata(5)).
func inFlatpak() bool {
	_, err := os.Stat("/.flatpak-info")
	return err == nil
}

// openSource finds out by content what a source is.
func openSource(ctx context.Context, s Source, o Options, b *budget, depth int, up func(int64)) (*Tree, error) {
	t := &Tree{sources: []Source{s}, opts: o, budget: b, depth: depth, meter: &meter{up: up}, disk: &disk{name: s.Name}}
	err := t.fill(ctx)
	if err == nil {
		err = t.unfoldZST(ctx)
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if err == nil && len(t.files) == 0 {
		err = t.nothingLeft()
	}
	if err != nil {
		return nil, errors.Join(err, t.closers.close())
	}
	t.index()
	return t, nil
}

func (t *Tree) fill(ctx context.Context) error {
	s := &t.sources[0]
	if s.At != nil {
		return t.fillFrom(ctx, t.disk.watch(s.At), s.Size)
	}
	info, err := os.Stat(s.Path)
	if err != nil {
		return unreadable(s.Path, err)
	}
	if info.IsDir() {
		return t.fillFolder(ctx, s)
	}
	if !info.Mode().IsRegular() {
		return fault.New(fault.Unsupported, "not-a-file", "{name} is neither a file nor a folder.").With("name", s.Name)
	}
	file, err := plainfile.Open(s.Path)
	if fault.Known(err) {
		return err
	}
	if err != nil {
		return unreadable(s.Path, err)
	}
	t.closers.add(file)
	if info, err = file.Stat(); err != nil {
		return unreadable(s.Path, err)
	}
	s.Size = info.Size()
	return t.fillFrom(ctx, t.disk.watch(file), s.Size)
}

// fillFrom takes a file in: a zip or tgz by its first bytes, anything else as it is.
func (t *Tree) fillFrom(ctx context.Context, at io.ReaderAt, size int64) error {
	name := t.sources[0].Name
	if size == 0 {
		return fault.New(fault.Invalid, "empty-file", "{name} is empty (0 bytes).").With("name", name).
			Advise("The download was probably interrupted; download it again.")
	}
	if size > t.opts.Limits.Archive {
		return fault.New(fault.TooLarge, "archive-too-large", "{name} is larger than {limit} GiB, the most that Keepsake opens.").
			With("name", name).With("limit", t.opts.Limits.Archive>>30)
	}
	head := make([]byte, min(size, 512))
	looking := whileAt{ctx, at}
	if _, err := looking.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return diskFailed(name, err)
	}
	if looksLikeZip(head) || isCalledZip(name) && endsLikeZip(looking, size) {
		return t.fillZip(ctx, at, size)
	}
	if isCalledTGZ(name) || bytes.HasPrefix(head, []byte("\x1f\x8b")) && isTGZ(looking, size) {
		return t.fillTGZ(ctx, at, size)
	}
	if err := otherArchive(name, head); err != nil && !isZST(name, head) {
		return err
	}
	return t.fillLoose(at, size)
}

func isCalledZip(name string) bool { return strings.EqualFold(filepath.Ext(name), ".zip") }

// endsLikeZip knows an archive with something in front of it.
func endsLikeZip(at io.ReaderAt, size int64) bool {
	d, err := findDirectory(at, size, zipError{})
	return err == nil && d.entries > 0
}

// looksLikeZip knows a first local header, and the end record that an empty
// archive starts with.
func looksLikeZip(head []byte) bool {
	return bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, []byte("PK\x05\x06")) ||
		bytes.HasPrefix(head, []byte("PK\x07\x08"))
}

// otherArchive refuses in words what people also drop.
func otherArchive(name string, head []byte) error {
	for _, k := range []struct{ magic, kind string }{
		{"\x1f\x8b", "gzip"}, {"7z\xbc\xaf\x27\x1c", "7-Zip"}, {"Rar!\x1a\x07", "RAR"},
		{"BZh", "bzip2"}, {"\xfd7zXZ\x00", "xz"}, {"\x28\xb5\x2f\xfd", "zstd"},
	} {
		if bytes.HasPrefix(head, []byte(k.magic)) {
			return fault.New(fault.Unsupported, "archive-kind", "{name} is a {kind} archive; Keepsake opens zip and tgz files, folders and single files.").
				With("name", name).With("kind", k.kind).
				Advise("Unpack it and drop the folder.")
		}
	}
	if isCalledZip(name) {
		return fault.New(fault.Invalid, "not-a-zip", "{name} is called a zip, but it is not one.").With("name", name).
			Advise("It may be a web page saved in place of the download; download the export again.")
	}
	return nil
}

// nothingLeft says why a source has no file to read.
func (t *Tree) nothingLeft() error {
	name := t.sources[0].Name
	if len(t.refused) > 0 {
		return t.refused[0].Fault
	}
	return fault.New(fault.Invalid, "empty-export", "{name} holds no files.").With("name", name).
		Advise("Ask the provider for a new export; this one is empty.")
}
