package split

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed words.txt
var wordList string

// lexicon holds the words of one language by the names of their lists in words.txt.
type lexicon map[string]map[string]bool

// words reads the lists once: they are part of the program.
var words = sync.OnceValue(func() map[string]lexicon {
	all := map[string]lexicon{}
	var of lexicon
	for line := range strings.Lines(wordList) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0 || fields[0] == "#":
		case strings.HasPrefix(fields[0], "["):
			of = lexicon{}
			all[strings.Trim(fields[0], "[]")] = of
		default:
			set := map[string]bool{}
			for _, word := range fields[1:] {
				set[word] = true
			}
			of[fields[0]] = set
		}
	}
	return all
})

// lexiconOf returns the words of a language as PAM §10 writes it; nil: they are not known.
func lexiconOf(language string) lexicon {
	primary, _, _ := strings.Cut(strings.ToLower(language), "-")
	return words()[primary]
}

func (l lexicon) has(list string, word string) bool { return l[list][word] }
