package main_test

import (
	"bytes"
	"testing"
	"time"

	"keepsake/backend/seal"
)

// TestCiphersAreNoGarbage: default.pgo still says of sealOnto and openInto what is so. Go
// builds this package's tests with it, as it builds the program; a cipher that it did not
// inline there is two more allocations of 1.3 KB.
func TestCiphersAreNoGarbage(t *testing.T) {
	_, keys, _, err := seal.NewHeader(seal.HeaderOptions{
		Cipher: seal.AES256GCM, KDF: seal.TestKDF(), Passphrase: []byte("correct horse battery"), Now: time.Unix(0, 0),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := keys.NewEpoch(1, 0); err != nil {
		t.Fatal(err)
	}
	s := keys.Sealer()
	r := seal.Record{Collection: 1, Seq: 1, KeyVersion: 1, Revision: 1}
	plain := bytes.Repeat([]byte("memory "), 100)
	value, err := s.Seal(r, "id", plain)
	if err != nil {
		t.Fatal(err)
	}
	sealing := testing.AllocsPerRun(100, func() { _, err = s.Seal(r, "id", plain) })
	dst := make([]byte, 0, 2*len(plain))
	opening := testing.AllocsPerRun(100, func() { _, _, _, err = s.OpenInto(dst, r.Collection, r.Seq, value) })
	if sealing > 2 || opening > 2 || err != nil {
		t.Errorf("a record takes %.0f allocations to seal and %.0f to open, %v: run make profile", sealing, opening, err)
	}
}
