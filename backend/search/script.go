package search

import (
	"unicode"
	"unicode/utf8"
)

// spacelessScripts are written without spaces between words. Their words cannot
// be told apart without a dictionary, so pairs of characters are indexed. Korean has
// spaces, but its particles are written to the noun: pairs find it without them.
var spacelessScripts = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
	unicode.Tai_Le, unicode.New_Tai_Lue, unicode.Tai_Tham,
}

// spaceless reports a character of such a script. Digits are not among them:
// numbers are written as one piece everywhere.
func spaceless(r rune) bool {
	switch {
	case r < 0x0E00:
		return false
	case 0x4E00 <= r && r <= 0x9FFF, 0x3041 <= r && r <= 0x3096, 0x30A1 <= r && r <= 0x30FA, 0xAC00 <= r && r <= 0xD7A3:
		return true
	case 0x1100 <= r && r <= 0x115F: // begins a syllable that is written in its parts
		return true
	case 0x2010 <= r && r <= 0x2E7F, 0x1F000 <= r && r <= 0x1FAFF: // punctuation, symbols, pictures
		return false
	case r == 'ー', r == 'ｰ': // lengthen a sound in both kana, so belong to no script
		return true
	}
	return unicode.In(r, spacelessScripts...) && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.Is(unicode.Nl, r))
}

// follows reports what belongs to the character before it: marks, halfwidth
// kana voicing, joiners, the vowels and ends of Korean syllables.
func follows(r rune) bool {
	return r >= 0x0300 && (unicode.IsMark(r) || r == 0xFF9E || r == 0xFF9F || r == 0x200C || r == 0x200D || 0x1160 <= r && r <= 0x11FF)
}

// unitEnd is where the character that begins at i ends, marks included.
func unitEnd(text string, i int) int {
	_, size := utf8.DecodeRuneInString(text[i:])
	i += size
	for i < len(text) && text[i] >= utf8.RuneSelf {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !follows(r) {
			break
		}
		i += size
	}
	return i
}

// picture reports emoji and their like, which people do search for.
func picture(r rune) bool {
	return 0x1F000 <= r && r <= 0x1FAFF || 0x2600 <= r && r <= 0x27BF || r == 0x2B50 || r == 0x2B55
}

// dress reports what only varies a picture or an ideograph: skin tones, the
// request to show it in colour, and which of its forms is meant.
func dress(r rune) bool {
	return 0x1F3FB <= r && r <= 0x1F3FF || 0xFE00 <= r && r <= 0xFE0F || 0xE0100 <= r && r <= 0xE01EF
}

// plainBreak reports the punctuation that people's programs put in place of
// ASCII quotes and dashes. It always ends a word; U+2019 may not.
func plainBreak(r rune) bool {
	return 0x2010 <= r && r <= 0x2018 || 0x201A <= r && r <= 0x2023 || r == 0x2026 || r == 0x00AB || r == 0x00BB
}
