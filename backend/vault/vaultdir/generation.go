package vaultdir

import (
	"fmt"
	"slices"
	"strconv"

	"keepsake/backend/atomicfile"
)

// RemoveAll removes files; one that is not there is no error.
func RemoveAll(paths ...string) error {
	for _, p := range paths {
		if err := atomicfile.RemoveAll(p); err != nil {
			return fmt.Errorf("remove file: %w", err)
		}
	}
	return nil
}

// GenerationName is how journals and snapshots are named: after the generation
// that they go on from, or hold.
func GenerationName(generation uint64) string { return fmt.Sprintf("%012d", generation) }

// generationOf is the generation that a name says.
func generationOf(name string) (generation uint64, ok bool) {
	generation, err := strconv.ParseUint(name, 10, 64)
	return generation, err == nil && name == GenerationName(generation)
}

// Generations lists the generations that entries of a folder are named after,
// in ascending order; none where there is no folder.
func Generations(folder string) (out []uint64, err error) {
	entries, err := ReadDir(folder)
	for _, e := range entries {
		if generation, ok := generationOf(e.Name()); ok {
			out = append(out, generation)
		}
	}
	slices.Sort(out)
	return out, err
}
