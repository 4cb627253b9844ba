package core_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// TestComparedWithTheVault: a file is held against the vault as an import would
// meet it, and what is picked then is what is taken.
func TestComparedWithTheVault(t *testing.T) {
	k := full(t)
	r, text := k.export("out.pam.json", core.ExportOptions{})
	k.later(time.Hour)
	tea, ana, porto := k.saying("User drinks green tea").ID, k.saying("User is called Ana").ID, k.saying("I live in Porto").ID
	mine := "User drinks green tea at noon"
	ok(k.EditMemory(ctx, tea, core.MemoryEdit{Content: &mine}))
	k.add("Only here")
	ok(k.Forget(ctx, []string{porto}, nil))
	d := parse(t, text)
	says(d.saying("User drinks green tea"), "User drinks white tea", k.clock)
	says(d.saying("User is called Ana"), "User is called Anabel", k.clock)
	d["memories"] = append(d.memories(), map[string]any{
		"id": "99999999-0000-4000-8000-000000000000", "type": "fact", "content": "Only there", "content_hash": memory.ContentHash("Only there"),
		"temporal": map[string]any{"created_at": "2026-01-01T00:00:00Z"}, "provenance": map[string]any{"platform": "claude"},
	})
	d["export_id"] = "changed"
	path := k.file("changed.json", d.text(k))
	c := ok(k.Compare(ctx, core.Input{Path: path}, nil, nil))
	standing := map[string]core.Standing{}
	for _, m := range c.Memories {
		standing[m.ID] = m.Standing
	}
	if standing[tea] != core.InConflict || standing[ana] != core.NotSigned || c.Theirs != 1 || c.Ours != 1 || c.Forgotten != 1 || c.Same != 1 || c.Document == nil || c.Document.Report.Verdict != core.VerdictUnsigned {
		t.Errorf("%+v: %v", c, standing)
	}
	if signed := ok(k.Compare(ctx, core.Input{Path: k.file("signed.json", d.signed(k))}, nil, nil)); signed.Conflicts != 1 || signed.Differing != 1 {
		t.Errorf("signed by the owner: %+v", signed)
	}
	if c.Memories[0].ID != tea || len(c.Memories[0].Fields) == 0 || c.Memories[0].Ours.Content != mine {
		t.Errorf("first is %+v", c.Memories[0])
	}
	report := ok(k.Import(ctx, inputs(path), core.ImportOptions{Picks: &core.Picks{Memories: map[string]core.OnConflict{tea: core.KeepBoth, ana: core.TakeTheirs}}}, nil))
	addsUp(t, report)
	k.saying(mine)
	k.saying("User drinks white tea")
	k.saying("User is called Anabel")
	if report.Memories.Updated != 1 || report.Memories.New != 1 || report.Ledger[0].Skipped["not-picked"] != 2 {
		t.Errorf("%+v", report)
	}
	ok(k.Undo(ctx))
	k.saying("User is called Ana")
	two := ok(k.Compare(ctx, core.Input{Path: r.Path}, &core.Input{Path: path}, nil))
	if two.Differing != 2 || two.Theirs != 1 || two.Ours != 0 || two.Same != 2 {
		t.Errorf("two files: %+v", two)
	}
	_, err := k.Compare(ctx, core.Input{Path: k.file("no.json", []byte(`{"a":1}`))}, nil, nil)
	if fault.From(err) == nil {
		t.Error("no document was compared")
	}
}

// TestATwinIsNotCompared: of a file in which an id stands twice it cannot be told
// what to hold against the vault; an import takes the first and tells the other.
func TestATwinIsNotCompared(t *testing.T) {
	k := full(t)
	_, text := k.export("out.pam.json", core.ExportOptions{})
	d := parse(t, text)
	first := d.memories()[0].(map[string]any)
	twin := maps.Clone(first)
	twin["content"], twin["content_hash"] = "Other words", memory.ContentHash("Other words")
	d["memories"] = append(d.memories(), twin)
	path := k.file("twice.json", d.text(k))
	_, err := k.Compare(ctx, core.Input{Path: path}, nil, nil)
	wantFault(t, err, fault.Invalid, "pam-twice")
	_, err = k.Compare(ctx, core.Input{Path: path}, &core.Input{Path: path}, nil)
	wantFault(t, err, fault.Invalid, "pam-twice")
	there := other(t)
	report := ok(there.Import(ctx, inputs(path), core.ImportOptions{}, nil))
	addsUp(t, report)
	want := "/memories/0/id and /memories/4/id are both " + first["id"].(string) + "; only the first of them was taken."
	if n := len(report.Problems); n != 1 || report.Problems[0].Reason != "pam-second" || report.Problems[0].Message != want || report.Memories.New != 4 {
		t.Errorf("%+v", report)
	}
}

// Promise (§22.3): whatever a file has that PAM 1.0 does not is told of a
// comparison with the vault and of one with another file.
func TestComparisonTellsWhatIsUnknown(t *testing.T) {
	k := full(t)
	r, text := k.export("out.pam.json", core.ExportOptions{})
	d := parse(t, text)
	d["Era"], d["schema_version"] = "late", "1.3"
	d.saying("User is called Ana")["Summary"] = "in another case"
	newer := k.file("newer.json", d.text(k))
	want := map[string]int{"document:Era": 1, "memory:Summary": 1}
	if c := ok(k.Compare(ctx, core.Input{Path: newer}, nil, nil)); !maps.Equal(c.Unknown, want) {
		t.Errorf("with the vault: %v", c.Unknown)
	}
	if c := ok(k.Compare(ctx, core.Input{Path: r.Path}, &core.Input{Path: newer}, nil)); !maps.Equal(c.Unknown, want) {
		t.Errorf("two files: %v", c.Unknown)
	}
	if c := ok(k.Compare(ctx, core.Input{Path: r.Path}, nil, nil)); len(c.Unknown) != 0 {
		t.Errorf("of PAM 1.0: %v", c.Unknown)
	}
	out := filepath.Join(k.root, "merged.json")
	if m := ok(k.MergeFiles(ctx, core.Input{Path: r.Path}, core.Input{Path: newer}, out, core.MergeOptions{AnyBase: true})); !maps.Equal(m.Unknown, want) || m.LeftOut["unknown-member"] != 2 {
		t.Errorf("merged: %+v", m)
	}
	d["schema_version"] = "2.0"
	_, err := k.Compare(ctx, core.Input{Path: r.Path}, &core.Input{Path: k.file("two.json", d.text(k))}, nil)
	if f := fault.From(err); f == nil || f.Reason != "pam-version" {
		t.Errorf("another major version: %v", err)
	}
}

// TestMergedFiles are written whole or not at all, and come in like any other.
func TestMergedFiles(t *testing.T) {
	k, there := full(t), other(t)
	r, text := k.export("out.pam.json", core.ExportOptions{})
	k.later(time.Hour)
	d := parse(t, text)
	m := d.saying("User drinks green tea")
	says(m, "User drinks white tea", k.clock)
	delta := k.file("delta.json", d.only(m).delta("d1", r.ExportID).text(k))
	out := filepath.Join(k.root, "merged.json")
	plan := ok(k.PlanMerge(ctx, core.Input{Path: r.Path}, core.Input{Path: delta}, out, core.MergeOptions{}))
	if _, err := os.Stat(out); err == nil || plan.Refused != 1 || plan.Updated != 0 || plan.Changes[0].Why != core.ConflictNotSigned {
		t.Errorf("%v, %+v", err, plan)
	}
	merged := ok(k.MergeFiles(ctx, core.Input{Path: r.Path}, core.Input{Path: delta}, out, core.MergeOptions{OnConflict: core.TakeTheirs}))
	if merged.Updated != 1 || merged.Memories != 4 || k.verdict(out) != core.VerdictUnsigned {
		t.Errorf("%+v", merged)
	}
	k.valid(out)
	if report := there.imports(out); report.Memories.New != 4 {
		t.Errorf("%+v", report)
	}
	there.saying("User drinks white tea")
	diff := ok(k.DiffFiles(ctx, core.Input{Path: r.Path}, core.Input{Path: out}, &core.Input{Path: r.Path}))
	if diff.Conflicts != 0 || len(diff.Memories.Changed) != 1 || diff.Identical {
		t.Errorf("%+v", diff)
	}
	if err := os.Remove(out); err != nil {
		t.Fatal(err)
	}
	_, err := k.MergeFiles(ctx, core.Input{Path: delta}, core.Input{Path: r.Path}, out, core.MergeOptions{})
	wantFault(t, err, fault.Refused, "merge-base-delta")
	if _, err := os.Stat(out); err == nil {
		t.Error("half a file was left")
	}
}

// TestMergedOverOneOfBoth: the result may take the name of a file that was merged.
func TestMergedOverOneOfBoth(t *testing.T) {
	k := full(t)
	for _, over := range []string{"base.json", "delta.json"} {
		r, text := k.export("base.json", core.ExportOptions{})
		d := parse(t, text)
		m := d.saying("User drinks green tea")
		says(m, "User drinks white tea", k.clock.Add(time.Hour))
		delta := k.file("delta.json", d.only(m).delta("d1", r.ExportID).text(k))
		out := filepath.Join(k.root, over)
		merged := ok(k.MergeFiles(ctx, core.Input{Path: r.Path}, core.Input{Path: delta}, out, core.MergeOptions{OnConflict: core.TakeTheirs}))
		equal(t, 1, merged.Updated)
		equal(t, core.VerdictUnsigned, k.verdict(out))
		k.valid(out)
	}
}

// Promise: of a memory that differs, only the members that were picked become as
// the file has them, and undoing the import takes them back.
func TestFieldsArePicked(t *testing.T) {
	k := full(t)
	_, text := k.export("out.pam.json", core.ExportOptions{})
	k.later(time.Hour)
	tea, ana := k.saying("User drinks green tea").ID, k.saying("User is called Ana").ID
	d := parse(t, text)
	for _, m := range []map[string]any{d.saying("User drinks green tea"), d.saying("User is called Ana")} {
		m["summary"], m["tags"] = "theirs", []any{"theirs"}
		says(m, "theirs "+m["id"].(string), k.clock)
	}
	path := k.file("changed.json", d.text(k))
	k.later(time.Hour)
	c := ok(k.Compare(ctx, core.Input{Path: path}, nil, nil))
	var pickable []string
	for _, f := range c.Memories[0].Fields {
		if c.Memories[0].IsPickable(f) {
			pickable = append(pickable, f.Path)
		}
	}
	if !slices.Equal(pickable, []string{"/content", "/summary", "/tags"}) {
		t.Errorf("%v of %v", pickable, c.Memories[0].Fields)
	}
	report := ok(k.Import(ctx, inputs(path), core.ImportOptions{Picks: &core.Picks{
		Memories: map[string]core.OnConflict{tea: core.TakeTheirs, ana: core.TakeTheirs},
		Fields:   map[string][]string{tea: {"/summary"}, ana: {"/content"}},
	}}, nil))
	addsUp(t, report)
	mixed, other := k.saying("User drinks green tea"), k.saying("theirs "+ana)
	if mixed.Summary != "theirs" || slices.Contains(mixed.Tags, "theirs") || mixed.Temporal.UpdatedAt.Compare(memory.At(k.clock)) != 0 || other.Summary == "theirs" || report.Memories.Updated != 2 {
		t.Errorf("%+v\n%+v\n%+v", mixed, other, report)
	}
	ok(k.Undo(ctx))
	if r := k.saying("User drinks green tea"); r.Summary == "theirs" {
		t.Errorf("%+v", r)
	}
}

// Promise: bundles are merged into a zip or a folder with all that both hold, two
// files as they were picked, and what is encrypted can be read again.
func TestMergedBundles(t *testing.T) {
	k, secret := full(t), []byte("a passphrase for the file")
	base, _ := k.export("base.pam.zip", core.ExportOptions{IncludeConversations: true})
	k.later(time.Hour)
	k.add("Added later")
	delta, _ := k.delta("delta.pam.zip", core.ExportOptions{IncludeConversations: true})
	tea := k.saying("Added later").ID
	for name, o := range map[string]core.MergeOptions{"all.pam.zip": {}, "folder/": {}, "sealed.zip.age": {Passphrase: secret},
		"picked.zip": {Choices: map[string]core.MergeChoice{tea: {Of: core.OfBase}}}} {
		out := filepath.Join(k.root, name)
		m := ok(k.MergeFiles(ctx, core.Input{Path: base.Path}, core.Input{Path: delta.Path}, out, o))
		want := len(k.memories(core.MemoryQuery{}))
		if o.Choices != nil {
			want--
		}
		if m.Files == 0 || m.Memories != want || !m.Bundle {
			t.Errorf("%s: %+v", name, m)
		}
		if v := ok(k.Validate(ctx, core.Input{Path: out, Passphrase: o.Passphrase})); !v.Valid || len(v.Warnings) > 0 {
			t.Errorf("%s: %+v", name, v)
		}
	}
	_, err := k.MergeFiles(ctx, core.Input{Path: base.Path}, core.Input{Path: delta.Path}, filepath.Join(k.root, "plain.json.age"), core.MergeOptions{})
	wantFault(t, err, fault.Invalid, "export-age-plain")
	two := ok(k.Compare(ctx, core.Input{Path: base.Path}, &core.Input{Path: delta.Path}, nil))
	if !two.Beside {
		t.Error("nothing is said to lie beside")
	}
}

// TestComparedWithAnOlderFile: what is older in the file, and what was hidden in it
// when it left, is told as such; an import leaves both as they are here, too.
func TestComparedWithAnOlderFile(t *testing.T) {
	k := full(t)
	_, text := k.export("out.pam.json", core.ExportOptions{})
	tea, ana := k.saying("User drinks green tea").ID, k.saying("User is called Ana").ID
	d := parse(t, text)
	says(d.saying("User is called Ana"), "User is called [REDACTED:name]", k.saying("User is called Ana").Temporal.UpdatedAt.Time)
	delete(d.saying("User is called [REDACTED:name]")["temporal"].(map[string]any), "updated_at")
	path := k.file("older.json", d.text(k))
	k.later(time.Hour)
	mine := "User drinks green tea at noon"
	ok(k.EditMemory(ctx, tea, core.MemoryEdit{Content: &mine}))
	c := ok(k.Compare(ctx, core.Input{Path: path}, nil, nil))
	standing := map[string]core.Standing{}
	for _, m := range c.Memories {
		standing[m.ID] = m.Standing
	}
	if standing[tea] != core.IsOlder || standing[ana] != core.IsHidden || len(c.Memories) != 2 || c.Differing != 2 {
		t.Errorf("%+v: %v", c, standing)
	}
}

// Promise: with the file that two come from, what both changed is a conflict, member by
// member, and what only one changed is taken from that one, also of memories that
// nobody was shown.
func TestComparedWithACommonFile(t *testing.T) {
	k := full(t)
	r, text := k.export("out.pam.json", core.ExportOptions{})
	tea, ana, porto := k.saying("User drinks green tea").ID, k.saying("User is called Ana").ID, k.saying("I live in Porto").ID
	changed := func(name string, change func(d document)) core.Input {
		d := parse(t, text)
		change(d)
		return core.Input{Path: k.file(name, d.text(k))}
	}
	one := changed("one.json", func(d document) {
		says(d.saying("User drinks green tea"), "User drinks white tea", k.clock)
		d.saying("User is called Ana")["summary"] = "ours"
		d["memories"] = slices.DeleteFunc(d.memories(), func(m any) bool { return m.(map[string]any)["id"] == porto })
	})
	two := changed("two.json", func(d document) {
		says(d.saying("User drinks green tea"), "User drinks black tea", k.clock)
		d.saying("User drinks black tea")["summary"] = "theirs"
		d.saying("User is called Ana")["tags"] = []any{"theirs"}
	})
	base := core.Input{Path: r.Path}
	c := ok(k.Compare(ctx, one, &two, &base))
	if c.Refused != core.ConflictNotSigned || c.Memories[0].Standing != core.InConflict || c.Memories[0].Suggested.Of != core.OfBase || c.Memories[1].Standing != core.NotSigned || c.Memories[1].Suggested.Of != core.OfBase {
		t.Errorf("unsigned: %+v", c)
	}
	two.Path = k.file("signed.json", parse(t, ok(os.ReadFile(two.Path))).signed(k))
	c = ok(k.Compare(ctx, one, &two, &base))
	if c.Refused != "" || c.Memories[1].Standing != core.Differs || c.Conflicts != 1 || c.Differing != 1 || c.Theirs != 1 || len(c.Memories) != 3 || c.Memories[0].ID != tea {
		t.Fatalf("%+v", c)
	}
	by := map[string]string{}
	for _, m := range c.Memories {
		for _, f := range m.Fields {
			if m.IsPickable(f) {
				was, side := m.Base(f)
				by[m.ID+f.Path] = string(side) + " " + string(was)
			}
		}
	}
	want := map[string]string{tea + "/content": `conflict "User drinks green tea"`, tea + "/summary": "theirs ", ana + "/summary": "ours ", ana + "/tags": by[ana+"/tags"]}
	if !maps.Equal(by, want) || !strings.HasPrefix(by[ana+"/tags"], "theirs [") {
		t.Errorf("%q", by)
	}
	if last := c.Memories[2]; last.ID != porto || !last.Gone || last.Suggested != nil {
		t.Errorf("%+v", last)
	}
	out := filepath.Join(k.root, "merged.json")
	m := ok(k.MergeFiles(ctx, one, two, out, core.MergeOptions{Common: &base, Choices: map[string]core.MergeChoice{tea: {Of: core.OfBase}}}))
	if m.Kept != 1 || m.Mixed != 1 {
		t.Errorf("%+v", m)
	}
	merged := parse(t, ok(os.ReadFile(out)))
	if got := merged.saying("User is called Ana"); got["summary"] != "ours" || !slices.Equal(got["tags"].([]any), []any{"theirs"}) {
		t.Errorf("%v", got)
	}
	merged.saying("User drinks white tea")
	merged.saying("I live in Porto")
	k.valid(out)
	if two := ok(k.Compare(ctx, one, &two, nil)); two.Conflicts != 0 || two.Differing != 2 || two.Memories[0].Suggested != nil {
		t.Errorf("without it: %+v", two)
	}
}
