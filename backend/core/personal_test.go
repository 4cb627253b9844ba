package core_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"keepsake/backend/core"
	"keepsake/backend/memory"
)

// personalExport writes the personal-memory export with all conversations.
func (k *kit) personalExport(o core.FormOptions) string {
	k.t.Helper()
	path := filepath.Join(k.t.TempDir(), "memories.personal.json")
	o.Form, o.IncludeConversations = core.Personal, true
	ok(k.ExportForm(ctx, path, o))
	return path
}

// categories are the records of an export, by id.
func categories(t *testing.T, path string) map[string]any {
	t.Helper()
	var doc struct {
		Categories map[string]struct{ Records []map[string]any }
	}
	if err := json.Unmarshal(ok(os.ReadFile(path)), &doc); err != nil {
		t.Fatal(err)
	}
	all := map[string]any{}
	for name, c := range doc.Categories {
		for _, r := range c.Records {
			r["category"] = name
			all[r["memory_id"].(string)] = r
		}
	}
	return all
}

// manyKinds is a vault with everything that the export can say.
func manyKinds(t *testing.T) *kit {
	k := fresh(t)
	k.imports(k.write("book.zip", sampleBook()))
	cello := ok(k.AddMemory(ctx, core.NewMemory{Type: memory.Skill, Content: "Plays the cello", Tags: []string{"music"}, Importance: to(0.7)})).ID
	pattern := ok(k.AddMemory(ctx, core.NewMemory{Type: memory.Custom, CustomType: "work_pattern", Content: "Reviews reports on Mondays"})).ID
	old := ok(k.AddMemory(ctx, core.NewMemory{Type: memory.Preference, Content: "Likes coffee"})).ID
	now := ok(k.AddMemory(ctx, core.NewMemory{Type: memory.Preference, Content: "Likes tea"})).ID
	until := k.cfg.Now().Add(1000 * time.Hour)
	k.later(time.Hour)
	ok(k.EditMemory(ctx, cello, core.MemoryEdit{Summary: to("Cello"), ValidUntil: &until}))
	ok(k.SetStatus(ctx, old, memory.Superseded, now))
	ok(k.SetStatus(ctx, pattern, memory.Archived, ""))
	ok(k.Relate(ctx, cello, memory.Supports, pattern))
	ok(k.Relate(ctx, now, memory.DerivedFrom, cello))
	for range 3 {
		ok(k.Memory(ctx, cello))
		k.later(time.Hour)
		ok(k.Memory(ctx, now))
	}
	return k
}

// Promise: an export of one's own that comes back changes nothing and counts
// nothing twice, with its metadata and without.
func TestOwnPersonalExportIsUnchanged(t *testing.T) {
	k := manyKinds(t)
	path := k.personalExport(core.FormOptions{})
	before := categories(t, path)
	for _, path := range []string{path, k.personalExport(core.FormOptions{NoMetadata: true})} {
		plan := ok(k.PlanImport(ctx, inputs(path), core.ImportOptions{}))
		if s := plan.Sources[0]; s.Provider != "personal" || s.New+s.Updated != 0 || s.Unchanged != 2 || len(s.Accounts) != 1 {
			t.Errorf("planned %+v", s)
		}
		r := k.imports(path)
		if r.Changed || r.Memories.Unchanged != 7 || r.Conversations.Unchanged != 2 || r.Relations.New != 0 || r.ProblemCount != 0 || len(r.Unknown) != 0 {
			t.Errorf("%+v", r)
		}
	}
	if diff := cmp.Diff(before, categories(t, k.personalExport(core.FormOptions{}))); diff != "" {
		t.Errorf("-before +after\n%s", diff)
	}
}

// Promise: what an export is imported into gives the same export; a newer one
// brings what changed, and lets the counts rise to what they are there.
func TestPersonalExportElsewhere(t *testing.T) {
	k, other := manyKinds(t), fresh(t)
	path := k.personalExport(core.FormOptions{})
	if r := other.imports(path); r.Memories.New != 7 || r.Conversations.New != 2 || r.Relations.New == 0 || r.ProblemCount != 0 {
		t.Errorf("%+v", r)
	}
	same := func() {
		t.Helper()
		if diff := cmp.Diff(categories(t, path), categories(t, other.personalExport(core.FormOptions{}))); diff != "" {
			t.Errorf("-there +here\n%s", diff)
		}
	}
	same()
	if r := other.imports(other.personalExport(core.FormOptions{})); r.Changed || r.Memories.Unchanged != 7 || r.Conversations.Unchanged != 2 {
		t.Errorf("its own: %+v", r)
	}
	cello := k.saying("Plays the cello").ID
	k.later(time.Hour)
	ok(k.EditMemory(ctx, cello, core.MemoryEdit{Content: to("Plays the cello and the viola"), Importance: to(0.9)}))
	ok(k.Memory(ctx, cello))
	path = k.personalExport(core.FormOptions{})
	if r := other.imports(path); r.Memories.Kept != 1 || r.Changed || r.Memories.Unchanged != 6 {
		t.Errorf("newer, and nobody said so: %+v", r.Memories)
	}
	theirs := core.ImportOptions{OnConflict: core.TakeTheirs}
	if r := ok(other.Import(ctx, inputs(path), theirs, nil)); r.Memories.Updated != 1 || r.Memories.Unchanged != 6 || r.Memories.New != 0 {
		t.Errorf("newer: %+v", r.Memories)
	}
	same()
	ana := k.saying("User is called Ana")
	other.later(100 * time.Hour)
	ok(other.EditMemory(ctx, ana.ID, core.MemoryEdit{Content: to("User is called Ana Maria")}))
	if r := ok(k.Import(ctx, inputs(other.personalExport(core.FormOptions{})), theirs, nil)); r.Memories.Updated != 1 || r.Conversations.Updated != 0 {
		t.Errorf("back: %+v", r)
	}
	if now := k.saying("User is called Ana Maria"); now.Confidence == nil || now.Provenance.ExtractionMethod != ana.Provenance.ExtractionMethod {
		t.Errorf("what the export cannot say is gone: %+v", now)
	}
}

// Promise: an export from which something was hidden does not hide it here when it
// comes back, whatever its format.
func TestHiddenExportsComeBack(t *testing.T) {
	k := fresh(t)
	m := ok(k.AddMemory(ctx, core.NewMemory{Type: memory.Fact, Content: "Writes from ana@example.org, reads at bea@example.org"}))
	ok(k.EditMemory(ctx, m.ID, core.MemoryEdit{Summary: to("Mail of ana@example.org")}))
	hiding := core.ExportOptions{RedactionOptions: core.RedactionOptions{Redact: to(true)}}
	signed, _ := k.export("out.pam.json", hiding)
	for _, path := range []string{k.personalExport(core.FormOptions{ExportOptions: hiding}), signed.Path} {
		planned := ok(k.Import(ctx, inputs(path), core.ImportOptions{DryRun: true}, nil))
		r := k.imports(path)
		if now := ok(k.Memory(ctx, m.ID)).Record; now.Content != m.Content || now.Summary != "Mail of ana@example.org" || r.Changed || r.Memories.Unchanged != 1 || planned.Memories != r.Memories {
			t.Errorf("became %q, %q: planned %+v, %+v", now.Content, now.Summary, planned.Memories, r.Memories)
		}
	}
}

// Promise: a record that is called something else than its type of PAM would be
// keeps its name, for as long as its type is not changed here.
func TestCategoryOfARecordIsKept(t *testing.T) {
	k := fresh(t)
	record := func(id, as, text string) string {
		return `{"memory_id":"` + id + `","content_type":"` + as + `","content":"` + text + `","created_at":"2026-04-12T09:15:00Z","metadata":{}}`
	}
	const talk, note, plain = "0b0cb6b1-7b0e-4c6f-9f0a-1c1d1e1f2a01", "0b0cb6b1-7b0e-4c6f-9f0a-1c1d1e1f2a02", "0b0cb6b1-7b0e-4c6f-9f0a-1c1d1e1f2a03"
	path := filepath.Join(t.TempDir(), "theirs.json")
	text := `{"export_version":"1.0","user_id":"u1","exported_at":"2026-05-01T00:00:00Z","record_count":3,"categories":{
		"conversation":{"count":2,"records":[` + record(talk, "summary", "They spoke about the harvest") + "," + record(note, "fact", "The call took an hour") + `]},
		"learned_context":{"count":1,"records":[` + record(plain, "summary", "Works on a farm") + `]}}}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := k.imports(path); r.Memories.New != 3 || r.ProblemCount != 0 {
		t.Fatalf("%+v", r)
	}
	called := func(id string) string {
		t.Helper()
		r, _ := categories(t, k.personalExport(core.FormOptions{}))[id].(map[string]any)
		return r["category"].(string) + ", " + r["content_type"].(string)
	}
	for id, want := range map[string]string{talk: "conversation, summary", note: "conversation, fact", plain: "learned_context, summary"} {
		if got := called(id); got != want {
			t.Errorf("%s came back as %s, want %s", id, got, want)
		}
	}
	if r := k.imports(k.personalExport(core.FormOptions{NoMetadata: true})); r.Changed {
		t.Errorf("its own export changed %+v", r.Memories)
	}
	k.reopen()
	if page := ok(k.Memories(ctx, core.MemoryQuery{Categories: []core.Category{"conversation"}})); page.Total != 2 {
		t.Errorf("%d memories are listed of the category conversation, want 2", page.Total)
	}
	all := categories(t, k.personalExport(core.FormOptions{ExportOptions: core.ExportOptions{Categories: []core.Category{"conversation"}}}))
	if len(all) != 2 || all[plain] != nil {
		t.Errorf("of the category conversation leave %v", all)
	}
	ok(k.EditMemory(ctx, talk, core.MemoryEdit{Type: to(memory.Preference)}))
	if got := called(talk); got != "preference, preference" {
		t.Errorf("with another type it is %s", got)
	}
}
