package intake_test

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"keepsake/backend/fault"
	"keepsake/backend/intake"
)

// hostile is a file made to harm or to mislead, and what becomes of it:
// "refused", "left out" (an entry; the rest is read) or "breaks" (while it is
// read), each with its reason, or "read".
type hostile struct {
	Name, File string
	Limits     intake.Limits
	Fate       string
	data       []byte
}

// corpus are all hostile files of this room, each made here and labelled.
func corpus(t testing.TB) []hostile {
	var all []hostile
	for _, c := range wholes {
		all = append(all, hostile{c.name, "export.zip", limitsOf(c.reason), "refused " + c.reason, c.zip.bytes(t)})
	}
	for _, c := range singles {
		all = append(all, hostile{c.name, "export.zip", intake.Limits{}, "left out " + c.reason, craft{entries: []entry{c.bad, good}}.bytes(t)})
	}
	for _, c := range lies() {
		all = append(all, hostile{c.name, "export.zip", intake.Limits{}, "breaks " + c.reason, craft{entries: []entry{c.bad, good}}.bytes(t)})
	}
	for _, c := range wholeTGZs(t) {
		all = append(all, hostile{c.name, "takeout.tgz", limitsOfTGZ(c.reason), "refused " + c.reason, c.data})
	}
	for _, c := range singleTGZs() {
		all = append(all, hostile{c.name, "takeout.tgz", intake.Limits{}, "left out " + c.reason, gzipped(t, tarOf(t, true, fine, c.bad))})
	}
	for _, more := range [][]hostile{bombs(t), sizeLies(t), headerLies(t), oddNames(t), joints(t), tarLies(t), otherKinds(t), packedFiles(t)} {
		all = append(all, more...)
	}
	return all
}

func zipped(t testing.TB, name, fate string, c craft) hostile {
	return hostile{name, "export.zip", intake.Limits{}, fate, c.bytes(t)}
}

func packed(t testing.TB, name, fate string, tar []byte) hostile {
	return hostile{name, "takeout.tgz", intake.Limits{}, fate, gzipped(t, tar)}
}

// noise does not pack at all.
func noise(size int) []byte {
	data := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{2}).Read(data)
	return data
}

// dense packs about 150:1, which is within the ratio: noise, then zeros.
func dense(size int) []byte { return append(noise(size/200), make([]byte, size-size/200)...) }

// bombs unfold to more than anybody has, by the ways that are known.
func bombs(t testing.TB) []hostile {
	kernel := entry{name: "0.json", data: dense(8 << 20), method: 8}
	kernel = kernel.filled(t)
	shared := []entry{kernel}
	for i := range 6000 { // 48 GB in one body
		again := kernel
		again.name, again.localName, again.noLocal, again.offset = fmt.Sprintf("%d.json", i+1), kernel.name, true, at(0)
		shared = append(shared, again)
	}
	zeros := entry{data: make([]byte, 1<<20), method: 8}
	zeros = zeros.filled(t)
	var many, empty []entry
	for i := range 4000 { // 4 GB in 4 MB, each entry below what the ratio looks at
		zeros.name, zeros.localName = fmt.Sprintf("%d.json", i), ""
		many = append(many, zeros)
	}
	for i := range intake.DefaultLimits().Entries + 1 {
		empty = append(empty, entry{name: fmt.Sprint(i)})
	}
	inner := craft{entries: []entry{{name: "zeros", data: make([]byte, 16<<20), method: 8}}}.bytes(t)
	for i := range 5 { // as 42.zip, of which only the outermost is opened
		inner = craft{entries: []entry{{name: fmt.Sprintf("a%d.zip", i), data: inner}, {name: fmt.Sprintf("b%d.zip", i), data: inner}}}.bytes(t)
	}
	hole := func(size string) []byte {
		return rawPAX(t, tarFile{tar.Header{Name: "hole", Typeflag: tar.TypeReg, Size: 4, PAXRecords: map[string]string{
			"GNU.sparse.major": "0", "GNU.sparse.minor": "1", "GNU.sparse.name": "hole", "GNU.sparse.size": size, "GNU.sparse.numblocks": "1", "GNU.sparse.map": "0,4"}}, "data"})
	}
	return []hostile{
		zipped(t, "6,000 headers of one body", "refused zip-overlap", craft{entries: shared}),
		zipped(t, "4,000 entries of a MiB that pack a thousand to one", "refused zip-bomb", craft{entries: many}),
		zipped(t, "64 MiB of zeros, declared", "refused zip-bomb", craft{entries: []entry{{name: "a.json", data: make([]byte, 64<<20), method: 8}}}),
		zipped(t, "more entries than any export", "refused too-many-entries", craft{entries: empty, count: 0xFFFF - len(empty), wide: true}.counting(t, uint64(len(empty)))),
		{"zips in zips, five deep", "export.zip", intake.Limits{}, "read", inner},
		packed(t, "64 MiB of zeros in a tar", "refused zip-bomb", tarOf(t, true, reg("zeros", string(make([]byte, 64<<20))))),
		packed(t, "64 MiB of zeros below a link", "refused zip-bomb", append(tarOf(t, false, typed("l", tar.TypeSymlink, "/dev/zero")), make([]byte, 64<<20)...)),
		packed(t, "a hole of a TiB", "refused entry-too-large", hole("1099511627776")),
		packed(t, "a hole of 8 GiB", "refused entry-link", hole("8589934592")),
		packed(t, "gzip in gzip", "refused tgz-truncated", gzipped(t, gzipped(t, tarOf(t, true, fine)))),
	}
}

// counting corrects the number of entries in the zip64 record, which a craft of
// more than 65,535 cannot say in the other.
func (c craft) counting(t testing.TB, n uint64) craft {
	b := c.bytes(t)
	rec := bytes.LastIndex(b, []byte("PK\x06\x06"))
	le.PutUint64(b[rec+24:], n)
	le.PutUint64(b[rec+32:], n)
	return craft{prefix: b, cut: 22}
}

// rawPAX writes a file with extended records that archive/tar would not write:
// the header of the records, then that of the file.
func rawPAX(t testing.TB, f tarFile) []byte {
	var records strings.Builder
	for name, value := range f.PAXRecords {
		records.WriteString(paxRecord(name, value))
	}
	f.PAXRecords, f.Format = nil, tar.FormatUSTAR
	return append(paxHeader(t, 'x', records.String()), tarOf(t, true, f)...)
}

// paxRecord begins with its own length, the digits of that included.
func paxRecord(name, value string) string {
	rest := " " + name + "=" + value + "\n"
	digits := 1
	for len(fmt.Sprint(len(rest)+digits)) != digits {
		digits++
	}
	return fmt.Sprint(len(rest)+digits) + rest
}

// paxHeader is an extended header ('x') or one for all that follow ('g').
func paxHeader(t testing.TB, kind byte, records string) []byte {
	data := tarOf(t, false, reg("records", records))
	data[156] = kind
	return resealed(data)
}

// resealed puts the checksum of the first header right.
func resealed(data []byte) []byte {
	sum := 0
	copy(data[148:156], "        ")
	for _, b := range data[:512] {
		sum += int(b)
	}
	copy(data[148:156], fmt.Sprintf("%06o\x00 ", sum))
	return data
}

// wideField is a zip64 field of those numbers.
func wideField(numbers ...uint64) []byte {
	field := make([]byte, 4, 4+8*len(numbers))
	le.PutUint16(field, 1)
	le.PutUint16(field[2:], uint16(8*len(numbers)))
	for _, n := range numbers {
		field = binary.LittleEndian.AppendUint64(field, n)
	}
	return field
}

const huge = 0xFFFFFFFF // stands where a zip64 field says the number

// sizeLies say in one place or another that something is larger or smaller.
func sizeLies(t testing.TB) []hostile {
	declared := func(name, fate string, size int64, field []byte) hostile {
		return zipped(t, name, fate, craft{entries: []entry{{name: "a.json", data: []byte("[]"), size: size, localSize: huge, extra: field}, good}})
	}
	record := func(name, fate string, change func(rec []byte)) hostile {
		return zipped(t, name, fate, craft{entries: []entry{good}, wide: true}.spoil(func(b []byte) { change(b[bytes.LastIndex(b, []byte("PK\x06\x06")):]) }))
	}
	end := func(name, fate string, change func(end []byte)) hostile {
		return zipped(t, name, fate, craft{entries: []entry{good}}.spoil(func(b []byte) { change(b[len(b)-22:]) }))
	}
	return []hostile{
		declared("size of 2^63 in a zip64 field", "refused zip-damaged", huge, wideField(1<<63)),
		declared("size of 2^62 in a zip64 field", "refused zip-damaged", huge, wideField(1<<62)),
		declared("size of 15 GiB in two bytes", "refused zip-bomb", huge, wideField(15<<30)),
		declared("zip64 field without its number", "refused zip-damaged", huge, wideField()),
		declared("zip64 field that is not there", "refused zip-bomb", huge, nil),
		declared("zip64 field nobody asked for", "left out entry-size", 3, wideField(77)),
		record("zip64 record of 2^63 entries", "refused zip-ambiguous", func(r []byte) { le.PutUint64(r[32:], 1<<63) }),
		record("zip64 directory of 2^62 bytes", "refused zip-ambiguous", func(r []byte) { le.PutUint64(r[40:], 1<<62) }),
		record("zip64 directory that starts at 2^62", "refused zip-truncated", func(r []byte) { le.PutUint64(r[48:], 1<<62) }),
		record("zip64 record longer than it is", "refused zip-damaged", func(r []byte) { le.PutUint64(r[4:], 1<<40) }),
		record("zip64 record without its mark", "refused zip-damaged", func(r []byte) { r[0] = 'X' }),
		end("65,535 entries and no zip64", "refused zip-damaged", func(e []byte) { le.PutUint16(e[8:], 0xFFFF); le.PutUint16(e[10:], 0xFFFF) }),
		end("directory of 4 GiB", "refused zip-truncated", func(e []byte) { le.PutUint32(e[12:], huge) }),
		end("directory that starts at 4 GiB", "refused zip-truncated", func(e []byte) { le.PutUint32(e[16:], huge) }),
		end("directory of no bytes", "refused zip-damaged", func(e []byte) { le.PutUint32(e[12:], 0) }),
		end("comment longer than the file", "refused zip-truncated", func(e []byte) { le.PutUint16(e[20:], 9) }),
		end("disk of a split zip that it is not", "refused zip-split", func(e []byte) { le.PutUint16(e[6:], 3) }),
	}
}

// headerLies are archives whose two headers of an entry differ, or one of them
// says what is not so.
func headerLies(t testing.TB) []hostile {
	local := func(name, fate string, change func(local []byte)) hostile {
		return zipped(t, name, fate, craft{entries: []entry{good}}.spoil(change))
	}
	central := func(name, fate string, change func(header []byte)) hostile {
		return zipped(t, name, fate, craft{entries: []entry{good}}.spoil(func(b []byte) { change(b[bytes.Index(b, []byte("PK\x01\x02")):]) }))
	}
	streamed := entry{name: "a.json", data: []byte("[]"), flags: 8, method: 8}
	lying := append(deflate(t, streamed.data), "PK\x07\x08\x01\x02\x03\x04\xff\xff\xff\xff\xff\xff\xff\xff"...)
	return []hostile{
		local("local checksum differs", "refused zip-mismatch", func(b []byte) { b[14] ^= 1 }),
		local("local packed size differs", "refused zip-mismatch", func(b []byte) { b[18] ^= 1 }),
		local("local method differs", "refused zip-mismatch", func(b []byte) { b[8] = 8 }),
		local("local name is shorter", "refused zip-mismatch", func(b []byte) { b[26]-- }),
		local("local extra field past the end", "refused zip-damaged", func(b []byte) { le.PutUint16(b[28:], 60000) }),
		local("local header without its mark", "read", func(b []byte) { b[0] = 'X' }).refused("zip-damaged", "export.zip"),
		central("central name past the directory", "refused zip-damaged", func(h []byte) { le.PutUint16(h[28:], 60000) }),
		central("central note past the directory", "refused zip-damaged", func(h []byte) { le.PutUint16(h[32:], 60000) }),
		central("central header without its mark", "refused zip-damaged", func(h []byte) { h[0] = 'X' }),
		central("needs a version that nobody has", "read", func(h []byte) { le.PutUint16(h[6:], 65535) }),
		zipped(t, "locked by AES", "refused entry-encrypted", craft{entries: []entry{{name: "a.json", data: []byte("[]"), flags: 1, method: 99, packed: []byte("x")}}}),
		zipped(t, "a set-user-id file", "read", craft{entries: []entry{{name: "a.json", data: []byte("[]"), mode: 0o104755}}}),
		zipped(t, "a folder that is a link", "read", craft{entries: []entry{good, {name: "a/", data: []byte("/etc"), mode: 0o120777}}}),
		zipped(t, "descriptor that says otherwise", "read", craft{entries: []entry{good, {name: streamed.name, data: streamed.data, packed: lying, method: 8, flags: 8}}}),
		zipped(t, "descriptor in the local header alone", "read", craft{entries: []entry{{name: "a.json", data: []byte("[]"), localFlag: 8}}}),
		zipped(t, "a body after the end of its stream", "read", craft{entries: []entry{{name: "a.json", data: []byte("[]"), packed: append(deflate(t, []byte("[]")), "hidden"...), method: 8}}}),
		zipped(t, "a stream without an end", "breaks entry-broken", craft{entries: []entry{{name: "a.json", data: []byte("[1,2]"), packed: deflate(t, []byte("[1,2]"))[:3], method: 8}}}),
		zipped(t, "text called deflated", "breaks entry-broken", craft{entries: []entry{{name: "a.json", data: []byte("[1,2,3]"), packed: []byte("[1,2,3]"), method: 8}}}),
	}
}

// refused is h with another fate.
func (h hostile) refused(reason, file string) hostile {
	h.Fate, h.File = "refused "+reason, file
	return h
}

// oddNames lead outside, or look like what they are not.
func oddNames(t testing.TB) []hostile {
	var all []hostile
	for name, fate := range map[string]string{
		"//server/share/a": "refused zip-slip", `\\?\C:\a`: "refused zip-slip", "C:": "refused zip-slip", "/": "refused zip-slip", "..": "refused zip-slip",
		"a/..": "refused zip-slip", "../": "refused zip-slip", `a\..\..\b`: "refused zip-slip", "z:/a": "refused zip-slip", "a/../../../../../../etc/cron.d/b": "refused zip-slip",
		"file:///etc/passwd": "left out entry-name-separator", "a.json:Zone.Identifier": "left out entry-name-separator",
		"\xc0\xae\xc0\xae/evil": "left out entry-name-text", "a\r\nb": "left out entry-name-text", "a\x7fb": "left out entry-name-text", "\xff\xfea\x00": "refused zip-slip",
		"a\u2066b\u2069.json": "left out entry-name-hidden", "a\u200d.json": "left out entry-name-hidden",
		"....//evil": "read", "..%2f..%2fevil": "read", "\uff0e\uff0e/evil": "read", "~root/.ssh/id": "read", "NUL": "read", "com1.json": "read", "a.json.": "read", "a.json ": "read", "$(reboot)": "read",
		"<script>.json": "read", strings.Repeat("d/", 200) + "a": "read",
	} {
		all = append(all, zipped(t, fmt.Sprintf("a name as %.40q", name), fate, craft{entries: []entry{good, {name: name, data: []byte("x")}}}))
	}
	return append(all,
		zipped(t, "a name twice through //", "refused zip-duplicate", craft{entries: []entry{{name: "a/b", data: []byte("1")}, {name: "a//b", data: []byte("2")}}}),
		zipped(t, "a name twice through /./", "refused zip-duplicate", craft{entries: []entry{{name: "a/b", data: []byte("1")}, {name: "a/./b", data: []byte("2")}}}),
		zipped(t, "a name twice through the Kelvin sign", "refused zip-duplicate", craft{entries: []entry{{name: "k", data: []byte("1")}, {name: "\u212a", data: []byte("2")}}}),
		zipped(t, "a file and a folder of one name", "refused zip-duplicate", craft{entries: []entry{{name: "a", data: []byte("1")}, {name: "a/", mode: 0o040755}}}),
		zipped(t, "accents in two forms", "read", craft{entries: []entry{{name: "\u00e9", data: []byte("1")}, {name: "e\u0301", data: []byte("2")}}}),
	)
}

// joints are archives with something before, behind or between.
func joints(t testing.TB) []hostile {
	one, other := craft{entries: []entry{good}}.bytes(t), craft{entries: []entry{{name: "evil.json", data: []byte("[]")}}}.bytes(t)
	hidden := entry{name: "hidden.json", data: []byte("{}")}.filled(t)
	body := append(hidden.localHeader(), hidden.packed...)
	shifted := good
	shifted.offset = at(int64(len(body)))
	between := craft{prefix: body, entries: []entry{shifted}}
	h := []hostile{
		{"a zip behind a zip", "export.zip", intake.Limits{}, "refused zip-ambiguous", append(bytes.Clone(one), other...)},
		{"the same zip twice", "export.zip", intake.Limits{}, "refused zip-ambiguous", append(bytes.Clone(one), one...)},
		{"a picture in front", "export.zip", intake.Limits{}, "read", append([]byte("\x89PNG\r\n\x1a\nand so on"), one...)},
		{"a page in front", "export.zip", intake.Limits{}, "read", append([]byte("<!doctype html><script>alert(1)</script>"), one...)},
		{"zeros behind", "export.zip", intake.Limits{}, "refused zip-truncated", append(bytes.Clone(one), make([]byte, 512)...)},
		{"100 KB of noise behind", "export.zip", intake.Limits{}, "refused zip-truncated", append(bytes.Clone(one), noise(100<<10)...)},
		zipped(t, "an entry that no directory lists", "read", craft{entries: []entry{good}}.spoilPrefix(between, t)),
	}
	for n := range 10 { // torn by a download that broke off
		h = append(h, hostile{fmt.Sprintf("torn after %d of 10 parts", n+1), "export.zip", intake.Limits{}, "refused zip-truncated", one[:len(one)*(n+1)/11]})
	}
	return h
}

// spoilPrefix is between, whose offsets count from the beginning of the file.
func (c craft) spoilPrefix(between craft, t testing.TB) craft {
	b := between.bytes(t)
	end := b[len(b)-22:]
	le.PutUint32(end[16:], le.Uint32(end[16:])+uint32(len(between.prefix)))
	return craft{prefix: b, cut: 22}
}

// tarLies are packed tars that say what is not so.
func tarLies(t testing.TB) []hostile {
	x := func(name, fate, records string) hostile {
		return packed(t, name, fate, append(paxHeader(t, 'x', records), tarOf(t, true, fine)...))
	}
	header := func(name, fate string, change func(h []byte)) hostile {
		return packed(t, name, fate, spoiled(t, change))
	}
	long := func(name string) []byte {
		data := tarOf(t, false, reg("././@LongLink", name+"\x00"))
		data[156] = 'L'
		return append(resealed(data), tarOf(t, true, fine)...)
	}
	return []hostile{
		x("extended path that leads up", "refused zip-slip", paxRecord("path", "../evil")),
		x("extended path from the root", "refused zip-slip", paxRecord("path", "/etc/passwd")),
		x("extended path with a NUL", "refused tgz-damaged", paxRecord("path", "a\x00b")),
		x("extended size that is negative", "refused tgz-damaged", paxRecord("size", "-5")),
		x("extended size of 2^62", "refused entry-too-large", paxRecord("size", "4611686018427387904")),
		x("extended record that is too long", "refused tgz-damaged", "99999 path=a\n"),
		x("extended record without a length", "refused tgz-damaged", "path=a\n"),
		x("extended record of a number without end", "refused tgz-damaged", strings.Repeat("9", 500)+" path=a\n"),
		x("extended records of a MiB and more", "refused tgz-damaged", paxRecord("comment", fmt.Sprintf("%x", dense(200 << 20)[:1<<20]))),
		packed(t, "extended header for all that leads up", "refused zip-slip", append(paxHeader(t, 'g', paxRecord("path", "../evil")), tarOf(t, true, fine)...)),
		packed(t, "long name that leads up", "refused zip-slip", long("../../evil")),
		packed(t, "long name of 2 MiB", "refused tgz-damaged", long(fmt.Sprintf("%x", dense(200 << 20)[:1<<20]))),
		packed(t, "hard link outside", "left out entry-link", tarOf(t, true, fine, typed("l", tar.TypeLink, "../../etc/passwd"))),
		packed(t, "hard link to itself", "left out entry-link", tarOf(t, true, fine, typed("l", tar.TypeLink, "l"))),
		packed(t, "link, then a file below it", "left out entry-link", tarOf(t, true, fine, typed("d", tar.TypeSymlink, "/etc"), reg("d/passwd", "x"))),
		packed(t, "block device", "left out entry-link", tarOf(t, true, fine, typed("b", tar.TypeBlock, ""))),
		header("a kind that nobody knows", "refused entry-link", func(h []byte) { h[156] = 'Q' }),
		header("a sparse file of the old kind", "refused tgz-damaged", func(h []byte) { h[156] = 'S'; copy(h[257:], "ustar  \x00"); copy(h[386:], "xxxxxxxxxxxx") }),
		header("size in a form of 2^60", "refused entry-too-large", func(h []byte) { copy(h[124:], "\x80\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00") }),
		header("size that is no number", "refused tgz-damaged", func(h []byte) { copy(h[124:], "99999999999") }),
		header("a header without a name", "refused entry-nameless", func(h []byte) { clear(h[:100]) }),
		packed(t, "a tgz in a tgz", "read", tarOf(t, true, reg("inner.tgz", string(gzipped(t, tarOf(t, true, fine)))))),
		packed(t, "line ends changed on the way", "refused tgz-damaged", bytes.ReplaceAll(tarOf(t, true, reg("a", "one\ntwo\n"), fine), []byte("\n"), []byte("\r\n"))),
	}
}

// otherKinds are files that are called a zip and are none, or are archives that
// Keepsake does not open.
func otherKinds(t testing.TB) []hostile {
	all := []hostile{
		{"a page called a zip", "export.zip", intake.Limits{}, "refused not-a-zip", []byte("<!doctype html><p>Sign in to download")},
		{"JSON called a zip", "export.zip", intake.Limits{}, "refused not-a-zip", []byte(`[{"mapping":{}}]`)},
		{"a page called a tgz", "takeout.tgz", intake.Limits{}, "refused tgz-damaged", []byte("<!doctype html><p>Sign in to download")},
		{"one byte of a tgz", "takeout.tar.gz", intake.Limits{}, "refused tgz-truncated", []byte("\x1f")},
		{"nothing called a zip", "export.zip", intake.Limits{}, "refused empty-file", nil},
		{"two letters called a zip", "export.zip", intake.Limits{}, "refused not-a-zip", []byte("PK")},
		{"the mark of a zip alone", "export.zip", intake.Limits{}, "refused zip-truncated", []byte("PK\x03\x04")},
		{"gzip of one file", "export.json.gz", intake.Limits{}, "refused archive-kind", gzipped(t, []byte("[]"))},
	}
	for kind, magic := range map[string]string{"7-Zip": "7z\xbc\xaf\x27\x1c", "RAR": "Rar!\x1a\x07", "bzip2": "BZh9", "xz": "\xfd7zXZ\x00", "zstd": "\x28\xb5\x2f\xfd"} {
		all = append(all, hostile{"an archive of " + kind, "export.zip", intake.Limits{}, "refused archive-kind", []byte(magic + "and so on")})
	}
	return all
}

// packedFiles are files of lines that zstd packed, as it does not.
func packedFiles(t testing.TB) []hostile {
	x := func(name, fate string, data []byte) hostile {
		return hostile{name, "a.jsonl.zst", intake.Limits{}, fate, data}
	}
	fine := zst(t, strings.Repeat("{}\n", 100_000), zstd.WithEncoderCRC(true))
	wrong := bytes.Clone(fine)
	wrong[len(wrong)-1]++
	frame := func(descriptor string) []byte { return []byte("\x28\xb5\x2f\xfd" + descriptor + "\x01\x00\x00") }
	return []hostile{
		x("64 MiB of zeros, packed by zstd", "refused zst-bomb", zst(t, string(make([]byte, 64<<20)))),
		x("a window of 64 MiB", "refused zst-window", frame("\x00\x80")),
		x("a window of 3 TiB", "refused zst-window", frame("\x00\xff")),
		x("one frame of an EiB, declared", "refused zst-window", frame("\xe0\x00\x00\x00\x00\x00\x00\x00\x10")),
		x("a dictionary that nobody has", "refused zst-damaged", frame("\x01\x00\x07")),
		x("a wrong checksum behind all of it", "breaks zst-damaged", wrong),
		x("something behind the frame", "breaks zst-damaged", append(bytes.Clone(fine), "and so on"...)),
		x("the mark of zstd alone", "refused zst-truncated", fine[:4]),
		x("cut off by one byte", "breaks zst-truncated", fine[:len(fine)-1]),
		{"zstd in a zip, a bomb", "export.zip", intake.Limits{}, "left out zst-bomb", craft{entries: []entry{good, {name: "a.jsonl.zst", data: zst(t, string(make([]byte, 64<<20)))}}}.bytes(t)},
		{"zstd, more than one entry may", "a.jsonl.zst", intake.Limits{Entry: 1 << 20}, "refused loose-too-large", zst(t, string(noise(64<<10))+string(make([]byte, 2<<20)))},
		{"zstd, more than all may", "a.jsonl.zst", intake.Limits{Total: 1 << 20}, "refused unfolds-too-large", zst(t, string(noise(64<<10))+string(make([]byte, 2<<20)))},
	}
}

// fateOf opens a file and reads every byte of it that intake gives.
func fateOf(ctx context.Context, path string, limits intake.Limits, scratch string) (string, error) {
	source, err := intake.FromPath(path)
	if err != nil {
		return "", err
	}
	tree, err := intake.Open(ctx, []intake.Source{source}, intake.Options{Limits: limits, NewScratch: func() (intake.Scratch, error) {
		f, err := os.CreateTemp(scratch, "scratch")
		return f, err
	}})
	if err != nil {
		return "refused " + fault.From(err).Reason, nil
	}
	defer tree.Close()
	fate := "read"
	if refused := tree.Refused(); len(refused) > 0 {
		fate = "left out " + refused[0].Fault.Reason
	}
	for _, f := range tree.Files() {
		r, err := tree.Open(ctx, f)
		if err != nil {
			return "breaks " + fault.From(err).Reason, nil
		}
		n, err := io.Copy(io.Discard, r)
		closed := r.Close()
		switch {
		case err != nil:
			return "breaks " + fault.From(err).Reason, nil
		case closed != nil:
			return "", closed
		case n != f.Size:
			return "", fmt.Errorf("%s: %d bytes of %d", f.Path, n, f.Size)
		}
	}
	return fate, nil
}

// plant writes the corpus into a folder with a list of it, for another process.
func plant(t *testing.T, dir string, all []hostile) {
	for i, h := range all {
		place := filepath.Join(dir, fmt.Sprint(i))
		if err := os.Mkdir(place, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(place, h.File), h.data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "list.json"), list, 0o600); err != nil {
		t.Fatal(err)
	}
}
