package pam

import (
	_ "embed"
	"strings"
	"sync"
)

// wordText is the project's own list of 2048 plain English words of four to
// eight letters, sorted. No two differ by one letter, and the position of a word
// is its 11 bits. The list never changes: a fingerprint that was written down
// must mean the same key for ever.
//
//go:embed words.txt
var wordText string

var wordList = sync.OnceValue(func() []string { return strings.Fields(wordText) })
