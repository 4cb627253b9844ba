package rows

import (
	"encoding/binary"
	"math"
	"strings"

	"github.com/google/uuid"

	"keepsake/backend/memory"
)

// rowsVersion is the version of the row encoding, the first field of every row. Rows of
// another version are rebuilt from their records (see Load).
const rowsVersion = 11

// rowWriter writes the fields of a row one after the other: numbers as varints,
// texts with their length in front (docs/vault-format.md §6).
type rowWriter []byte

func (w *rowWriter) uint(n uint64)      { *w = binary.AppendUvarint(*w, n) }
func (w *rowWriter) int(n int64)        { *w = binary.AppendVarint(*w, n) }
func (w *rowWriter) float(f float64)    { *w = binary.BigEndian.AppendUint64(*w, math.Float64bits(f)) }
func (w *rowWriter) text(s string)      { w.uint(uint64(len(s))); *w = append(*w, s...) }
func (w *rowWriter) time(t memory.Time) { w.int(int64(MicroOf(t))) }

func (w *rowWriter) texts(all []string) {
	w.uint(uint64(len(all)))
	for _, s := range all {
		w.text(s)
	}
}

// How an id is written: no id, a UUID as its 16 bytes, a reference to an id that the
// reader knows already, or a text with its length in front.
const (
	idNone = iota
	idUUID
	idLike
	idText
)

// AsUUID parses a UUID in lowercase form with hyphens, the only form that is written. The
// zero UUID is refused: a PackedID uses it for an unknown id.
func AsUUID(s string) (u uuid.UUID, ok bool) {
	const length = 36 // only a UUID with hyphens is this long; uuid.Parse also accepts other forms
	if len(s) != length || strings.ToLower(s) != s {
		return u, false
	}
	u, err := uuid.Parse(s)
	return u, err == nil && u != uuid.Nil
}

// id writes the id s. like is an id that the reader has at hand when it reads s: if both
// are equal, only a marker is written.
func (w *rowWriter) id(s, like string) {
	if s == "" {
		w.uint(idNone)
		return
	}
	if s == like {
		w.uint(idLike)
		return
	}
	if u, ok := AsUUID(s); ok {
		w.uint(idUUID)
		*w = append(*w, u[:]...)
		return
	}
	w.uint(idText)
	w.text(s)
}

func (w *rowWriter) ids(all []string, like string) {
	w.uint(uint64(len(all)))
	for _, s := range all {
		w.id(s, like)
	}
}

func (w *rowWriter) flags(all ...bool) {
	var bits uint64
	for i, set := range all {
		if set {
			bits |= 1 << i
		}
	}
	w.uint(bits)
}

// rowReader reads the fields that a rowWriter wrote. If a row is truncated or of
// another version, bad is set and the rest reads as zeros. The strings that it
// returns are copies and do not keep the row's buffer in memory.
type rowReader struct {
	rest  []byte
	texts *Texts
	bad   bool
}

// Texts is a cache of strings and parts of rows (rowSort, rowRest), for rows that are read
// one after another. Values that many of these rows have are allocated once.
type Texts struct {
	words map[string]string
	sorts map[string]*rowSort // key: the encoded fields
	plain *rowRest            // shared by all rows whose rowRest is empty

	numbers map[string]Word        // text → cached result of number
	number  func(text string) Word // numbers a text, see Interner; nil if no field of the rows is a Word

	// Values of the previous row, which the next row is likely to have, too.
	recent struct {
		uuid uuid.UUID
		text string
	}
	sort struct {
		is      *rowSort // nil at first
		written []byte
	}
	origin struct {
		is      *rowOrigin // nil at first
		written []byte     // encoded form of is, without its field Conversation
	}
}

// mostWords limits each map that dedups texts, because unique tags would make it grow.
const mostWords = 4096

// NewTexts returns an empty cache.
func NewTexts() *Texts {
	return &Texts{words: map[string]string{}, sorts: map[string]*rowSort{}, plain: &rowRest{}, numbers: map[string]Word{}}
}

// word returns text as a string. Use it for texts that many rows have: equal texts share
// one string.
func (t *Texts) word(text []byte) string {
	if len(text) == 0 {
		return ""
	}
	if known, ok := t.words[string(text)]; ok {
		return known
	}
	word := string(text)
	if len(t.words) < mostWords {
		t.words[word] = word
	}
	return word
}

// shared returns u as a string. If the previous row had the same u, its string is
// reused.
func (t *Texts) shared(u uuid.UUID) string {
	if u != t.recent.uuid || t.recent.text == "" {
		t.recent.uuid, t.recent.text = u, u.String()
	}
	return t.recent.text
}

// numberOf returns the Word (number) of a text that many rows share, cached if possible.
func (t *Texts) numberOf(text string) Word {
	if text == "" {
		return 0
	}
	if known, ok := t.numbers[text]; ok {
		return known
	}
	n := t.number(text)
	if len(t.numbers) < mostWords {
		t.numbers[text] = n
	}
	return n
}

func (t *Texts) rest(tags []string, supersededBy string, further []string) *rowRest {
	if len(tags) == 0 && supersededBy == "" && len(further) == 0 {
		return t.plain
	}
	return &rowRest{tags, supersededBy, further}
}

func newRowReader(text []byte, texts *Texts) rowReader {
	r := rowReader{rest: text, texts: texts}
	if r.uint() != rowsVersion {
		r.fail()
	}
	return r
}

func (r *rowReader) fail() { r.rest, r.bad = nil, true }

func (r *rowReader) uint() uint64 {
	if len(r.rest) > 0 && r.rest[0] < 0x80 { // most numbers take one byte
		n := r.rest[0]
		r.rest = r.rest[1:]
		return uint64(n)
	}
	return r.long()
}

func (r *rowReader) long() uint64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		r.fail()
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

func (r *rowReader) int() int64 {
	n := r.uint()
	return int64(n>>1) ^ -int64(n&1)
}

// take returns the next n bytes as a slice of the row's buffer, not as a copy.
func (r *rowReader) take(n uint64) []byte {
	if n > uint64(len(r.rest)) {
		r.fail()
		return nil
	}
	s := r.rest[:n]
	r.rest = r.rest[n:]
	return s
}

// bytes returns the next text as a slice of the row's buffer, not as a copy.
func (r *rowReader) bytes() []byte { return r.take(r.uint()) }

func (r *rowReader) text() string { return string(r.bytes()) }

func (r *rowReader) word() string { return r.texts.word(r.bytes()) }

// number reads the next text and returns its Word (number, see Interner). It allocates
// nothing if the text is in the cache.
func (r *rowReader) number() Word {
	text := r.bytes()
	if known, ok := r.texts.numbers[string(text)]; ok {
		return known
	}
	return r.texts.numberOf(string(text))
}

func (r *rowReader) float() float64 {
	s := r.take(8)
	if s == nil {
		return 0
	}
	return math.Float64frombits(binary.BigEndian.Uint64(s))
}

// length reads the length of a list. Each element takes at least one byte, so a
// length above the number of bytes left is an error.
func (r *rowReader) length() uint64 {
	n := r.uint()
	if n > uint64(len(r.rest)) {
		r.fail()
		return 0
	}
	return n
}

func (r *rowReader) wordList() []string {
	n := r.length()
	if n == 0 {
		return nil
	}
	all := make([]string, n)
	for i := range all {
		all[i] = r.word()
	}
	return all
}

func (r *rowReader) id(like string) string { return r.idOf(like, false) }

// sharedID reads an id that many rows have, such as that of an import. It reuses the
// string if the last shared id was the same.
func (r *rowReader) sharedID() string { return r.idOf("", true) }

func (r *rowReader) idOf(like string, shared bool) string {
	switch r.uint() {
	case idNone:
		return ""
	case idUUID:
		var u uuid.UUID
		switch copied := copy(u[:], r.take(uint64(len(u)))); {
		case copied < len(u): // truncated; take has set bad already
		case shared:
			return r.texts.shared(u)
		default:
			return u.String()
		}
	case idLike:
		if like != "" {
			return like
		}
	case idText:
		if s := r.text(); s != "" {
			return s
		}
	}
	r.fail()
	return ""
}

// packedID reads an id and packs it: a UUID as its bytes, another id as a Word (number).
func (r *rowReader) packedID() PackedID {
	if len(r.rest) > len(uuid.Nil) && r.rest[0] == idUUID {
		if u := uuid.UUID(r.rest[1 : 1+len(uuid.Nil)]); u != uuid.Nil {
			r.rest = r.rest[1+len(u):]
			return PackedID{uuid: u}
		}
	}
	return pack(r.id(""), r.texts.numberOf)
}

// passID skips an id.
func (r *rowReader) passID() {
	if len(r.rest) > len(uuid.Nil) && r.rest[0] == idUUID {
		r.rest = r.rest[1+len(uuid.Nil):]
		return
	}
	r.id("")
}

func (r *rowReader) idList(like string) []string {
	n := r.length()
	if n == 0 {
		return nil
	}
	all := make([]string, n)
	for i := range all {
		all[i] = r.id(like)
	}
	return all
}

func (r *rowReader) time() memory.Time { return TimeOf(Micro(r.int())) }

// flags reads bools that rowWriter.flags wrote.
func (r *rowReader) flags(into ...*bool) {
	bits := r.uint()
	for i, flag := range into {
		*flag = bits&(1<<i) != 0
	}
}
