package embed

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// The vocabulary's ids of what is no piece of a text.
const (
	unknown  = 0
	beginSeq = 1
	endSeq   = 2
)

// tokenizer is SentencePiece's unigram model: of all ways to cut a text into pieces it takes
// the likeliest.
type tokenizer struct {
	normalizer normalizer
	pieces     []piece  // in the order of their texts
	first      [257]int // pieces that begin with the byte b are first[b] to first[b+1]
	unknown    float64  // log probability of a character that no piece has
}

type piece struct {
	text  string
	id    int32
	score float64 // log probability
}

// newTokenizer reads a SentencePiece model of the old layout: the pieces are its fields 1,
// and the table of the normalizer is field 2 of field 3.
func newTokenizer(model []byte) (*tokenizer, error) {
	t := &tokenizer{}
	lowest := math.Inf(1)
	err := eachField(model, func(number protowire.Number, value []byte) error {
		switch number {
		case 1:
			p, err := readPiece(value)
			if err != nil {
				return err
			}
			p.id = int32(len(t.pieces))
			lowest = min(lowest, p.score)
			t.pieces = append(t.pieces, p)
		case 3:
			return eachField(value, func(number protowire.Number, table []byte) error {
				if number == 2 {
					t.normalizer = newNormalizer(table)
				}
				return nil
			})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read vocabulary: %w", err)
	}
	t.unknown = lowest - 10
	slices.SortFunc(t.pieces, func(a, b piece) int { return strings.Compare(a.text, b.text) })
	for b := range 256 {
		t.first[b+1] = t.after(0, len(t.pieces), 0, byte(b))
	}
	return t, nil
}

func readPiece(message []byte) (piece, error) {
	var p piece
	err := eachField(message, func(number protowire.Number, value []byte) error {
		switch {
		case number == 1:
			p.text = string(value)
		case number == 2 && len(value) == 4:
			p.score = float64(math.Float32frombits(binary.LittleEndian.Uint32(value)))
		}
		return nil
	})
	return p, err
}

// eachField hands out the fields of a protocol buffer that are bytes or 32 bits wide.
func eachField(message []byte, do func(protowire.Number, []byte) error) error {
	for len(message) > 0 {
		number, kind, size := protowire.ConsumeTag(message)
		if size < 0 {
			return protowire.ParseError(size)
		}
		message = message[size:]
		size = protowire.ConsumeFieldValue(number, kind, message)
		if size < 0 {
			return protowire.ParseError(size)
		}
		value := message[:size]
		message = message[size:]
		switch kind {
		case protowire.BytesType:
			value, _ = protowire.ConsumeBytes(value)
		case protowire.Fixed32Type:
		default:
			continue
		}
		if err := do(number, value); err != nil {
			return err
		}
	}
	return nil
}

// encode returns the ids of the likeliest pieces of text, between those of its begin and its
// end. Of two ways that are as likely it takes the one whose last piece begins first.
func (t *tokenizer) encode(text string) []int32 {
	text = t.normalizer.normalize(text)
	if text == "" {
		return []int32{beginSeq, unknown, endSeq}
	}
	type step struct {
		score float64 // of the best way to here
		from  int     // where its last piece begins
		id    int32
	}
	best := make([]step, len(text)+1)
	for i := range best[1:] {
		best[i+1].score = math.Inf(-1)
	}
	for from := 0; from < len(text); {
		_, character := utf8.DecodeRuneInString(text[from:])
		known := false
		reach := func(size int, id int32, score float64) {
			if score += best[from].score; score > best[from+size].score {
				best[from+size] = step{score, from, id}
			}
		}
		for p := range t.prefixes(text[from:]) {
			reach(len(p.text), p.id, p.score)
			known = known || len(p.text) == character
		}
		if !known {
			reach(character, unknown, t.unknown)
		}
		from += character
	}
	ids := []int32{endSeq}
	for at := len(text); at > 0; at = best[at].from {
		ids = append(ids, best[at].id)
	}
	ids = append(ids, beginSeq)
	slices.Reverse(ids)
	return ids
}

// prefixes yields the pieces with which text begins, the shortest first.
func (t *tokenizer) prefixes(text string) iter.Seq[piece] {
	return func(yield func(piece) bool) {
		low, high := t.first[text[0]], t.first[int(text[0])+1]
		for size := 1; low < high; size++ {
			if len(t.pieces[low].text) == size {
				if !yield(t.pieces[low]) {
					return
				}
				low++
			}
			if size == len(text) {
				return
			}
			if text[size] > 0 {
				low = t.after(low, high, size, text[size]-1)
			}
			high = t.after(low, high, size, text[size])
		}
	}
}

// after returns the first of the pieces from low to high, which are as long as at or longer,
// whose byte there is greater than b; a piece that ends there comes before all others.
func (t *tokenizer) after(low, high, at int, b byte) int {
	return low + sort.Search(high-low, func(i int) bool {
		text := t.pieces[low+i].text
		return len(text) > at && text[at] > b
	})
}
