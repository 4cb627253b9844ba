package intake_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"keepsake/backend/fault"
	"keepsake/backend/intake"
)

var good = entry{name: "conversations.json", data: []byte(`[{"id":"c-1"}]`)}

func named(name string) craft {
	return craft{entries: []entry{good, {name: name, data: []byte("x")}}}
}

func at(offset int64) *int64 { return &offset }

// wholes are archives of which nothing may be read: the reason is the one
// sentence a person gets.
var wholes = []struct {
	name   string
	reason string
	zip    craft
}{
	{"slip up", "zip-slip", named("../evil.json")},
	{"slip in the middle", "zip-slip", named("a/../../evil.json")},
	{"slip with backslashes", "zip-slip", named(`..\..\evil.json`)},
	{"slip that stays inside", "zip-slip", named("a/../b.json")},
	{"absolute", "zip-slip", named("/etc/passwd")},
	{"absolute with backslash", "zip-slip", named(`\windows\system32`)},
	{"drive letter", "zip-slip", named(`C:\evil.json`)},
	{"drive letter, relative", "zip-slip", named("c:evil.json")},
	{"NUL in the name", "zip-slip", named("conversations.json\x00.png")},
	{"same name twice", "zip-duplicate", named("conversations.json")},
	{"same name in other case", "zip-duplicate", named("Conversations.JSON")},
	{"same name in other case, not ASCII", "zip-duplicate", craft{entries: []entry{{name: "stra\u00dfe-\u03c3", data: []byte("1")}, {name: "STRA\u00dfE-\u03c2", data: []byte("2")}}}},
	{"same name behind ./", "zip-duplicate", named("./conversations.json")},
	{"two headers, one body", "zip-overlap", craft{entries: []entry{good, {name: "again.json", localName: good.name, data: good.data, noLocal: true, offset: at(0)}}}},
	{"a body inside a body", "zip-overlap", quoted()},
	{"directory inside a body", "zip-damaged", craft{entries: []entry{{name: "a.json", data: []byte("x"), packed: bytes.Repeat([]byte("y"), 4), size: 4, offset: at(40)}}}},
	{"local name differs", "zip-mismatch", craft{entries: []entry{{name: "conversations.json", localName: "conversations.jsoN", data: []byte("[]")}}}},
	{"local name longer", "zip-mismatch", craft{entries: []entry{{name: "conversations.json", localName: "conversations.json.exe", data: []byte("[]")}}}},
	{"local size differs", "zip-mismatch", craft{entries: []entry{{name: "a.json", data: []byte("[]"), localSize: 900}}}},
	{"local flag says locked", "zip-mismatch", craft{entries: []entry{{name: "a.json", data: []byte("[]"), localFlag: 1}}}},
	{"declares 4 GiB in 1 KiB", "zip-bomb", craft{entries: []entry{{name: "a.json", packed: make([]byte, 1024), method: 8, size: 4<<30 - 1}}}},
	{"declares more than one entry may", "entry-too-large", craft{entries: []entry{{name: "a.json", packed: make([]byte, 1024), method: 8, size: 20 << 30, wide: true}}}},
	{"declares more than all may", "unfolds-too-large", craft{entries: manyLarge()}},
	{"no entries", "empty-export", craft{}},
	{"only junk", "empty-export", craft{entries: []entry{{name: "__MACOSX/._a", data: []byte("x")}, {name: ".DS_Store", data: []byte("x")}}}},
	{"only folders", "empty-export", craft{entries: []entry{{name: "a/", mode: 0o040755}, {name: "a/b/", mode: 0o040755}}}},
	{"cut off by one byte", "zip-truncated", craft{entries: []entry{good}, cut: 1}},
	{"cut off in the directory", "zip-truncated", craft{entries: []entry{good}, cut: 40}},
	{"cut off in the data", "zip-truncated", craft{entries: []entry{good}, cut: 90}},
	{"something after the end", "zip-truncated", craft{entries: []entry{good}, tail: []byte("more")}},
	{"comment with a whole end record", "zip-ambiguous", craft{entries: []entry{good}, comment: craft{}.end(0, 0, 0)}},
	{"comment with an end signature", "zip-ambiguous", craft{entries: []entry{good}, comment: []byte("note PK\x05\x06 note")}},
	{"zip64 record says otherwise", "zip-ambiguous", disagreeing()},
	{"zip64 locator leads away", "zip-damaged", craft{entries: []entry{good}, wide: true}.spoil(func(b []byte) { le.PutUint64(b[len(b)-22-20+8:], 1<<40) })},
	{"more entries than headers", "zip-damaged", craft{entries: []entry{good}, count: 1}},
	{"fewer entries than headers", "zip-damaged", craft{entries: []entry{good, {name: "b", data: []byte("x")}}, count: -1}},
	{"directory offset past the end", "zip-truncated", craft{entries: []entry{good}, dirGap: 4096}},
	{"entry offset into nowhere", "zip-damaged", craft{entries: []entry{{name: "a", data: []byte("x"), offset: at(1 << 30)}}}},
	{"entry offset between headers", "zip-damaged", craft{entries: []entry{{name: "a", data: []byte("xxxxxxxx"), offset: at(3)}}}},
	{"one disk of several", "zip-split", craft{entries: []entry{good}, disk: 2}},
	{"zip64 field too short", "zip-damaged", craft{entries: []entry{{name: "a", data: []byte("x"), size: 0xFFFFFFFF, extra: []byte{1, 0, 2, 0, 9, 9}}}}},
	{"packed length past the directory", "zip-damaged", craft{entries: []entry{good}}.spoil(func(b []byte) {
		le.PutUint32(b[18:], 5000)
		le.PutUint32(b[bytes.Index(b, []byte("PK\x01\x02"))+20:], 5000)
	})},
	{"every entry locked", "entry-encrypted", craft{entries: []entry{{name: "a.json", data: []byte("x"), flags: 1}}}},
}

// quoted nests a second file's header in the data of the first, as the bombs do.
func quoted() craft {
	inner := entry{name: "inner.json", data: []byte("inner")}
	inner.packed, inner.crc, inner.size, inner.localSize, inner.localName = inner.data, 0x1, 5, 5, inner.name
	body := append(inner.localHeader(), inner.packed...)
	outer := entry{name: "outer.json", data: body}
	inner.noLocal, inner.offset = true, at(int64(30+len(outer.name)))
	return craft{entries: []entry{outer, inner}}
}

func manyLarge() []entry {
	var all []entry
	for _, name := range strings.Split("a b c d e f g h i j", " ") {
		all = append(all, entry{name: name, packed: make([]byte, 64<<10), method: 8, size: 15 << 20})
	}
	return all
}

// spoil changes a zip after it was made. The result travels as the prefix of a
// craft without entries, whose own end record (22 bytes) is cut off again.
func (c craft) spoil(change func([]byte)) craft {
	b := c.bytes(new(testing.T))
	change(b)
	return craft{prefix: b, cut: 22}
}

func disagreeing() craft {
	return craft{entries: []entry{good}, wide: true}.spoil(func(b []byte) { le.PutUint16(b[len(b)-12:], 7) })
}

// limitsOf makes the total small enough for small archives to be over it.
func limitsOf(reason string) intake.Limits {
	if reason == "zip-bomb" || reason == "entry-too-large" {
		return intake.Limits{}
	}
	return intake.Limits{Total: 128 << 20}
}

// TestHostileArchives holds the promise that what cannot be trusted is refused
// before one byte of it is inflated, in one sentence that names the archive.
func TestHostileArchives(t *testing.T) {
	for _, c := range wholes {
		t.Run(c.name, func(t *testing.T) {
			_, err := open(t, c.zip.bytes(t), limitsOf(c.reason))
			wantReason(t, err, c.reason)
			if m := fault.From(err).Message(); !strings.Contains(m, "export.zip") || strings.ContainsAny(m, "{}\x00\u202e") {
				t.Errorf("sentence: %q", m)
			}
		})
	}
}

// single is an archive of a bad entry and a good one.
type single struct {
	name   string
	reason string
	bad    entry
}

// singles are archives where one entry is left out and the rest is read.
var singles = []single{
	{"symlink", "entry-link", entry{name: "link.json", data: []byte("/etc/passwd"), mode: 0o120777}},
	{"named pipe", "entry-link", entry{name: "pipe", data: []byte("x"), mode: 0o010644}},
	{"device", "entry-link", entry{name: "dev", data: []byte("x"), mode: 0o020644}},
	{"locked", "entry-encrypted", entry{name: "a.json", data: []byte("x"), flags: 1}},
	{"strongly locked", "entry-encrypted", entry{name: "a.json", data: []byte("x"), flags: 1 | 1<<6}},
	{"masked headers", "entry-encrypted", entry{name: "a.json", data: []byte("x"), flags: 1 << 13}},
	{"unknown method", "entry-method", entry{name: "a.json", data: []byte("x"), packed: []byte("x"), method: 99}},
	{"deflate64", "entry-method", entry{name: "a.json", data: []byte("x"), packed: []byte("x"), method: 9}},
	{"stored with another length", "entry-size", entry{name: "a.json", data: []byte("xyz"), size: 900}},
	{"right-to-left override", "entry-name-hidden", entry{name: "gnp.\u202ejson", data: []byte("x")}},
	{"zero-width space", "entry-name-hidden", entry{name: "conversations\u200b.json", data: []byte("x")}},
	{"byte order mark", "entry-name-hidden", entry{name: "\ufeffa.json", data: []byte("x")}},
	{"control character", "entry-name-text", entry{name: "a\x1b[31m.json", data: []byte("x")}},
	{"not UTF-8", "entry-name-text", entry{name: "caf\xe9.json", data: []byte("x")}},
	{"backslash", "entry-name-separator", entry{name: `a\b.json`, data: []byte("x")}},
	{"colon", "entry-name-separator", entry{name: "ab:stream", data: []byte("x")}},
	{"long name", "entry-name-long", entry{name: strings.Repeat("n", 513), data: []byte("x")}},
	{"65,000 bytes of name", "entry-name-long", entry{name: strings.Repeat("n/", 32500) + "n", data: []byte("x")}},
	{"nameless", "entry-nameless", entry{name: ".", data: []byte("x")}},
}

// TestOneBadEntryDoesNotStopTheRest holds that promise, and that the report
// can show the entry's name without its tricks.
func TestOneBadEntryDoesNotStopTheRest(t *testing.T) {
	for _, c := range singles {
		t.Run(c.name, func(t *testing.T) {
			tree, err := open(t, craft{entries: []entry{c.bad, good}}.bytes(t), intake.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			refused := tree.Refused()
			if len(refused) != 1 || refused[0].Fault.Reason != c.reason {
				t.Fatalf("refused %v, want %s", refused, c.reason)
			}
			if strings.ContainsAny(refused[0].Path+refused[0].Fault.Message(), "{}\x1b\u202e\u200b\ufeff") {
				t.Errorf("shown as %q: %q", refused[0].Path, refused[0].Fault.Message())
			}
			if len(tree.Files()) != 1 || read(t, tree, good.name) != string(good.data) {
				t.Errorf("the good entry was lost: %v", tree.Files())
			}
		})
	}
}

// lies are entries that only the reading shows to be other than they declare.
func lies() []single {
	return []single{
		{"wrong checksum, stored", "entry-damaged", entry{name: "a", data: []byte("abc"), crc: 7}},
		{"wrong checksum, deflated", "entry-damaged", entry{name: "a", data: []byte("abc"), crc: 7, method: 8}},
		{"a bomb that declares 100 bytes", "entry-longer", entry{name: "a", data: make([]byte, 64<<20), size: 100, method: 8}},
		{"declares more than there is", "entry-broken", entry{name: "a", data: []byte("abc"), size: 900, method: 8}},
		{"broken stream", "entry-broken", entry{name: "a", data: []byte("abc"), packed: []byte{0xff, 0xff, 0xff}, method: 8}},
		{"empty stream", "entry-broken", entry{name: "a", data: []byte("abc"), packed: []byte{}, method: 8}},
	}
}

// TestLiesAreFoundWhileReading holds that declared sizes and checksums are
// not believed: never one byte more than declared, never fewer in silence.
func TestLiesAreFoundWhileReading(t *testing.T) {
	for _, c := range lies() {
		t.Run(c.name, func(t *testing.T) {
			tree, err := open(t, craft{entries: []entry{c.bad, good}}.bytes(t), intake.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			f, _ := tree.File("a")
			r, err := tree.Open(context.Background(), f)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			n, err := io.Copy(io.Discard, r)
			wantReason(t, err, c.reason)
			if n > f.Size {
				t.Errorf("gave %d bytes of %d declared", n, f.Size)
			}
			if again, err2 := r.Read(make([]byte, 8)); again != 0 || !errors.Is(err2, err) {
				t.Errorf("after the error: %d bytes, %v", again, err2)
			}
		})
	}
}

// TestHonestOddities holds that real archives are read: a program in front,
// a comment, zip64 fields, streamed entries, 1980 dates, reserved names.
func TestHonestOddities(t *testing.T) {
	spaces := []byte("[" + strings.Repeat(" ", 3<<20) + "]")
	for name, z := range map[string]craft{
		"plain":           {entries: []entry{good}},
		"prefix":          {entries: []entry{good}, prefix: []byte("#!/bin/sh\n")},
		"comment":         {entries: []entry{good}, comment: []byte("made by a person")},
		"zip64":           {entries: []entry{{name: good.name, data: good.data, wide: true}}, wide: true},
		"streamed":        {entries: []entry{{name: good.name, data: good.data, flags: 8, method: 8}}},
		"local extra":     {entries: []entry{{name: good.name, data: good.data, local: make([]byte, 28)}}},
		"reserved names":  {entries: []entry{good, {name: "CON", data: []byte("x")}, {name: "aux.json", data: []byte("x")}}},
		"unlike names":    {entries: []entry{good, {name: "a/conversations.json", data: []byte("x")}}},
		"below one MiB":   {entries: []entry{good, {name: "blank", data: make([]byte, 1<<20), method: 8}}},
		"odd extra bytes": {entries: []entry{{name: good.name, data: good.data, extra: []byte{0, 0, 0}}}},
		"a folder entry":  {entries: []entry{{name: "a/", mode: 0o040755}, good}},
	} {
		t.Run(name, func(t *testing.T) {
			tree, err := open(t, z.bytes(t), intake.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if got := read(t, tree, good.name); got != string(good.data) {
				t.Errorf("read %q", got)
			}
		})
	}
	if _, err := open(t, craft{entries: []entry{{name: "a", data: spaces, method: 8}}}.bytes(t), intake.Limits{Ratio: 5000}); err != nil {
		t.Error(err)
	}
}

// TestRatioIsCountedAgainstPackedBytes: 3 MiB of spaces pack 1,000:1.
func TestRatioIsCountedAgainstPackedBytes(t *testing.T) {
	z := craft{entries: []entry{{name: "a.json", data: bytes.Repeat([]byte(" "), 3<<20), method: 8}}}
	_, err := open(t, z.bytes(t), intake.Limits{})
	wantReason(t, err, "zip-bomb")
}

func TestTooManyEntries(t *testing.T) {
	var z craft
	for i := range 12 {
		z.entries = append(z.entries, entry{name: strings.Repeat("n", i+1)})
	}
	_, err := open(t, z.bytes(t), intake.Limits{Entries: 11})
	wantReason(t, err, "too-many-entries")
	if _, err := open(t, z.bytes(t), intake.Limits{Entries: 12}); err != nil {
		t.Errorf("exactly the limit: %v", err)
	}
}

func open(t *testing.T, zip []byte, l intake.Limits) (*intake.Tree, error) {
	t.Helper()
	s := intake.FromReaderAt("export.zip", int64(len(zip)), bytes.NewReader(zip))
	tree, err := intake.Open(context.Background(), []intake.Source{s}, intake.Options{Limits: l})
	if err == nil {
		t.Cleanup(func() {
			if err := tree.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	return tree, err
}

func read(t *testing.T, tree *intake.Tree, path string) string {
	t.Helper()
	f, ok := tree.File(path)
	if !ok {
		t.Fatalf("no %s in %v", path, tree.Files())
	}
	data, err := tree.ReadAll(context.Background(), f, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func wantReason(t *testing.T, err error, reason string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %s", reason)
	}
	if f := fault.From(err); f.Reason != reason {
		t.Fatalf("reason %s (%v), want %s", f.Reason, err, reason)
	}
}
