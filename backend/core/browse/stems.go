package browse

import (
	"slices"
	"strings"
	"unicode"

	"keepsake/backend/core/library"
)

// stopWords are left out of Stems. They include words for the person: "I" and "User" mean
// the same person in a memory.
var stopWords = map[string]bool{
	"a": true, "an": true, "the": true, "i": true, "im": true, "ive": true, "my": true, "me": true, "mine": true,
	"user": true, "users": true, "s": true, "m": true, "ve": true, "he": true, "she": true, "they": true,
	"his": true, "her": true, "their": true, "is": true, "am": true, "are": true, "be": true, "has": true, "have": true,
	"that": true, "you": true, "your": true,
}

// Stems returns the stemmed words of a statement without stop words, sorted and each
// once. The result is a key under which "I live in Lisbon" and "User lives in Lisbon" are
// duplicates.
func Stems(text string) string {
	words := strings.FieldsFunc(library.Fold(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	words = slices.DeleteFunc(words, func(w string) bool { return stopWords[w] })
	for i, w := range words {
		words[i] = stemmed(w)
	}
	slices.Sort(words)
	return strings.Join(slices.Compact(words), " ")
}

// stemmed removes the first of the most common English suffixes that a word has.
func stemmed(w string) string {
	for _, end := range []string{"ing", "ied", "ies", "ed", "es", "s", "e", "y"} {
		if short, ok := strings.CutSuffix(w, end); ok && len(short) >= 3 {
			return short
		}
	}
	return w
}
