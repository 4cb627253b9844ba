package pam

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"filippo.io/age"
	"filippo.io/age/armor"

	"keepsake/backend/fault"
)

// maxKeyFile bounds what is read as a key file, in bytes.
const maxKeyFile = 64 << 10

// maxWork is the most that a file may ask of scrypt, as a power of two: 2^18 is
// 256 MiB of memory and about a second. It is what age writes, and we do.
const maxWork = 18

// keyFile is the content of a key file. The public side always stands in the
// clear, so that a file can be trusted without its passphrase.
type keyFile struct {
	Kind      string `json:"keepsake_key"` // "1"
	Algorithm string `json:"algorithm"`
	DID       string `json:"did"`
	Seed      string `json:"seed,omitempty"`           // base64url; absent in a public key file
	Encrypted string `json:"encrypted_seed,omitempty"` // the same as armored age with a passphrase

	Statements []Statement `json:"statements,omitempty"` // of this key and those before it
}

// WriteKey writes a key file, its secret in the clear only where there is no
// passphrase.
func WriteKey(w io.Writer, k *Key, passphrase []byte) error {
	seed := k.Seed()
	defer clear(seed)
	f := keyFile{Kind: "1", Algorithm: "Ed25519", DID: k.DID()}
	if passphrase == nil {
		f.Seed = base64url(seed)
	} else {
		sealed, err := sealSeed(seed, passphrase)
		if err != nil {
			return err
		}
		f.Encrypted = sealed
	}
	text, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return fmt.Errorf("encode key: %w", err)
	}
	defer clear(text)
	_, err = w.Write(append(text, '\n'))
	return err
}

func sealSeed(seed, passphrase []byte) (string, error) {
	var out strings.Builder
	armored := armor.NewWriter(&out)
	sealed, err := Encrypt(armored, passphrase)
	if err != nil {
		return "", err
	}
	if _, err := sealed.Write(seed); err != nil {
		return "", err
	}
	if err := errors.Join(sealed.Close(), armored.Close()); err != nil {
		return "", err
	}
	return out.String(), nil
}

// ReadKey reads a key file. ask is called only where it is encrypted.
func ReadKey(r io.Reader, ask func() ([]byte, error)) (*Key, error) {
	f, err := readKeyFile(r)
	if err != nil {
		return nil, err
	}
	seed, err := f.seed(ask)
	if err != nil {
		return nil, err
	}
	defer clear(seed)
	key, err := FromSeed(seed)
	if err != nil {
		return nil, err
	}
	if key.DID() != f.DID {
		return nil, fault.New(fault.Damaged, "key-file-mixed", "The secret key in this file does not belong to the public key beside it.")
	}
	return key, nil
}

func (f keyFile) seed(ask func() ([]byte, error)) ([]byte, error) {
	switch {
	case f.Encrypted != "":
		return openSeed(f.Encrypted, ask)
	case f.Seed != "":
		return unbase64url(f.Seed)
	}
	return nil, fault.New(fault.Invalid, "key-file-public", "This key file holds no secret key, so it cannot sign.")
}

func openSeed(sealed string, ask func() ([]byte, error)) ([]byte, error) {
	passphrase, err := ask()
	if err != nil {
		return nil, err
	}
	defer clear(passphrase)
	plain, err := Decrypt(armor.NewReader(strings.NewReader(sealed)), passphrase)
	if err != nil {
		return nil, err
	}
	seed, err := io.ReadAll(io.LimitReader(plain, maxKeyFile))
	if err != nil {
		return nil, fault.New(fault.Damaged, "file-damaged", "The encrypted file is damaged.").Because(err)
	}
	return seed, nil
}

// ReadPublic reads the public key out of a key file, a file with a did:key, or
// one with the key alone.
func ReadPublic(r io.Reader) (Public, error) {
	c, err := ReadCard(r)
	return c.Key, err
}

// ReadCard is ReadPublic with the statements that stand beside the key. Their
// signatures are not checked. A file with one statement alone is taken as well;
// its key is the one that counts from then on.
func ReadCard(r io.Reader) (Card, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxKeyFile))
	if err != nil {
		return Card{}, fmt.Errorf("read key file: %w", err)
	}
	var f keyFile
	if json.Unmarshal(text, &f) == nil && f.Kind != "" {
		key, err := ParsePublic(f.DID)
		return Card{key, f.Statements}, err
	}
	var s Statement
	if json.Unmarshal(text, &s) == nil && s.Kind != "" {
		key, err := ParsePublic(cmp.Or(s.Successor, s.DID))
		return Card{key, []Statement{s}}, err
	}
	key, err := ParsePublic(string(bytes.TrimSpace(text)))
	return Card{Key: key}, err
}

func readKeyFile(r io.Reader) (keyFile, error) {
	var f keyFile
	text, err := io.ReadAll(io.LimitReader(r, maxKeyFile))
	if err != nil {
		return f, fmt.Errorf("read key file: %w", err)
	}
	defer clear(text)
	if err := json.Unmarshal(text, &f); err != nil || f.Kind != "1" || f.Algorithm != "Ed25519" {
		return f, fault.New(fault.Invalid, "key-file", "This is not a key file that Keepsake knows.").
			Advise("Make one with keepsake keygen.")
	}
	return f, nil
}

// Encrypt writes age (a format that other programs open) with a passphrase.
// Close finishes the file.
func Encrypt(w io.Writer, passphrase []byte) (io.WriteCloser, error) {
	to, err := age.NewScryptRecipient(string(passphrase)) // age takes no bytes
	if err != nil {
		return nil, fault.New(fault.Invalid, "empty-passphrase", "The passphrase for the file is empty.").Because(err)
	}
	return age.Encrypt(w, to)
}

// Decrypt reads what Encrypt wrote.
func Decrypt(r io.Reader, passphrase []byte) (io.Reader, error) {
	with, err := identity(passphrase)
	if err != nil {
		return nil, err
	}
	plain, err := age.Decrypt(r, with)
	return plain, decrypting(err)
}

// DecryptAt reads at any position what Encrypt wrote.
func DecryptAt(at io.ReaderAt, size int64, passphrase []byte) (io.ReaderAt, int64, error) {
	with, err := identity(passphrase)
	if err != nil {
		return nil, 0, err
	}
	plain, n, err := age.DecryptReaderAt(at, size, with)
	return plain, n, decrypting(err)
}

func identity(passphrase []byte) (*age.ScryptIdentity, error) {
	with, err := age.NewScryptIdentity(string(passphrase)) // age takes no bytes
	if err != nil {
		return nil, fault.New(fault.Invalid, "empty-passphrase", "The passphrase for the file is empty.").Because(err)
	}
	with.SetMaxWorkFactor(maxWork)
	return with, nil
}

func decrypting(err error) error {
	var wrong *age.NoIdentityMatchError
	switch {
	case err == nil:
		return nil
	case strings.HasPrefix(err.Error(), "scrypt work factor too large"): // age has no type for it
		return fault.New(fault.Unsupported, "file-work", "The encrypted file asks for more memory and time to open than Keepsake spends on one: scrypt with a work factor of at most {limit}, which takes 256 MiB.").
			With("limit", maxWork).Because(err).
			Advise("Open it with age, and encrypt it again there with age -p, which asks for no more than that.")
	case errors.As(err, &wrong):
		return fault.New(fault.WrongPassphrase, "file-passphrase", "This passphrase does not open the file.").Because(err)
	}
	return fault.New(fault.Damaged, "file-damaged", "The encrypted file is damaged.").Because(err)
}

// Encryption is how a file is encrypted, as its first bytes show.
type Encryption int

// What age writes: bytes, or text that stands for them.
const (
	NotEncrypted Encryption = iota
	Binary
	Armored
)

// HeadSize is how many bytes EncryptionOf looks at.
const HeadSize = 40

// EncryptionOf looks at the first bytes of a file.
func EncryptionOf(head []byte) Encryption {
	for kind, mark := range map[Encryption]string{Binary: "age-encryption.org/v1", Armored: armor.Header} {
		if bytes.HasPrefix(head, []byte(mark)) {
			return kind
		}
	}
	return NotEncrypted
}

// Unarmored reads armored text as the bytes that it stands for.
func Unarmored(r io.Reader) io.Reader { return armor.NewReader(r) }
