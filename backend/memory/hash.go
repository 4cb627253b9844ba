package memory

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// ContentHash is the content hash of PAM §6: "sha256:" and the hex digest of
// the normalized content. It equals the reference implementation of
// Appendix C for every valid string under Unicode 15.0.
func ContentHash(content string) string {
	return string(appendContentHash(nil, []byte(content)))
}

// IsContentHash reports whether hash is ContentHash of content.
func IsContentHash(hash, content []byte) bool {
	var own [len(hashPrefix) + 2*sha256.Size]byte
	return bytes.Equal(appendContentHash(own[:0], content), hash)
}

const hashPrefix = "sha256:"

func appendContentHash(dst, content []byte) []byte {
	var short [shortContent]byte
	sum := sha256.Sum256(normalized(short[:0], content))
	return hex.AppendEncode(append(dst, hashPrefix...), sum[:])
}

// shortContent is a length up to which content is normalized without memory of
// its own, in bytes.
const shortContent = 1024

// normalized is the pipeline of PAM §6.1: trim, lower, NFC, collapse. Each step
// is the reference language's own: its white space holds U+001C to U+001F, its
// lower case knows the final sigma, and its NFC never inserts a joiner. It uses
// dst where it is of use.
func normalized(dst, content []byte) []byte {
	if plain, ok := normalizePlain(dst, content); ok {
		return plain
	}
	text := strings.TrimFunc(string(content), isSpace)
	text = nfc(lower(text))
	return append(dst, strings.Join(strings.FieldsFunc(text, isSpace), " ")...)
}

// normalizePlain does the whole pipeline in one pass over text of ASCII, which
// most memories are; not ok for any other.
func normalizePlain(dst, s []byte) (out []byte, ok bool) {
	out = dst
	gap := false
	for _, c := range s {
		switch {
		case c >= utf8.RuneSelf:
			return nil, false
		case c == ' ' || '\t' <= c && c <= '\r' || 0x1c <= c && c <= 0x1f:
			gap = len(out) > len(dst)
			continue
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		if gap {
			out, gap = append(out, ' '), false
		}
		out = append(out, c)
	}
	return out, true
}

func isSpace(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f }

// lower is the reference's lower case: Unicode's simple mapping, but for
// U+0130, which becomes two characters, and U+03A3, which depends on context.
func lower(s string) string {
	if !strings.ContainsAny(s, "\u0130\u03a3") {
		return strings.Map(unicode.ToLower, s)
	}
	runes := []rune(s)
	var b strings.Builder
	b.Grow(len(s))
	for i, r := range runes {
		switch r {
		case '\u0130':
			b.WriteString("i\u0307")
		case '\u03a3':
			b.WriteRune(lowerSigma(runes, i))
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// lowerSigma is ς at the end of a word and σ elsewhere (Unicode, Final_Sigma).
func lowerSigma(runes []rune, i int) rune {
	before := i - 1
	for before >= 0 && isCaseIgnorable(runes[before]) {
		before--
	}
	if before < 0 || !isCased(runes[before]) {
		return '\u03c3'
	}
	after := i + 1
	for after < len(runes) && isCaseIgnorable(runes[after]) {
		after++
	}
	if after < len(runes) && isCased(runes[after]) {
		return '\u03c3'
	}
	return '\u03c2'
}

func isCased(r rune) bool {
	return unicode.In(r, unicode.Ll, unicode.Lu, unicode.Lt, unicode.Other_Lowercase, unicode.Other_Uppercase)
}

// wordBreakMid are the characters of Word_Break MidLetter, MidNumLet and
// Single_Quote, which are case-ignorable by definition.
const wordBreakMid = "'.:\u00b7\u0387\u055f\u05f4\u2018\u2019\u2024\u2027\ufe13\ufe52\ufe55\uff07\uff0e\uff1a"

func isCaseIgnorable(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk) ||
		strings.ContainsRune(wordBreakMid, r)
}

// maxRun is the longest run of combining or decomposing characters that is
// left to the library: above 30 it inserts U+034F ("stream-safe"), which NFC
// does not.
const maxRun = 8

// nfc is canonical composition without stream-safe joiners.
func nfc(s string) string {
	if norm.NFC.IsNormalString(s) { // long runs are never called normal
		return s
	}
	run := 0
	for _, r := range s {
		if r < utf8.RuneSelf {
			run = 0
			continue
		}
		p := norm.NFD.PropertiesString(string(r))
		if p.CCC() == 0 && p.Decomposition() == nil {
			run = 0
			continue
		}
		if run++; run > maxRun {
			return composeSlowly(s)
		}
	}
	return norm.NFC.String(s)
}

// composeSlowly is the textbook algorithm (Unicode §3.11) for long runs.
func composeSlowly(s string) string {
	runes := decompose(s)
	reorder(runes)
	return string(compose(runes))
}

func decompose(s string) []rune {
	var out []rune
	for _, r := range s {
		if hangul := decomposeHangul(r); hangul != nil {
			out = append(out, hangul...)
			continue
		}
		if d := norm.NFD.PropertiesString(string(r)).Decomposition(); d != nil {
			out = append(out, []rune(string(d))...)
			continue
		}
		out = append(out, r)
	}
	return out
}

// reorder sorts each run of marks by combining class, keeping equals in order.
func reorder(runes []rune) {
	for i := 0; i < len(runes); {
		if ccc(runes[i]) == 0 {
			i++
			continue
		}
		j := i
		for j < len(runes) && ccc(runes[j]) != 0 {
			j++
		}
		slices.SortStableFunc(runes[i:j], func(a, b rune) int { return int(ccc(a)) - int(ccc(b)) })
		i = j
	}
}

func compose(runes []rune) []rune {
	out := make([]rune, 0, len(runes))
	starter := -1 // index in out of the last starter
	for _, r := range runes {
		class := ccc(r)
		if starter >= 0 && !isBlocked(out, starter, class) {
			if c, ok := pair(out[starter], r); ok {
				out[starter] = c
				continue
			}
		}
		if class == 0 {
			starter = len(out)
		}
		out = append(out, r)
	}
	return out
}

// isBlocked reports a character between the starter and the next one that
// keeps them apart.
func isBlocked(out []rune, starter int, class uint8) bool {
	if len(out)-1 == starter {
		return false
	}
	last := ccc(out[len(out)-1])
	return last == 0 || last >= class
}

func ccc(r rune) uint8 { return norm.NFD.PropertiesString(string(r)).CCC() }

// Hangul is composed by arithmetic (Unicode §3.12).
const (
	hangulS, hangulL, hangulV, hangulT = 0xac00, 0x1100, 0x1161, 0x11a7
	countL, countV, countT             = 19, 21, 28
	countS                             = countL * countV * countT
)

func decomposeHangul(r rune) []rune {
	i := r - hangulS
	if i < 0 || i >= countS {
		return nil
	}
	out := []rune{hangulL + i/(countV*countT), hangulV + i%(countV*countT)/countT}
	if t := i % countT; t != 0 {
		out = append(out, hangulT+t)
	}
	return out
}

func pair(a, b rune) (rune, bool) {
	switch {
	case hangulL <= a && a < hangulL+countL && hangulV <= b && b < hangulV+countV:
		return hangulS + ((a-hangulL)*countV+(b-hangulV))*countT, true
	case hangulS <= a && a < hangulS+countS && (a-hangulS)%countT == 0 && hangulT < b && b < hangulT+countT:
		return a + b - hangulT, true
	}
	c, ok := pairs()[[2]rune{a, b}]
	return c, ok
}

// pairs maps two characters to their primary composite. It is built once, from
// the library's own tables, the first time a long run asks for it.
var pairs = sync.OnceValue(func() map[[2]rune]rune {
	m := map[[2]rune]rune{}
	for c := rune(0x80); c <= unicode.MaxRune; c++ {
		if hangulS <= c && c < hangulS+countS || 0xd800 <= c && c <= 0xdfff {
			continue
		}
		d := []rune(string(norm.NFD.PropertiesString(string(c)).Decomposition()))
		if len(d) < 2 || norm.NFC.String(string(c)) != string(c) {
			continue
		}
		first := []rune(norm.NFC.String(string(d[:len(d)-1])))
		if len(first) == 1 {
			m[[2]rune{first[0], d[len(d)-1]}] = c
		}
	}
	return m
})
