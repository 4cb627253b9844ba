package redact

import (
	"os"
	"testing"
)

// BenchmarkFind looks through the labelled set, which is as dense as no vault is.
func BenchmarkFind(b *testing.B) {
	set, err := os.ReadFile(labelledSet)
	if err != nil {
		b.Fatal(err)
	}
	text := string(set)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Find(text, Default())
	}
}
