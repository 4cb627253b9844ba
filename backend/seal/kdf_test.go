package seal_test

import (
	"encoding/hex"
	"testing"

	"keepsake/backend/seal"
)

// Vectors of the reference implementation (phc-winner-argon2, test.c, Argon2id
// v1.3, 32 bytes).
func TestArgon2idVectors(t *testing.T) {
	for _, v := range []struct {
		kdf            seal.KDF
		password, salt string
		want           string
	}{
		{seal.KDF{MemoryKiB: 65536, Time: 2, Threads: 1}, "password", "somesalt", "09316115d5cf24ed5a15a31a3ba326e5cf32edc24702987c02b6566f61913cf7"},
		{seal.KDF{MemoryKiB: 256, Time: 2, Threads: 1}, "password", "somesalt", "9dfeb910e80bad0311fee20f9c0e2b12c17987b4cac90c2ef54d5b3021c68bfe"},
		{seal.KDF{MemoryKiB: 256, Time: 2, Threads: 2}, "password", "somesalt", "6d093c501fd5999645e0ea3bf620d7b8be7fd2db59c20d9fff9539da2bf57037"},
		{seal.KDF{MemoryKiB: 65536, Time: 1, Threads: 1}, "password", "somesalt", "f6a5adc1ba723dddef9b5ac1d464e180fcd9dffc9d1cbf76cca2fed795d9ca98"},
		{seal.KDF{MemoryKiB: 65536, Time: 2, Threads: 1}, "differentpassword", "somesalt", "0b84d652cf6b0c4beaef0dfe278ba6a80df6696281d7e0d2891b817d8c458fde"},
	} {
		if got := hex.EncodeToString(v.kdf.Derive([]byte(v.password), []byte(v.salt))); got != v.want {
			t.Errorf("%s %q: got %s, want %s", v.kdf, v.password, got, v.want)
		}
	}
}

// Promise: what is written for a person is within the bounds of what is read,
// and never below the floor.
func TestPresets(t *testing.T) {
	for name, k := range map[string]seal.KDF{"default": seal.DefaultKDF(), "strong": seal.StrongKDF()} {
		if err := k.Check(); err != nil || k.Weak() {
			t.Errorf("%s: %s: %v, weak %v", name, k, err, k.Weak())
		}
	}
	if k := seal.TestKDF(); k.Check() != nil || !k.Weak() {
		t.Errorf("the test cost must be accepted and called weak: %s", k)
	}
	if owasp := (seal.KDF{MemoryKiB: 19 << 10, Time: 2, Threads: 1}); owasp.Check() != nil || !owasp.Weak() {
		t.Errorf("%s must be read and called weak", owasp)
	}
}

func TestKDFString(t *testing.T) {
	if got := (seal.KDF{MemoryKiB: 256 << 10, Time: 3, Threads: 4}).String(); got != "argon2id m=256MiB t=3 p=4" {
		t.Error(got)
	}
	if got := seal.TestKDF().String(); got != "argon2id m=64KiB t=1 p=1" {
		t.Error(got)
	}
}
