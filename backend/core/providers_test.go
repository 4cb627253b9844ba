package core_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/importer"
	"keepsake/backend/importer/all"
	"keepsake/backend/importer/chatgpt"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/memory"
)

// provider is a kit with the readers that people use.
func provider(t testing.TB) *kit {
	t.Helper()
	k := bare(t, "")
	k.cfg.Importers = all.Importers()
	k.Service = ok(core.New(k.cfg))
	t.Cleanup(func() { _ = k.Close() })
	ok(k.CreateVault(ctx, passphrase, "test"))
	return k
}

// TestChatGPTExports takes the whole way with every layout of a real provider:
// import, import again, a newer export, undo, export, verify.
func TestChatGPTExports(t *testing.T) {
	for _, era := range gen.Eras() {
		t.Run(string(era), func(t *testing.T) {
			k := provider(t)
			o := gen.ChatGPTOptions{Seed: 7, Era: era}
			data, truth := gen.ChatGPT(o)
			name := "export.zip"
			if era == gen.Loose {
				name = "export.json"
			}
			r := k.imports(k.file(name, data))
			st := k.state()
			if r.Conversations.New != len(truth.Conversations) || st.Messages != truth.Messages || r.Attachments.Stored != truth.Attachments {
				t.Fatalf("report: %+v, want %d conversations, %d messages, %d attachments", r, len(truth.Conversations), truth.Messages, truth.Attachments)
			}
			k.holds(truth)
			generation := st.Generation
			again := k.imports(k.file("2-"+name, otherBytes(o)))
			if now := k.state(); now.Generation > generation+1 || again.Memories.New+again.Memories.Updated+again.Memories.Merged+again.Conversations.New+again.Conversations.Updated != 0 {
				t.Errorf("the second import changed something: %+v", again)
			}
			if era == gen.Loose {
				return
			}
			o.Later = true
			data, truth = gen.ChatGPT(o)
			later := k.imports(k.file("later.zip", data))
			if later.Conversations.New != 1 || later.Conversations.Updated == 0 || k.state().Messages != truth.Messages {
				t.Errorf("the newer export: %+v, %d messages, want %d", later, k.state().Messages, truth.Messages)
			}
			k.holds(truth)
			k.leaves()
			ok(k.Undo(ctx))
			if now := k.state(); now.Messages != st.Messages || now.Memories != st.Memories {
				t.Errorf("undo: %+v, want %+v", now, st)
			}
			k.leaves()
		})
	}
}

// TestOutlinesAreKept: what an element was, is known after an unlock and after a
// newer version of it was taken back.
func TestOutlinesAreKept(t *testing.T) {
	k := provider(t)
	o := gen.ChatGPTOptions{Seed: 7, Turns: 20}
	data, _ := gen.ChatGPT(o)
	k.imports(k.file("export.zip", data))
	k.foresees(o)
	ok(0, k.Lock(ctx))
	ok(0, k.Unlock(ctx, passphrase))
	k.foresees(o)
	later := o
	later.Later = true
	data, _ = gen.ChatGPT(later)
	k.imports(k.file("later.zip", data))
	k.foresees(later)
	ok(k.Undo(ctx))
	k.foresees(o)
}

// foresees compares what the vault expects with the elements of an export.
func (k *kit) foresees(o gen.ChatGPTOptions) {
	k.t.Helper()
	info := chatgpt.Importer{}.Info()
	sizes := ok(core.Foreseen(ctx, k.Service, info.Platform, info.Version))
	files, truth := gen.ChatGPTFiles(o)
	met := 0
	for _, f := range files {
		if f.Name != "conversations.json" {
			continue
		}
		stream := importer.NewStream(f.Name, bytes.NewReader(f.Data))
		for v, err := range stream.All(ctx) {
			at := stream.Outline()
			if err != nil || at.Size != len(v) || sizes[at.Start] != at.Size {
				k.t.Errorf("element %d has %d bytes, foreseen are %d (%v)", stream.Index(), len(v), sizes[at.Start], err)
			}
			met++
		}
	}
	if met != len(truth.Conversations) {
		k.t.Errorf("%d elements, want %d", met, len(truth.Conversations))
	}
}

// TestASnapshotTakesTheExactTimeOfItsWrite: a snapshot names the day only; the
// message that wrote the memory, read after it, says when and where.
func TestASnapshotTakesTheExactTimeOfItsWrite(t *testing.T) {
	k := provider(t)
	export := `[{"id":"new","title":"New","create_time":1719900000,"mapping":{"s":{"id":"s","parent":null,"message":{"id":"s","author":{"role":"system"},
			"content":{"content_type":"model_editable_context","model_set_context":"1. [2024-07-01]. User lives in Lisbon.\n2. [2024-06-01]. User has a cat."}}}}},
		{"id":"old","title":"Old","create_time":1719800000,"mapping":{"b":{"id":"b","parent":null,"message":{"id":"b","author":{"role":"assistant"},"recipient":"bio",
			"create_time":1719800001.5,"content":{"content_type":"text","parts":["User lives in Lisbon.\nUser has a cat."]}}}}}]`
	k.imports(k.file("conversations.json", []byte(export)))
	m := k.saying("User lives in Lisbon.")
	if m.Temporal.CreatedAt.String() != "2024-07-01T02:13:21.500000Z" {
		t.Errorf("written at %s", m.Temporal.CreatedAt)
	}
	if m.Provenance.MessageRef != "b" || m.Provenance.ConversationRef != importer.ConversationID("chatgpt", "old") || m.Metadata["keepsake_created_at"] != nil {
		t.Errorf("from %+v, metadata %v", m.Provenance, m.Metadata)
	}
	if m = k.saying("User has a cat."); m.Temporal.CreatedAt.String() != "2024-06-01T00:00:00Z" || m.Metadata["keepsake_created_at"] != "day" {
		t.Errorf("written again a month later: %s, %v", m.Temporal.CreatedAt, m.Metadata)
	}
	k.leaves()
	ok(k.Undo(ctx))
	if len(k.memories(core.MemoryQuery{})) != 0 {
		t.Error("undo left memories")
	}
}

// otherBytes is the same export in another file.
func otherBytes(o gen.ChatGPTOptions) []byte {
	files, _ := gen.ChatGPTFiles(o)
	if o.Era == gen.Loose {
		return append(files[0].Data, '\n')
	}
	return gen.Zip(append(files, gen.File{Name: "a note beside it.txt", Data: []byte("hello")}))
}

// holds compares the vault with what was planted.
func (k *kit) holds(truth gen.Truth) {
	k.t.Helper()
	have := map[string]memory.Status{}
	for _, m := range k.memories(core.MemoryQuery{}) {
		have[m.Content] = m.Status
	}
	for _, content := range truth.Contents() {
		if _, held := have[content]; !held {
			k.t.Errorf("not found: %q", content)
		}
	}
	for content, status := range have {
		if slices.Contains(truth.Forgotten, content) != (status == memory.Retracted) {
			k.t.Errorf("%q is %s", content, status)
		}
		if !slices.Contains(truth.Contents(), content) {
			k.t.Errorf("nobody said %q", content)
		}
	}
	for _, talk := range truth.Conversations {
		th, err := k.Thread(ctx, importer.ConversationID("chatgpt", talk.ID), "", 0, 0)
		if err != nil || th.Total != len(talk.Path) || th.Leaf != talk.Leaf {
			k.t.Errorf("thread of %s: %d messages to %s, %v", talk.ID, th.Total, th.Leaf, err)
		}
	}
}

// leaves exports everything and holds it against every check.
func (k *kit) leaves() {
	k.t.Helper()
	r, _ := k.export(fmt.Sprint(k.ids.Load(), ".pam.zip"), core.ExportOptions{IncludeAttachments: true})
	v, err := k.Validate(ctx, core.Input{Path: r.Path})
	if err != nil || !v.Valid {
		k.t.Errorf("validate: %+v, %v", v, err)
	}
	if k.verdict(r.Path) != core.VerdictOwn {
		k.t.Error("the export does not verify")
	}
}

// BenchmarkImportChatGPT10kMessages prints the figure that the project promises
// to keep at or below one second on two cores, key derivation left out: for
// messages alone, and with memories, forks and a file for every few of them.
func BenchmarkImportChatGPT10kMessages(b *testing.B) {
	for name, bare := range map[string]bool{"messages": true, "everything": false} {
		b.Run(name, func(b *testing.B) {
			data, truth := gen.ChatGPT(gen.ChatGPTOptions{Seed: 3, Era: gen.Assets, Conversations: 500, Turns: 9, Bare: bare})
			for b.Loop() {
				b.StopTimer()
				k := provider(b)
				path := k.file("export.zip", data)
				b.StartTimer()
				r, err := k.Import(ctx, inputs(path), core.ImportOptions{}, nil)
				b.StopTimer()
				if err != nil || r.Messages.New != truth.Messages {
					b.Fatalf("%+v, %v", r, err)
				}
				_ = k.Close()
				b.StartTimer()
			}
			b.ReportMetric(float64(truth.Messages), "messages")
			b.ReportMetric(float64(truth.Attachments), "files")
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)*10_000/float64(truth.Messages), "s/10k-messages")
		})
	}
}
