package sensitive

import (
	"embed"
	"fmt"
	"strings"

	"keepsake/backend/language"
)

//go:embed words
var wordLists embed.FS

// Languages are the tags of the languages that have a word list.
func Languages() []string { return []string{"en", "pt", "es", "de", "fr"} }

// Finder tells the topics of texts. It may be used by several goroutines.
type Finder struct {
	lexicons       map[string]*lexicon
	languages      *language.Reader
	words, meaning *network // without the vector of a text, and with it
}

// New reads the word lists and the weights.
func New(languages *language.Reader) (*Finder, error) {
	f := &Finder{lexicons: map[string]*lexicon{}, languages: languages}
	var err error
	if f.words, err = readNetwork(wordWeights, features); err != nil {
		return nil, err
	}
	if f.meaning, err = readNetwork(meaningWeights, features+vectorSize); err != nil {
		return nil, err
	}
	for _, tag := range Languages() {
		var text []byte
		if text, err = wordLists.ReadFile("words/" + tag + ".txt"); err != nil {
			return nil, fmt.Errorf("read word list: %w", err)
		}
		if f.lexicons[tag], err = parseLexicon(string(text)); err != nil {
			return nil, fmt.Errorf("word list of %s: %w", tag, err)
		}
	}
	return f, nil
}

// lexiconsOf returns the word lists of the language of a text, of several where it could be any
// of them, and of none where it is sure to be in another language.
func (f *Finder) lexiconsOf(text string) (all []*lexicon) {
	tags := []string{f.languages.Of(text)}
	if tags[0] == "" {
		tags = f.languages.Likely(text, Languages())
	}
	for _, tag := range tags {
		if l := f.lexicons[tag]; l != nil {
			all = append(all, l)
		}
	}
	return all
}

// longest is how many bytes of a text are looked at.
const longest = 16 << 10

// Find returns the topics of a text. vector is that of package embed, which says what the text
// means; without one (nil), or with one of another size, only words are looked at.
func (f *Finder) Find(text string, vector []float32) Set {
	text = strings.ToValidUTF8(text[:min(len(text), longest)], " ")
	counts := f.lexical(text)
	if len(vector) != vectorSize {
		return f.words.topics(counts[:])
	}
	return f.meaning.topics(append(counts[:], vector...))
}
