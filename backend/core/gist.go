package core

import (
	"slices"
	"strings"
	"unicode"
)

// filler words say who is meant and nothing about what is so. "I" and "User"
// mean the same person in a memory.
var filler = map[string]bool{
	"a": true, "an": true, "the": true, "i": true, "im": true, "ive": true, "my": true, "me": true, "mine": true,
	"user": true, "users": true, "s": true, "m": true, "ve": true, "he": true, "she": true, "they": true,
	"his": true, "her": true, "their": true, "is": true, "am": true, "are": true, "be": true, "has": true, "have": true,
	"that": true, "you": true, "your": true,
}

// gist holds the words that carry what a statement says, without endings, to
// compare "I live in Lisbon" with "User lives in Lisbon". Order and repetition
// do not matter; a word more or less does.
func gist(text string) string {
	words := strings.FieldsFunc(fold(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	words = slices.DeleteFunc(words, func(w string) bool { return filler[w] })
	for i, w := range words {
		words[i] = root(w)
	}
	slices.Sort(words)
	return strings.Join(slices.Compact(words), " ")
}

// root cuts the commonest English endings.
func root(w string) string {
	for _, end := range []string{"ing", "ied", "ies", "ed", "es", "s", "e", "y"} {
		if short, ok := strings.CutSuffix(w, end); ok && len(short) >= 3 {
			return short
		}
	}
	return w
}
