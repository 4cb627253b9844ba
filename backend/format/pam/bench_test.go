package pam_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"testing"

	"keepsake/backend/format/pam"
)

// The three benchmarks below run on the same 900 memories, so that each can
// be read as a multiple of the first, which is the floor.
const benchMemories = 900

func BenchmarkFloorSHA256(b *testing.B) {
	text := store(b, benchMemories, key(b))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		sha256.Sum256(text)
	}
}

func BenchmarkWriteStore(b *testing.B) {
	text := store(b, benchMemories, key(b))
	src, o := source(b, benchMemories), options(key(b))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := pam.WriteStore(io.Discard, src, o); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	text := store(b, benchMemories, key(b))
	tr := tree(b, "x.json", bytes.Clone(text))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if r, err := pam.Verify(context.Background(), tr, compiled(b), pam.Trust{}); err != nil || !r.Valid {
			b.Fatal(r, err)
		}
	}
}
