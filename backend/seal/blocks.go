package seal

import (
	"crypto/cipher"
	"fmt"
)

// Blocks seals the blocks of a file that is derived from the vault and can be
// made again: the search index. One key serves the whole file; it is never
// used for another one, because the file's salt is random. It is safe for
// concurrent use.
type Blocks struct {
	aead cipher.AEAD
	head []byte
}

// Blocks returns the sealer of the file with that salt (docs/vault-format.md
// §9a).
func (k *Keys) Blocks(salt []byte) (*Blocks, error) {
	key := k.purpose(forSearch + "/" + string(salt))
	defer clear(key)
	a, err := k.cipher.aead(key)
	if err != nil {
		return nil, fmt.Errorf("make cipher: %w", err)
	}
	return &Blocks{aead: a, head: field([]byte("X1"), k.vaultID)}, nil
}

// Seal returns the value to store under name.
func (b *Blocks) Seal(name, plain []byte) []byte {
	return b.aead.Seal(make([]byte, 0, len(plain)+Overhead), nil, plain, b.aad(name))
}

// Open returns what was sealed under name, or a Damaged fault.
func (b *Blocks) Open(name, value []byte) ([]byte, error) {
	plain, err := b.aead.Open(nil, nil, value, b.aad(name))
	if err != nil {
		return nil, errRecordDamaged(fmt.Errorf("open block: %w", err))
	}
	return plain, nil
}

func (b *Blocks) aad(name []byte) []byte {
	return append(append(make([]byte, 0, len(b.head)+len(name)), b.head...), name...)
}
