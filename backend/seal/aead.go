package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"testing"
)

// Cipher names how a vault is sealed; the header carries it.
type Cipher string

const (
	// AES256GCM is AES-256-GCM with a random 96-bit nonce in front.
	AES256GCM Cipher = "aes-256-gcm"
	// Plaintext seals nothing: the control of the tests that look for readable
	// bytes on disk. It is refused by every program that is not a test binary.
	Plaintext Cipher = "none-for-tests"
)

// Overhead is what sealing adds: nonce (12) and tag (16).
const Overhead = 12 + tagSize

const tagSize = 16

var errAuth = errors.New("seal: message authentication failed")

func (c Cipher) allowed() bool {
	return c == AES256GCM || c == Plaintext && testing.Testing()
}

// aead makes the cipher of a 32-byte key. Seal puts the nonce in front; Open
// expects it there.
func (c Cipher) aead(key []byte) (cipher.AEAD, error) {
	switch {
	case !c.allowed():
		return nil, fmt.Errorf("choose cipher: %q is not allowed", string(c))
	case c == Plaintext:
		return bare{key: key}, nil
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("make cipher: %w", err)
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// sealWith seals one message under a key that is used for nothing else, and leaves
// nothing of the key behind. What is sealed is no secret, so its memory is taken outside
// of what is guarded.
func (c Cipher) sealWith(key, plain, aad []byte) (sealed []byte, err error) {
	sealed = make([]byte, 0, len(plain)+Overhead)
	guarded(func() { sealed, err = c.sealOnto(sealed, key, plain, aad) })
	return sealed, err
}

// openWith opens what sealWith sealed. What it opens is a key as well, as a rule.
func (c Cipher) openWith(key, sealed, aad []byte) (plain []byte, err error) {
	guarded(func() { plain, err = c.openInto(nil, key, sealed, aad) })
	return plain, err
}

// sealOnto seals one message behind what dst holds. The key's own copies are left to
// whoever uses that memory next: it is a record's, which opens nothing else, and whoever
// finds it in memory finds the record beside it. Guarding it took a tenth of an export.
//
// It makes the cipher itself, as openInto does: where Go has inlined that, as it does for
// the whole program (default.pgo, docs/decisions/0053), the cipher's 1.3 KB lie on the
// stack and are no garbage. Inlined itself, it would be another place than the profile
// names.
//
//go:noinline
func (c Cipher) sealOnto(dst, key, plain, aad []byte) ([]byte, error) {
	if c != AES256GCM {
		a, err := c.aead(key)
		if err != nil {
			return nil, err
		}
		return a.Seal(dst, nil, plain, aad), nil
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("make cipher: %w", err)
	}
	a, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("make cipher: %w", err)
	}
	return a.Seal(dst, nil, plain, aad), nil
}

// openInto opens what sealOnto sealed into the memory of dst, where that is large
// enough.
//
//go:noinline
func (c Cipher) openInto(dst, key, sealed, aad []byte) ([]byte, error) {
	if c != AES256GCM {
		a, err := c.aead(key)
		if err != nil {
			return nil, err
		}
		return a.Open(dst[:0], nil, sealed, aad)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("make cipher: %w", err)
	}
	a, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("make cipher: %w", err)
	}
	return a.Open(dst[:0], nil, sealed, aad)
}

// bare has the shape of the real cipher and authenticates like it, but leaves
// the text readable.
type bare struct{ key []byte }

func (bare) NonceSize() int { return 0 }
func (bare) Overhead() int  { return Overhead }

func (b bare) Seal(dst, _, plain, aad []byte) []byte {
	dst = append(dst, make([]byte, 12)...)
	dst = append(dst, plain...)
	return append(dst, b.tag(plain, aad)...)
}

func (b bare) Open(dst, _, sealed, aad []byte) ([]byte, error) {
	if len(sealed) < Overhead {
		return nil, errAuth
	}
	plain, tag := sealed[12:len(sealed)-tagSize], sealed[len(sealed)-tagSize:]
	if !hmac.Equal(tag, b.tag(plain, aad)) {
		return nil, errAuth
	}
	return append(dst, plain...), nil
}

func (b bare) tag(plain, aad []byte) []byte {
	h := hmac.New(sha256.New, b.key)
	h.Write(field(nil, aad))
	h.Write(plain)
	return h.Sum(nil)[:tagSize]
}
