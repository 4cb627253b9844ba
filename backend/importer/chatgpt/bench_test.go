package chatgpt_test

import (
	"context"
	"runtime"
	"testing"

	"keepsake/backend/importer"
	"keepsake/backend/importer/chatgpt"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/intake"
)

// thrifty takes conversations and keeps none; it looks at the heap now and then.
type thrifty struct {
	*collector
	seen        int
	first, most uint64 // bytes in use after a collection
}

func (s *thrifty) Conversation(context.Context, importer.ConversationDraft) error {
	if s.seen++; s.seen%100 == 1 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		if s.first == 0 {
			s.first = m.HeapAlloc
		}
		s.most = max(s.most, m.HeapAlloc)
	}
	return nil
}

func (s *thrifty) Memory(context.Context, importer.MemoryDraft) error { return nil }
func (s *thrifty) Progress(int64)                                     {}

// TestMemoryDoesNotGrowWithTheExport: one conversation is held at a time. The
// export of this test is some 30 MB of JSON.
func TestMemoryDoesNotGrowWithTheExport(t *testing.T) {
	data, truth := gen.ChatGPT(gen.ChatGPTOptions{Seed: 6, Era: gen.Single, Conversations: 1500, Turns: 12, Bare: true})
	tree := open(t, "export.zip", data)
	s := &thrifty{collector: newCollector()}
	if err := (chatgpt.Importer{}).Read(context.Background(), tree, s); err != nil {
		t.Fatal(err)
	}
	grown := int64(s.most) - int64(s.first)
	t.Logf("the heap grew by %d KiB over %d MB of JSON", grown>>10, largest(tree)/1e6)
	if s.seen != len(truth.Conversations) || grown > 2<<20 {
		t.Errorf("%d conversations; the heap grew by %d KiB", s.seen, grown>>10)
	}
}

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
