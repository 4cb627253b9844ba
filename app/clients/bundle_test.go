package clients

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// manifestOf reads the manifest of a bundle, whose other files have to be there as well.
func manifestOf(t *testing.T, text []byte) (m manifest) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	f, err := z.Open("manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := json.NewDecoder(f).Decode(&m); err != nil {
		t.Fatal(err)
	}
	entry, err := z.Open(m.Server.EntryPoint)
	if err != nil {
		t.Fatalf("the beginning %q is not in the bundle: %v", m.Server.EntryPoint, err)
	}
	defer entry.Close()
	if said, err := io.ReadAll(entry); err != nil || len(said) == 0 {
		t.Errorf("the beginning holds %d bytes: %v", len(said), err)
	}
	return m
}

// Promise: the bundle of this computer starts the program that its settings would.
func TestTheBundleOfThisComputer(t *testing.T) {
	b, err := BundleHere("1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), BundleName)
	if err := b.Save(path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := client(t, "claude-desktop").EntryHere("")
	if err != nil {
		t.Fatal(err)
	}
	m := manifestOf(t, text)
	if !want.starts(Entry{m.Server.Config.Command, m.Server.Config.Args}.table("")) || len(m.Server.Config.Overrides) > 0 || m.Version != "1.2.3" {
		t.Errorf("%+v, want %+v", m, want)
	}
}

// Promise: the bundle of a release names a program for each system that has packages, each time
// with the same bytes.
func TestTheBundleOfARelease(t *testing.T) {
	var once, twice bytes.Buffer
	for _, out := range []*bytes.Buffer{&once, &twice} {
		if err := InstalledBundle("1.2.3").write(out); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(once.Bytes(), twice.Bytes()) {
		t.Error("the same bundle has other bytes")
	}
	m := manifestOf(t, once.Bytes())
	for _, name := range []string{"linux", "darwin", "win32"} {
		if c := m.Server.Config.Overrides[name]; c.Command == "" || len(c.Args) != 3 || c.Args[2] != bundled {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if len(m.Compatibility.Platforms) != 3 {
		t.Errorf("it is for %v", m.Compatibility.Platforms)
	}
}

// Promise: saving to a path that cannot be written is an error.
func TestABundleThatCannotBeSaved(t *testing.T) {
	if err := InstalledBundle("1").Save(filepath.Join(t.TempDir(), "missing", BundleName)); err == nil {
		t.Error("it was saved into a folder that is not there")
	}
}
