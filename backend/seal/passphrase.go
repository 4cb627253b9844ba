package seal

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"keepsake/backend/fault"
)

// MinPassphrase is the least number of characters of a new passphrase.
const MinPassphrase = 8

// normalized is the passphrase as it enters Argon2: NFC, because a Mac types
// "é" as two characters and Linux as one. It is always a copy, and the caller
// clears it.
func normalized(passphrase []byte) (copied []byte) {
	guarded(func() { copied = norm.NFC.Append(nil, passphrase...) })
	return copied
}

// CheckPassphrase refuses what is too short to protect anything. There are no
// composition rules.
func CheckPassphrase(passphrase []byte) error {
	p := normalized(passphrase)
	defer clear(p)
	switch n := utf8.RuneCount(p); {
	case !utf8.Valid(p):
		return fault.New(fault.Invalid, "passphrase-not-text", "The passphrase is not valid text.")
	case n < MinPassphrase:
		return fault.New(fault.Invalid, "passphrase-too-short", "The passphrase has {count} characters; at least {least} are needed.").
			With("count", n).With("least", MinPassphrase).
			Advise("A few unrelated words are easy to remember and hard to guess.")
	}
	return nil
}
