package core_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
)

// other is a second vault, whose ids are not those of the first.
func other(t testing.TB) *kit {
	t.Helper()
	k := bare(t, "")
	k.ids.Store(500_000)
	ok(k.CreateVault(ctx, passphrase, "test"))
	return k
}

// document is a memory store to be changed by hand.
type document map[string]any

func parse(t testing.TB, text []byte) (d document) {
	t.Helper()
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d document) memories() []any { return d["memories"].([]any) }

func (d document) saying(text string) map[string]any {
	for _, m := range d.memories() {
		if m := m.(map[string]any); m["content"] == text {
			return m
		}
	}
	return nil
}

// only keeps one memory, and what was said about the others goes.
func (d document) only(m map[string]any) document {
	d["memories"], d["relations"], d["conversations_index"] = []any{m}, []any{}, []any{}
	return d
}

// says gives a memory other words, a minute after at.
func says(m map[string]any, text string, at time.Time) {
	m["content"], m["content_hash"] = text, memory.ContentHash(text)
	m["temporal"].(map[string]any)["updated_at"] = at.Add(time.Minute).UTC().Format(time.RFC3339)
}

// delta makes an incremental document of it.
func (d document) delta(id, base string) document {
	d["export_id"], d["export_type"], d["base_export_id"], d["since"] = id, "incremental", base, "2026-01-01T00:00:00Z"
	return d
}

// text writes the document with its sums, unsigned.
func (d document) text(k *kit) []byte {
	k.t.Helper()
	delete(d, "signature")
	memories := slices.Clone(d.memories())
	slices.SortFunc(memories, func(a, b any) int {
		return strings.Compare(a.(map[string]any)["id"].(string), b.(map[string]any)["id"].(string))
	})
	var canonical bytes.Buffer
	if err := k.Canonicalize(ctx, bytes.NewReader(ok(json.Marshal(memories))), &canonical); err != nil {
		k.t.Fatal(err)
	}
	d["integrity"] = map[string]any{"canonicalization": "RFC8785", "checksum": sha256Of(canonical.Bytes()), "total_memories": len(memories)}
	return ok(json.Marshal(d))
}

// signed is text with the signature of the owner of k.
func (d document) signed(k *kit) []byte {
	k.t.Helper()
	var key bytes.Buffer
	if err := core.WriteOwnKey(ctx, k.Service, &key); err != nil {
		k.t.Fatal(err)
	}
	return d.signedWith(k, key.Bytes())
}

// signedWith is text with the signature of the key in a key file.
func (d document) signedWith(k *kit, key []byte) []byte {
	k.t.Helper()
	dir := k.t.TempDir()
	keyFile, in, out := filepath.Join(dir, "key"), filepath.Join(dir, "unsigned.json"), filepath.Join(dir, "signed.json")
	for path, text := range map[string][]byte{keyFile: key, in: d.text(k)} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			k.t.Fatal(err)
		}
	}
	ok(k.SignFile(ctx, core.Input{Path: in}, keyFile, nil, out))
	return ok(os.ReadFile(out))
}

// keyFile is a new signing key as a key file.
func keyFile(t testing.TB) []byte {
	t.Helper()
	var text bytes.Buffer
	if err := pam.WriteKey(&text, ok(pam.Generate()), nil); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

func (k *kit) take(name string, text []byte, o core.ImportOptions) core.ImportReport {
	k.t.Helper()
	report, err := k.Import(ctx, inputs(k.file(name, text)), o, nil)
	if err != nil {
		k.t.Fatalf("import %s: %v", name, err)
	}
	addsUp(k.t, report)
	return report
}

// TestExportsComeBack: what left one vault and came into another leaves that one
// as it was, byte for byte where the format says so.
func TestExportsComeBack(t *testing.T) {
	k, there := full(t), other(t)
	there.later(k.clock.Sub(there.clock))
	for _, name := range []string{"out.pam.json", "out.pam.zip", "out/"} {
		o := core.ExportOptions{IncludeConversations: !strings.HasSuffix(name, ".json"), IncludeAttachments: !strings.HasSuffix(name, ".json")}
		first, _ := k.export(name, o)
		report, err := there.Import(ctx, inputs(first.Path), core.ImportOptions{}, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		addsUp(t, report)
		if len(report.Problems) > 0 || len(report.Unknown) > 0 || report.Sources[0].Verdict != core.VerdictUnknown {
			t.Errorf("%s: %+v", name, report)
		}
		again, _ := there.export("again-"+name, o)
		one, two := parse(t, k.storeOf(first.Path)), parse(t, there.storeOf(again.Path))
		for _, member := range []string{"memories", "relations", "conversations_index"} {
			if a, b := ok(json.Marshal(one[member])), ok(json.Marshal(two[member])); !bytes.Equal(a, b) {
				t.Errorf("%s: %s differ:\n%s\n%s", name, member, a, b)
			}
		}
		if first.Checksum != again.Checksum {
			t.Errorf("%s: the checksum of the memories differs", name)
		}
		there.valid(again.Path)
	}
	a, b := k.companions("out/"), there.companions("again-out/")
	if len(a) == 0 || len(a) != len(b) {
		t.Fatalf("%d conversations left, %d came back", len(a), len(b))
	}
	for name, text := range a {
		if !bytes.Equal(text, b[name]) {
			t.Errorf("%s differs:\n%s\n%s", name, text, b[name])
		}
	}
}

// storeOf is the memory store of an export of any shape.
func (k *kit) storeOf(path string) []byte {
	k.t.Helper()
	if strings.HasSuffix(path, ".zip") {
		return unzipped(k.t, path)["memory-store.json"]
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, "memory-store.json")
	}
	return ok(os.ReadFile(path))
}

// companions are the conversations of a folder, without the names that a vault
// gives to its files, and without children, which the parrot does not tell.
func (k *kit) companions(name string) map[string][]byte {
	k.t.Helper()
	all := map[string][]byte{}
	for _, path := range ok(filepath.Glob(filepath.Join(k.root, name, "conversations", "*.json"))) {
		var c map[string]any
		if err := json.Unmarshal(ok(os.ReadFile(path)), &c); err != nil {
			k.t.Fatal(err)
		}
		for _, m := range c["messages"].([]any) {
			delete(m.(map[string]any), "children_ids")
			for _, a := range or(m.(map[string]any)["attachments"]) {
				delete(a.(map[string]any), "ref")
			}
		}
		all[filepath.Base(path)] = ok(json.Marshal(c))
	}
	return all
}

func or(list any) []any {
	all, _ := list.([]any)
	return all
}

// Promise (PAM §12): embeddings leave one vault and come into another with their
// memories, each once; undoing takes them back, and what was forgotten or says
// something else here gets none.
func TestEmbeddingsComeBack(t *testing.T) {
	k, there := full(t), other(t)
	there.later(k.clock.Sub(there.clock))
	tea, ana := k.saying("User drinks green tea").ID, k.saying("User is called Ana").ID
	sent := []pam.Embedding{
		{ID: "e1", MemoryID: tea, Model: "small", Dimensions: 3, CreatedAt: memory.At(dayOne), Vector: []float64{0.1, -1e-7, 3}},
		{ID: "e2", MemoryID: ana, Model: "small", Dimensions: 3, CreatedAt: memory.At(dayOne), Storage: &pam.EmbeddingStorage{Type: "vector_db", Ref: "db://account/7"}},
	}
	if err := core.PutEmbeddings(k.Service, sent...); err != nil {
		t.Fatal(err)
	}
	with := core.ExportOptions{IncludeEmbeddings: true}
	r, _ := k.export("out.pam.zip", with)
	report := there.imports(r.Path)
	if l := report.Ledger[0]; l.Taken != 4+2+2+2 || len(l.Skipped) > 0 || len(report.Problems) > 0 {
		t.Errorf("taken: %+v, %+v", l, report.Problems)
	}
	again, _ := there.export("again.pam.zip", with)
	there.valid(again.Path)
	one, two := unzipped(t, r.Path), unzipped(t, again.Path)
	if text := one["embeddings.json"]; len(text) == 0 || !bytes.Equal(text, two["embeddings.json"]) {
		t.Errorf("left as\n%s\ncame back as\n%s", text, two["embeddings.json"])
	}
	if a, b := parse(t, one["memory-store.json"])["memories"], parse(t, two["memory-store.json"])["memories"]; !reflect.DeepEqual(a, b) {
		t.Errorf("memories name theirs otherwise: %v, %v", a, b)
	}
	if report := there.imports(r.Path); report.Changed || report.Ledger[0].Unchanged != 4+2+2+2 {
		t.Errorf("again: %+v", report.Ledger)
	}

	kept := func() int { return ok(there.PreviewExport(ctx, with)).KeptEmbeddings }
	ok(there.UndoImport(ctx, report.ImportID))
	if kept() != 0 {
		t.Errorf("%d embeddings are left of an import that was taken back", kept())
	}
	there.imports(r.Path)
	ok(there.Forget(ctx, []string{tea}, nil))
	ok(there.EditMemory(ctx, ana, core.MemoryEdit{Content: to("User is called Anna")}))
	report = there.imports(r.Path)
	if kept() != 0 || report.Ledger[0].Skipped["embedding-without-memory"] != 2 {
		t.Errorf("%d embeddings of what is not here: %+v", kept(), report.Ledger)
	}
}

// TestANewEmbeddingIsTakenBack: undoing an import that gave a memory other words
// and their vector brings both back as they were; a newer vector here stays.
func TestANewEmbeddingIsTakenBack(t *testing.T) {
	k, there := full(t), other(t)
	there.later(k.clock.Sub(there.clock))
	tea := k.saying("User drinks green tea").ID
	x := pam.Embedding{ID: "e1", MemoryID: tea, Model: "small", Dimensions: 2, CreatedAt: memory.At(dayOne), Vector: []float64{1, 2}}
	with := core.ExportOptions{IncludeEmbeddings: true}
	leave := func(name string) string {
		if err := core.PutEmbeddings(k.Service, x); err != nil {
			t.Fatal(err)
		}
		return leaves(k, name, with)
	}
	vector := func() string {
		r, _ := there.export("check.pam.zip", with)
		defer os.Remove(r.Path)
		return string(unzipped(t, r.Path)["embeddings.json"])
	}
	first := leave("first.pam.zip")
	there.imports(first)
	before := vector()
	k.later(time.Hour)
	there.later(time.Hour)
	ok(k.EditMemory(ctx, tea, core.MemoryEdit{Content: to("User drinks black tea")}))
	x.Vector, x.CreatedAt = []float64{3, 4}, memory.At(k.clock)
	report := there.imports(leave("second.pam.zip"))
	after := vector()
	if !strings.Contains(before, "[1,2]") || !strings.Contains(after, "[3,4]") {
		t.Fatalf("before\n%s\nafter\n%s", before, after)
	}
	if there.imports(first); vector() != after {
		t.Error("an older document took the newer vector away")
	}
	ok(there.UndoImport(ctx, report.ImportID))
	if back := vector(); back != before || there.saying("User drinks green tea").ID != tea {
		t.Errorf("back:\n%s", back)
	}
}

// Promise (PAM §8.1): what decayed on its way out is not decayed again: it comes
// in as it was when last reinforced, and leaves a third time as the first.
func TestNothingDecaysTwice(t *testing.T) {
	k, there := full(t), other(t)
	stored := k.saying("User lives in Lisbon")
	k.later(300 * 24 * time.Hour)
	there.later(k.clock.Sub(there.clock))
	r, text := k.export("out.json", core.ExportOptions{})
	there.imports(r.Path)
	if came := there.saying("User lives in Lisbon").Confidence; math.Abs(*came.Current-*stored.Confidence.Current) > 0.001 {
		t.Errorf("left with %+v, came with %+v", stored.Confidence, came)
	}
	_, again := there.export("again.json", core.ExportOptions{})
	one, two := parse(t, text).saying("User lives in Lisbon")["confidence"], parse(t, again).saying("User lives in Lisbon")["confidence"]
	if current := one.(map[string]any)["current"].(float64); current >= *stored.Confidence.Current || !reflect.DeepEqual(one, two) {
		t.Errorf("left as %v, then as %v", one, two)
	}
}

// TestTheSameDocumentTwice changes nothing and says so.
func TestTheSameDocumentTwice(t *testing.T) {
	k, there := full(t), other(t)
	r, text := k.export("out.pam.json", core.ExportOptions{})
	there.imports(r.Path)
	d := parse(t, text)
	d["export_id"] = "another"
	report := there.take("again.json", d.text(there), core.ImportOptions{})
	if report.Changed || report.Memories.Unchanged != 4 || report.Relations.Unchanged != 2 {
		t.Errorf("%+v", report)
	}
	if report := k.take("home.json", d.text(k), core.ImportOptions{}); report.Changed || report.Memories.Unchanged != 4 {
		t.Errorf("in the vault that it left: %+v", report)
	}
}

// TestTheSameWordsUnderAnotherID become one memory, which knows both ids; what
// is related to the other is related to it.
func TestTheSameWordsUnderAnotherID(t *testing.T) {
	k := full(t)
	_, text := k.export("out.pam.json", core.ExportOptions{})
	d := parse(t, text)
	tea := d.saying("User drinks green tea")
	id := tea["id"].(string)
	tea["id"] = "11111111-2222-4333-8444-555555555555"
	d["export_id"], d["owner"] = "another", map[string]any{"id": "somebody"}
	for _, r := range d["relations"].([]any) {
		r := r.(map[string]any)
		r["id"] = "9" + r["id"].(string)[1:]
		r["type"] = "supports"
		if r["to"] == id {
			r["to"] = tea["id"]
		}
	}
	d["conversations_index"] = []any{}
	theirs := core.ImportOptions{OnConflict: core.TakeTheirs}
	report := k.take("other.json", d.text(k), theirs)
	if report.Memories.New != 0 || report.Memories.Merged != 1 || report.Relations.New != 2 {
		t.Errorf("%+v", report)
	}
	detail := ok(k.Memory(ctx, id))
	if n := len(detail.Sources); n != 2 || detail.Sources[1].OriginalID != tea["id"] || len(detail.Relations) != 2 {
		t.Errorf("%+v", detail)
	}
	says(tea, "User drinks black tea", k.clock)
	if report := k.take("later.json", d.only(tea).text(k), theirs); report.Memories.Updated != 1 {
		t.Errorf("%+v", report)
	}
	if got := ok(k.Memory(ctx, id)).Record.Content; got != "User drinks black tea" {
		t.Errorf("it says %q", got)
	}
	ok(k.Undo(ctx))
	ok(k.Undo(ctx))
	if detail := ok(k.Memory(ctx, id)); detail.Record.Content != "User drinks green tea" || len(detail.Sources) != 1 || len(detail.Relations) != 1 {
		t.Errorf("after undoing both: %+v", detail)
	}
}

// TestIDsThatAreNoUUID mean something to their owner only.
func TestIDsThatAreNoUUID(t *testing.T) {
	k := fresh(t)
	d := func(owner, content, updated string) []byte {
		return document{"schema": "portable-ai-memory", "schema_version": "1.0", "owner": map[string]any{"id": owner}, "memories": []any{map[string]any{
			"id": "mem-001", "type": "fact", "content": content, "content_hash": memory.ContentHash(content), "status": "active",
			"temporal": map[string]any{"created_at": "2026-01-01T00:00:00Z", "updated_at": updated}, "provenance": map[string]any{"platform": "claude"},
		}}}.text(k)
	}
	k.take("a.json", d("ana", "likes tea", "2026-01-02T00:00:00Z"), core.ImportOptions{})
	k.take("b.json", d("bea", "likes rum", "2026-01-03T00:00:00Z"), core.ImportOptions{})
	if n := len(k.memories(core.MemoryQuery{})); n != 2 || k.saying("likes tea").ID != "mem-001" {
		t.Fatalf("%d memories; one replaced the other", n)
	}
	k.take("c.json", d("bea", "likes milk", "2026-01-04T00:00:00Z"), core.ImportOptions{OnConflict: core.TakeTheirs})
	k.saying("likes milk")
	k.saying("likes tea")
	if n := len(k.memories(core.MemoryQuery{})); n != 2 {
		t.Errorf("%d memories", n)
	}
}

// TestForgottenStaysForgotten: neither the words nor the id bring it back.
func TestForgottenStaysForgotten(t *testing.T) {
	k := full(t)
	_, text := k.export("out.pam.json", core.ExportOptions{})
	id := k.saying("User drinks green tea").ID
	ok(k.Forget(ctx, []string{id}, nil))
	d := parse(t, text)
	for i, words := range []string{"User drinks green tea", "User drinks green tea, cold"} {
		says(d.saying([]string{"User drinks green tea", "User drinks green tea"}[i]), words, k.clock)
		report := k.take("back.json", d.text(k), core.ImportOptions{})
		if report.Ledger[0].Skipped["forgotten"] != 2 { // it, and the relation that names it
			t.Errorf("%q: %+v", words, report.Ledger)
		}
	}
	if got := k.memories(core.MemoryQuery{Text: "green"}); len(got) != 0 {
		t.Errorf("it came back: %+v", got)
	}
}

// TestRetractionsTravel: one that a delta brings is followed, and none is taken
// back by a document.
func TestRetractionsTravel(t *testing.T) {
	k := full(t)
	r, text := k.export("out.pam.json", core.ExportOptions{})
	k.later(time.Hour)
	tea := k.saying("User drinks green tea").ID
	mended := "User drinks green tea, hot"
	ok(k.EditMemory(ctx, tea, core.MemoryEdit{Content: &mended}))
	d := parse(t, text)
	m := d.saying("User drinks green tea")
	m["status"] = "retracted"
	m["temporal"].(map[string]any)["updated_at"] = k.clock.Add(time.Minute).UTC().Format(time.RFC3339)
	report := k.take("delta.json", d.only(m).delta("d1", r.ExportID).signed(k), core.ImportOptions{})
	now := ok(k.Memory(ctx, tea)).Record
	if report.Memories.Retracted != 1 || now.Status != memory.Retracted || now.Content != mended {
		t.Errorf("%+v: %+v", report.Memories, now)
	}
	m["status"] = "active"
	report = k.take("later.json", d.delta("d2", r.ExportID).signed(k), core.ImportOptions{OnConflict: core.TakeTheirs})
	if ok(k.Memory(ctx, tea)).Record.Status != memory.Retracted || report.Ledger[0].Skipped["stays-retracted"] != 1 {
		t.Errorf("it was brought back: %+v", report.Ledger)
	}
}

// TestChangedOnBothSides: what was edited here and there is a conflict; what was
// edited on one side only is none.
func TestChangedOnBothSides(t *testing.T) {
	prepare := func() (*kit, core.ExportResult, document, string) {
		k := full(t)
		r, text := k.export("out.pam.json", core.ExportOptions{})
		k.later(time.Hour)
		return k, r, parse(t, text), k.saying("User drinks green tea").ID
	}
	words := func(k *kit, id string) string { return ok(k.Memory(ctx, id)).Record.Content }
	for _, mode := range []core.OnConflict{"", core.KeepOurs, core.TakeTheirs, core.KeepBoth} {
		k, r, d, id := prepare()
		mine := "User drinks green tea at noon"
		ok(k.EditMemory(ctx, id, core.MemoryEdit{Content: &mine}))
		m := d.saying("User drinks green tea")
		says(m, "User drinks white tea", k.clock)
		text := d.only(m).delta("d1", r.ExportID).signed(k)
		before := len(k.memories(core.MemoryQuery{}))
		report := k.take("delta.json", text, core.ImportOptions{OnConflict: mode})
		want, more := mine, 0
		switch mode {
		case core.TakeTheirs:
			want = "User drinks white tea"
		case core.KeepBoth:
			more = 1
			k.saying("User drinks white tea")
		default:
			if report.Memories.Kept != 1 || len(report.Problems) != 1 || report.Problems[0].Reason != "memory-conflict" || !strings.Contains(report.Problems[0].Message, "content") {
				t.Errorf("%q: %+v", mode, report)
			}
		}
		if got := words(k, id); got != want || len(k.memories(core.MemoryQuery{})) != before+more {
			t.Errorf("%q: it says %q", mode, got)
		}
		if mode == core.KeepBoth { // the copy is what the document means from now on
			says(m, "User drinks oolong", k.clock.Add(time.Hour))
			k.take("delta2.json", d.delta("d2", r.ExportID).signed(k), core.ImportOptions{})
			k.saying("User drinks oolong")
		}
		ok(k.Undo(ctx))
	}
	k, r, d, id := prepare()
	m := d.saying("User drinks green tea")
	says(m, "User drinks white tea", k.clock)
	report := k.take("delta.json", d.only(m).delta("d1", r.ExportID).signed(k), core.ImportOptions{})
	if words(k, id) != "User drinks white tea" || report.Memories.Updated != 1 || len(report.Problems) != 0 {
		t.Errorf("changed there only: %+v", report)
	}
	mine := "User drinks white tea at noon"
	k.later(time.Hour)
	ok(k.EditMemory(ctx, id, core.MemoryEdit{Content: &mine}))
	if report := k.take("again.json", d.delta("d2", r.ExportID).signed(k), core.ImportOptions{}); words(k, id) != mine || report.Memories.Unchanged != 1 {
		t.Errorf("changed here only: %+v", report)
	}
}

// TestAnEarlierClockDoesNotDecide: what a delta changed after its base was changed on
// both sides, although it was edited here later, and a retraction is followed.
func TestAnEarlierClockDoesNotDecide(t *testing.T) {
	for _, status := range []string{"active", "retracted"} {
		k := full(t)
		r, text := k.export("out.pam.json", core.ExportOptions{})
		id, mine := k.saying("User drinks green tea").ID, "User drinks green tea at noon"
		d := parse(t, text)
		m := d.saying("User drinks green tea")
		k.later(time.Hour)
		says(m, "User drinks white tea", k.clock)
		m["status"] = status
		k.later(time.Hour)
		ok(k.EditMemory(ctx, id, core.MemoryEdit{Content: &mine}))
		delta := d.only(m).delta("d1", r.ExportID).signed(k)
		c := ok(k.Compare(ctx, core.Input{Path: k.file("compared.json", []byte(delta))}, nil, nil))
		if len(c.Memories) != 1 || c.Memories[0].Standing != core.InConflict {
			t.Errorf("%s: compared as %+v", status, c.Memories)
		}
		report := k.take("delta.json", delta, core.ImportOptions{})
		now := ok(k.Memory(ctx, id)).Record
		want := memory.Status(status)
		if now.Content != mine || now.Status != want || report.Memories.Unchanged != 0 {
			t.Errorf("%s: %+v, %+v", status, report.Memories, now)
		}
	}
}

// TestAnEditBeforeTheBaseIsNoConflict: the base holds it already.
func TestAnEditBeforeTheBaseIsNoConflict(t *testing.T) {
	k := full(t)
	id, mine := k.saying("User drinks green tea").ID, "User drinks mint tea"
	ok(k.EditMemory(ctx, id, core.MemoryEdit{Content: &mine}))
	k.later(time.Hour)
	r, text := k.export("out.pam.json", core.ExportOptions{})
	d := parse(t, text)
	m := d.saying(mine)
	says(m, "User drinks no tea", k.clock)
	report := k.take("delta.json", d.only(m).delta("d1", r.ExportID).signed(k), core.ImportOptions{})
	if report.Memories.Updated != 1 || ok(k.Memory(ctx, id)).Record.Content != "User drinks no tea" {
		t.Errorf("%+v", report)
	}
}

// TestUnknownBases are refused, unless the person says so.
func TestUnknownBases(t *testing.T) {
	k, there := full(t), other(t)
	r, text := k.export("out.pam.json", core.ExportOptions{})
	d := parse(t, text)
	delta := there.file("delta.json", d.delta("d1", r.ExportID).text(there))
	_, err := there.Import(ctx, inputs(delta), core.ImportOptions{}, nil)
	wantFault(t, err, fault.Refused, "pam-unknown-base")
	if len(there.memories(core.MemoryQuery{})) != 0 {
		t.Error("something of it was taken")
	}
	plan := ok(there.PlanImport(ctx, inputs(delta), core.ImportOptions{}))
	if doc := plan.Sources[0].Document; doc == nil || !doc.Incremental || doc.KnownBase || !doc.AsksBase || plan.Sources[0].Memories != 4 {
		t.Errorf("plan: %+v", plan.Sources[0])
	}
	if report, err := there.Import(ctx, inputs(r.Path, delta), core.ImportOptions{}, nil); err != nil || report.Memories.New != 4 {
		t.Errorf("with its base in front: %+v, %v", report, err)
	}
	ok(there.Undo(ctx))
	if _, err := there.Import(ctx, inputs(delta), core.ImportOptions{}, nil); reasonOf(fault.From(err)) != "refused pam-unknown-base" {
		t.Errorf("a base that was taken back: %v", err)
	}
	report := ok(there.Import(ctx, inputs(delta), core.ImportOptions{AnyBase: true}, nil))
	if report.Memories.New != 4 || !slices.ContainsFunc(report.Problems, func(p core.ReportProblem) bool { return p.Reason == "pam-base-unknown" }) {
		t.Errorf("%+v", report)
	}
}

// TestAnIncrementOfAnIncrement is taken where they lead to a full export that is
// known (§16.3), and an increment whose base nobody knew makes no base of itself.
func TestAnIncrementOfAnIncrement(t *testing.T) {
	k, there := full(t), other(t)
	r, text := k.export("out.pam.json", core.ExportOptions{})
	one := there.file("one.json", parse(t, text).delta("d1", r.ExportID).text(there))
	two := there.file("two.json", parse(t, text).delta("d2", "d1").text(there))
	ok(there.Import(ctx, inputs(one), core.ImportOptions{AnyBase: true}, nil))
	_, err := there.Import(ctx, inputs(two), core.ImportOptions{}, nil)
	wantFault(t, err, fault.Refused, "pam-unknown-base")
	_, err = other(t).Import(ctx, inputs(one, two), core.ImportOptions{}, nil)
	wantFault(t, err, fault.Refused, "pam-unknown-base")
	ok(there.Import(ctx, inputs(r.Path), core.ImportOptions{}, nil))
	if _, err := there.Import(ctx, inputs(two), core.ImportOptions{}, nil); err != nil {
		t.Errorf("with a full export in front: %v", err)
	}
	if _, err := k.Import(ctx, inputs(one, two), core.ImportOptions{}, nil); err != nil {
		t.Errorf("where the full export left: %v", err)
	}
}

// Promise: a memory that a file was found to have changed is told by its words, those
// of before where the vault has or had them.
func TestWindow11ChangedMemoriesAreToldByTheirWords(t *testing.T) {
	k, there := full(t), other(t)
	_, text := k.export("out.pam.json", core.ExportOptions{})
	changed := bytes.Replace(text, []byte("User drinks green tea"), []byte("User drinks black tea"), 1)
	told := func(k *kit) core.ChangedWords {
		t.Helper()
		r := ok(k.Verify(ctx, core.Input{Path: k.file("changed.json", changed)}, nil))
		plan := ok(k.PlanImport(ctx, inputs(k.file("changed.json", changed)), core.ImportOptions{})).Sources[0].Document
		if r.Verdict != core.VerdictBroken || len(r.Changed) != 1 || plan == nil || len(plan.Report.Changed) != 1 || plan.Report.Changed[0] != r.Changed[0] {
			t.Fatalf("%+v, plan %+v", r, plan)
		}
		return r.Changed[0]
	}
	id := k.saying("User drinks green tea").ID
	if c := told(k); c.ID != id || c.Now != "User drinks black tea" || c.Before != "User drinks green tea" || !strings.HasPrefix(c.Path, "/memories/") {
		t.Errorf("%+v", c)
	}
	ok(k.EditMemory(ctx, id, core.MemoryEdit{Content: new("User drinks water")}))
	if c := told(k); c.Before != "User drinks green tea" {
		t.Errorf("after an edit: %+v", c)
	}
	if c := told(there); c.Now != "User drinks black tea" || c.Before != "" {
		t.Errorf("elsewhere: %+v", c)
	}
}

// TestBrokenDocuments are never taken in silently (§18.5, §21.4).
func TestBrokenDocuments(t *testing.T) {
	k, there := full(t), other(t)
	_, text := k.export("out.pam.json", core.ExportOptions{})
	broken := there.file("broken.json", bytes.Replace(text, []byte("User drinks green tea"), []byte("User drinks black tea"), 1))
	report, err := there.Import(ctx, inputs(broken), core.ImportOptions{}, nil)
	wantFault(t, err, fault.Refused, "pam-broken")
	if len(there.memories(core.MemoryQuery{})) != 0 || report.Changed {
		t.Error("something of it was taken")
	}
	plan := ok(there.PlanImport(ctx, inputs(broken), core.ImportOptions{}))
	if doc := plan.Sources[0].Document; doc == nil || doc.Report.Verdict != core.VerdictBroken || !doc.AsksBroken {
		t.Errorf("plan: %+v", plan.Sources[0])
	}
	report = ok(there.Import(ctx, inputs(broken), core.ImportOptions{AcceptBroken: true}, nil))
	if report.Sources[0].Verdict != core.VerdictBroken || report.Memories.New != 4 || len(report.Problems) < 2 || report.Problems[0].Reason != "pam-broken-taken" {
		t.Errorf("%+v", report)
	}
	if m := there.saying("User drinks black tea"); m.ContentHash != memory.ContentHash(m.Content) {
		t.Error("it keeps a hash of other words")
	}
	for name, bad := range map[string][]byte{"cut": text[:len(text)-9], "twice": bytes.Replace(text, []byte(`"owner":`), []byte(`"export_id": "x", "owner":`), 1)} {
		_, err := there.Import(ctx, inputs(there.file(name+".json", bad)), core.ImportOptions{AcceptBroken: true}, nil)
		wantFault(t, err, fault.Invalid, "pam-not-whole-at")
	}
}

// TestAPlanIsFollowedAsAgreed: what the window asks is what the import does.
func TestAPlanIsFollowedAsAgreed(t *testing.T) {
	k, there := full(t), other(t)
	_, text := k.export("out.pam.json", core.ExportOptions{})
	broken := there.file("broken.json", bytes.Replace(text, []byte("User drinks green tea"), []byte("User drinks black tea"), 1))
	for _, agreed := range []bool{false, true} {
		plan := ok(there.PlanImport(ctx, inputs(broken), core.ImportOptions{}))
		if err := there.Agree(ctx, plan.ID, core.ImportOptions{AcceptBroken: agreed}); err != nil {
			t.Fatal(err)
		}
		done := make(chan core.ImportDone, 1)
		stop := there.Subscribe(func(e core.Event) {
			if d, is := e.Payload.(core.ImportDone); is {
				done <- d
			}
		})
		ok(there.StartImport(ctx, plan.ID))
		if d := <-done; (d.Fault == nil) != agreed {
			t.Errorf("agreed %v: %+v", agreed, d)
		}
		stop()
	}
	if err := there.Agree(ctx, "nobody", core.ImportOptions{}); reasonOf(fault.From(err)) != "not_found no-plan" {
		t.Errorf("%v", err)
	}
}

// TestPicks takes what a person chose and nothing else.
func TestPicks(t *testing.T) {
	k, there := full(t), other(t)
	_, text := k.export("out.pam.json", core.ExportOptions{})
	tea := k.saying("User drinks green tea").ID
	report := there.take("out.json", text, core.ImportOptions{Picks: &core.Picks{Memories: map[string]core.OnConflict{tea: core.TakeTheirs}}})
	if got := there.memories(core.MemoryQuery{}); len(got) != 1 || got[0].ID != tea || report.Ledger[0].Skipped["not-picked"] != 3 {
		t.Errorf("%+v: %+v", report.Ledger, got)
	}
	ok(there.Undo(ctx))
	if n := len(there.memories(core.MemoryQuery{})); n != 0 {
		t.Errorf("%d memories after undoing", n)
	}
}

func sha256Of(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func unzipped(t testing.TB, path string) map[string][]byte {
	t.Helper()
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	all := map[string][]byte{}
	for _, f := range z.File {
		r := ok(f.Open())
		all[f.Name] = ok(io.ReadAll(r))
		_ = r.Close()
	}
	return all
}

// zipOf is the inverse of unzipped.
func zipOf(t testing.TB, files map[string][]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if _, err := ok(z.Create(name)).Write(files[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
