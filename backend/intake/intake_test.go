package intake_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"keepsake/backend/fault"
	"keepsake/backend/intake"
)

// memoryScratch is a Scratch for tests: it never touches the disk.
type memoryScratch struct {
	bytes.Buffer
	closed *int
}

func (m *memoryScratch) ReadAt(p []byte, off int64) (int, error) {
	return bytes.NewReader(m.Bytes()).ReadAt(p, off)
}

func (m *memoryScratch) Close() error { *m.closed++; return nil }

func scratches(closed *int) func() (intake.Scratch, error) {
	return func() (intake.Scratch, error) { return &memoryScratch{closed: closed}, nil }
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func openPath(t *testing.T, path string) (*intake.Tree, error) {
	t.Helper()
	s, err := intake.FromPath(path)
	if err != nil {
		return nil, err
	}
	tree, err := intake.Open(context.Background(), []intake.Source{s}, intake.Options{})
	if err == nil {
		t.Cleanup(func() { tree.Close() })
	}
	return tree, err
}

// TestTheSameFilesFromAnyShape: a zip, an unpacked folder and a loose file
// give their contents under the same paths, junk left out.
func TestTheSameFilesFromAnyShape(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "export")
	write(t, filepath.Join(folder, "conversations.json"), "[]")
	write(t, filepath.Join(folder, "user-1", "a.png"), "png")
	write(t, filepath.Join(folder, "__MACOSX", "a"), "junk")
	write(t, filepath.Join(folder, ".DS_Store"), "junk")
	zip := write(t, filepath.Join(dir, "export.zip"), string(craft{entries: []entry{
		{name: "conversations.json", data: []byte("[]"), method: 8}, {name: "user-1/a.png", data: []byte("png")},
		{name: "__MACOSX/a", data: []byte("junk")}, {name: "user-1/.DS_Store", data: []byte("junk")},
	}}.bytes(t)))
	for _, path := range []string{folder, zip} {
		tree, err := openPath(t, path)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(paths(tree)); got != "[conversations.json user-1/a.png]" {
			t.Errorf("%s holds %s", path, got)
		}
		if read(t, tree, "user-1/a.png") != "png" || len(tree.Match("*.png")) != 1 || len(tree.Match("user-*/*")) != 1 {
			t.Errorf("%s: cannot find or read the picture", path)
		}
	}
	loose, err := openPath(t, write(t, filepath.Join(dir, "one.json"), "{}"))
	if err != nil || read(t, loose, "one.json") != "{}" {
		t.Errorf("loose file: %v", err)
	}
}

func paths(t *intake.Tree) []string {
	var all []string
	for _, f := range t.Files() {
		all = append(all, f.Path)
	}
	return all
}

// TestAFolderCannotLeadOutside: links are left out and named.
func TestAFolderCannotLeadOutside(t *testing.T) {
	dir := t.TempDir()
	secret := write(t, filepath.Join(dir, "secret"), "secret")
	write(t, filepath.Join(dir, "export", "conversations.json"), "[]")
	link := filepath.Join(dir, "export", "link.json")
	if err := os.Symlink(secret, link); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(link); errors.Is(err, fs.ErrNotExist) && runtime.GOOS == "windows" {
		t.Skip("Wine says that it made a link and makes none")
	}
	tree, err := openPath(t, filepath.Join(dir, "export"))
	if err != nil {
		t.Fatal(err)
	}
	if len(tree.Files()) != 1 || len(tree.Refused()) != 1 || tree.Refused()[0].Fault.Reason != "entry-link" {
		t.Errorf("files %v, refused %v", paths(tree), tree.Refused())
	}
}

func TestWhatIsNotReadSaysWhy(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "folder")
	if err := os.Mkdir(empty, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, text, reason string }{
		{"nothing.json", "", "empty-file"},
		{"page.zip", "<!doctype html>", "not-a-zip"},
		{"a.gz", "\x1f\x8b\x08 and so on", "archive-kind"},
		{"a.7z", "7z\xbc\xaf\x27\x1c", "archive-kind"},
	} {
		_, err := openPath(t, write(t, filepath.Join(dir, c.name), c.text))
		wantReason(t, err, c.reason)
	}
	_, err := openPath(t, empty)
	wantReason(t, err, "empty-export")
	_, err = openPath(t, filepath.Join(dir, "absent.zip"))
	wantReason(t, err, "no-such-file")
	_, err = intake.Open(context.Background(), nil, intake.Options{})
	wantReason(t, err, "no-input")
}

// TestCase22EveryTruncationIsNoticed: no prefix of a zip reads as a smaller export.
func TestCase22EveryTruncationIsNoticed(t *testing.T) {
	whole := craft{entries: []entry{good, {name: "b.json", data: []byte("[1,2,3]"), method: 8}}}.bytes(t)
	for n := range whole {
		if _, err := open(t, whole[:n], intake.Limits{}); err == nil {
			t.Fatalf("the first %d of %d bytes opened", n, len(whole))
		}
	}
}

// TestPartsJoin: parts of one export are one tree; closing it closes all.
func TestPartsJoin(t *testing.T) {
	one := craft{entries: []entry{{name: "conversations.json", data: []byte("1")}}}.bytes(t)
	two := craft{entries: []entry{{name: "conversations.json", data: []byte("22")}, {name: "a", data: []byte("a")}}}.bytes(t)
	tree, err := intake.Open(context.Background(), []intake.Source{
		intake.FromReaderAt(`C:\Downloads\part-001.zip`, int64(len(one)), bytes.NewReader(one)),
		intake.FromReaderAt("part-002.zip", int64(len(two)), bytes.NewReader(two)),
	}, intake.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	found := tree.Match("conversations.json")
	if len(found) != 2 || found[0].Source != 0 || found[1].Source != 1 || tree.Name() != "part-001.zip (+1)" {
		t.Fatalf("found %v in %s", found, tree.Name())
	}
	data, err := tree.ReadAll(context.Background(), found[1], 10)
	if err != nil || string(data) != "22" {
		t.Errorf("second part: %q %v", data, err)
	}
	if tree.Size() != int64(len(one)+len(two)) {
		t.Errorf("size %d", tree.Size())
	}
}

// TestProgressCountsEachByteOnce: reading twice does not count twice, and a
// second pass starts again.
func TestProgressCountsEachByteOnce(t *testing.T) {
	body := bytes.Repeat([]byte("abcdefgh"), 1000)
	tree, err := open(t, craft{entries: []entry{{name: "a", data: body}}}.bytes(t), intake.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		read(t, tree, "a")
		if tree.Consumed() != int64(len(body)) {
			t.Errorf("consumed %d of %d", tree.Consumed(), len(body))
		}
	}
	tree.Rewind()
	if tree.Consumed() != 0 {
		t.Errorf("after Rewind: %d", tree.Consumed())
	}
}

func TestReadAllHasALimit(t *testing.T) {
	tree, err := open(t, craft{entries: []entry{{name: "a", data: make([]byte, 100)}}}.bytes(t), intake.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = tree.ReadAll(context.Background(), tree.Files()[0], 99)
	wantReason(t, err, "entry-too-large")
	if data, err := tree.ReadAll(context.Background(), tree.Files()[0], 100); err != nil || len(data) != 100 {
		t.Errorf("exactly the limit: %d, %v", len(data), err)
	}
	loose, err := openPath(t, write(t, filepath.Join(t.TempDir(), "one.txt"), strings.Repeat("word ", 500_000)))
	if err != nil {
		t.Fatal(err)
	}
	_, err = loose.ReadAll(context.Background(), loose.Files()[0], 2<<20)
	wantReason(t, err, "loose-too-large")
	if want := "one.txt is larger than 2 MiB, the most that is read of such a file."; fault.From(err).Message() != want {
		t.Errorf("%s", fault.From(err).Message())
	}
}

func TestReadingStopsWhenCancelled(t *testing.T) {
	tree, err := open(t, craft{entries: []entry{{name: "a", data: make([]byte, 1<<20)}}}.bytes(t), intake.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r, err := tree.Open(ctx, tree.Files()[0])
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Read(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := io.Copy(io.Discard, r); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancel: %v", err)
	}
}

// TestNested opens zips in zips two levels deep and no deeper, deflated ones
// through a scratch store that is given back at Close.
func TestNested(t *testing.T) {
	for _, method := range []uint16{0, 8} {
		z := craft{entries: []entry{good}}.bytes(t)
		for i := 3; i > 0; i-- {
			z = craft{entries: []entry{{name: fmt.Sprintf("level%d.zip", i), data: z, method: method}}}.bytes(t)
		}
		closed := 0
		tree, err := intake.Open(context.Background(), []intake.Source{intake.FromReaderAt("outer.zip", int64(len(z)), bytes.NewReader(z))},
			intake.Options{NewScratch: scratches(&closed)})
		if err != nil {
			t.Fatal(err)
		}
		level := tree
		for range 2 {
			if level, err = level.Nested(context.Background(), level.Files()[0]); err != nil {
				t.Fatal(err)
			}
		}
		_, err = level.Nested(context.Background(), level.Files()[0])
		wantReason(t, err, "zip-too-deep")
		read(t, level, "level3.zip")
		if c := tree.Consumed(); c <= 0 || c > tree.Size() {
			t.Errorf("consumed %d of %d", c, tree.Size())
		}
		if err := tree.Close(); err != nil || closed != int(method/8*2) {
			t.Errorf("closed %d scratch stores, %v", closed, err)
		}
	}
}

// TestNestedBombsCountTogether: what nested archives unfold to counts against
// the limit of the whole.
func TestNestedBombsCountTogether(t *testing.T) {
	inner := craft{entries: []entry{{name: "a", packed: make([]byte, 64<<10), method: 8, size: 15 << 20}}}.bytes(t)
	outer := craft{entries: []entry{{name: "i.zip", data: inner}, {name: "j.zip", data: inner}}}.bytes(t)
	tree, err := open(t, outer, intake.Limits{Total: 20 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tree.Nested(context.Background(), tree.Files()[0]); err != nil {
		t.Fatal(err)
	}
	_, err = tree.Nested(context.Background(), tree.Files()[1])
	wantReason(t, err, "unfolds-too-large")
}

// FuzzZip: whatever the bytes are, opening and reading end without a panic
// and never give more than declared.
func FuzzZip(f *testing.F) {
	for _, c := range wholes {
		f.Add(c.zip.bytes(f))
	}
	for _, c := range singles {
		f.Add(craft{entries: []entry{c.bad, good}}.bytes(f))
	}
	limits := intake.Limits{Total: 8 << 20, Entry: 4 << 20, Entries: 100}
	f.Fuzz(func(t *testing.T, zip []byte) {
		s := intake.FromReaderAt("fuzz.zip", int64(len(zip)), bytes.NewReader(zip))
		tree, err := intake.Open(context.Background(), []intake.Source{s}, intake.Options{Limits: limits})
		if err != nil {
			return
		}
		defer tree.Close()
		for _, file := range tree.Files() {
			if strings.Contains(file.Path, "..") && !isWithin(file.Path) || filepath.IsAbs(file.Path) {
				t.Fatalf("path %q", file.Path)
			}
			data, err := tree.ReadAll(context.Background(), file, 4<<20)
			if err == nil && int64(len(data)) != file.Size {
				t.Fatalf("%q: %d bytes, declared %d", file.Path, len(data), file.Size)
			}
		}
	})
}

// isWithin reports that no element of the path is "..".
func isWithin(p string) bool { return filepath.IsLocal(p) }
