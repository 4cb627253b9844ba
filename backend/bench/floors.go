package bench

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
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

// flushes overwrites 4 KB of a file and flushes it, n times, and returns how long each
// took. Before each it hashes so many bytes, other ones each time: a flush that follows
// right on another finds all that it needs in the processor's caches, and the disk awake.
func flushes(dir string, n, work int) (timed, error) {
	f, err := os.Create(filepath.Join(dir, "flushed"))
	if err != nil {
		return nil, fmt.Errorf("make file: %w", err)
	}
	defer f.Close()
	block := []byte(strings.Repeat("x", 4096))
	read := bytes.Repeat([]byte("x"), 8*work)
	took := make(timed, n)
	for i := range took {
		_ = sha256.Sum256(read[i%8*work:][:work])
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
