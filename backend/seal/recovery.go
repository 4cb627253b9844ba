package seal

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"slices"
	"strings"
	"unicode"

	"keepsake/backend/fault"
)

// A recovery key is 128 random bits and 22 bits of checksum in Crockford's
// base 32: 30 characters in six groups of five. The checksum finds typing
// mistakes before the slow key derivation; it protects nothing. Of a chance
// mistake it misses one in four million.
const (
	recoveryBytes = 16
	recoveryChars = 30
	recoveryGroup = 5
	crockford     = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
)

// NewRecoveryCode makes one; it is kept nowhere. Each wrong character and each
// two neighbours in the wrong order are found in it: the one secret in five
// thousand of which the checksum would miss such a mistake is not taken.
func NewRecoveryCode() string {
	var secret [recoveryBytes]byte
	defer clear(secret[:])
	for {
		_, _ = rand.Read(secret[:]) // never fails (crypto/rand)
		if code := formatRecovery(secret); findsTypos(code) {
			return code
		}
	}
}

// findsTypos reports that no single typing mistake makes another code of it.
func findsTypos(code string) bool {
	chars, _ := recoveryDigits(code)
	defer clear(chars)
	for i, was := range chars {
		for c := range byte(len(crockford)) {
			if chars[i] = c; c != was && checked(chars) {
				return false
			}
		}
		chars[i] = was
	}
	for i := range chars[1:] {
		pair := chars[i : i+2]
		slices.Reverse(pair)
		if pair[0] != pair[1] && checked(chars) {
			return false
		}
		slices.Reverse(pair)
	}
	return true
}

func formatRecovery(secret [recoveryBytes]byte) string {
	sum := sha256.Sum256(append([]byte("keepsake recovery code"), secret[:]...))
	data := append(secret[:], sum[:3]...) // 152 bits, of which 150 are shown
	var out strings.Builder
	for i := range recoveryChars {
		if i > 0 && i%recoveryGroup == 0 {
			out.WriteByte('-')
		}
		out.WriteByte(crockford[fiveBits(data, i*5)])
	}
	return out.String()
}

func fiveBits(data []byte, at int) byte {
	var v byte
	for bit := at; bit < at+5; bit++ {
		v = v<<1 | data[bit/8]>>(7-bit%8)&1
	}
	return v
}

// SameRecoveryGroup reports whether a person typed the n-th group of a code,
// counted from 0, in any case, with O for 0, and I or L for 1.
func SameRecoveryGroup(code string, n int, typed string) bool {
	groups := strings.Split(code, "-")
	if n < 0 || n >= len(groups) {
		return false
	}
	var read []byte
	for _, r := range typed {
		v, separator := recoveryDigit(r)
		if separator {
			continue
		}
		if v < 0 {
			return false
		}
		read = append(read, crockford[v])
	}
	return subtle.ConstantTimeCompare(read, []byte(groups[n])) == 1
}

func parseRecovery(typed string) ([recoveryBytes]byte, error) {
	chars, err := recoveryDigits(typed)
	if err != nil {
		return [recoveryBytes]byte{}, err
	}
	defer clear(chars)
	if !checked(chars) {
		return [recoveryBytes]byte{}, errRecoveryTypo()
	}
	return secretOf(chars), nil
}

// secretOf reads the secret out of the values of a code's characters.
func secretOf(chars []byte) (secret [recoveryBytes]byte) {
	for i := range recoveryBytes * 8 {
		secret[i/8] = secret[i/8]<<1 | chars[i/5]>>(4-i%5)&1
	}
	return secret
}

// checked reports that the characters of a code have its checksum.
func checked(chars []byte) bool {
	secret := secretOf(chars)
	defer clear(secret[:])
	want, _ := recoveryDigits(formatRecovery(secret))
	return bytes.Equal(chars, want)
}

// recoveryDigits are the values 0..31 of the characters typed.
func recoveryDigits(typed string) ([]byte, error) {
	chars := make([]byte, 0, recoveryChars)
	for _, r := range typed {
		v, separator := recoveryDigit(r)
		if separator {
			continue
		}
		if v < 0 || len(chars) == recoveryChars {
			return nil, errRecoveryTypo()
		}
		chars = append(chars, byte(v))
	}
	if len(chars) != recoveryChars {
		return nil, errRecoveryTypo()
	}
	return chars, nil
}

// recoveryDigit is the value 0..31 of a character, -1 for one that cannot be.
func recoveryDigit(r rune) (v int, separator bool) {
	switch r = unicode.ToUpper(r); r {
	case '-', ' ', '\t', '\n', '\r', '\u00a0', '\u2010', '\u2011', '\u2013':
		return 0, true
	case 'O':
		r = '0'
	case 'I', 'L':
		r = '1'
	}
	return strings.IndexRune(crockford, r), false
}

func errRecoveryTypo() error {
	return fault.New(fault.Invalid, "recovery-code-typo", "This is not a whole recovery key: a character is missing or mistyped.").
		Advise("It has six groups of five letters and digits. Compare it with your copy, group by group.")
}
