package core_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

func (k *kit) add(text string) memory.Record {
	k.t.Helper()
	r, err := k.AddMemory(ctx, core.NewMemory{Type: memory.Fact, Content: text, Tags: []string{"Über Tag", "x_1", "Über-tag", "!!"}})
	if err != nil {
		k.t.Fatal(err)
	}
	return r
}

func to[T any](v T) *T { return &v }

func TestAddedMemoryIsWhole(t *testing.T) {
	k := fresh(t)
	r := k.add("  I play the cello  ")
	if r.Content != "I play the cello" || r.ContentHash != memory.ContentHash("I play the cello") || r.Status != memory.Active {
		t.Errorf("record: %+v", r)
	}
	if !slices.Equal(r.Tags, []string{"uber-tag", "x_1"}) {
		t.Errorf("tags: %v", r.Tags)
	}
	if r.Provenance.Platform != "manual" || r.Provenance.ExtractionMethod != memory.Manual {
		t.Errorf("provenance: %+v", r.Provenance)
	}
	equal(t, r, k.saying("I play the cello"))
}

func TestRulesOfAMemory(t *testing.T) {
	k := fresh(t)
	id := k.add("a fact").ID
	for name, c := range map[string]struct {
		do     func() error
		reason string
	}{
		"empty": {func() error { return second(k.AddMemory(ctx, core.NewMemory{Type: memory.Fact, Content: " \n"})) }, "memory-empty"},
		"too long": {func() error {
			return second(k.AddMemory(ctx, core.NewMemory{Type: memory.Fact, Content: strings.Repeat("x", 2<<20)}))
		}, "memory-too-long"},
		"no such type":     {func() error { return second(k.AddMemory(ctx, core.NewMemory{Type: "mood", Content: "x"})) }, "unknown-type"},
		"custom, unnamed":  {func() error { return second(k.EditMemory(ctx, id, core.MemoryEdit{Type: to(memory.Custom)})) }, "custom-type-missing"},
		"named, no custom": {func() error { return second(k.EditMemory(ctx, id, core.MemoryEdit{CustomType: to("x")})) }, "custom-type-needless"},
		"validity": {func() error {
			return second(k.EditMemory(ctx, id, core.MemoryEdit{ValidFrom: to(dayOne), ValidUntil: to(dayOne.AddDate(0, 0, -1))}))
		}, "validity-reversed"},
		"visibility": {func() error {
			return second(k.EditMemory(ctx, id, core.MemoryEdit{Visibility: to(memory.Visibility("half"))}))
		}, "memory-breaks-schema"},
		"no such memory": {func() error { return second(k.EditMemory(ctx, "nobody", core.MemoryEdit{})) }, "no-memory"},
	} {
		t.Run(name, func(t *testing.T) {
			generation := k.state().Generation
			if f := fault.From(c.do()); f == nil || f.Reason != c.reason {
				t.Errorf("fault: %v", reasonOf(f))
			}
			if k.state().Generation != generation {
				t.Error("something was written")
			}
		})
	}
}

func second[T any](_ T, err error) error { return err }

func TestEditKeepsWhatMustNotChange(t *testing.T) {
	k := fresh(t)
	before := k.add("I play the cello")
	k.later(time.Hour)
	after := ok(k.EditMemory(ctx, before.ID, core.MemoryEdit{
		Content: to("I play the viola"), Type: to(memory.Custom), CustomType: to("hobby"), Exportable: to(false),
	}))
	if after.Temporal.CreatedAt != before.Temporal.CreatedAt || after.Temporal.UpdatedAt != memory.At(k.clock) {
		t.Errorf("times: %+v", after.Temporal)
	}
	if after.ContentHash != memory.ContentHash("I play the viola") || after.CustomType != "hobby" || after.MayLeave() {
		t.Errorf("record: %+v", after)
	}
	generation := k.state().Generation
	nothing := core.MemoryEdit{Content: to(" I play the viola "), Visibility: to(memory.Private), Exportable: to(false)}
	if same := ok(k.EditMemory(ctx, before.ID, nothing)); same.Changed || !after.Changed || same.Content != after.Content || k.state().Generation != generation {
		t.Error("an edit that changes nothing was written")
	}
	other := k.add("Plays chess")
	generation = k.state().Generation
	if same := ok(k.EditMemory(ctx, other.ID, core.MemoryEdit{Visibility: to(memory.Private), Exportable: to(true)})); same.Changed || k.state().Generation != generation {
		t.Error("saying what is so where nothing is said was written")
	}
	after = ok(k.EditMemory(ctx, before.ID, core.MemoryEdit{Type: to(memory.Skill)}))
	if after.CustomType != "" {
		t.Error("the name of a custom type outlived it")
	}
	if d := ok(k.Memory(ctx, before.ID)); d.Versions != 2 {
		t.Errorf("%d versions, want 2", d.Versions)
	}
}

// Promise: the domain can be set, changed and cleared, and the rest of the open
// block stays; undoing brings the old one back.
func TestDomain(t *testing.T) {
	k := fresh(t)
	hash := memory.ContentHash("I play the cello")
	k.take("a.json", []byte(`{"schema":"portable-ai-memory","schema_version":"1.0","owner":{"id":"o"},"memories":[{"id":"m","type":"fact","content":"I play the cello","content_hash":"`+hash+
		`","temporal":{"created_at":"2026-01-01T00:00:00Z"},"provenance":{"platform":"grok"},"metadata":{"language":"en","own":{"x":[1]}}}]}`), core.ImportOptions{})
	id := k.saying("I play the cello").ID
	domain := func() any { return ok(k.Memory(ctx, id)).Record.Metadata["domain"] }
	language := ok(k.Memory(ctx, id)).Record.Metadata["language"]
	if language == nil || domain() != nil {
		t.Fatal("the memory is not as this test needs it")
	}
	for _, c := range []struct {
		typed string
		is    any
	}{{" music ", "music"}, {"música clássica", "música clássica"}, {"", nil}} {
		ok(k.EditMemory(ctx, id, core.MemoryEdit{Domain: &c.typed}))
		if domain() != c.is || ok(k.Memory(ctx, id)).Record.Metadata["language"] != language {
			t.Errorf("%q became %v", c.typed, domain())
		}
	}
	ok(k.Undo(ctx))
	if domain() != "música clássica" {
		t.Errorf("undone to %v", domain())
	}
	for _, long := range []string{strings.Repeat("x", 5000), "\xff"} {
		_, err := k.EditMemory(ctx, id, core.MemoryEdit{Domain: &long})
		wantFault(t, err, fault.Invalid, "domain-form")
	}
}

// TestLifecycle holds the whole table of PAM §7.1: every pair of states.
func TestLifecycle(t *testing.T) {
	legal := map[memory.Status][]memory.Status{
		memory.Active:     {memory.Superseded, memory.Deprecated, memory.Retracted, memory.Archived},
		memory.Superseded: {memory.Archived},
		memory.Deprecated: {memory.Retracted, memory.Archived},
	}
	for _, from := range memory.Statuses() {
		for _, next := range memory.Statuses() {
			t.Run(fmt.Sprintf("%s to %s", from, next), func(t *testing.T) {
				k := fresh(t)
				id := k.add("x").ID
				if from != memory.Active {
					ok(k.SetStatus(ctx, id, from, ""))
				}
				r, err := k.SetStatus(ctx, id, next, "")
				if slices.Contains(legal[from], next) {
					if err != nil || r.Status != next {
						t.Fatalf("%s, %v", r.Status, err)
					}
					return
				}
				reason := "illegal-step"
				if len(legal[from]) == 0 {
					reason = "final-step"
				}
				wantFault(t, err, fault.Conflict, reason)
				for _, allowed := range legal[from] {
					if !strings.Contains(fault.From(err).Message(), string(allowed)) {
						t.Errorf("%q does not name %s", fault.From(err).Message(), allowed)
					}
				}
			})
		}
	}
}

func TestSupersedeNamesWhatReplaces(t *testing.T) {
	k := fresh(t)
	old, young := k.add("I live in Lisbon").ID, k.add("I live in Porto").ID
	r := ok(k.SetStatus(ctx, old, memory.Superseded, young))
	if r.Temporal.SupersededBy != young {
		t.Errorf("superseded_by: %q", r.Temporal.SupersededBy)
	}
	relations := ok(k.Relations(ctx))
	if len(relations) != 1 || relations[0].From != young || relations[0].To != old || relations[0].Type != memory.Supersedes {
		t.Errorf("relations: %+v", relations)
	}
	_, err := k.SetStatus(ctx, young, memory.Retracted, old)
	wantFault(t, err, fault.Invalid, "by-needless")
	_, err = k.SetStatus(ctx, young, memory.Superseded, "nobody")
	wantFault(t, err, fault.NotFound, "no-memory")
	_, err = k.SetStatus(ctx, young, memory.Superseded, young)
	wantFault(t, err, fault.Invalid, "relation-to-itself")
}

func TestRelate(t *testing.T) {
	k := fresh(t)
	a, b := k.add("a").ID, k.add("b").ID
	rel := ok(k.Relate(ctx, a, memory.Supports, b))
	_, err := k.Relate(ctx, a, memory.Supports, b)
	wantFault(t, err, fault.Conflict, "relation-exists")
	_, err = k.Relate(ctx, a, memory.Supports, a)
	wantFault(t, err, fault.Invalid, "relation-to-itself")
	_, err = k.Relate(ctx, a, "likes", b)
	wantFault(t, err, fault.Invalid, "unknown-relation")
	_, err = k.Relate(ctx, a, memory.Supports, "nobody")
	wantFault(t, err, fault.NotFound, "no-memory")
	d := ok(k.Memory(ctx, b))
	if len(d.Relations) != 1 || d.Relations[0].Outgoing || d.Relations[0].Other.ID != a {
		t.Errorf("seen from the other end: %+v", d.Relations)
	}
	if page := ok(k.Memories(ctx, core.MemoryQuery{HasRelations: true})); page.Total != 2 || page.Relations[0] != 1 {
		t.Errorf("page: %+v", page)
	}
	if err := k.Unrelate(ctx, rel.ID); err != nil {
		t.Fatal(err)
	}
	wantFault(t, k.Unrelate(ctx, rel.ID), fault.NotFound, "no-relation")
}

// TestUndoOfEveryKind does one thing of each kind and takes them all back, one
// after the other; after each step everything must be as it was before it.
func TestUndoOfEveryKind(t *testing.T) {
	k := fresh(t)
	k.imports(k.write("a.zip", sampleBook()))
	lisbon, tea := k.saying("User lives in Lisbon").ID, k.saying("User drinks green tea").ID
	newer := sampleBook()
	newer.Conversations[0].Updated = dayOne
	newer.Conversations[0].Lines = newer.Conversations[0].Lines[:2]
	newer.Memories[0].Text = "User is called Ana Maria"
	newer.Forget = []statement{{Key: "f", Text: "I drink green tea", At: dayOne}}
	var relation memory.Relation
	steps := []struct {
		kind string
		do   func() error
	}{
		{"add", func() error { return second(k.AddMemory(ctx, core.NewMemory{Type: memory.Goal, Content: "learn Go"})) }},
		{"edit", func() error {
			return second(k.EditMemory(ctx, lisbon, core.MemoryEdit{Content: to("I live in Porto")}))
		}},
		{"relate", func() (err error) { relation, err = k.Relate(ctx, lisbon, memory.RelatedTo, tea); return err }},
		{"unrelate", func() error { return k.Unrelate(ctx, relation.ID) }},
		{"import", func() error { return second(k.Import(ctx, inputs(k.write("b.zip", newer)), core.ImportOptions{}, nil)) }},
		{"set-status", func() error { return second(k.SetStatus(ctx, lisbon, memory.Superseded, tea)) }},
	}
	snaps := []snap{k.snap()}
	for _, step := range steps {
		k.later(time.Minute)
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.kind, err)
		}
		snaps = append(snaps, k.snap())
	}
	for i := len(steps) - 1; i >= 0; i-- {
		k.reopen() // what is undone must not depend on what is in memory
		if last := ok(k.LastChange(ctx)); last == nil || last.Kind != steps[i].kind {
			t.Fatalf("last change is %+v, want %s", last, steps[i].kind)
		}
		if c := ok(k.Undo(ctx)); c.Kind != steps[i].kind || c.Kept != 0 {
			t.Fatalf("undid %+v", c)
		}
		equal(t, snaps[i], k.snap())
	}
	if c := ok(k.Undo(ctx)); c.Kind != "import" || k.state().Memories != 0 || k.state().Conversations != 0 || k.state().Messages != 0 {
		t.Fatalf("the first import is not undone: %+v, %+v", c, k.state())
	}
	_, err := k.Undo(ctx)
	wantFault(t, err, fault.NotFound, "nothing-to-undo")
	if reports := ok(k.Imports(ctx)); reports[0].State != "undone" || reports[1].State != "undone" {
		t.Errorf("reports: %+v", reports)
	}
	if r := k.imports(k.write("a.zip", sampleBook())); r.Memories.New != 3 || r.Conversations.New != 2 {
		t.Errorf("an import that was undone cannot be made again: %+v", r)
	}
}

// snap is everything that a person could notice.
type snap struct {
	Memories      []memory.Record
	Sources       map[string][]core.MemorySource
	Relations     []memory.Relation
	Conversations []core.ConversationHead
	Threads       []core.Thread
	Facets        core.Facets
}

func (k *kit) snap() snap {
	k.t.Helper()
	s := snap{Memories: k.memories(core.MemoryQuery{}), Sources: map[string][]core.MemorySource{}}
	for _, m := range s.Memories {
		s.Sources[m.ID] = ok(k.Memory(ctx, m.ID)).Sources
	}
	s.Relations = ok(k.Relations(ctx))
	s.Conversations = ok(k.Conversations(ctx, core.ConversationQuery{})).Items
	for _, c := range s.Conversations {
		s.Threads = append(s.Threads, ok(k.Thread(ctx, c.ID, "", 0, 0)))
	}
	s.Facets = ok(k.Facets(ctx, core.MemoryQuery{}))
	return s
}

func (k *kit) reopen() {
	k.t.Helper()
	if err := k.Lock(ctx); err != nil {
		k.t.Fatal(err)
	}
	if err := k.Unlock(ctx, passphrase); err != nil {
		k.t.Fatal(err)
	}
}

// TestUndoOfAnOlderImportKeepsWhatWasMended takes back an import that other
// changes came after.
func TestUndoOfAnOlderImportKeepsWhatWasMended(t *testing.T) {
	k := fresh(t)
	r := k.imports(k.write("a.zip", sampleBook()))
	lisbon, tea := k.saying("User lives in Lisbon").ID, k.saying("User drinks green tea").ID
	ok(k.EditMemory(ctx, lisbon, core.MemoryEdit{Content: to("I live in Porto")}))
	ok(k.Relate(ctx, lisbon, memory.RelatedTo, tea))
	c := ok(k.UndoImport(ctx, r.ImportID))
	if c.Kept != 1 || k.state().Memories != 1 || k.state().Conversations != 0 || k.state().Relations != 0 {
		t.Fatalf("%+v, %+v", c, k.state())
	}
	k.saying("I live in Porto")
	_, err := k.UndoImport(ctx, r.ImportID)
	wantFault(t, err, fault.Conflict, "import-not-undoable")
	_, err = k.UndoImport(ctx, "nobody")
	wantFault(t, err, fault.NotFound, "no-import")
	k.reopen()
}

func TestUndoReachesBackFar(t *testing.T) {
	k := fresh(t)
	id := k.add("0").ID
	for i := 1; i < 260; i++ {
		ok(k.EditMemory(ctx, id, core.MemoryEdit{Content: to(fmt.Sprint(i))}))
	}
	n := 0
	for {
		if _, err := k.Undo(ctx); err != nil {
			wantFault(t, err, fault.NotFound, "nothing-to-undo")
			break
		}
		n++
	}
	if n < 200 || n >= 250 {
		t.Errorf("%d changes could be undone, want 200 to 249", n)
	}
	k.saying(fmt.Sprint(259 - n))
}
