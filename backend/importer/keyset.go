package importer

import "crypto/sha256"

// keySet is a set of texts of any length. It keeps half of the SHA-256 of each: a
// million take some 26 MB.
type keySet map[[16]byte]struct{}

// add reports whether the text is new.
func (s keySet) add(text string) bool {
	sum := sha256.Sum256([]byte(text))
	key := [16]byte(sum[:])
	if _, known := s[key]; known {
		return false
	}
	s[key] = struct{}{}
	return true
}
