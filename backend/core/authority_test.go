package core_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// aDay is how long after the export a stranger's document says that it was changed.
const aDay = 24 * time.Hour

// forged is what a stranger writes into a memory whose id they know.
type forged struct {
	name string
	does func(m map[string]any)
}

func forgeries() []forged {
	access := func(visibility string, exportable bool, with ...any) func(map[string]any) {
		return func(m map[string]any) {
			m["access"] = map[string]any{"visibility": visibility, "exportable": exportable, "shared_with": append([]any{}, with...)}
		}
	}
	return []forged{
		{"words", func(m map[string]any) { m["content"], m["content_hash"] = "FORGED", memory.ContentHash("FORGED") }},
		{"retracted", func(m map[string]any) { m["status"] = "retracted" }},
		{"archived", func(m map[string]any) { m["status"] = "archived" }},
		{"superseded", func(m map[string]any) {
			m["status"] = "superseded"
			m["temporal"].(map[string]any)["superseded_by"] = "99999999-0000-4000-8000-000000000000"
		}},
		{"public", access("public", true)},
		{"shared with mallory", access("private", true, map[string]any{"entity": "mallory", "permissions": []any{"read"}})},
		{"hidden from exports", access("private", false)},
		{"type", func(m map[string]any) { m["type"] = "goal" }},
		{"tags", func(m map[string]any) { m["tags"] = []any{"forged"} }},
		{"summary", func(m map[string]any) { m["summary"] = "FORGED" }},
		{"platform", func(m map[string]any) { m["provenance"].(map[string]any)["platform"] = "claude" }},
		{"validity", func(m map[string]any) { m["temporal"].(map[string]any)["valid_until"] = "2026-01-02T00:00:00Z" }},
		{"metadata", func(m map[string]any) { m["metadata"] = map[string]any{"summary": "FORGED"} }},
		{"confidence", func(m map[string]any) {
			m["confidence"] = map[string]any{"initial": 0.1, "current": 0.1, "decay_model": "none"}
		}},
	}
}

// changedIn makes a document of an export in which one memory is another.
func changedIn(k *kit, text []byte, owner string, f forged) document {
	d := parse(k.t, text)
	m := d.saying("User drinks green tea")
	f.does(m)
	m["temporal"].(map[string]any)["updated_at"] = k.clock.Add(aDay).UTC().Format(time.RFC3339)
	if owner != "" {
		d["owner"] = map[string]any{"id": owner}
	}
	d["export_id"] = "forged"
	return d.only(m)
}

// state is everything a person sees of the memories and their relations.
func state(k *kit) string {
	all := map[string]any{}
	for _, row := range k.memories(core.MemoryQuery{Statuses: memory.Statuses()}) {
		detail := ok(k.Memory(ctx, row.ID))
		all[row.ID] = []any{detail.Record, detail.Relations}
	}
	return string(ok(json.Marshal(all)))
}

// Promise (H1): a document that a stranger made changes no memory of this vault, whatever
// owner it claims and whoever signed it. Plan and report list each such change with the
// values before and after, and it is applied once the person confirms it.
func TestStrangersChangeNothing(t *testing.T) {
	tried := 0
	for _, edited := range []bool{false, true} {
		k := full(t)
		if edited {
			ok(k.EditMemory(ctx, k.saying("User drinks green tea").ID, core.MemoryEdit{Tags: to([]string{"mine"})}))
		}
		_, text := k.export("out.pam.json", core.ExportOptions{})
		mine := parse(t, text)["owner"].(map[string]any)["id"].(string)
		id := k.saying("User drinks green tea").ID
		k.later(time.Hour)
		before := state(k)
		mallory, elsewhere := keyFile(t), other(t)
		byMallory := func(d document) []byte {
			delete(d["owner"].(map[string]any), "did") // of another key, for which Keepsake does not sign
			return d.signedWith(elsewhere, mallory)
		}
		for _, f := range forgeries() {
			for _, owner := range []string{"mallory", mine, ""} {
				for name, write := range map[string]func(document) []byte{
					"unsigned":               func(d document) []byte { return d.text(k) },
					"no sums":                func(d document) []byte { d.text(k); delete(d, "integrity"); return ok(json.Marshal(d)) },
					"an unknown key":         byMallory,
					"incremental":            func(d document) []byte { return d.delta("forged", "none").text(k) },
					"incremental and signed": func(d document) []byte { return byMallory(d.delta("forged", "none")) },
				} {
					if edited && (owner != "mallory" || name == "no sums") {
						continue // told apart from the rest by the edit alone
					}
					what := f.name + ", " + name + ", owner " + owner
					path := k.file("forged.json", write(changedIn(k, text, owner, f)))
					plan := ok(k.PlanImport(ctx, inputs(path), core.ImportOptions{AnyBase: true}))
					if c := plan.Sources[0].Changes; len(c) != 1 || c[0].ID != id || c[0].Taken || c[0].Why == "" || len(c[0].Fields) == 0 {
						t.Errorf("%s: the plan tells %+v", what, c)
					}
					report := ok(k.Import(ctx, inputs(path), core.ImportOptions{AnyBase: true}, nil))
					addsUp(t, report)
					if report.Changed || report.ChangeCount != 1 || report.Memories.Kept != 1 || report.Problems[len(report.Problems)-1].Code != "conflict" {
						t.Errorf("%s: %+v", what, report)
					}
					if tried++; state(k) != before {
						t.Fatalf("%s: something changed", what)
					}
				}
			}
		}
	}
	t.Logf("%d documents, 0 changed anything", tried)
}

// TestThePersonsWordTakes what a stranger has: of one memory, access and all, or of
// every one, without opening any.
func TestThePersonsWordTakes(t *testing.T) {
	for name, o := range map[string]func(id string) core.ImportOptions{
		"one":    func(id string) core.ImportOptions { return core.ImportOptions{Take: []string{id}} },
		"all":    func(string) core.ImportOptions { return core.ImportOptions{OnConflict: core.TakeTheirs} },
		"others": func(string) core.ImportOptions { return core.ImportOptions{Take: []string{"another"}} },
	} {
		k := full(t)
		_, text := k.export("out.pam.json", core.ExportOptions{})
		id := k.saying("User drinks green tea").ID
		k.later(time.Hour)
		d := changedIn(k, text, "mallory", forgeries()[0])
		d.saying("FORGED")["access"] = map[string]any{"visibility": "public", "exportable": true, "shared_with": []any{}}
		report := k.take("theirs.json", d.text(k), o(id))
		r := ok(k.Memory(ctx, id)).Record
		words, open := r.Content == "FORGED", r.Access != nil && r.Access.Visibility == memory.Public
		if words != (name != "others") || open != (name == "one") {
			t.Errorf("%s: %+v", name, r)
		}
		taken := slices.ContainsFunc(report.Changes, func(c core.ImportChange) bool { return c.Taken })
		kept := slices.ContainsFunc(report.Changes, func(c core.ImportChange) bool { return !c.Taken })
		if taken != words || kept != (name != "one") {
			t.Errorf("%s: told as %+v", name, report.Changes)
		}
		ok(k.Undo(ctx))
	}
}

// TestTheOwnersFileOpensNothing: what one signed oneself changes words, and takes
// access away, but gives none.
func TestTheOwnersFileOpensNothing(t *testing.T) {
	k := full(t)
	_, text := k.export("out.pam.json", core.ExportOptions{})
	id := k.saying("User drinks green tea").ID
	k.later(time.Hour)
	for _, f := range forgeries() {
		before := ok(k.Memory(ctx, id)).Record
		report := k.take("mine.json", changedIn(k, text, "", f).signed(k), core.ImportOptions{})
		now := ok(k.Memory(ctx, id)).Record
		opens := f.name == "public" || strings.HasPrefix(f.name, "shared")
		if opens != reflect.DeepEqual(before, now) || opens == report.Changed || len(report.Changes) != 1 || opens == report.Changes[0].Taken {
			t.Errorf("%s: %+v, told as %+v", f.name, now, report.Changes)
		}
		if report.Changed {
			ok(k.Undo(ctx))
		}
	}
}

// TestTheSourceMayChangeItsOwn: who signed the document that a memory came from may
// change it, until it is edited here; who said the same later may not.
func TestTheSourceMayChangeItsOwn(t *testing.T) {
	k := full(t)
	alice, mallory := keyFile(t), keyFile(t)
	write := func(id, owner, content string, minutes int) document {
		return document{"schema": "portable-ai-memory", "schema_version": "1.0", "owner": map[string]any{"id": owner}, "export_id": content, "export_date": "2026-02-01T00:00:00Z",
			"memories": []any{map[string]any{
				"id": id, "type": "fact", "content": content, "content_hash": memory.ContentHash(content), "status": "active",
				"temporal":   map[string]any{"created_at": "2026-01-01T00:00:00Z", "updated_at": k.clock.Add(time.Duration(minutes) * time.Minute).UTC().Format(time.RFC3339)},
				"provenance": map[string]any{"platform": "claude"},
			}}}
	}
	id, other := "11111111-2222-4333-8444-555555555555", "22222222-2222-4333-8444-555555555555"
	words := func() string { return ok(k.Memory(ctx, id)).Record.Content }
	expect := func(what, want string) {
		t.Helper()
		if got := words(); got != want {
			t.Errorf("%s: it says %q, not %q", what, got, want)
		}
	}
	k.take("a1.json", write(id, "alice", "Alice sails", 1).signedWith(k, alice), core.ImportOptions{})
	k.take("m1.json", write(id, "alice", "Alice drowns", 2).signedWith(k, mallory), core.ImportOptions{})
	expect("another key", "Alice sails")
	k.take("m2.json", write(other, "mallory", "Alice sails", 3).signedWith(k, mallory), core.ImportOptions{})
	k.take("m3.json", write(other, "mallory", "Alice sinks", 4).signedWith(k, mallory), core.ImportOptions{})
	expect("who said the same", "Alice sails")
	k.take("u1.json", write(id, "alice", "Alice swims", 5).text(k), core.ImportOptions{})
	expect("without a signature", "Alice sails")
	k.take("a2.json", write(id, "alice", "Alice rows", 6).signedWith(k, alice), core.ImportOptions{})
	expect("its own key", "Alice rows")
	k.take("m4.json", write(id, "mallory", "Alice rests", 7).signedWith(k, mallory), core.ImportOptions{Take: []string{id}})
	expect("the person's word", "Alice rests")
	k.take("m5.json", write(id, "mallory", "Alice rots", 8).signedWith(k, mallory), core.ImportOptions{})
	expect("a word hands nothing over", "Alice rests")
	ok(k.EditMemory(ctx, id, core.MemoryEdit{Content: to("Alice reads")}))
	k.take("a3.json", write(id, "alice", "Alice writes", 9).signedWith(k, alice), core.ImportOptions{})
	expect("edited here", "Alice reads")
}

// TestConversationsOfStrangersStay: a conversation of a bundle replaces one that is
// here only where a signature covers it and is the owner's.
func TestConversationsOfStrangersStay(t *testing.T) {
	k := full(t)
	r, _ := k.export("out.pam.zip", core.ExportOptions{IncludeConversations: true})
	files := unzipped(t, r.Path)
	name := slices.Sorted(maps.Keys(files))[slices.IndexFunc(slices.Sorted(maps.Keys(files)), func(n string) bool { return strings.HasPrefix(n, "conversations/") })]
	var c map[string]any
	if err := json.Unmarshal(files[name], &c); err != nil {
		t.Fatal(err)
	}
	id := c["id"].(string)
	for _, m := range c["messages"].([]any) {
		m.(map[string]any)["content"] = map[string]any{"type": "text", "text": "FORGED TURN"}
	}
	c["temporal"].(map[string]any)["updated_at"] = k.clock.Add(aDay).UTC().Format(time.RFC3339)
	files[name] = ok(json.Marshal(c))
	before := string(ok(json.Marshal(ok(k.Thread(ctx, id, "", 0, 50)))))
	for _, without := range [][]string{{}, {"keepsake-digest.jcs"}} {
		forged := maps.Clone(files)
		for _, gone := range without {
			delete(forged, gone)
		}
		path := filepath.Join(k.root, "forged.pam.zip")
		if err := os.WriteFile(path, zipOf(t, forged), 0o600); err != nil {
			t.Fatal(err)
		}
		plan := ok(k.PlanImport(ctx, inputs(path), core.ImportOptions{}))
		if c := plan.Sources[0].Changes; len(c) != 1 || c[0].Kind != core.ChangedConversation || c[0].Taken || len(c[0].Fields) < 2 {
			t.Errorf("without %v: the plan tells %+v", without, c)
		}
		report := ok(k.Import(ctx, inputs(path), core.ImportOptions{AcceptBroken: true}, nil))
		addsUp(t, report)
		if after := string(ok(json.Marshal(ok(k.Thread(ctx, id, "", 0, 50))))); after != before || report.Conversations.Updated != 0 {
			t.Errorf("without %v: %+v", without, report.Conversations)
		}
	}
}

// TestStrangersRelateNothing: a document of a stranger draws no relation between
// memories that are here, and none that says one of them was replaced.
func TestStrangersRelateNothing(t *testing.T) {
	k := full(t)
	_, text := k.export("out.pam.json", core.ExportOptions{})
	a, b := k.saying("User drinks green tea").ID, k.saying("User is called Ana").ID
	before := state(k)
	theirs := map[string]any{
		"id": "99999999-0000-4000-8000-000000000000", "type": "fact", "content": "Theirs", "content_hash": memory.ContentHash("Theirs"), "status": "active",
		"temporal": map[string]any{"created_at": "2026-01-01T00:00:00Z"}, "provenance": map[string]any{"platform": "claude"},
	}
	for i, r := range []struct {
		from, to, kind string
		drawn          bool
	}{{a, b, "contradicts", false}, {b, a, "supersedes", false}, {theirs["id"].(string), a, "supersedes", false}, {theirs["id"].(string), a, "supports", true}, {a, theirs["id"].(string), "supports", true}} {
		d := parse(t, text)
		d["owner"], d["export_id"], d["conversations_index"] = map[string]any{"id": "mallory"}, r.kind, []any{}
		d["memories"] = append(d.memories(), theirs)
		d["relations"] = []any{map[string]any{"id": "88888888-0000-4000-8000-000000000000", "from": r.from, "to": r.to, "type": r.kind, "created_at": "2026-03-01T00:00:00Z"}}
		report := k.take("relates.json", d.text(k), core.ImportOptions{})
		if drawn := report.Relations.New == 1; drawn != r.drawn || !drawn && report.Ledger[0].Skipped["kept-not-signed-for"] != 1 {
			t.Errorf("%d: %+v", i, report)
		}
		if report.Changed {
			ok(k.UndoImport(ctx, report.ImportID))
		}
		if state(k) != before {
			t.Errorf("%d: something else changed", i)
		}
	}
}

// Promise (M2): what is verified is what is imported. A signed bundle to which
// anything was added is not whole, and an import reads nothing else in its place.
func TestWhatIsVerifiedIsImported(t *testing.T) {
	k := full(t)
	r, _ := k.export("out.pam.zip", core.ExportOptions{IncludeConversations: true})
	bundle := unzipped(t, r.Path)
	there := other(t)
	for name, text := range map[string]string{
		"conversations.json": `[{"id":"c1","title":"FORGED","create_time":1,"update_time":2,"mapping":{"a":{"id":"a","message":null,"parent":null,"children":[]}},"current_node":"a"}]`,
		"memory.jsonl":       `{"type":"entity","name":"x","entityType":"y","observations":["FORGED"]}`,
		"aaa.json":           `{"memories":["FORGED"]}`,
	} {
		files := map[string][]byte{name: []byte(text)}
		for inside, content := range bundle {
			files["signed/"+inside] = content
		}
		path := there.file("added.zip", zipOf(t, files))
		if v := ok(there.Verify(ctx, core.Input{Path: path}, nil)); v.Whole || v.Valid {
			t.Errorf("%s: verified as %+v", name, v)
		}
		_, err := there.Import(ctx, inputs(path), core.ImportOptions{}, nil)
		wantFault(t, err, fault.Refused, "pam-broken")
		if n := len(there.memories(core.MemoryQuery{})) + ok(there.Conversations(ctx, core.ConversationQuery{})).Total; n != 0 {
			t.Errorf("%s: %d things were taken", name, n)
		}
	}
}

// Promise (M3): a document that says it is from somebody known, without their
// signature, is refused; taken in all the same, it replaces nothing. One's own id is
// read, and named.
func TestNamedWithoutASignature(t *testing.T) {
	k := full(t)
	_, text := k.export("out.pam.json", core.ExportOptions{})
	there := other(t)
	ok(there.TrustKey(ctx, core.KeySource{Input: core.Input{Path: k.file("alice.pam.json", text)}}, "Alice"))
	there.imports(k.file("alice.pam.json", text))
	there.later(time.Hour)
	d := parse(t, text)
	says(d.saying("User drinks green tea"), "FORGED", there.clock)
	d["export_id"] = "stripped"
	path := there.file("stripped.json", d.text(there))
	_, err := there.Import(ctx, inputs(path), core.ImportOptions{}, nil)
	wantFault(t, err, fault.Refused, "pam-claims-known")
	_, err = there.Import(ctx, inputs(path), core.ImportOptions{AcceptBroken: true}, nil)
	wantFault(t, err, fault.Refused, "pam-claims-known")
	plan := ok(there.PlanImport(ctx, inputs(path), core.ImportOptions{}))
	if doc := plan.Sources[0].Document; doc == nil || !doc.AsksUnsigned || doc.AsksBroken || len(plan.Sources[0].Changes) != 1 {
		t.Errorf("planned as %+v", plan.Sources[0])
	}
	report := ok(there.Import(ctx, inputs(path), core.ImportOptions{AcceptUnsigned: true}, nil))
	if report.Changed || report.Problems[0].Reason != "pam-claims-known-taken" {
		t.Errorf("%+v", report)
	}
	there.saying("User drinks green tea")
	if report := ok(k.Import(ctx, inputs(k.file("stripped.json", d.text(k))), core.ImportOptions{}, nil)); report.Changed || report.Problems[0].Reason != "pam-claims-own" {
		t.Errorf("one's own id: %+v", report)
	}
}
