package pam_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha512"
	"testing"

	"keepsake/backend/format/pam"
)

// TestShortRSAKeysAreNoted: §18.2 has RS512 from 4096 bits; a shorter key is
// taken, with a word.
func TestShortRSAKeysAreNoted(t *testing.T) {
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	text := foreign(t, "RS512", pemOf(t, &k.PublicKey), func(b []byte) []byte {
		h := sha512.Sum512(b)
		value, err := rsa.SignPKCS1v15(nil, k, 7, h[:])
		if err != nil {
			t.Fatal(err)
		}
		return value
	})
	if r := verify(t, text, pam.Trust{}); r.Verdict != pam.Unknown || !has(r.Warnings, "key-size") {
		t.Errorf("%+v", r)
	}
}
