package extract

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Words are the words of a text by which texts are compared: small, without
// accents, each once, in the order of the text, and none of fewer than three
// letters unless it is a number.
func Words(text string) []string {
	var words []string
	plain := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(text))
	for _, w := range strings.FieldsFunc(plain, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		long := len([]rune(w)) >= 3 || unicode.IsDigit([]rune(w)[0])
		if long && !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	return words
}

// Similar says how alike two texts are by their words: 1 when they have the
// same ones, 0 when they share none (the coefficient of Dice).
func Similar(a, b string) float64 {
	one, other := Words(a), Words(b)
	if len(one)+len(other) == 0 {
		return 0
	}
	shared := 0
	for _, w := range one {
		if slices.Contains(other, w) {
			shared++
		}
	}
	return 2 * float64(shared) / float64(len(one)+len(other))
}
