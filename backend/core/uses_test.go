package core_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// Promise: an importance can be set, changed and cleared, undoing brings the old
// one back, and it leaves with MIF and comes back.
func TestImportance(t *testing.T) {
	k := fresh(t)
	m := ok(k.AddMemory(ctx, core.NewMemory{Type: memory.Fact, Content: "Has a cello", Importance: to(0.7)}))
	is := func() any {
		if importance, said := ok(k.Memory(ctx, m.ID)).Record.Importance(); said {
			return importance
		}
		return nil
	}
	for _, c := range []struct {
		typed float64
		is    any
	}{{0.7, 0.7}, {0, 0.0}, {1, 1.0}, {-1, nil}, {0.25, 0.25}} {
		ok(k.EditMemory(ctx, m.ID, core.MemoryEdit{Importance: &c.typed}))
		if is() != c.is {
			t.Errorf("%v became %v", c.typed, is())
		}
	}
	ok(k.Undo(ctx))
	if is() != nil {
		t.Errorf("undone to %v", is())
	}
	for _, bad := range []float64{1.01, math.NaN(), math.Inf(1)} {
		_, err := k.EditMemory(ctx, m.ID, core.MemoryEdit{Importance: &bad})
		wantFault(t, err, fault.Invalid, "importance-range")
		_, err = k.AddMemory(ctx, core.NewMemory{Type: memory.Fact, Content: "x", Importance: &bad})
		wantFault(t, err, fault.Invalid, "importance-range")
	}
	ok(k.EditMemory(ctx, m.ID, core.MemoryEdit{Importance: to(0.4)}))
	path := filepath.Join(t.TempDir(), "a.mif.json")
	ok(k.ExportMIF(ctx, path, core.MIFOptions{}))
	other := fresh(t)
	other.take("a.mif.json", ok(os.ReadFile(path)), core.ImportOptions{})
	if importance, _ := other.saying("Has a cello").Importance(); importance != 0.4 {
		t.Errorf("came back as %v", importance)
	}
}

// personalRecord is what the personal-memory export says of a memory.
func (k *kit) personalRecord(id string, o core.ExportOptions) map[string]any {
	k.t.Helper()
	path := filepath.Join(k.t.TempDir(), "a.personal.json")
	ok(k.ExportForm(ctx, path, core.FormOptions{ExportOptions: o, Form: core.Personal}))
	var doc struct {
		Categories map[string]struct{ Records []map[string]any }
	}
	if err := json.Unmarshal(ok(os.ReadFile(path)), &doc); err != nil {
		k.t.Fatal(err)
	}
	for _, c := range doc.Categories {
		for _, r := range c.Records {
			if r["memory_id"] == id {
				return r["metadata"].(map[string]any)
			}
		}
	}
	k.t.Fatalf("%s did not leave", id)
	return nil
}

// Promise: opening a memory is counted, without a write of its own, beside what a
// document counted, until the memory is forgotten; not while the vault is frozen.
func TestUses(t *testing.T) {
	k := fresh(t)
	k.take("a.mif.json", []byte(`{"mif_version":"1.0","generator":"x","export":{"id":"e","created_at":"2026-01-01T00:00:00Z","user_id":"u","checksum":"c"},
		"memories":[{"id":"mem_1","content":"Likes tea","type":"Learning","created_at":"2026-01-01T00:00:00Z","access_count":12,"accessed_at":"2026-01-02T00:00:00Z"}],"todos":[],"graph":{"nodes":[],"edges":[]}}`), core.ImportOptions{})
	tea := k.saying("Likes tea").ID
	cello := ok(k.AddMemory(ctx, core.NewMemory{Type: memory.Fact, Content: "Has a cello"})).ID
	use := func(id string) memory.Use { return ok(k.Memory(ctx, id)).Use }

	if got := use(tea); got.Count != 12 || got.Last.String() != "2026-01-02T00:00:00Z" {
		t.Errorf("a document's: %+v", got)
	}
	before := k.state().Generation
	k.later(time.Hour)
	read := k.cfg.Now()
	if got := use(cello); got.Count != 0 {
		t.Errorf("never opened: %+v", got)
	}
	if got := use(cello); got.Count != 1 || !got.Last.Equal(read) {
		t.Errorf("opened once: %+v", got)
	}
	if got := use(tea); got.Count != 13 { // the second look at the cello was none
		t.Errorf("opened once here: %+v", got)
	}
	if now := k.state().Generation; now != before {
		t.Errorf("reading wrote: generation %d became %d", before, now)
	}
	if err := k.Lock(ctx); err != nil {
		t.Fatal(err)
	}
	k.reopen()
	if got := use(cello); got.Count != 1 || !got.Last.Equal(read) {
		t.Errorf("after a lock: %+v", got)
	}
	if x := k.personalRecord(tea, core.ExportOptions{}); x["access_count"] != 14.0 || x["last_accessed"] != memory.At(read).String() {
		t.Errorf("the export says %v", x)
	}
	ok(k.Grant(ctx, tea, "friend", []string{"read"}))
	if x := k.personalRecord(tea, core.ExportOptions{For: "friend"}); x["access_count"] != nil {
		t.Errorf("the export for somebody else says %v", x)
	}
	if err := k.FreezeVault(ctx, true); err != nil {
		t.Fatal(err)
	}
	was := use(cello).Count
	if use(tea); use(cello).Count != was {
		t.Errorf("a frozen vault counted")
	}
}
