package pam

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"filippo.io/age"
	"filippo.io/age/armor"

	"keepsake/backend/fault"
)

// maxKeyFile bounds what is read as a key file, in bytes.
const maxKeyFile = 64 << 10

// keyFile is the content of a key file, in the clear or inside age.
type keyFile struct {
	Kind      string `json:"keepsake_key"` // "1"
	Algorithm string `json:"algorithm"`
	Seed      string `json:"seed,omitempty"` // base64url; absent in a public key file
	DID       string `json:"did"`
}

// WriteKey writes a key file: in the clear, or, where a passphrase is given,
// as armored age.
func WriteKey(w io.Writer, k *Key, passphrase []byte) error {
	seed := k.Seed()
	defer clear(seed)
	text, err := json.MarshalIndent(keyFile{"1", "Ed25519", base64url(seed), k.DID()}, "", "  ")
	if err != nil {
		return fmt.Errorf("encode key: %w", err)
	}
	defer clear(text)
	if passphrase == nil {
		_, err := w.Write(append(text, '\n'))
		return err
	}
	armored := armor.NewWriter(w)
	sealed, err := Encrypt(armored, passphrase)
	if err != nil {
		return err
	}
	if _, err := sealed.Write(text); err != nil {
		return err
	}
	return errors.Join(sealed.Close(), armored.Close())
}

// ReadKey reads a key file. ask is called only where it is encrypted.
func ReadKey(r io.Reader, ask func() ([]byte, error)) (*Key, error) {
	f, err := readKeyFile(r, ask)
	if err != nil {
		return nil, err
	}
	seed, err := unbase64url(f.Seed)
	if err != nil || f.Seed == "" {
		return nil, fault.New(fault.Invalid, "key-file-public", "This key file holds no secret key, so it cannot sign.")
	}
	defer clear(seed)
	return FromSeed(seed)
}

// ReadPublic reads the public key out of a key file, a file with a did:key, or
// one with the key alone.
func ReadPublic(r io.Reader) (Public, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxKeyFile))
	if err != nil {
		return Public{}, fmt.Errorf("read key file: %w", err)
	}
	var f keyFile
	if json.Unmarshal(text, &f) == nil && f.DID != "" {
		return ParsePublic(f.DID)
	}
	return ParsePublic(string(bytes.TrimSpace(text)))
}

func readKeyFile(r io.Reader, ask func() ([]byte, error)) (keyFile, error) {
	var f keyFile
	text, err := io.ReadAll(io.LimitReader(r, maxKeyFile))
	if err != nil {
		return f, fmt.Errorf("read key file: %w", err)
	}
	if bytes.HasPrefix(text, []byte(armor.Header)) {
		if text, err = openKeyFile(text, ask); err != nil {
			return f, err
		}
	}
	defer clear(text)
	if err := json.Unmarshal(text, &f); err != nil || f.Kind != "1" || f.Algorithm != "Ed25519" {
		return f, fault.New(fault.Invalid, "key-file", "This is not a key file that Keepsake knows.").
			Advise("Make one with keepsake keygen.")
	}
	return f, nil
}

func openKeyFile(text []byte, ask func() ([]byte, error)) ([]byte, error) {
	passphrase, err := ask()
	if err != nil {
		return nil, err
	}
	defer clear(passphrase)
	plain, err := Decrypt(armor.NewReader(bytes.NewReader(text)), passphrase)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(plain, maxKeyFile))
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
	with, err := age.NewScryptIdentity(string(passphrase))
	if err != nil {
		return nil, fault.New(fault.Invalid, "empty-passphrase", "The passphrase for the file is empty.").Because(err)
	}
	plain, err := age.Decrypt(r, with)
	var wrong *age.NoIdentityMatchError
	if errors.As(err, &wrong) {
		return nil, fault.New(fault.WrongPassphrase, "file-passphrase", "This passphrase does not open the file.").Because(err)
	}
	if err != nil {
		return nil, fault.New(fault.Damaged, "file-damaged", "The encrypted file is damaged.").Because(err)
	}
	return plain, nil
}
