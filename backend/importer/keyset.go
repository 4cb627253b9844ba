package importer

import "crypto/sha256"

// KeySet is a set of texts of any length. It keeps half of the SHA-256 of each: a
// million take some 26 MB.
type KeySet map[[16]byte]struct{}

// Add reports whether the text is new.
func (s KeySet) Add(text string) bool {
	sum := sha256.Sum256([]byte(text))
	key := [16]byte(sum[:])
	if _, known := s[key]; known {
		return false
	}
	s[key] = struct{}{}
	return true
}
