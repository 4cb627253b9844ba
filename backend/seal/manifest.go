package seal

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/bits"
)

// Sum is a sum mod 2^256 of keyed digests of records: the set-MAC. Adding and
// taking away cost one digest each, whatever the size of the set.
type Sum [4]uint64 // least significant first

// Add is s + t.
func (s Sum) Add(t Sum) Sum {
	var carry uint64
	for i := range s {
		s[i], carry = bits.Add64(s[i], t[i], carry)
	}
	return s
}

// Sub is s - t.
func (s Sum) Sub(t Sum) Sum {
	var borrow uint64
	for i := range s {
		s[i], borrow = bits.Sub64(s[i], t[i], borrow)
	}
	return s
}

// MarshalText is 64 hexadecimal digits, most significant first.
func (s Sum) MarshalText() ([]byte, error) {
	var b [32]byte
	for i, w := range s {
		binary.BigEndian.PutUint64(b[24-8*i:], w)
	}
	return hex.AppendEncode(nil, b[:]), nil
}

// UnmarshalText reads what MarshalText writes.
func (s *Sum) UnmarshalText(text []byte) error {
	var b [32]byte
	if len(text) != hex.EncodedLen(len(b)) {
		return fmt.Errorf("read sum: %d digits instead of %d", len(text), hex.EncodedLen(len(b)))
	}
	if _, err := hex.Decode(b[:], text); err != nil {
		return fmt.Errorf("read sum: %q is not 64 hexadecimal digits", text)
	}
	for i := range s {
		s[i] = binary.BigEndian.Uint64(b[24-8*i:])
	}
	return nil
}

// Manifest makes the digests of a set-MAC. It is for one goroutine.
type Manifest struct {
	mac     *mac
	message []byte
}

// Manifest returns a new one.
func (k *Keys) Manifest() *Manifest {
	key := k.purpose(forManifest)
	defer clear(key)
	return &Manifest{mac: newMAC(key)}
}

// Digest of a stored value at its place:
// HMAC(manifest, collection | seq | locator | revision | key_version | tag).
// The tag stands for everything else. The message fits one block of SHA-256.
func (m *Manifest) Digest(r Record, value []byte) Sum {
	b := binary.BigEndian.AppendUint16(m.message[:0], r.Collection)
	b = binary.BigEndian.AppendUint64(b, r.Seq)
	b = append(b, r.Locator[:]...)
	b = binary.BigEndian.AppendUint64(b, r.Revision)
	b = binary.BigEndian.AppendUint32(b, r.KeyVersion)
	b = append(b, value[len(value)-tagSize:]...)
	m.message = b
	out := m.mac.of(b)
	var s Sum
	for i := range s {
		s[i] = binary.BigEndian.Uint64(out[24-8*i:])
	}
	return s
}
