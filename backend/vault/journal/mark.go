package journal

import (
	"fmt"
	"os"
	"path/filepath"

	"keepsake/backend/seal"
	"keepsake/backend/vault/vaultdir"
)

// markBytes is how long a mark is.
const markBytes = 69

// Mark is vault.gen: which commit was confirmed last (docs/vault-format.md
// §10.1). bbolt alone takes the one before when its newest meta page is damaged.
type Mark struct {
	f *os.File
}

// OpenMark opens vault.gen or makes it, and tells what it says. A mark that
// cannot be read says 0: it is written anew after the next commit.
func OpenMark(dir string, keys *seal.Keys) (m *Mark, generation uint64, digest [32]byte, err error) {
	path := filepath.Join(dir, vaultdir.MarkName)
	f, err := vaultdir.Open(path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, 0, digest, fmt.Errorf("open generation: %w", err)
	}
	raw := make([]byte, 1024)
	n, _ := f.ReadAt(raw, 0)
	if n == 0 {
		// Its room is taken before the first commit needs it: on a full disk that commit
		// would be there and be said not to be. Where there is none now, that one says so.
		_, _ = f.WriteAt(make([]byte, markBytes), 0)
	}
	if generation, digest, err = keys.OpenMark(raw[:n]); err != nil {
		generation = 0
	}
	return &Mark{f: f}, generation, digest, nil
}

// Write says that a commit is confirmed. It is in one sector of the file.
func (m *Mark) Write(keys *seal.Keys, generation uint64, digest [32]byte) error {
	value, err := keys.SealMark(generation, digest)
	if err != nil {
		return err
	}
	if _, err := m.f.WriteAt(value, 0); err != nil {
		return fmt.Errorf("write generation: %w", err)
	}
	return nil
}

// Flush puts the mark on the disk.
func (m *Mark) Flush() error { return vaultdir.Flush(m.f) }

// Close closes the file; m may be nil.
func (m *Mark) Close() {
	if m != nil {
		_ = m.f.Close()
	}
}
