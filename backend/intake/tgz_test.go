package intake_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"keepsake/backend/fault"
	"keepsake/backend/intake"
)

// tarFile is an entry of a tar made by hand.
type tarFile struct {
	tar.Header
	body string
}

func reg(name, body string) tarFile {
	return tarFile{tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o600, Size: int64(len(body))}, body}
}

func typed(name string, kind byte, link string) tarFile {
	return tarFile{tar.Header{Name: name, Typeflag: kind, Linkname: link}, ""}
}

// tarOf packs entries; end says whether the tar gets its end.
func tarOf(t testing.TB, end bool, files ...tarFile) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range files {
		if err := w.WriteHeader(&f.Header); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, f.body); err != nil {
			t.Fatal(err)
		}
	}
	err := w.Flush()
	if end {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func gzipped(t testing.TB, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(data)
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func openTGZ(t testing.TB, data []byte, l intake.Limits) (*intake.Tree, error) {
	t.Helper()
	closed := 0
	s := intake.FromReaderAt("takeout-001.tgz", int64(len(data)), bytes.NewReader(data))
	tree, err := intake.Open(context.Background(), []intake.Source{s}, intake.Options{Limits: l, NewScratch: scratches(&closed)})
	if err != nil && closed != 1 {
		t.Errorf("%d scratch stores given back after %v", closed, err)
	}
	if err == nil {
		t.Cleanup(func() {
			if err := tree.Close(); err != nil || closed != 1 {
				t.Errorf("%v, %d scratch stores given back", err, closed)
			}
		})
	}
	return tree, err
}

var fine = reg("Takeout/a.json", `["a"]`)

// spoiled changes the first header of a tar that has that entry alone, and puts
// its checksum right again.
func spoiled(t testing.TB, change func(header []byte)) []byte {
	data := tarOf(t, true, fine)
	change(data)
	sum := 0
	copy(data[148:156], "        ")
	for _, b := range data[:512] {
		sum += int(b)
	}
	copy(data[148:156], fmt.Sprintf("%06o\x00 ", sum))
	return data
}

// wholeTGZ is a packed tar of which nothing may be read, and the reason.
type wholeTGZ struct {
	name, reason string
	data         []byte
}

func wholeTGZs(t testing.TB) []wholeTGZ {
	whole := gzipped(t, tarOf(t, true, fine, reg("b", strings.Repeat("text ", 900))))
	noise := make([]byte, 3<<20)
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise)
	return []wholeTGZ{
		{"slip up", "zip-slip", gzipped(t, tarOf(t, true, fine, reg("../evil", "x")))},
		{"slip in the middle", "zip-slip", gzipped(t, tarOf(t, true, reg("a/../../evil", "x")))},
		{"absolute", "zip-slip", gzipped(t, tarOf(t, true, reg("/etc/passwd", "x")))},
		{"drive letter", "zip-slip", gzipped(t, tarOf(t, true, reg(`C:\evil`, "x")))},
		{"backslashes", "zip-slip", gzipped(t, tarOf(t, true, reg(`..\evil`, "x")))},
		{"folder outside", "zip-slip", gzipped(t, tarOf(t, true, fine, typed("../d/", tar.TypeDir, "")))},
		{"link outside", "zip-slip", gzipped(t, tarOf(t, true, fine, typed("../l", tar.TypeSymlink, "x")))},
		{"same name twice", "zip-duplicate", gzipped(t, tarOf(t, true, fine, fine))},
		{"same name in other case", "zip-duplicate", gzipped(t, tarOf(t, true, fine, reg("takeout/A.json", "x")))},
		{"same name behind ./", "zip-duplicate", gzipped(t, tarOf(t, true, fine, reg("./Takeout/a.json", "x")))},
		{"a link and a file of one name", "zip-duplicate", gzipped(t, tarOf(t, true, typed("Takeout/a.json", tar.TypeSymlink, "/etc/passwd"), fine))},
		{"bomb", "zip-bomb", gzipped(t, tarOf(t, true, reg("zeros", strings.Repeat("\x00", 8<<20))))},
		{"bomb behind an honest file", "zip-bomb", gzipped(t, tarOf(t, true, reg("noise", string(noise[:1000])), reg("zeros", strings.Repeat("\x00", 8<<20))))},
		{"bomb in the padding", "zip-bomb", gzipped(t, append(tarOf(t, true, fine), make([]byte, 8<<20)...))},
		{"more than all may", "unfolds-too-large", gzipped(t, tarOf(t, true, reg("a", string(noise)), reg("b", string(noise))))},
		{"more than one entry may", "entry-too-large", gzipped(t, tarOf(t, true, reg("a", string(noise)+string(noise[:2<<20]))))},
		{"declares more than is there", "entry-too-large", gzipped(t, spoiled(t, func(h []byte) { copy(h[124:], "77777777777") }))},
		{"declares a little more", "tgz-truncated", gzipped(t, spoiled(t, func(h []byte) { copy(h[124:], "00000004000") }))},
		{"negative size", "tgz-damaged", gzipped(t, spoiled(t, func(h []byte) { copy(h[124:], "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff") }))},
		{"two sizes", "zip-mismatch", gzipped(t, paxSize(t))},
		{"checksum of a header", "tgz-damaged", gzipped(t, append([]byte("X"), tarOf(t, true, fine)[1:]...))},
		{"another tar behind the end", "tgz-ambiguous", gzipped(t, append(tarOf(t, true, fine), tarOf(t, true, reg("evil", "x"))...))},
		{"another gzip behind the end", "tgz-ambiguous", append(gzipped(t, tarOf(t, true, fine)), gzipped(t, tarOf(t, true, reg("evil", "x")))...)},
		{"noise behind the gzip", "tgz-damaged", append(gzipped(t, tarOf(t, true, fine)), "noise and more noise"...)},
		{"cut off by one byte", "tgz-truncated", whole[:len(whole)-1]},
		{"cut off in the middle", "tgz-truncated", whole[:len(whole)/2]},
		{"cut off in the first header", "tgz-truncated", whole[:20]},
		{"cut off in the gzip's own", "tgz-truncated", whole[:5]},
		{"checksum of the gzip", "tgz-damaged", flipped(whole, len(whole)-6)},
		{"length of the gzip", "tgz-damaged", flipped(whole, len(whole)-1)},
		{"no gzip", "tgz-damaged", []byte("\x1f\x8b\x09 and so on and on")},
		{"no tar", "tgz-damaged", gzipped(t, []byte(strings.Repeat("this is no tar at all. ", 60)))},
		{"no entries", "empty-export", gzipped(t, tarOf(t, true))},
		{"only folders and junk", "empty-export", gzipped(t, tarOf(t, true, typed("d/", tar.TypeDir, ""), reg("._x", "x"), reg(".DS_Store", "y")))},
		{"only links", "entry-link", gzipped(t, tarOf(t, true, typed("l", tar.TypeSymlink, "/etc/passwd")))},
	}
}

// limitsOfTGZ makes both limits small enough for small archives to be over them.
func limitsOfTGZ(reason string) intake.Limits {
	if reason == "zip-bomb" {
		return intake.Limits{}
	}
	return intake.Limits{Entry: 4 << 20, Total: 5 << 20}
}

// TestHostileTGZ holds for packed tars what TestHostileArchives does for zips:
// nothing of them is read, in one sentence that names the archive.
func TestHostileTGZ(t *testing.T) {
	for _, c := range wholeTGZs(t) {
		t.Run(c.name, func(t *testing.T) {
			_, err := openTGZ(t, c.data, limitsOfTGZ(c.reason))
			wantReason(t, err, c.reason)
			if m := fault.From(err).Message(); !strings.Contains(m, "takeout-001.tgz") || strings.ContainsAny(m, "{}") {
				t.Errorf("sentence: %q", m)
			}
		})
	}
}

// paxSize is a tar whose extended header says another size than its header.
func paxSize(t testing.TB) []byte {
	record := "10 size=3\n"
	header := tarOf(t, false, tarFile{tar.Header{Name: "pax", Typeflag: tar.TypeReg, Size: int64(len(record))}, record})
	header[156] = 'x'
	sum := 0
	copy(header[148:156], "        ")
	for _, b := range header[:512] {
		sum += int(b)
	}
	copy(header[148:156], fmt.Sprintf("%06o\x00 ", sum))
	return append(header, tarOf(t, true, fine)...)
}

func flipped(data []byte, at int) []byte {
	data = bytes.Clone(data)
	data[at] ^= 0x55
	return data
}

// singleTGZ is an entry that is left out alone, and the reason.
type singleTGZ struct {
	name   string
	bad    tarFile
	reason string
}

func singleTGZs() []singleTGZ {
	return []singleTGZ{
		{"symlink", typed("l", tar.TypeSymlink, "/etc/passwd"), "entry-link"},
		{"hard link", typed("l", tar.TypeLink, "Takeout/a.json"), "entry-link"},
		{"named pipe", typed("p", tar.TypeFifo, ""), "entry-link"},
		{"device", typed("d", tar.TypeChar, ""), "entry-link"},
		{"direction", reg("a\u202Egnp.exe", "x"), "entry-name-hidden"},
		{"colon", reg("a/b:c", "x"), "entry-name-separator"},
		{"long", reg(strings.Repeat("n", 600), "x"), "entry-name-long"},
		{"not UTF-8", tarFile{tar.Header{Name: "a\xff", Typeflag: tar.TypeReg, Size: 1, Format: tar.FormatGNU}, "x"}, "entry-name-text"},
		{"line break", reg("a\nb", "x"), "entry-name-text"},
		{"no name", reg("./.", "x"), "entry-nameless"},
	}
}

// TestOneBadEntryOfATGZDoesNotStopTheRest holds that links, devices and names
// that cannot be shown are left out alone.
func TestOneBadEntryOfATGZDoesNotStopTheRest(t *testing.T) {
	for _, c := range singleTGZs() {
		tree, err := openTGZ(t, gzipped(t, tarOf(t, true, fine, c.bad, reg("Takeout/é.txt", "é"))), intake.Limits{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if len(tree.Refused()) != 1 || tree.Refused()[0].Fault.Reason != c.reason {
			t.Errorf("%s: refused %+v", c.name, tree.Refused())
		}
		if read(t, tree, "Takeout/a.json") != `["a"]` || read(t, tree, "Takeout/é.txt") != "é" || len(tree.Files()) != 2 {
			t.Errorf("%s: %v", c.name, paths(tree))
		}
	}
}

// TestTGZ reads an honest one: long names, several gzip members, no end, parts
// that are joined; progress counts packed bytes.
func TestTGZ(t *testing.T) {
	long := "Takeout/" + strings.Repeat("folder/", 30) + "file.json"
	body := make([]byte, 200<<10)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(body)
	files := []tarFile{fine, reg(long, "long"), reg("Takeout/big", string(body)), reg("Takeout/empty", "")}
	whole := tarOf(t, true, files...)
	for name, data := range map[string][]byte{
		"plain":   gzipped(t, whole),
		"members": append(gzipped(t, whole[:1000]), gzipped(t, whole[1000:])...),
		"no end":  gzipped(t, tarOf(t, false, files...)),
		"padded":  gzipped(t, append(whole, make([]byte, 10<<10)...)),
	} {
		tree, err := openTGZ(t, data, intake.Limits{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for range 2 {
			if read(t, tree, long) != "long" || read(t, tree, "Takeout/big") != string(body) || read(t, tree, "Takeout/empty") != "" {
				t.Errorf("%s: %v", name, paths(tree))
			}
			if done := tree.Consumed(); done < tree.Size()/2 || done > tree.Size() {
				t.Errorf("%s: %d of %d read", name, done, tree.Size())
			}
		}
	}
	if _, err := openTGZ(t, gzipped(t, whole), intake.Limits{Entries: 3}); fault.From(err) == nil || fault.From(err).Reason != "too-many-entries" {
		t.Errorf("four of three entries: %v", err)
	}
}

// TestTGZIsCancelled holds that unfolding ends when nobody waits for it.
func TestTGZIsCancelled(t *testing.T) {
	data, closed := gzipped(t, tarOf(t, true, fine)), 0
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := intake.FromReaderAt("a.tgz", int64(len(data)), bytes.NewReader(data))
	if _, err := intake.Open(ctx, []intake.Source{s}, intake.Options{NewScratch: scratches(&closed)}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// FuzzTGZ holds that no tar makes intake panic, lead outside, or give more bytes
// of a file than it declares.
func FuzzTGZ(f *testing.F) {
	f.Add(tarOf(f, true, fine, typed("l", tar.TypeSymlink, "x")))
	f.Add(paxSize(f))
	f.Add(spoiled(f, func(h []byte) { h[156] = 'S' }))
	f.Fuzz(func(t *testing.T, data []byte) {
		tree, err := openTGZ(t, gzipped(t, data), intake.Limits{Entry: 1 << 20, Total: 4 << 20})
		if err != nil {
			return
		}
		for _, file := range tree.Files() {
			if !isWithin(file.Path) {
				t.Fatalf("%q leads outside", file.Path)
			}
			got, err := tree.ReadAll(t.Context(), file, 1<<20)
			if err != nil || int64(len(got)) != file.Size {
				t.Fatalf("%q: %d of %d bytes, %v", file.Path, len(got), file.Size, err)
			}
		}
	})
}
