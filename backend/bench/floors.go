package bench

import (
	"archive/zip"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/flate"
)

// inflate reads every file of a zip and looks at nothing.
func inflate(path string) error {
	return eachEntry(path, func(r io.Reader) error {
		_, err := io.Copy(io.Discard, r)
		return err
	})
}

func eachEntry(path string, read func(io.Reader) error) error {
	z, err := zip.OpenReader(path)
	if err != nil {
		return fmt.Errorf("open zip: %w", err)
	}
	defer z.Close()
	z.RegisterDecompressor(zip.Deflate, func(r io.Reader) io.ReadCloser { return flate.NewReader(r) })
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return fmt.Errorf("open entry: %w", err)
		}
		if err := read(r); err != nil {
			return fmt.Errorf("read entry: %w", err)
		}
		_ = r.Close()
	}
	return nil
}

// hash sums a file.
func hash(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("open file: %w", err)
	}
	defer f.Close()
	_, err = io.CopyBuffer(struct{ io.Writer }{sha256.New()}, struct{ io.Reader }{f}, make([]byte, 1<<20))
	return err
}

// flushes overwrites 4 KB of a file and flushes it, n times, and returns how
// long each took.
func flushes(dir string, n int) ([]time.Duration, error) {
	f, err := os.Create(filepath.Join(dir, "flushed"))
	if err != nil {
		return nil, fmt.Errorf("make file: %w", err)
	}
	defer f.Close()
	block := []byte(strings.Repeat("x", 4096))
	took := make([]time.Duration, n)
	for i := range took {
		began := time.Now()
		if _, err := f.WriteAt(block, 0); err != nil {
			return nil, fmt.Errorf("write file: %w", err)
		}
		if err := f.Sync(); err != nil {
			return nil, fmt.Errorf("flush file: %w", err)
		}
		took[i] = time.Since(began)
	}
	return took, nil
}

// What one edit of a library of 100,000 memories was seen to write (strace): a
// frame of the journal, then pages of the data file all over it and its list of
// free pages, then its start page. Each is flushed before the next.
const (
	frameBytes = 12 << 10
	editPages  = 30
	freeBytes  = 64 << 10
	pageBytes  = 4 << 10
	// scatter is the part of the data file that the pages lie in.
	scatter = 64 << 20
)

// commits writes and flushes as an edit does, n times, and returns how long each
// took.
func commits(dir string, n int) ([]time.Duration, error) {
	journal, err := zeroed(filepath.Join(dir, "floor-journal"), int64(n)*frameBytes)
	if err != nil {
		return nil, err
	}
	defer journal.Close()
	data, err := zeroed(filepath.Join(dir, "floor-data"), scatter)
	if err != nil {
		return nil, err
	}
	defer data.Close()
	random := rand.New(rand.NewPCG(seed, 0))
	piece := []byte(strings.Repeat("x", freeBytes))
	took := make([]time.Duration, n)
	for i := range took {
		began := time.Now()
		err := flushed(journal, piece[:frameBytes], int64(i)*frameBytes)
		for range editPages {
			if err == nil {
				_, err = data.WriteAt(piece[:pageBytes], random.Int64N(scatter/pageBytes)*pageBytes)
			}
		}
		if err == nil {
			err = flushed(data, piece, random.Int64N(scatter/freeBytes)*freeBytes)
		}
		if err == nil {
			err = flushed(data, piece[:pageBytes], 0)
		}
		if err != nil {
			return nil, fmt.Errorf("write file: %w", err)
		}
		took[i] = time.Since(began)
	}
	return took, nil
}

// zeroed makes a file of so many zeros, all of them on the disk.
func zeroed(path string, size int64) (*os.File, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("make file: %w", err)
	}
	if err := flushed(f, make([]byte, size), 0); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("fill file: %w", err)
	}
	return f, nil
}

func flushed(f *os.File, piece []byte, at int64) error {
	if _, err := f.WriteAt(piece, at); err != nil {
		return err
	}
	return flushData(f)
}
