package seal_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"

	"keepsake/backend/fault"
	"keepsake/backend/seal"
)

func someBytes(n int) []byte {
	rnd := rand.New(rand.NewPCG(uint64(n), 3))
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(rnd.Uint32())
	}
	return out
}

// sealed writes a blob and returns its file and reference.
func sealed(t *testing.T, k *seal.Keys, plain []byte) ([]byte, string) {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "blob"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := k.NewBlobWriter(f, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(w, iotest.HalfReader(bytes.NewReader(plain))); err != nil {
		t.Fatal(err)
	}
	ref, size, err := w.Close()
	if err != nil || size != int64(len(plain)) {
		t.Fatalf("close: %d, %v", size, err)
	}
	file, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return file, ref
}

var blobSizes = []int{0, 1, 1000, seal.BlobChunk - 1, seal.BlobChunk, seal.BlobChunk + 1, 3*seal.BlobChunk + 12345}

// Promise: a blob comes back whole, and from any position.
func TestBlobRoundTrip(t *testing.T) {
	k := testKeys()
	for _, n := range blobSizes {
		plain := someBytes(n)
		file, ref := sealed(t, k, plain)
		r, err := k.OpenBlob(bytes.NewReader(file), ref)
		if err != nil {
			t.Fatalf("%d: %v", n, err)
		}
		if r.Size() != int64(n) || r.FileSize() != int64(len(file)) {
			t.Fatalf("%d: size %d, file %d of %d", n, r.Size(), r.FileSize(), len(file))
		}
		got, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(got, plain) {
			t.Fatalf("%d: read %d bytes, %v", n, len(got), err)
		}
		checkSeeks(t, r, plain)
	}
}

func checkSeeks(t *testing.T, r *seal.BlobReader, plain []byte) {
	t.Helper()
	for _, at := range []int{0, len(plain) / 3, len(plain) - 1, len(plain) / 2, len(plain)} {
		if at < 0 {
			continue
		}
		if _, err := r.Seek(int64(at-len(plain)), io.SeekEnd); err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(io.LimitReader(r, 100))
		if err != nil || !bytes.Equal(got, plain[at:min(len(plain), at+100)]) {
			t.Fatalf("from %d: %d bytes, %v", at, len(got), err)
		}
	}
	if _, err := r.Seek(-1, io.SeekStart); err == nil {
		t.Fatal("it seeks before its start")
	}
}

// Promise: the reference depends on the content and the vault, on nothing else.
func TestBlobReference(t *testing.T) {
	k := testKeys()
	plain := someBytes(5000)
	file1, ref1 := sealed(t, k, plain)
	file2, ref2 := sealed(t, k, plain)
	if ref1 != ref2 {
		t.Error("the same bytes have two references")
	}
	if bytes.Equal(file1, file2) {
		t.Error("the same bytes are sealed to the same file")
	}
	other := seal.KeysForTest(seal.AES256GCM, bytes.Repeat([]byte{8}, 16), [32]byte{1})
	other.KeepEpoch(1, [32]byte{2})
	if _, ref := sealed(t, other, plain); ref == ref1 {
		t.Error("another vault gives the same reference")
	}
}

// Promise: a blob file that was changed, cut, or has its parts moved is
// noticed when it is read; a whole other blob is noticed when it is opened.
func TestBlobAttacks(t *testing.T) {
	k := testKeys()
	plain := someBytes(3*seal.BlobChunk + 500)
	file, ref := sealed(t, k, plain)
	second, _ := sealed(t, k, plain)
	chunk := func(f []byte, i int) []byte {
		start := seal.BlobHead + i*seal.BlobStride
		return f[start:min(len(f), start+seal.BlobStride)]
	}
	attacks := map[string]func(f []byte) []byte{
		"chunks exchanged":    func(f []byte) []byte { copy(chunk(f, 0), chunk(file, 1)); copy(chunk(f, 1), chunk(file, 0)); return f },
		"chunk repeated":      func(f []byte) []byte { copy(chunk(f, 1), chunk(file, 0)); return f },
		"chunk of other file": func(f []byte) []byte { copy(chunk(f, 1), chunk(second, 1)); return f },
		"head of other file":  func(f []byte) []byte { copy(f[:seal.BlobHead], second); return f },
		"cut at a chunk":      func(f []byte) []byte { return f[:seal.BlobHead+2*seal.BlobStride] },
		"cut in a chunk":      func(f []byte) []byte { return f[:len(f)-1] },
		"cut in the head":     func(f []byte) []byte { return f[:20] },
		"emptied":             func(f []byte) []byte { return nil },
		"flip in magic":       func(f []byte) []byte { f[0] ^= 1; return f },
		"flip in version":     func(f []byte) []byte { f[8] ^= 1; return f },
		"flip in salt":        func(f []byte) []byte { f[20] ^= 1; return f },
		"flip in size":        func(f []byte) []byte { f[60] ^= 1; return f },
		"flip in a chunk":     func(f []byte) []byte { f[seal.BlobHead+seal.BlobStride+5] ^= 1; return f },
		"flip in the last":    func(f []byte) []byte { f[len(f)-1] ^= 1; return f },
	}
	for name, attack := range attacks {
		t.Run(name, func(t *testing.T) {
			r, err := k.OpenBlob(bytes.NewReader(attack(bytes.Clone(file))), ref)
			if err == nil {
				_, err = io.ReadAll(r)
			}
			wantFault(t, err, fault.Damaged, "vault-attachment-damaged")
		})
	}
	_, otherRef := sealed(t, k, someBytes(10))
	_, err := k.OpenBlob(bytes.NewReader(file), otherRef)
	wantFault(t, err, fault.Damaged, "vault-attachment-damaged")
}

// Promise: a scratch file gives back what was written, at any offset, also
// while it grows.
func TestScratch(t *testing.T) {
	s, err := seal.NewScratch(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	plain := someBytes(1_000_000)
	for at := 0; at < len(plain); {
		n := min(len(plain)-at, 1+at/3)
		if _, err := s.Write(plain[at : at+n]); err != nil {
			t.Fatal(err)
		}
		at += n
		got := make([]byte, min(at, 70_000))
		if _, err := s.ReadAt(got, int64(at-len(got))); err != nil || !bytes.Equal(got, plain[at-len(got):at]) {
			t.Fatalf("at %d: %v", at, err)
		}
	}
	if s.Size() != int64(len(plain)) {
		t.Fatalf("size %d", s.Size())
	}
	if err := iotest.TestReader(io.NewSectionReader(s, 0, s.Size()), plain); err != nil {
		t.Fatal(err)
	}
	if n, err := s.ReadAt(make([]byte, 10), s.Size()-4); n != 4 || !errors.Is(err, io.EOF) {
		t.Fatalf("past the end: %d, %v", n, err)
	}
	if _, err := s.ReadAt(make([]byte, 1), -1); err == nil {
		t.Fatal("before the start")
	}
}

// Promise: nothing of a scratch file outlives it, not even its name.
func TestScratchLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	s, err := seal.NewScratch(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write(someBytes(200_000)); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Fatalf("left behind: %v", left)
	}
	if _, err := s.Write(make([]byte, seal.ScratchStride)); err == nil {
		t.Fatal("a closed scratch file takes bytes")
	}
}

// Promise: somebody who changes or moves parts of a scratch file in use is
// noticed.
func TestScratchAttacks(t *testing.T) {
	for name, attack := range map[string]func(chunks [2][]byte) [2][]byte{
		"exchanged": func(c [2][]byte) [2][]byte { return [2][]byte{c[1], c[0]} },
		"changed":   func(c [2][]byte) [2][]byte { c[0][100] ^= 1; return c },
		"emptied":   func(c [2][]byte) [2][]byte { clear(c[0]); return c },
	} {
		t.Run(name, func(t *testing.T) {
			s, err := seal.NewScratch(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if _, err := s.Write(someBytes(200_000)); err != nil {
				t.Fatal(err)
			}
			var chunks [2][]byte
			for i := range chunks {
				chunks[i] = make([]byte, seal.ScratchStride)
				if _, err := s.File().ReadAt(chunks[i], int64(i*seal.ScratchStride)); err != nil {
					t.Fatal(err)
				}
			}
			for i, c := range attack(chunks) {
				if _, err := s.File().WriteAt(c, int64(i*seal.ScratchStride)); err != nil {
					t.Fatal(err)
				}
			}
			_, err = s.ReadAt(make([]byte, 10), 50)
			wantFault(t, err, fault.Damaged, "scratch-damaged")
		})
	}
}
