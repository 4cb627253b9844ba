package vault

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"

	"keepsake/backend/seal"
)

// mark is vault.gen: which commit was confirmed last (docs/vault-format.md
// §10.1). bbolt alone takes the one before when its newest meta page is damaged.
type mark struct {
	f *os.File
}

// openMark opens vault.gen or makes it, and tells what it says. A mark that
// cannot be read says 0: it is written anew after the next commit.
func openMark(dir string, keys *seal.Keys) (m *mark, generation uint64, digest [32]byte, err error) {
	path := filepath.Join(dir, markName)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, filePerm)
	if err != nil {
		return nil, 0, digest, fmt.Errorf("open generation: %w", err)
	}
	raw := make([]byte, 1024)
	n, _ := f.ReadAt(raw, 0)
	if generation, digest, err = keys.OpenMark(raw[:n]); err != nil {
		generation = 0
	}
	return &mark{f: f}, generation, digest, nil
}

// write says that a commit is confirmed. It is in one sector of the file.
func (m *mark) write(keys *seal.Keys, generation uint64, digest [32]byte) error {
	value, err := keys.SealMark(generation, digest)
	if err != nil {
		return err
	}
	if _, err := m.f.WriteAt(value, 0); err != nil {
		return fmt.Errorf("write generation: %w", err)
	}
	return nil
}

func (m *mark) close() {
	if m != nil {
		_ = m.f.Close()
	}
}

// stateDigest is the digest of the sealed state record of a transaction.
func stateDigest(bt *bbolt.Tx) [32]byte {
	return sha256.Sum256(bt.Bucket(systemBucket).Get(stateKey))
}

// removeAll removes files; one that is not there is no error.
func removeAll(paths ...string) error {
	for _, p := range paths {
		if err := os.RemoveAll(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove file: %w", err)
		}
	}
	return nil
}
