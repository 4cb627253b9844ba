package search

// What the tests look at from outside.

// Word is one word as the index has it.
type Word struct {
	Term       string
	Start, End int
	Extra      bool
}

type wordList struct{ words []Word }

func (l *wordList) token(t *token) {
	l.words = append(l.words, Word{string(t.term), t.start, t.end, t.extra})
}

// Words lists the words of a text.
func Words(text string) []Word {
	var l wordList
	newScanner().scan(text, &l)
	return l.words
}

// Fold folds one word.
func Fold(word string) string { return string(newFolder().fold(nil, word)) }

// Length is how the index remembers that a document has so many words.
func Length(words int) float64 { return float64(lengthOf(packLength(uint32(words)))) }

// Idf is what a word counts for.
func Idf(n, df int) float64 { return idf(uint64(n), uint64(df)) }

type nobody struct{}

func (nobody) token(*token) {}

// Scan cuts a text into words and forgets them.
func Scan(text string) { newScanner().scan(text, nobody{}) }
