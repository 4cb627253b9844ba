package documents

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"keepsake/backend/intake"
)

// Promise: what does not hold when it is read again, of an export, of two files put
// together or of one that is signed, is thrown away: in no shape is a file, a part of one
// or a folder left, and what was there before stays.
func TestWhatDoesNotHoldIsThrownAway(t *testing.T) {
	wrong := errors.New("it does not hold")
	for name, of := range map[string]Shape{"a.json": AsFile, "a.zip": AsZip, "a": AsFolder} {
		dir := t.TempDir()
		if of != AsFolder {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("before"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		p := Output{Dest: filepath.Join(dir, name), Shape: of}
		read := 0
		err := p.Fill(func(to Target) error {
			if of == AsFolder {
				return os.WriteFile(filepath.Join(to.folder, "memory-store.json"), []byte("after"), 0o600)
			}
			_, err := io.WriteString(to.File, "after")
			return err
		}, func(source intake.Source) error {
			tree, err := intake.Open(context.Background(), []intake.Source{source}, intake.Options{})
			if err == nil {
				read = len(tree.Files())
				err = tree.Close()
			}
			return errors.Join(wrong, err)
		})
		if !errors.Is(err, wrong) || of != AsZip && read != 1 {
			t.Errorf("%s: %v, %d files were looked at", name, err, read)
		}
		left, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		if of == AsFolder {
			if len(left) != 0 {
				t.Errorf("%s: left behind: %v", name, left)
			}
			continue
		}
		if text, err := os.ReadFile(filepath.Join(dir, name)); len(left) != 1 || string(text) != "before" {
			t.Errorf("%s: %v, %q, %v", name, left, text, err)
		}
	}
}
