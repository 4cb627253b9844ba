package core_test

import (
	"fmt"
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/memory"
)

// BenchmarkImport10kMessages imports 1,000 conversations of ten messages each
// into a fresh vault. The key derivation is not part of the measure.
func BenchmarkImport10kMessages(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		k := fresh(b)
		path := k.write("a.zip", manyBook(1000))
		b.StartTimer()
		r, err := k.Import(ctx, inputs(path), core.ImportOptions{}, nil)
		b.StopTimer()
		if err != nil || r.Messages.New != 10_000 {
			b.Fatalf("%+v, %v", r, err)
		}
		_ = k.Close()
		b.StartTimer()
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/import")
}

// BenchmarkReimport10kMessages imports the same data from another file.
func BenchmarkReimport10kMessages(b *testing.B) {
	k := fresh(b)
	k.imports(k.write("a.zip", manyBook(1000)))
	n := 0
	for b.Loop() {
		b.StopTimer()
		n++
		path := k.write("b.zip", manyBook(1000), "note", fmt.Sprint(n))
		b.StartTimer()
		r, err := k.Import(ctx, inputs(path), core.ImportOptions{}, nil)
		if err != nil || r.Conversations.Unchanged != 1000 || r.Memories.Unchanged != 1000 {
			b.Fatalf("%+v, %v", r, err)
		}
	}
}

// many is a vault with n memories.
func many(b *testing.B, n int) *kit {
	k := fresh(b)
	var all book
	for i := range n {
		all.Memories = append(all.Memories, statement{
			Key: fmt.Sprint("k", i), Text: fmt.Sprintf("User remembers the number %d and a sentence of some length about it, café included", i),
			At: dayOne, Tags: []string{fmt.Sprint("tag", i%50)}, Decay: memory.DecayNone,
		})
	}
	k.imports(k.write("a.zip", all))
	return k
}

func BenchmarkUnlock20kMemories(b *testing.B) {
	k := many(b, 20_000)
	for b.Loop() {
		k.reopen()
	}
}

func BenchmarkList20kMemories(b *testing.B) {
	k := many(b, 20_000)
	for name, q := range map[string]core.MemoryQuery{"first-page": {Limit: 50}, "words": {Limit: 50, Text: "number 1999 cafe"}, "facet": {Limit: 50, Tags: []string{"tag7"}, Sort: "-updated"}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				k.memories(q)
			}
		})
	}
	b.Run("facets", func(b *testing.B) {
		for b.Loop() {
			ok(k.Facets(ctx, core.MemoryQuery{}))
		}
	})
}

func BenchmarkEdit(b *testing.B) {
	k := many(b, 20_000)
	id := k.memories(core.MemoryQuery{Limit: 1})[0].ID
	n := 0
	for b.Loop() {
		n++
		ok(k.EditMemory(ctx, id, core.MemoryEdit{Content: to(fmt.Sprint("text ", n))}))
	}
}

func BenchmarkExport20kMemories(b *testing.B) {
	k := many(b, 20_000)
	for b.Loop() {
		k.export("out.json", core.ExportOptions{})
	}
}

// BenchmarkCircle20kMembers: a circle that everything is put into in one change, and what is asked
// of it then.
func BenchmarkCircle20kMembers(b *testing.B) {
	k := many(b, 20_000)
	var ids []string
	for _, m := range k.memories(core.MemoryQuery{}) {
		ids = append(ids, m.ID)
	}
	ok(k.MakeCircle(ctx, core.Circle{Name: "All"}))
	b.Run("join", func(b *testing.B) {
		for b.Loop() {
			if done := ok(k.JoinCircle(ctx, "all", ids, true)); done.Changed != 20_000 {
				b.Fatalf("%+v", done)
			}
			b.StopTimer()
			ok(k.Undo(ctx))
			b.StartTimer()
		}
	})
	ok(k.JoinCircle(ctx, "all", ids, true))
	for name, ask := range map[string]func(){
		"list":    func() { ok(k.Circles(ctx)) },
		"preview": func() { ok(k.PreviewCircle(ctx, "all")) },
		"of":      func() { ok(k.CirclesOf(ctx, ids[0])) },
		"export":  func() { k.export("all.json", core.ExportOptions{For: "all"}) },
		"to-self": func() { k.export("self.json", core.ExportOptions{}) },
		"add-one": func() { ok(k.JoinCircle(ctx, "all", ids[:1], true)) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				ask()
			}
		})
	}
}
