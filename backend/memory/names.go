package memory

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// lookalikes are letters of other scripts that are drawn like a Latin one, lower
// case. It is not all of Unicode's confusables: it is what a name is usually forged
// with.
var lookalikes = map[rune]rune{
	'а': 'a', 'в': 'b', 'с': 'c', 'ԁ': 'd', 'е': 'e', 'ё': 'e', 'һ': 'h', 'і': 'i', 'ї': 'i', 'ј': 'j', 'к': 'k', 'ӏ': 'l', 'м': 'm', 'н': 'h', 'о': 'o', 'р': 'p', 'ԛ': 'q',
	'ѕ': 's', 'т': 't', 'у': 'y', 'ү': 'y', 'ѵ': 'v', 'ԝ': 'w', 'х': 'x', 'г': 'r', 'п': 'n',
	'α': 'a', 'β': 'b', 'ε': 'e', 'ι': 'i', 'κ': 'k', 'ν': 'v', 'ο': 'o', 'ρ': 'p', 'τ': 't', 'υ': 'u', 'χ': 'x', 'γ': 'y', 'η': 'n',
	'ø': 'o', 'ł': 'l', 'đ': 'd', 'ħ': 'h', 'ŧ': 't', 'ᴀ': 'a', 'ʙ': 'b', 'ᴄ': 'c', 'ᴅ': 'd', 'ᴇ': 'e', 'ɢ': 'g', 'ʜ': 'h', 'ɪ': 'i', 'ᴊ': 'j', 'ᴋ': 'k', 'ʟ': 'l', 'ᴍ': 'm',
	'ɴ': 'n', 'ᴏ': 'o', 'ᴘ': 'p', 'ʀ': 'r', 'ᴛ': 't', 'ᴜ': 'u', 'ᴠ': 'v', 'ᴡ': 'w', 'ʏ': 'y', 'ᴢ': 'z',
	'ı': 'i', 'ɑ': 'a', 'ɡ': 'g', 'ո': 'n', 'օ': 'o', 'ս': 'u', 'հ': 'h',
}

// FoldName is a name as it is compared with others: two that a person could take for
// one another fold to the same text. Case, spaces, punctuation, accents, invisible
// characters, compatibility forms and lookalikes do not count. A name of nothing but
// these stands for itself.
func FoldName(name string) string {
	fold := func(r rune) rune {
		if same, ok := lookalikes[unicode.ToLower(r)]; ok {
			return same
		}
		if unicode.IsSpace(r) || unicode.IsPunct(r) || unicode.Is(unicode.Mn, r) || !unicode.IsGraphic(r) || isHidden(r) {
			return -1
		}
		return unicode.ToLower(r)
	}
	if folded := strings.Map(fold, norm.NFKD.String(name)); folded != "" {
		return folded
	}
	return name
}

// isHidden reports letters and symbols that are drawn as nothing, or as a space or a
// dash, whatever Unicode counts them as.
func isHidden(r rune) bool {
	switch r {
	case '\u115F', '\u1160', '\u2800', '\u3164', '\uFFA0', '\u2212': // Hangul fillers, empty Braille, minus
		return true
	}
	return false
}
