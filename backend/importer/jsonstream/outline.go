package jsonstream

import "hash/crc32"

// Outline is how an element begins and how long it is. By it one that is known
// is met again before anybody has looked for its end: where the bytes that then
// follow have the known SHA-256, nothing else need be done with them. The zero
// one is no outline; a wrong one costs a hash.
type Outline struct {
	Start uint32 // CRC-32 of the first 256 bytes
	Size  int    // bytes of all
}

// outlineBytes is how much of an element is its beginning. ChatGPT's and Claude's
// have title or id and times in it.
const outlineBytes = 256

// outlineOf an element as it stands in the file. Only what ends in a bracket of
// its own says itself where it ends.
func outlineOf(raw []byte) Outline {
	if len(raw) < outlineBytes || len(raw) > keepBuffer || classes[raw[0]] != opening {
		return Outline{}
	}
	return Outline{startOf(raw), len(raw)}
}

func startOf(raw []byte) uint32 { return crc32.ChecksumIEEE(raw[:outlineBytes]) }
