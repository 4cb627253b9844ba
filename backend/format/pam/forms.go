package pam

import "bytes"

// Forms of short strings, as the patterns of the schemas have them. They are
// written out because they are asked for every memory of a file.

// isDigest is ^sha256:[a-f0-9]{64}$.
func isDigest(s []byte) bool {
	hex, ok := bytes.CutPrefix(s, []byte("sha256:"))
	if !ok || len(hex) != 64 {
		return false
	}
	return isLowerHexAll(hex)
}

// isLowerHexAll branches on no digit: which of them are letters is as good as
// chance, and a processor guesses half of them wrong. A difference below zero
// has the highest bit set.
func isLowerHexAll(s []byte) bool {
	wrong := uint32(0)
	for _, b := range s {
		wrong |= (9 - uint32(b-'0')) & ('f' - 'a' - uint32(b-'a'))
	}
	return wrong>>31 == 0
}

// isPlatform is ^[a-z0-9_-]{2,32}$.
func isPlatform(s []byte) bool {
	return len(s) >= 2 && len(s) <= 32 && isAll(s, isTagByte)
}

// isTag is ^[a-z0-9][a-z0-9_-]*$.
func isTag(s []byte) bool {
	return len(s) > 0 && s[0] != '_' && s[0] != '-' && isAll(s, isTagByte)
}

func isTagByte(b byte) bool {
	return isLower(b) || isDigit(b) || b == '_' || b == '-'
}

// isSystem is ^[a-zA-Z0-9_-]+/[0-9]+\.[0-9]+\.[0-9]+$.
func isSystem(s []byte) bool {
	name, version, ok := bytes.Cut(s, []byte("/"))
	if !ok || len(name) == 0 || !isAll(name, func(b byte) bool { return isTagByte(b) || isUpper(b) }) {
		return false
	}
	for range 2 {
		part, rest, ok := bytes.Cut(version, []byte("."))
		if !ok || len(part) == 0 || !isAll(part, isDigit) {
			return false
		}
		version = rest
	}
	return len(version) > 0 && isAll(version, isDigit)
}

// isLanguage is ^[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2})?$.
func isLanguage(s []byte) bool {
	parts := bytes.Split(s, []byte("-"))
	if n := len(parts[0]); n < 2 || n > 3 || !isAll(parts[0], isLower) {
		return false
	}
	parts = parts[1:]
	if len(parts) > 0 && len(parts[0]) == 4 {
		if !isUpper(parts[0][0]) || !isAll(parts[0][1:], isLower) {
			return false
		}
		parts = parts[1:]
	}
	if len(parts) > 0 && len(parts[0]) == 2 && isAll(parts[0], isUpper) {
		parts = parts[1:]
	}
	return len(parts) == 0
}

func isAll(s []byte, is func(byte) bool) bool {
	for _, b := range s {
		if !is(b) {
			return false
		}
	}
	return true
}

func isLower(b byte) bool { return 'a' <= b && b <= 'z' }
func isUpper(b byte) bool { return 'A' <= b && b <= 'Z' }
func isDigit(b byte) bool { return '0' <= b && b <= '9' }
