package core

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"strings"

	"github.com/google/uuid"

	"keepsake/backend/memory"
)

// rowsVersion begins every row. Rows of another version are made again from
// their records.
const rowsVersion = 8

// rowWriter writes the fields of a row one after the other: numbers as varints,
// texts with their length in front (docs/vault-format.md §6).
type rowWriter []byte

func (w *rowWriter) uint(n uint64)      { *w = binary.AppendUvarint(*w, n) }
func (w *rowWriter) int(n int64)        { *w = binary.AppendVarint(*w, n) }
func (w *rowWriter) float(f float64)    { *w = binary.BigEndian.AppendUint64(*w, math.Float64bits(f)) }
func (w *rowWriter) text(s string)      { w.uint(uint64(len(s))); *w = append(*w, s...) }
func (w *rowWriter) time(t memory.Time) { w.int(int64(microOf(t))) }

func (w *rowWriter) texts(all []string) {
	w.uint(uint64(len(all)))
	for _, s := range all {
		w.text(s)
	}
}

// How an id is written: nothing, a UUID as its 16 bytes, the one it is likely
// to be, or a text with its length in front.
const (
	idNone = iota
	idUUID
	idLike
	idText
)

// asUUID reads a UUID in the one spelling that is written again. The one of zeros
// is none: it stands for ids that nobody has.
func asUUID(s string) (u uuid.UUID, ok bool) {
	const digits, hyphens = "0123456789abcdef", "00000000-0000-0000-0000-000000000000"
	if len(s) != len(hyphens) {
		return u, false
	}
	at := 0
	for i := range len(s) {
		if hyphens[i] == '-' {
			if s[i] != '-' {
				return u, false
			}
			continue
		}
		digit := strings.IndexByte(digits, s[i])
		if digit < 0 {
			return u, false
		}
		u[at/2] = u[at/2]<<4 | byte(digit)
		at++
	}
	return u, u != uuid.Nil
}

// id writes an id; like is one that the reader knows already.
func (w *rowWriter) id(s, like string) {
	if s == "" {
		w.uint(idNone)
		return
	}
	if s == like {
		w.uint(idLike)
		return
	}
	if u, ok := asUUID(s); ok {
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

// rowReader reads them back. All texts of a row share its memory. A row that is
// cut or of another version is bad, and reads as zeros.
type rowReader struct {
	rest string
	ids  *idTexts
	bad  bool
}

// idTexts are the ids of some rows as texts, in one piece of memory.
type idTexts struct{ all strings.Builder }

// idsFor has room for those of so many rows.
func idsFor(rows int) *idTexts {
	const perRow = 3 // its own, and two more as a rule
	t := &idTexts{}
	t.all.Grow(rows * perRow * uuidText)
	return t
}

const uuidText = 36 // bytes of a UUID as a text

func (t *idTexts) add(u uuid.UUID) string {
	var text [uuidText]byte
	hex.Encode(text[:8], u[:4])
	hex.Encode(text[9:13], u[4:6])
	hex.Encode(text[14:18], u[6:8])
	hex.Encode(text[19:23], u[8:10])
	hex.Encode(text[24:], u[10:])
	text[8], text[13], text[18], text[23] = '-', '-', '-', '-'
	from := t.all.Len()
	t.all.Write(text[:])
	return t.all.String()[from:]
}

func newRowReader(text string, ids *idTexts) rowReader {
	r := rowReader{rest: text, ids: ids}
	if r.uint() != rowsVersion {
		r.fail()
	}
	return r
}

func (r *rowReader) fail() { r.rest, r.bad = "", true }

func (r *rowReader) uint() (n uint64) {
	for shift := 0; shift < 64 && shift/7 < len(r.rest); shift += 7 {
		b := r.rest[shift/7]
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			r.rest = r.rest[shift/7+1:]
			return n
		}
	}
	r.fail()
	return 0
}

func (r *rowReader) int() int64 {
	n := r.uint()
	return int64(n>>1) ^ -int64(n&1)
}

func (r *rowReader) take(n int) string {
	if n < 0 || n > len(r.rest) {
		r.fail()
		return ""
	}
	s := r.rest[:n]
	r.rest = r.rest[n:]
	return s
}

func (r *rowReader) text() string { return r.take(int(r.uint())) }

func (r *rowReader) float() float64 {
	s := r.take(8)
	if s == "" {
		return 0
	}
	var n uint64
	for i := range 8 {
		n = n<<8 | uint64(s[i])
	}
	return math.Float64frombits(n)
}

func (r *rowReader) texts() []string {
	n := r.uint()
	if n == 0 || n > uint64(len(r.rest)) {
		return nil
	}
	all := make([]string, n)
	for i := range all {
		all[i] = r.text()
	}
	return all
}

func (r *rowReader) id(like string) string {
	switch r.uint() {
	case idNone:
		return ""
	case idUUID:
		var u uuid.UUID
		if copy(u[:], r.take(len(u))) == len(u) {
			return r.ids.add(u)
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

func (r *rowReader) idList(like string) []string {
	n := r.uint()
	if n == 0 || n > uint64(len(r.rest)) {
		return nil
	}
	all := make([]string, n)
	for i := range all {
		all[i] = r.id(like)
	}
	return all
}

func (r *rowReader) time() memory.Time { return timeOf(micro(r.int())) }

// flags reads what the writer's flags wrote.
func (r *rowReader) flags(into ...*bool) {
	bits := r.uint()
	for i, flag := range into {
		*flag = bits&(1<<i) != 0
	}
}
