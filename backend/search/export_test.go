package search

import (
	"encoding/binary"
	"strings"
	"time"
	"unsafe"
)

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

// termList takes words as the builder does.
type termList []string

func (l *termList) token(t *token) { *l = append(*l, string(t.term)) }

func (l *termList) short(k key, size int) {
	begin := k.bytes()
	*l = append(*l, string(begin[:size]))
}

// BuilderWords lists the words of a text as the builder is handed them.
func BuilderWords(text string) []string {
	var l termList
	newScanner().scan(text, &l)
	return l
}

// TermSize is what a term takes in memory beside its place in the table.
const TermSize = int(unsafe.Sizeof(termRow{}))

// Live is a segment in memory.
type Live struct{ b *builder }

// NewLive indexes texts, of which each is the document of its number.
func NewLive(texts ...string) Live {
	l := Live{newBuilder()}
	for doc, text := range texts {
		l.b.add(uint32(doc), text)
	}
	return l
}

// Terms lists the terms in the order in which they are sealed.
func (l Live) Terms() (terms []string) {
	for _, t := range l.b.sorted() {
		terms = append(terms, string(l.b.term(nil, t.id)))
	}
	return terms
}

// Postings lists the documents that hold a term, and how often.
func (l Live) Postings(term string) (docs, tfs []uint32, err error) {
	e, found, err := l.b.lookup(nil, term)
	if !found || err != nil {
		return nil, nil, err
	}
	var p postings
	err = l.b.read(nil, e, 1<<31, &p)
	return p.docs, p.tfs, err
}

type nobody struct{}

func (nobody) token(*token)   {}
func (nobody) short(key, int) {}

// Scan cuts a text into words and forgets them.
func Scan(text string) { newScanner().scan(text, nobody{}) }

// Reseal gives a block whose payload was changed a checksum that fits.
func Reseal(key, block []byte) []byte {
	payload := block[:max(0, len(block)-sumSize)]
	return binary.LittleEndian.AppendUint32(payload[:len(payload):len(payload)], checksum(key, payload))
}

// Shape writes a query as it was understood.
func Shape(q Query) string {
	if q.root == nil {
		return ""
	}
	return q.root.shape()
}

func (n *node) shape() string {
	var parts []string
	for _, kid := range n.kids {
		parts = append(parts, kid.shape())
	}
	switch n.op {
	case opAnd:
		return "(" + strings.Join(parts, " ") + ")"
	case opOr:
		return "(" + strings.Join(parts, "|") + ")"
	case opNot:
		return "-" + parts[0]
	case opField:
		for _, d := range n.dates {
			from, to := d.bounds(time.UTC)
			parts = append(parts, time.Unix(from, 0).UTC().Format(time.DateOnly)+".."+time.Unix(to, 0).UTC().Format(time.DateOnly))
		}
		return n.field + ":" + strings.Join(append(parts, n.values...), ",")
	case opPhrase:
		for _, e := range n.seq {
			parts = append(parts, e.term+star(e.prefix))
		}
		return `"` + strings.Join(parts, " ") + `"`
	}
	for _, a := range n.atoms {
		parts = append(parts, a.term+star(a.prefix))
	}
	return strings.Join(parts, "+")
}

func star(prefix bool) string {
	if prefix {
		return "*"
	}
	return ""
}

// Marks says where the words and phrases of a query stand in a text: from and to
// in bytes, in order, apart from each other, on the borders of runes. It looks at
// the part that is indexed (MaxText) and marks up to ten thousand places.
func Marks(text string, q Query) [][2]int {
	var spans [][2]int
	for _, m := range find(text, q, maxMarks) {
		spans = append(spans, [2]int{m.from, m.to})
	}
	return merged(spans)
}

// PhraseBothWays looks for the first phrase of a query in a text as short words are
// compared, where all of the phrase are, and as any are.
func PhraseBothWays(q Query, text string) (short, any, are bool) {
	f := &finder{}
	if q.root != nil {
		f.collect(q.root)
	}
	if len(f.phrases) == 0 {
		return false, false, false
	}
	m := f.phrases[0]
	are = m.keys != nil
	short = f.find(newScanner(), text)[m.n]
	m.keys = nil
	return short, f.find(newScanner(), text)[m.n], are
}
