package browse

import (
	"slices"
	"strings"
	"unicode"

	"keepsake/backend/core/library"
)

// stopWords are left out of Stems. They include words for the person: "I" and "User" mean
// the same person in a memory.
var stopWords = library.SetOf(strings.Fields("a an the i im ive my me mine user users s m ve he she they " +
	"his her their is am are be has have that you your"))

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
