package seal_test

import (
	"bytes"
	"testing"

	"keepsake/backend/fault"
	"keepsake/backend/seal"
)

// Promise: a file for others opens with its passphrase alone, and not at all
// once any of it was changed.
func TestForeign(t *testing.T) {
	f := seal.NewForeign(seal.TestKDF())
	if again := seal.NewForeign(seal.TestKDF()); bytes.Equal(f.Salt, again.Salt) || bytes.Equal(f.IV, again.IV) {
		t.Error("two files share a salt or a nonce")
	}
	plain, pass, aad := []byte("what is said"), []byte("caf\u00e9 table"), []byte("bound")
	payload, tag, err := f.Seal(pass, plain, aad)
	if err != nil || len(tag) != 16 || bytes.Contains(payload, plain) {
		t.Fatal(err)
	}
	if got, err := f.Open([]byte("cafe\u0301 table"), payload, tag, aad); err != nil || !bytes.Equal(got, plain) {
		t.Errorf("%q, %v", got, err)
	}
	flip := func(b []byte) []byte { b = bytes.Clone(b); b[0] ^= 1; return b }
	other := f
	other.Salt = flip(f.Salt)
	wrongIV := f
	wrongIV.IV = flip(f.IV)
	for name, open := range map[string]func() ([]byte, error){
		"passphrase": func() ([]byte, error) { return f.Open([]byte("another one"), payload, tag, aad) },
		"payload":    func() ([]byte, error) { return f.Open(pass, flip(payload), tag, aad) },
		"tag":        func() ([]byte, error) { return f.Open(pass, payload, flip(tag), aad) },
		"short tag":  func() ([]byte, error) { return f.Open(pass, payload, tag[:12], aad) },
		"bound":      func() ([]byte, error) { return f.Open(pass, payload, tag, flip(aad)) },
		"salt":       func() ([]byte, error) { return other.Open(pass, payload, tag, aad) },
		"nonce":      func() ([]byte, error) { return wrongIV.Open(pass, payload, tag, aad) },
	} {
		if _, err := open(); fault.CodeOf(err) != fault.WrongPassphrase {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, change := range map[string]func(*seal.Foreign){
		"memory":                      func(f *seal.Foreign) { f.KDF.MemoryKiB = 4 << 20 },
		"more memory than is written": func(f *seal.Foreign) { f.KDF = seal.KDF{MemoryKiB: 256<<10 + 1, Time: 1, Threads: 1} },
		"none":                        func(f *seal.Foreign) { f.KDF.MemoryKiB, f.KDF.Time, f.KDF.Threads = 0, 0, 0 },
		"passes":                      func(f *seal.Foreign) { f.KDF = seal.KDF{MemoryKiB: 64 << 10, Time: 17, Threads: 1} },
		"lanes":                       func(f *seal.Foreign) { f.KDF = seal.KDF{MemoryKiB: 64 << 10, Time: 1, Threads: 9} },
		"no salt":                     func(f *seal.Foreign) { f.Salt = nil },
		"nonce":                       func(f *seal.Foreign) { f.IV = f.IV[:8] },
	} {
		odd := f
		change(&odd)
		if _, err := odd.Open(pass, payload, tag, aad); fault.CodeOf(err) != fault.Unsupported {
			t.Errorf("%s: %v", name, err)
		}
	}
}
