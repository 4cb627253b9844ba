package seal_test

import (
	"bytes"
	"testing"

	"keepsake/backend/seal"
)

// BenchmarkRecord seals a record of the length of a memory, and opens it into memory that
// is there. default.pgo is made from it (docs/decisions/0053).
func BenchmarkRecord(b *testing.B) {
	k := testKeys()
	if _, err := k.NewEpoch(1, 0); err != nil {
		b.Fatal(err)
	}
	s := k.Sealer()
	r := seal.Record{Collection: 1, Seq: 1, KeyVersion: 1, Revision: 1}
	plain := bytes.Repeat([]byte("memory "), 100)
	dst := make([]byte, 0, 2*len(plain))
	b.ReportAllocs()
	for b.Loop() {
		value, err := s.Seal(r, "id", plain)
		if err != nil {
			b.Fatal(err)
		}
		if _, _, _, err = s.OpenInto(dst, r.Collection, r.Seq, value); err != nil {
			b.Fatal(err)
		}
	}
}
