package importertest

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keepsake/backend/importer"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/intake"
)

// Fixture is one export as a person hands it over.
type Fixture struct {
	Name  string
	Files []gen.File // each a zip or a loose file
	// Format is what Sniff must call it; "" is not looked at.
	Format string
	// Conversations is how many elements of the files are conversations; each
	// must be given, known already, or left out for a reason. 0 is not looked at.
	Conversations int
	// Others is how many other things are given as conversations (projects).
	Others int
	// Records is how many records the files hold: messages, thoughts, explicit
	// memories, and rows that are neither. Each must be given, or left out for a
	// reason, or be counted as an unknown record ("record:…", "line:…"). 0 is not looked at.
	Records int
	// Rows says that conversations are put together from rows of a table, so that
	// a cut file gives the beginning or the end of one.
	Rows bool
	// Packed says that zips lie inside zips, which a folder does not show.
	Packed bool
	// Unread are base names of files that the reader never looks into, or that
	// have no end of their own, so that it cannot notice that one of them is cut.
	Unread []string
	// Golden compares all that is read with testdata/golden/<name>.json.
	Golden bool
	// Forms are those of textForms, and "doubled", in which this export reads otherwise,
	// with the reason.
	Forms map[string]string
	// Cut says what a file that is cut looks like: CutJSON is always noticed.
	Cut Cut
}

// Cut is what can be told of a file whose end is missing.
type Cut int

const (
	CutJSON  Cut = iota // it breaks off, and that is noticed
	CutLines            // one record a line: between two lines nothing shows, and a conversation is the beginning of the whole one
	CutLog              // the same, of records that replace earlier ones: what was read is an earlier state
	CutText             // nothing shows, and one statement may be cut itself
)

// Tree opens the fixture as it was handed over.
func (f Fixture) Tree(t testing.TB) *intake.Tree {
	t.Helper()
	tree, err := f.Open()
	if err != nil {
		t.Fatalf("open %s: %v", f.Name, err)
	}
	t.Cleanup(func() { _ = tree.Close() })
	return tree
}

// Open is Tree where the fixture may be one that cannot be opened.
func (f Fixture) Open() (*intake.Tree, error) {
	var sources []intake.Source
	for _, f := range f.Files {
		sources = append(sources, intake.FromReaderAt(f.Name, int64(len(f.Data)), bytes.NewReader(f.Data)))
	}
	return intake.Open(context.Background(), sources, intake.Options{NewScratch: newScratch})
}

// Folder is the fixture unpacked into a folder, each zip in one of its own
// where there are several.
func (f Fixture) Folder(t testing.TB) *intake.Tree {
	t.Helper()
	dir := t.TempDir()
	for _, file := range f.Files {
		entries := []gen.File{file}
		below := dir
		if isZip(file) {
			entries = gen.Unzip(file.Data)
			if len(f.Files) > 1 {
				below = filepath.Join(dir, strings.TrimSuffix(file.Name, ".zip"))
			}
		}
		writeFiles(t, below, entries)
	}
	source, err := intake.FromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := intake.Open(t.Context(), []intake.Source{source}, intake.Options{NewScratch: newScratch})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tree.Close() })
	return tree
}

// writeFiles writes files into a folder, and returns where they are.
func writeFiles(t testing.TB, dir string, files []gen.File) (paths []string) {
	t.Helper()
	for _, f := range files {
		place := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(place), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(place, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, place)
	}
	return paths
}

func isZip(f gen.File) bool { return bytes.HasPrefix(f.Data, []byte("PK")) }

// Unpack lists the entries of a zip.
func Unpack(_ testing.TB, data []byte) []gen.File { return gen.Unzip(data) }

// scratch keeps a nested zip in memory.
type scratch struct{ bytes.Buffer }

func newScratch() (intake.Scratch, error) { return &scratch{}, nil }

func (s *scratch) ReadAt(p []byte, off int64) (int, error) {
	return bytes.NewReader(s.Bytes()).ReadAt(p, off)
}
func (s *scratch) Close() error { return nil }

// Loose is a fixture of one JSON text.
func Loose(name, text string) Fixture {
	return Fixture{Name: name, Files: []gen.File{{Name: name, Data: []byte(text)}}}
}

// Read reads a tree whole; an error fails the test.
func Read(t testing.TB, im importer.Importer, tree *intake.Tree) *Recording {
	t.Helper()
	r := &Recording{}
	if err := im.Read(t.Context(), tree, r.Sink()); err != nil {
		t.Fatalf("read %s: %v", tree.Name(), err)
	}
	return r
}
