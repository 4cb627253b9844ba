package seal

import (
	"crypto/cipher"
	"encoding/binary"
	"fmt"
)

// Chain seals the frames of one journal file (docs/vault-format.md §10.2). Each
// frame is bound to the file, to its number in it, to its generation and to the
// tag of the frame before, so that none can be dropped, doubled, moved or taken
// from another file. It is for one goroutine.
type Chain struct {
	aead cipher.AEAD
	head []byte
	next uint64 // number of the next frame
	tag  [tagSize]byte
}

// Chain returns the chain of the journal file with that number, before its
// first frame.
func (k *Keys) Chain(file uint64) (*Chain, error) {
	journal := k.purpose(forJournal)
	defer clear(journal)
	label := binary.BigEndian.AppendUint64([]byte("journal"), file)
	a, err := k.cipher.aead(newMAC(journal).of(append(label, 1))[:])
	if err != nil {
		return nil, fmt.Errorf("make cipher: %w", err)
	}
	head := field([]byte("J1"), k.vaultID)
	return &Chain{aead: a, head: binary.BigEndian.AppendUint64(head, file)}, nil
}

// Seal puts the next frame behind dst. The chain goes on from it only after Keep.
func (c *Chain) Seal(dst []byte, generation uint64, plain []byte) []byte {
	return c.aead.Seal(dst, nil, plain, c.aad(generation))
}

// Open returns what was sealed as the next frame, and goes on from it; or a
// Damaged fault, and stays where it is.
func (c *Chain) Open(generation uint64, sealed []byte) ([]byte, error) {
	plain, err := c.aead.Open(nil, nil, sealed, c.aad(generation))
	if err != nil {
		return nil, errRecordDamaged(fmt.Errorf("open journal frame %d: %w", c.next, err))
	}
	c.Keep(sealed)
	return plain, nil
}

// Keep goes on from a frame that has been written; what stands before it does not
// matter.
func (c *Chain) Keep(sealed []byte) {
	copy(c.tag[:], sealed[len(sealed)-tagSize:])
	c.next++
}

func (c *Chain) aad(generation uint64) []byte {
	aad := append(make([]byte, 0, len(c.head)+16+tagSize), c.head...)
	aad = binary.BigEndian.AppendUint64(aad, c.next)
	aad = binary.BigEndian.AppendUint64(aad, generation)
	return append(aad, c.tag[:]...)
}

// markSize is generation u64 | digest [32].
const markSize = 8 + 32

// SealMark seals what vault.gen holds: the generation of a confirmed commit and
// the digest of its state record (docs/vault-format.md §10.1).
func (k *Keys) SealMark(generation uint64, digest [32]byte) ([]byte, error) {
	key := k.purpose(forGeneration)
	defer clear(key)
	plain := append(binary.BigEndian.AppendUint64(nil, generation), digest[:]...)
	sealed, err := k.cipher.sealWith(key, plain, field([]byte("V1"), k.vaultID))
	if err != nil {
		return nil, fmt.Errorf("seal generation: %w", err)
	}
	return append([]byte{recordFormat}, sealed...), nil
}

// OpenMark opens what SealMark returned.
func (k *Keys) OpenMark(value []byte) (generation uint64, digest [32]byte, err error) {
	if len(value) != 1+Overhead+markSize || value[0] != recordFormat {
		return 0, digest, errRecordDamaged(fmt.Errorf("read generation: not as written"))
	}
	key := k.purpose(forGeneration)
	defer clear(key)
	plain, err := k.cipher.openWith(key, value[1:], field([]byte("V1"), k.vaultID))
	if err != nil {
		return 0, digest, errRecordDamaged(fmt.Errorf("open generation: %w", err))
	}
	return binary.BigEndian.Uint64(plain), [32]byte(plain[8:]), nil
}
