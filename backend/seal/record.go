package seal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// MaxRecord is the largest plaintext of one record, in bytes.
const MaxRecord = 16 << 20

const recordFormat = 1

// recordHead is format u8 | key_version u32 | revision u64 | created_at i64 | locator [16].
const recordHead = 1 + 4 + 8 + 8 + locatorSize

const locatorSize = 16

// innerHead is len(id) u16 | len(plain) u32, in front of what is sealed.
const innerHead = 2 + 4

// Locator is a keyed hash that stands for an id on disk.
type Locator [locatorSize]byte

// Record names a stored value: where it belongs, and which version of it.
type Record struct {
	Collection uint16
	Seq        uint64 // the key it is stored under; 0 where that is the locator
	Locator    Locator
	KeyVersion uint32
	Revision   uint64
	Created    int64 // ms since 1970; never changes
}

// Sealer seals and opens records. It keeps scratch space and is for one
// goroutine; a vault makes one a transaction or worker.
type Sealer struct {
	keys   *Keys
	index  *mac
	data   map[uint32]*mac
	inner  []byte
	aad    []byte
	labels []byte
}

// Sealer returns a new one.
func (k *Keys) Sealer() *Sealer {
	s := &Sealer{keys: k, data: map[uint32]*mac{}}
	guarded(func() {
		index := k.purpose(forIDIndex)
		defer clear(index)
		s.index = newMAC(index)
	})
	return s
}

// Locate hashes a name of a collection. Kind keeps the uses apart: 'r' for
// records, 'l' for links, 'b' for buckets.
func (s *Sealer) Locate(kind byte, collection uint16, name string) (l Locator) {
	s.labels = append(s.labels[:0], kind)
	s.labels = binary.BigEndian.AppendUint16(s.labels, collection)
	s.labels = append(s.labels, name...)
	copy(l[:], s.index.of(s.labels)[:])
	return l
}

// maxID is how long an id may be, in bytes: its length stands in two bytes.
const maxID = 1<<16 - 1

// CheckSize is TooLarge record-too-large for more bytes than one record holds.
func CheckSize(n int) error {
	if n > MaxRecord {
		return errTooLarge(n)
	}
	return nil
}

// Seal returns the value to store for r: its head in the clear, and id and
// plain padded and sealed under r's own key.
func (s *Sealer) Seal(r Record, id string, plain []byte) ([]byte, error) {
	if err := CheckSize(len(id) + len(plain)); err != nil {
		return nil, err
	}
	if len(id) > maxID {
		return nil, errIDTooLong(len(id))
	}
	key, err := s.recordKey(r)
	if err != nil {
		return nil, err
	}
	defer clear(key[:])
	s.fill(id, plain)
	value := make([]byte, 0, recordHead+Overhead+len(s.inner))
	value, err = s.keys.cipher.sealOnto(appendHead(value, r), key[:], s.inner, s.aadOf(r))
	if err != nil {
		return nil, fmt.Errorf("seal record: %w", err)
	}
	return value, nil
}

func (s *Sealer) fill(id string, plain []byte) {
	size := padded(innerHead + len(id) + len(plain))
	s.inner = binary.BigEndian.AppendUint16(slices.Grow(s.inner[:0], size), uint16(len(id)))
	s.inner = binary.BigEndian.AppendUint32(s.inner, uint32(len(plain)))
	s.inner = append(append(s.inner, id...), plain...)
	for len(s.inner)+len(zeros) < size {
		s.inner = append(s.inner, zeros[:]...)
	}
	s.inner = append(s.inner, zeros[:size-len(s.inner)]...)
}

var zeros [512]byte

// Open authenticates a stored value against the place it was found in and
// returns what Seal was given.
func (s *Sealer) Open(collection uint16, seq uint64, value []byte) (r Record, id string, plain []byte, err error) {
	return s.OpenInto(nil, collection, seq, value)
}

// OpenInto is Open into the memory of dst, where that is large enough; plain is
// a part of it.
func (s *Sealer) OpenInto(dst []byte, collection uint16, seq uint64, value []byte) (r Record, id string, plain []byte, err error) {
	r, err = ParseRecord(collection, seq, value)
	if err != nil {
		return r, "", nil, err
	}
	key, err := s.recordKey(r)
	if err != nil {
		return r, "", nil, err
	}
	defer clear(key[:])
	inner, err := s.keys.cipher.openInto(dst, key[:], value[recordHead:], s.aadOf(r))
	if err != nil {
		return r, "", nil, errRecordDamaged(fmt.Errorf("open record: %w", err))
	}
	id, plain, err = unfill(inner)
	return r, id, plain, err
}

// Reseal opens a stored value and seals the same bytes under another key
// version. Everything else of it stays: what was promised of its revision still
// holds.
func (s *Sealer) Reseal(collection uint16, seq uint64, value []byte, version uint32) (Record, []byte, error) {
	r, err := ParseRecord(collection, seq, value)
	if err != nil {
		return r, nil, err
	}
	key, err := s.recordKey(r)
	if err != nil {
		return r, nil, err
	}
	inner, err := s.keys.cipher.openInto(nil, key[:], value[recordHead:], s.aadOf(r))
	if err != nil {
		return r, nil, errRecordDamaged(fmt.Errorf("open record: %w", err))
	}
	defer clear(inner)
	r.KeyVersion = version
	if key, err = s.recordKey(r); err != nil {
		return r, nil, err
	}
	out := make([]byte, 0, recordHead+Overhead+len(inner))
	if out, err = s.keys.cipher.sealOnto(appendHead(out, r), key[:], inner, s.aadOf(r)); err != nil {
		return r, nil, fmt.Errorf("seal record: %w", err)
	}
	return r, out, nil
}

func unfill(inner []byte) (id string, plain []byte, err error) {
	if len(inner) < innerHead {
		return "", nil, errRecordDamaged(errors.New("open record: too short"))
	}
	n, m := int(binary.BigEndian.Uint16(inner)), int(binary.BigEndian.Uint32(inner[2:]))
	if n+m > len(inner)-innerHead {
		return "", nil, errRecordDamaged(errors.New("open record: lengths do not fit"))
	}
	body := inner[innerHead:]
	return string(body[:n]), body[n : n+m : n+m], nil
}

func appendHead(dst []byte, r Record) []byte {
	dst = append(dst, recordFormat)
	dst = binary.BigEndian.AppendUint32(dst, r.KeyVersion)
	dst = binary.BigEndian.AppendUint64(dst, r.Revision)
	dst = binary.BigEndian.AppendUint64(dst, uint64(r.Created))
	return append(dst, r.Locator[:]...)
}

// ParseRecord reads the head of a stored value. Nothing in it is authenticated
// until Open has succeeded.
func ParseRecord(collection uint16, seq uint64, value []byte) (Record, error) {
	if len(value) < recordHead+Overhead || value[0] != recordFormat {
		return Record{}, errRecordDamaged(errors.New("read record: not as written"))
	}
	r := Record{
		Collection: collection,
		Seq:        seq,
		KeyVersion: binary.BigEndian.Uint32(value[1:]),
		Revision:   binary.BigEndian.Uint64(value[5:]),
		Created:    int64(binary.BigEndian.Uint64(value[13:])),
	}
	copy(r.Locator[:], value[21:])
	return r, nil
}

// recordKey is HKDF-Expand(data key, "rec" | collection | locator) to one
// block, so that each key sees only the edits of one record.
func (s *Sealer) recordKey(r Record) (key [keySize]byte, err error) {
	m, ok := s.data[r.KeyVersion]
	if !ok {
		if m, err = s.keys.dataKey(r.KeyVersion); err != nil {
			return key, err
		}
		s.data[r.KeyVersion] = m
	}
	s.labels = append(s.labels[:0], "rec"...)
	s.labels = binary.BigEndian.AppendUint16(s.labels, r.Collection)
	s.labels = append(s.labels, r.Locator[:]...)
	s.labels = append(s.labels, 1) // HKDF's block counter
	return *m.of(s.labels), nil
}

// aadOf is the associated data of docs/vault-format.md §6.
func (s *Sealer) aadOf(r Record) []byte {
	a := append(s.aad[:0], 'R', '1', recordFormat)
	a = binary.BigEndian.AppendUint16(a, r.Collection)
	a = field(a, r.Locator[:])
	a = field(a, s.keys.vaultID)
	a = binary.BigEndian.AppendUint64(a, r.Seq)
	a = binary.BigEndian.AppendUint64(a, uint64(r.Created))
	a = binary.BigEndian.AppendUint64(a, r.Revision)
	a = binary.BigEndian.AppendUint32(a, r.KeyVersion)
	s.aad = a
	return a
}
