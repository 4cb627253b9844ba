package chatgpt_test

import (
	"context"
	"testing"

	"keepsake/backend/importer/chatgpt"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/intake"
)

// BenchmarkRead prints what reading 10,000 messages takes: inflating, cutting
// and translating, without a vault.
func BenchmarkRead(b *testing.B) {
	for _, era := range []gen.Era{gen.Single, gen.Slim} {
		b.Run(string(era), func(b *testing.B) {
			data, truth := gen.ChatGPT(gen.ChatGPTOptions{Seed: 6, Era: era, Conversations: 100, Turns: 50})
			tree := open(b, "export.zip", data)
			b.ReportAllocs()
			b.SetBytes(largest(tree))
			for b.Loop() {
				if err := (chatgpt.Importer{}).Read(context.Background(), tree, newCollector()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(truth.Messages), "messages")
		})
	}
}

// largest is the size of the largest file: the conversations.
func largest(tree *intake.Tree) (n int64) {
	for _, f := range tree.Files() {
		n = max(n, f.Size)
	}
	return n
}

// BenchmarkSniff prints what recognising the same export takes.
func BenchmarkSniff(b *testing.B) {
	data, _ := gen.ChatGPT(gen.ChatGPTOptions{Seed: 6, Era: gen.Assets, Conversations: 1000, Turns: 5})
	tree := open(b, "export.zip", data)
	for b.Loop() {
		if _, err := (chatgpt.Importer{}).Sniff(context.Background(), tree); err != nil {
			b.Fatal(err)
		}
	}
}
