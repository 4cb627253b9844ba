package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"fmt"

	"keepsake/backend/fault"
)

// What a file for other programs is sealed with: a salt of so many bytes, and the
// most that is derived for somebody else's.
const (
	foreignSalt       = 32
	foreignNonce      = 12
	maxForeignThreads = 8
	maxForeignKiB     = 256 << 10 // as much as DefaultKDF asks for, which is what we write
)

// Foreign is what stands beside the ciphertext of a file that other programs can
// open too: AES-256-GCM under Argon2id of a passphrase.
type Foreign struct {
	KDF  KDF
	Salt []byte // 16 to 64 bytes
	IV   []byte // 12 bytes
}

// NewForeign is for one file: its salt and nonce are never used again.
func NewForeign(k KDF) Foreign {
	f := Foreign{KDF: k, Salt: make([]byte, foreignSalt), IV: make([]byte, foreignNonce)}
	rand.Read(f.Salt) // it never fails
	rand.Read(f.IV)
	return f
}

// check refuses what would cost more than a person can have meant, before any
// memory is taken.
func (f Foreign) check() error {
	if err := f.KDF.Check(); err != nil || f.KDF.MemoryKiB > maxForeignKiB || f.KDF.Threads > maxForeignThreads || len(f.Salt) < minSalt || len(f.Salt) > maxSalt || len(f.IV) != foreignNonce {
		return fault.New(fault.Unsupported, "foreign-kdf", "The file asks for a key derivation outside of what is computed here: Argon2id with 19 MiB to 256 MiB, 1 to 16 passes, 1 to 8 lanes and a salt of 16 to 64 bytes.")
	}
	return nil
}

// Seal encrypts plain and binds aad. The tag is the last 16 bytes of GCM.
func (f Foreign) Seal(passphrase, plain, aad []byte) (payload, tag []byte, err error) {
	var sealed []byte
	if err := f.with(passphrase, func(gcm cipher.AEAD) { sealed = gcm.Seal(nil, f.IV, plain, aad) }); err != nil {
		return nil, nil, err
	}
	cut := len(sealed) - tagSize
	return sealed[:cut], sealed[cut:], nil
}

// Open is its way back. What was changed does not open.
func (f Foreign) Open(passphrase, payload, tag, aad []byte) (plain []byte, err error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	var wrong error
	err = f.with(passphrase, func(gcm cipher.AEAD) {
		plain, wrong = gcm.Open(nil, f.IV, append(payload[:len(payload):len(payload)], tag...), aad)
	})
	if wrong != nil {
		return nil, fault.New(fault.WrongPassphrase, "foreign-passphrase", "The passphrase does not open this file, or the file was changed.").Because(wrong)
	}
	return plain, err
}

// with runs fn with the cipher of the passphrase, and leaves no key behind. The
// nonce stands in what is bound, so it is made before and not by the cipher.
func (f Foreign) with(passphrase []byte, fn func(cipher.AEAD)) error {
	secret := normalized(passphrase)
	defer clear(secret)
	key := f.KDF.derive(secret, f.Salt)
	defer clear(key)
	block, err := aes.NewCipher(key)
	if err != nil {
		return fmt.Errorf("make cipher: %w", err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return fmt.Errorf("make cipher: %w", err)
	}
	fn(gcm)
	return nil
}
