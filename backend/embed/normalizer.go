package embed

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

// space stands for a space in normalized text and in the pieces of the vocabulary.
const space = "\u2581"

// normalizer is SentencePiece's nmt_nfkc, from the table that a vocabulary carries: a
// double-array trie (darts-clone) of byte sequences, whose values are places in a list of
// replacements, each ended by a zero byte.
type normalizer struct {
	units        []uint32
	replacements []byte
}

func newNormalizer(charsmap []byte) normalizer {
	if len(charsmap) < 4 {
		return normalizer{}
	}
	trie := charsmap[4:]
	size := min(int(binary.LittleEndian.Uint32(charsmap)), len(trie))
	n := normalizer{units: make([]uint32, size/4), replacements: trie[size:]}
	for i := range n.units {
		n.units[i] = binary.LittleEndian.Uint32(trie[4*i:])
	}
	return n
}

// offset is where the children of a unit begin, to be combined with their byte by xor.
func offset(unit uint32) uint32 { return unit >> 10 << (unit & 0x200 >> 6) }

// prefix returns what the longest known sequence at the start of text becomes, or its first
// character, and how many bytes of text that was. Text is valid UTF-8 and not empty.
func (n normalizer) prefix(text string) (string, int) {
	const leaf, label = 0x100, 0x800000ff
	length, value := 0, uint32(0)
	if len(n.units) > 0 {
		at := offset(n.units[0])
		for i := range len(text) {
			at ^= uint32(text[i])
			if int(at) >= len(n.units) || n.units[at]&label != uint32(text[i]) {
				break
			}
			unit := n.units[at]
			at ^= offset(unit)
			if unit&leaf != 0 {
				length, value = i+1, n.units[at]&0x7fffffff
			}
		}
	}
	if length == 0 || int(value) >= len(n.replacements) {
		_, size := utf8.DecodeRuneInString(text)
		return text[:size], size
	}
	replacement := n.replacements[value:]
	return string(replacement[:max(0, bytes.IndexByte(replacement, 0))]), length
}

// normalize returns text as the vocabulary spells it: with a space before it, single spaces
// within, none behind, and each of them as space. It is "" if nothing is left.
func (n normalizer) normalize(text string) string {
	var out []byte
	afterSpace := true
	for text != "" {
		part, size := n.prefix(text)
		text = text[size:]
		for part != "" && afterSpace && part[0] == ' ' {
			part = part[1:]
		}
		if part == "" {
			continue
		}
		if out == nil {
			out = append(out, space...)
		}
		for i := range len(part) {
			if part[i] == ' ' {
				out = append(out, space...)
			} else {
				out = append(out, part[i])
			}
		}
		afterSpace = part[len(part)-1] == ' '
	}
	for bytes.HasSuffix(out, []byte(space)) {
		out = out[:len(out)-len(space)]
	}
	return string(out)
}
