package pam_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"testing"
	"time"

	"keepsake/backend/format/pam"
)

// Every benchmark here runs on the same memories and reports its time as a
// multiple of SHA-256 over the same bytes, taken in the same run.
const benchMemories = 5000

// overFloor runs work and sets its cost against the floor.
func overFloor(b *testing.B, text []byte, work func()) {
	b.Helper()
	floor := time.Duration(1 << 62)
	for range 20 {
		start := time.Now()
		sha256.Sum256(text)
		floor = min(floor, time.Since(start))
	}
	best := time.Duration(1 << 62)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		start := time.Now()
		work()
		best = min(best, time.Since(start))
	}
	b.ReportMetric(float64(best)/float64(floor), "x-SHA-256")
}

func BenchmarkWriteStore(b *testing.B) {
	text := store(b, benchMemories, key(b))
	src, o := source(b, benchMemories), options(key(b))
	overFloor(b, text, func() {
		if _, err := pam.WriteStore(io.Discard, src, o); err != nil {
			b.Fatal(err)
		}
	})
}

func BenchmarkVerify(b *testing.B) {
	text := store(b, benchMemories, key(b))
	tr := tree(b, "x.json", bytes.Clone(text))
	overFloor(b, text, func() {
		if r, err := pam.Verify(context.Background(), tr, compiled(b), pam.Trust{}); err != nil || !r.Valid {
			b.Fatal(r, err)
		}
	})
}

func BenchmarkValidate(b *testing.B) {
	text := store(b, benchMemories, key(b))
	tr := tree(b, "x.json", bytes.Clone(text))
	overFloor(b, text, func() {
		if v, err := pam.Validate(context.Background(), tr, compiled(b)); err != nil || !v.Valid {
			b.Fatal(v, err)
		}
	})
}
