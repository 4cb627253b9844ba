package intake_test

import (
	"io"
	"testing"

	"keepsake/backend/intake"
)

// Cases of what people hand over; docs/cases.md lists them all.

// apart is a file of some bytes far from each other, and zeros between.
type apart struct {
	size   int64
	pieces map[int64][]byte
}

func (a apart) ReadAt(p []byte, off int64) (int, error) {
	n := int(min(int64(len(p)), a.size-off))
	clear(p[:max(n, 0)])
	for at, piece := range a.pieces {
		if from := max(at, off); from < min(at+int64(len(piece)), off+int64(n)) {
			copy(p[from-off:n], piece[from-at:])
		}
	}
	if n < len(p) {
		return max(n, 0), io.EOF
	}
	return n, nil
}

// sixGiB is a zip with a film of 6 GiB before the conversations, written to a
// stream: every number of it stands in zip64 fields.
func sixGiB(t testing.TB) apart {
	const film = 6 << 30
	first := entry{name: "film.mp4", size: film, localSize: huge, crc: 1}.filled(t)
	first.extra, first.size, first.packed = nil, film, nil
	head := first.localHeader()
	le.PutUint32(head[18:], huge)
	start := int64(len(head)) + film
	second := good.filled(t)
	body := append(second.localHeader(), second.packed...)
	dir := append(wideCentral(first, film, 0), wideCentral(second, int64(len(second.packed)), start)...)
	at := start + int64(len(body))
	tail := append(dir, craft{entries: make([]entry, 2), wide: true}.end(at, int64(len(dir)), at+int64(len(dir)))...)
	return apart{at + int64(len(tail)), map[int64][]byte{0: head, start: body, at: tail}}
}

func wideCentral(e entry, packed, at int64) []byte {
	e.extra = wideField(uint64(e.size), uint64(packed), uint64(at))
	h := e.centralHeader(0)
	for _, i := range []int{20, 24, 42} {
		le.PutUint32(h[i:], huge)
	}
	return h
}

// TestCase22SixGiBCutAndStreamed: zip64 beyond 4 GiB, entries whose sizes follow
// their data, and a download that broke off.
func TestCase22SixGiBCutAndStreamed(t *testing.T) {
	film := sixGiB(t)
	openAt := func(size int64) (*intake.Tree, error) {
		return intake.Open(t.Context(), []intake.Source{intake.FromReaderAt("export.zip", size, apart{size, film.pieces})}, intake.Options{})
	}
	tree, err := openAt(film.size)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	if f, _ := tree.File("film.mp4"); f.Size != 6<<30 || read(t, tree, good.name) != string(good.data) {
		t.Errorf("film of %d bytes", f.Size)
	}
	for _, left := range []int64{film.size - 1, film.size - 200, 5 << 30, 4<<30 + 1, 1 << 20} {
		_, err := openAt(left)
		wantReason(t, err, "zip-truncated")
	}
	streamed := craft{entries: []entry{{name: good.name, data: good.data, flags: 8, method: 8}}}
	tree, err = open(t, streamed.bytes(t), intake.Limits{})
	if err != nil || read(t, tree, good.name) != string(good.data) {
		t.Errorf("streamed: %v", err)
	}
}

// TestCase23NamesLinksAndJunk: what leads outside refuses the archive, a link is
// left out, and what a system adds is not there at all.
func TestCase23NamesLinksAndJunk(t *testing.T) {
	for _, name := range []string{"../evil.json", "a/../../evil.json", "/etc/passwd", `C:\evil.json`, `..\evil.json`, `\\server\share`} {
		_, err := open(t, named(name).bytes(t), intake.Limits{})
		wantReason(t, err, "zip-slip")
	}
	junk := []entry{good, {name: "link", data: []byte("/etc"), mode: 0o120777}}
	for _, name := range []string{"__MACOSX/._conversations.json", ".DS_Store", "a/.DS_Store", "._x", "Thumbs.db", "desktop.ini"} {
		junk = append(junk, entry{name: name, data: []byte("x")})
	}
	tree, err := open(t, craft{entries: junk}.bytes(t), intake.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if len(tree.Files()) != 1 || len(tree.Refused()) != 1 || tree.Refused()[0].Fault.Reason != "entry-link" {
		t.Errorf("files %v, refused %v", paths(tree), tree.Refused())
	}
}
