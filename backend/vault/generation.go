package vault

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"keepsake/backend/seal"
)

// markBytes is how long a mark is.
const markBytes = 69

// mark is vault.gen: which commit was confirmed last (docs/vault-format.md
// §10.1). bbolt alone takes the one before when its newest meta page is damaged.
type mark struct {
	f *os.File
}

// openMark opens vault.gen or makes it, and tells what it says. A mark that
// cannot be read says 0: it is written anew after the next commit.
func openMark(dir string, keys *seal.Keys) (m *mark, generation uint64, digest [32]byte, err error) {
	path := filepath.Join(dir, markName)
	f, err := openOwn(path, os.O_RDWR|os.O_CREATE)
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

// removeAll removes files; one that is not there is no error.
func removeAll(paths ...string) error {
	for _, p := range paths {
		if err := os.RemoveAll(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove file: %w", err)
		}
	}
	return nil
}

// generationName is how journals and snapshots are named: after the generation
// that they go on from, or hold.
func generationName(generation uint64) string { return fmt.Sprintf("%012d", generation) }

// generationOf is the generation that a name says.
func generationOf(name string) (generation uint64, ok bool) {
	generation, err := strconv.ParseUint(name, 10, 64)
	return generation, err == nil && name == generationName(generation)
}

// generationsIn lists the generations that entries of a folder are named after,
// in ascending order; none where there is no folder.
func generationsIn(folder string) (out []uint64, err error) {
	entries, err := readFolder(folder)
	for _, e := range entries {
		if generation, ok := generationOf(e.Name()); ok {
			out = append(out, generation)
		}
	}
	slices.Sort(out)
	return out, err
}
