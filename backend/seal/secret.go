package seal

import (
	"bytes"
	"crypto/rand"
)

// Secret is what opens a slot: a passphrase, a recovery code, or what the
// operating system keeps. Clear it after use.
type Secret struct {
	kind  string
	bytes []byte
}

// PassphraseSecret takes a passphrase as it was typed.
func PassphraseSecret(passphrase []byte) Secret {
	return Secret{PassphraseSlot, normalized(passphrase)}
}

// RecoverySecret takes a recovery code as people type it. A mistyped one is
// Invalid recovery-code-typo.
func RecoverySecret(code string) (Secret, error) {
	secret, err := parseRecovery(code)
	if err != nil {
		return Secret{}, err
	}
	defer clear(secret[:])
	return Secret{RecoverySlot, bytes.Clone(secret[:])}, nil
}

// KeychainSecret takes what NewKeychainKey made.
func KeychainSecret(key []byte) (Secret, error) {
	if len(key) != keySize {
		return Secret{}, errWrongKeychain
	}
	return Secret{KeychainSlot, bytes.Clone(key)}, nil
}

// NewKeychainKey makes the 32 bytes that a keychain keeps.
func NewKeychainKey() []byte {
	key := make([]byte, keySize)
	_, _ = rand.Read(key) // never fails (crypto/rand)
	return key
}

// Kind is the kind of slot that it opens.
func (s Secret) Kind() string { return s.kind }

// Clear overwrites it.
func (s Secret) Clear() { clear(s.bytes) }

// wrong says that it opens no slot.
func (s Secret) wrong() error {
	switch s.kind {
	case RecoverySlot:
		return errWrongRecovery
	case KeychainSlot:
		return errWrongKeychain
	}
	return errWrongPassphrase
}
