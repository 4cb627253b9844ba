package claude_test

import (
	"testing"

	"keepsake/backend/importer/claude"
	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
)

// BenchmarkRead reads 10,000 messages in 100 conversations.
func BenchmarkRead(b *testing.B) {
	files, truth := gen.ClaudeZips(gen.OneZip, gen.ClaudeOptions{Seed: 1, Conversations: 100, Turns: 50})
	f := Fixture{Name: "bench", Files: files}
	if truth.Messages < 10_000 {
		b.Fatalf("only %d messages", truth.Messages)
	}
	b.SetBytes(int64(len(files[0].Data)))
	for b.Loop() {
		r := &Recording{}
		if err := (claude.Importer{}).Read(b.Context(), f.Tree(b), r.Sink()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(truth.Messages)*float64(b.N)/b.Elapsed().Seconds(), "messages/s")
}
