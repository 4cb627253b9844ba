package core_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/importer/all"
	"keepsake/backend/importer/chatgpt"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/importer/jsonstream"
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
			if r.Conversations.New != len(truth.Conversations) || st.Messages != truth.Messages-truth.Empty || r.Attachments.Stored != truth.Attachments {
				t.Fatalf("report: %+v, want %d conversations, %d messages, %d attachments", r, len(truth.Conversations), truth.Messages-truth.Empty, truth.Attachments)
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
			if later.Conversations.New != 1 || later.Conversations.Updated == 0 || k.state().Messages != truth.Messages-truth.Empty {
				t.Errorf("the newer export: %+v, %d messages, want %d", later, k.state().Messages, truth.Messages-truth.Empty)
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
		stream := jsonstream.NewStream(f.Name, bytes.NewReader(f.Data))
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

// TestTakeoutParts takes the whole way with the numbered parts of a Takeout, zip
// and tgz, dropped one by one and as the folder they lie in; a part that is not
// there is named, and so is a part in which nothing is of Gemini.
func TestTakeoutParts(t *testing.T) {
	for name, pack := range map[string]func([]gen.File, int) []gen.File{"zip": gen.TakeoutZips, "tgz": gen.TakeoutTGZs} {
		t.Run(name, func(t *testing.T) {
			k := provider(t)
			files, truth := gen.Takeout(gen.TakeoutOptions{Seed: 8, Language: "el", Gems: true})
			files = append([]gen.File{{Name: "Takeout/Photos/sea.jpg", Data: []byte("\xff\xd8\xff")}}, files...)
			parts := pack(files, 4) // a photograph, a picture of a record, the activity, the Gems
			var paths []string
			for _, p := range parts {
				paths = append(paths, k.file("takeout/"+p.Name, p.Data))
			}
			plan := ok(k.PlanImport(ctx, inputs(paths[0], paths[1], paths[3]), core.ImportOptions{}))
			if len(plan.Sources) != 1 || !slices.Equal(plan.Sources[0].Missing, []string{parts[2].Name}) {
				t.Errorf("plan without the third part: %+v", plan.Sources)
			}
			r := k.imports(filepath.Dir(paths[0]))
			if len(r.Problems) != 0 || r.Conversations.New != len(truth.Conversations) || k.state().Messages != truth.Messages ||
				r.Memories.New != len(truth.Memories) || r.Attachments.Stored != 1 {
				t.Errorf("report: %+v, want %d conversations, %d messages", r, len(truth.Conversations), truth.Messages)
			}
			again := ok(k.Import(ctx, inputs(paths...), core.ImportOptions{}, nil))
			if again.Conversations.New+again.Conversations.Updated+again.Memories.New+again.Memories.Updated != 0 {
				t.Errorf("the second import changed something: %+v", again)
			}
		})
	}
}

// TestOtherExports takes the whole way with every layout of the other providers.
func TestOtherExports(t *testing.T) {
	k := provider(t)
	for _, e := range gen.Exports() {
		if e.Provider == "chatgpt" || e.Provider == "claude" || e.Provider == "gemini" {
			continue
		}
		var paths []string
		for _, f := range e.Files {
			paths = append(paths, k.file(e.Provider+"-"+e.Layout+"/"+f.Name, f.Data))
		}
		r := ok(k.Import(ctx, inputs(paths...), core.ImportOptions{}, nil))
		if r.Conversations.New == 0 || len(r.Problems) != 0 || len(r.Ledger) != 1 {
			t.Errorf("%s %s: %+v", e.Provider, e.Layout, r)
			continue
		}
		l := r.Ledger[0]
		sum := l.Taken + l.Merged + l.Unchanged
		for _, n := range l.Skipped {
			sum += n
		}
		for _, n := range l.Unknown {
			sum += n
		}
		if l.Seen != sum {
			t.Errorf("%s %s: the ledger saw %d and accounts for %d: %+v", e.Provider, e.Layout, l.Seen, sum, l)
		}
		again := ok(k.Import(ctx, inputs(paths...), core.ImportOptions{}, nil))
		if again.Conversations.New+again.Conversations.Updated+again.Memories.New+again.Memories.Updated != 0 {
			t.Errorf("%s %s, a second time: %+v", e.Provider, e.Layout, again)
		}
	}
}

// TestLayers takes the whole way with every other source: detect, import, the
// ledger adds up, import again, undo.
func TestLayers(t *testing.T) {
	for _, l := range gen.Layers() {
		t.Run(l.Reader+" "+l.Name, func(t *testing.T) {
			k := provider(t)
			path := k.file(l.Files[0].Name, l.Files[0].Data)
			plan := ok(k.PlanImport(ctx, []core.Input{{Path: path}}, core.ImportOptions{}))
			if p := plan.Sources[0]; p.Provider != l.Reader || !p.Certain || p.New != l.Talks || len(p.Preview) != len(l.Memories) {
				t.Fatalf("planned %+v", p)
			}
			r := k.imports(path)
			if r.Conversations.New != l.Talks || r.Memories.New != len(l.Memories) {
				t.Errorf("%+v, %+v, planted %d talks, %d memories", r.Conversations, r.Memories, l.Talks, len(l.Memories))
			}
			addsUp(t, r)
			for _, said := range l.Memories {
				k.saying(said)
			}
			again := k.imports(k.file("again/"+l.Files[0].Name, otherwisePacked(t, l.Files[0].Data)))
			if again.Conversations.New+again.Conversations.Updated+again.Memories.New+again.Memories.Updated != 0 {
				t.Errorf("the second time: %+v, %+v", again.Conversations, again.Memories)
			}
			addsUp(t, again)
			k.leaves()
		})
	}
}

// otherwisePacked is the same content in other bytes.
func otherwisePacked(t *testing.T, data []byte) []byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return append(data, '\n')
	}
	var files []gen.File
	for _, f := range z.File {
		body := ok(io.ReadAll(ok(f.Open())))
		files = append(files, gen.File{Name: f.Name, Data: body, Store: true})
	}
	return gen.Zip(files)
}

// TestTwoPastes come together as one source, also where nobody recognises them.
func TestTwoPastes(t *testing.T) {
	k := provider(t)
	var in []core.Input
	for _, text := range []string{"Sings in a choir.", "Has a dog."} {
		id, _, err := k.AddUpload(ctx, "pasted.txt", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		in = append(in, core.Input{Upload: id, Fallback: "pasted"})
	}
	plan := ok(k.PlanImport(ctx, in, core.ImportOptions{}))
	if len(plan.Sources) != 1 || plan.Sources[0].Provider != "pasted" || len(plan.Sources[0].Preview) != 2 {
		t.Errorf("%+v", plan.Sources)
	}
}

// Promise: a folder into which somebody collected downloads stands for the
// exports in it, also where one of them is a bare file that a reader knows.
func TestAFolderOfDownloads(t *testing.T) {
	k := provider(t)
	chat, _ := gen.ChatGPT(gen.ChatGPTOptions{Seed: 1, Era: gen.Single, Conversations: 2})
	table, _ := gen.Copilot(1, 3, "a")
	k.file("downloads/chatgpt.zip", chat)
	folder := filepath.Dir(k.file("downloads/activity.csv", table))
	k.file("downloads/.DS_Store", []byte("x"))
	plan := ok(k.PlanImport(ctx, inputs(folder), core.ImportOptions{}))
	var found []string
	for _, s := range plan.Sources {
		found = append(found, s.Provider)
	}
	if slices.Sort(found); !slices.Equal(found, []string{"chatgpt", "copilot"}) {
		t.Errorf("planned %v", found)
	}
	if r := k.imports(folder); r.Conversations.New != 5 || len(r.Problems) != 0 {
		t.Errorf("%+v, %v", r.Conversations, r.Problems)
	}
}

// Promise: an unpacked export beside a file that is called an archive is read as
// the folder that it is.
func TestAnUnpackedExportBesideAnArchive(t *testing.T) {
	k := provider(t)
	files, _ := gen.ChatGPTFiles(gen.ChatGPTOptions{Seed: 1, Era: gen.Object, Conversations: 2})
	for _, f := range files {
		k.file("unpacked/"+f.Name, f.Data)
	}
	folder := filepath.Dir(k.file("unpacked/notes.zip", gen.Zip([]gen.File{{Name: "notes.txt", Data: []byte("x")}})))
	plan := ok(k.PlanImport(ctx, inputs(folder), core.ImportOptions{}))
	if len(plan.Sources) != 1 || plan.Sources[0].Provider != "chatgpt" || plan.Sources[0].New != 2 {
		t.Errorf("%+v", plan.Sources)
	}
}

// Promise: exports of two providers in one archive are never taken for one: each is read
// by its own reader, in one import, which is taken back as one.
func TestTwoProvidersInOneArchive(t *testing.T) {
	k := provider(t)
	var mixed []gen.File
	chat, _ := gen.ChatGPTFiles(gen.ChatGPTOptions{Seed: 1, Era: gen.Single, Conversations: 2})
	for _, f := range chat {
		mixed = append(mixed, gen.File{Name: "one/" + f.Name, Data: f.Data})
	}
	table, _ := gen.Copilot(1, 3, "a")
	mixed = append(mixed, gen.File{Name: "two/activity.csv", Data: table})
	path := k.file("mixed.zip", gen.Zip(mixed))
	providers := func(plan core.ImportPlan) (all []string) {
		for _, s := range plan.Sources {
			all = append(all, s.Provider)
		}
		return all
	}
	both := []string{"chatgpt", "copilot"}
	plan := ok(k.PlanImport(ctx, inputs(path), core.ImportOptions{}))
	if got := providers(ok(k.Detect(ctx, inputs(path)))); !slices.Equal(got, both) || !slices.Equal(providers(plan), both) {
		t.Fatalf("%v, %v", got, providers(plan))
	}
	foreseen := plan.Sources[0].New + plan.Sources[1].New
	dry := ok(k.Import(ctx, inputs(path), core.ImportOptions{DryRun: true}, nil))
	r := k.imports(path)
	if r.State != "done" || len(r.Problems) != 0 || plan.Sources[0].New != 2 || plan.Sources[1].New == 0 ||
		r.Conversations.New != foreseen || dry.Conversations.New != foreseen || len(r.OtherFiles) != 0 {
		t.Errorf("%d planned, %+v, %+v, %+v", foreseen, dry.Conversations, r.Conversations, r.Problems)
	}
	for _, row := range r.Ledger {
		if row.Skipped["other-file"] != 0 {
			t.Errorf("%+v", row)
		}
	}
	if again := k.imports(path); again.Identical != r.ImportID {
		t.Errorf("read again: %+v", again.Conversations)
	}
	ok(k.UndoImport(ctx, r.ImportID))
	if state := ok(k.VaultState(ctx)); state.Conversations != 0 {
		t.Errorf("%d conversations after it was taken back", state.Conversations)
	}
}

// Promise: archives inside an archive are not looked into, and that is said.
func TestArchivesInsideAreNamed(t *testing.T) {
	k := provider(t)
	chat, _ := gen.ChatGPT(gen.ChatGPTOptions{Seed: 1, Era: gen.Single})
	_, err := k.Import(ctx, inputs(k.file("outer.zip", gen.Zip([]gen.File{{Name: "inner.zip", Data: chat, Store: true}}))), core.ImportOptions{}, nil)
	wantFault(t, err, fault.Unsupported, "archives-inside")
}

// TestAnotherReaderIsNamed: whoever names the wrong importer is told which one
// reads it, by a dry run and by the import, and nothing is kept.
func TestAnotherReaderIsNamed(t *testing.T) {
	k := provider(t)
	done := map[string]bool{}
	for _, s := range gen.Samples() {
		if done[s.Reader] || isMarkdown(s.Files) { // text can be read as more than one thing
			continue
		}
		done[s.Reader] = true
		var paths []string
		for _, f := range s.Files {
			paths = append(paths, k.file(filepath.Join(s.Reader, f.Name), f.Data))
		}
		for _, named := range []string{"chatgpt", "claude", "copilot", "mem0"} {
			if named == s.Reader {
				continue
			}
			for _, dry := range []bool{true, false} {
				r, err := k.Import(ctx, inputs(paths...), core.ImportOptions{Provider: named, DryRun: dry}, nil)
				if f := fault.From(err); f == nil || f.Reason != "other-reader" || f.Args["reader"] != s.Reader || f.Code != fault.Invalid {
					t.Errorf("%s read with %s: %+v, %v", s.Reader, named, r.Ledger, err)
				}
			}
		}
	}
	if all := ok(k.Imports(ctx)); len(all) != 0 {
		t.Errorf("kept: %+v", all)
	}
}

func isMarkdown(files []gen.File) bool {
	return slices.ContainsFunc(files, func(f gen.File) bool { return strings.HasSuffix(f.Name, ".md") || strings.HasSuffix(f.Name, ".txt") })
}

// A report counts what it does not understand by name, and repeats no words of the
// file where the name should be.
func TestReportsRepeatNoWords(t *testing.T) {
	k := provider(t)
	session := `{"timestamp":"2026-05-01T10:00:00Z","type":"session_meta","payload":{"id":"s1","timestamp":"2026-05-01T10:00:00Z"}}
{"timestamp":"2026-05-01T10:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Hello"}]}}
{"timestamp":"2026-05-01T10:00:02Z","type":"I live at 12 Orchard Lane","payload":{}}
{"timestamp":"2026-05-01T10:00:03Z","type":"new_kind","payload":{}}
`
	report := k.imports(k.file("rollout-2026-05-01T10-00-00-s1.jsonl", []byte(session)))
	want := map[string]int{"record:other": 1, "record:new_kind": 1}
	if len(report.Ledger) != 1 || !maps.Equal(report.Ledger[0].Unknown, want) {
		t.Errorf("%+v", report.Ledger)
	}
}
