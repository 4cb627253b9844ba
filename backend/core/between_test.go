package core_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/format/mif"
	"keepsake/backend/memory"
)

// server is the file of the MCP memory server: relations may stand before what they
// lead between.
const server = `{"type":"relation","from":"Ana","to":"Leeds","relationType":"lives_in"}
{"type":"entity","name":"Ana","entityType":"person","observations":["Ana keeps four hives","Ana sings"]}
{"type":"entity","name":"Leeds","entityType":"city","observations":["Leeds lies on the Aire"]}
{"type":"entity","name":"Empty Ltd","entityType":"firm","observations":[]}
{"type":"relation","from":"Ana","to":"Leeds","relationType":"was_born_in"}
{"type":"relation","from":"Leeds","to":"Ana","relationType":"contradicts"}
{"type":"relation","from":"Ana","to":"Empty Ltd","relationType":"works_at"}
{"type":"relation","from":"Ana","to":"Ana","relationType":"knows"}
`

// drawn are the relations of a vault in words.
func (k *kit) drawn() []string {
	k.t.Helper()
	var all []string
	for _, rel := range ok(k.Relations(ctx)) {
		from, to := ok(k.Memory(ctx, rel.From)), ok(k.Memory(ctx, rel.To))
		i := slices.IndexFunc(from.Relations, func(r core.RelatedMemory) bool { return r.Relation.ID == rel.ID })
		all = append(all, fmt.Sprintf("%s %s %s %v", from.Record.Content, rel.Type, to.Record.Content, from.Relations[i].Words))
	}
	slices.Sort(all)
	return all
}

// says are the contents of a vault.
func (k *kit) says() []string {
	k.t.Helper()
	var all []string
	for _, m := range ok(k.Memories(ctx, core.MemoryQuery{})).Items {
		all = append(all, m.Content)
	}
	slices.Sort(all)
	return all
}

var (
	serverSays  = []string{"Ana keeps four hives", "Ana knows Ana", "Ana sings", "Ana works at Empty Ltd", "Leeds lies on the Aire"}
	serverDraws = []string{"Ana keeps four hives related_to Leeds lies on the Aire [lives_in was_born_in]", "Leeds lies on the Aire contradicts Ana keeps four hives [contradicts]"}
)

// Promise: relations of the memory server become relations between the first statements
// about their ends, with the word that they had there; a sentence stays where an end has
// none. A plan says so before.
func TestWindow13RelationsBetweenMemories(t *testing.T) {
	k := provider(t)
	path := k.file("memory.jsonl", []byte(server))
	plan := ok(k.Import(ctx, inputs(path), core.ImportOptions{DryRun: true}, nil))
	report := k.imports(path)
	if plan.Memories != report.Memories || plan.Relations != report.Relations || report.Relations.New != 2 || report.Memories.New != len(serverSays) || report.ProblemCount != 0 {
		t.Errorf("planned %+v %+v, imported %+v %+v", plan.Memories, plan.Relations, report.Memories, report.Relations)
	}
	k.reopen()
	equal(t, serverSays, k.says())
	equal(t, serverDraws, k.drawn())
}

// Promise: the same file again changes nothing, an import that is taken back takes its
// relations along, and what another import holds as well stays.
func TestWindow13TheSameRelationsAgain(t *testing.T) {
	k := provider(t)
	first := k.imports(k.file("memory.jsonl", []byte(server)))
	again := k.imports(k.file("again/memory.jsonl", []byte(server+"\n")))
	if again.Changed || again.Relations.New != 0 {
		t.Errorf("%+v", again)
	}
	if plan := ok(k.PlanUndoImport(ctx, first.ImportID)); plan.Relations != 0 || plan.Memories != 0 {
		t.Errorf("a later import holds it all, and taking back the first would take %+v", plan)
	}
	ok(k.UndoImport(ctx, first.ImportID))
	equal(t, serverDraws, k.drawn())
	ok(k.UndoImport(ctx, again.ImportID))
	if state := k.state(); state.Memories+state.Relations != 0 || core.Kept(k.Service) != 0 {
		t.Errorf("after both were taken back: %d memories, %d relations, %d kept: %q", state.Memories, state.Relations, core.Kept(k.Service), k.says())
	}
	more := k.imports(k.file("more/memory.jsonl", []byte(server)))
	if plan := ok(k.PlanUndoImport(ctx, more.ImportID)); plan.Relations != 2 || plan.Memories != len(serverSays) {
		t.Errorf("%+v", plan)
	}
	equal(t, serverDraws, k.drawn())

	// The file grew: Ana has an observation more, and one relation is new.
	grown := strings.Replace(server, `"Ana sings"`, `"Ana sings","Ana swims"`, 1) + `{"type":"relation","from":"Leeds","to":"Ana","relationType":"shelters"}` + "\n"
	if r := k.imports(k.file("grown/memory.jsonl", []byte(grown))); r.Relations.New != 1 || r.Memories.New != 1 {
		t.Errorf("%+v %+v", r.Memories, r.Relations)
	}
	equal(t, append(slices.Clone(serverDraws), "Leeds lies on the Aire related_to Ana keeps four hives [shelters]"), k.drawn())
}

// Promise: a vault that has sentences from before keeps them beside the relation, and
// what was forgotten draws no relation, neither by itself nor by way of another
// statement.
func TestWindow13SentencesAndForgotten(t *testing.T) {
	k := provider(t)
	k.imports(k.file("memory.jsonl", []byte(`{"type":"entity","name":"Ana","entityType":"person","observations":["Ana keeps four hives"]}`+"\n"+
		`{"type":"relation","from":"Ana","to":"Leeds","relationType":"lives_in"}`+"\n")))
	equal(t, []string{"Ana keeps four hives", "Ana lives in Leeds"}, k.says())
	k.imports(k.file("later/memory.jsonl", []byte(server)))
	equal(t, append([]string{"Ana keeps four hives", "Ana knows Ana", "Ana lives in Leeds"}, serverSays[2:]...), k.says())
	equal(t, serverDraws, k.drawn())

	of := func(content string) string {
		page := ok(k.Memories(ctx, core.MemoryQuery{}))
		return page.Items[slices.IndexFunc(page.Items, func(m memory.Record) bool { return m.Content == content })].ID
	}
	ok(k.Forget(ctx, []string{of("Ana keeps four hives")}, nil))
	equal(t, 0, len(k.drawn()))
	r := k.imports(k.file("once more/memory.jsonl", []byte(server+"\n\n")))
	if len(k.drawn()) != 0 || r.Memories.New != 0 {
		t.Errorf("%q, %+v", k.drawn(), r.Memories)
	}
}

// Promise: more relations than a batch holds are drawn like a few.
func TestWindow13ManyRelations(t *testing.T) {
	const all = 2500
	var b strings.Builder
	for i := range all {
		fmt.Fprintf(&b, `{"type":"relation","from":"E%d","to":"E%d","relationType":"near"}`+"\n", i, (i+1)%(all+1))
	}
	for i := range all {
		fmt.Fprintf(&b, `{"type":"entity","name":"E%d","entityType":"x","observations":["walked to gate number %d"]}`+"\n", i, i)
	}
	k := provider(t)
	path := k.file("memory.jsonl", []byte(b.String()))
	plan := ok(k.Import(ctx, inputs(path), core.ImportOptions{DryRun: true}, nil))
	if r := k.imports(path); r.Relations.New != all-1 || r.Memories.New != all+1 || plan.Relations != r.Relations || plan.Memories != r.Memories {
		t.Errorf("planned %+v %+v, imported %+v %+v", plan.Relations, plan.Memories, r.Relations, r.Memories)
	}
}

// Promise: the kind of a relation changes as one change that can be taken back and done
// again; the word that its source had stays, and importing the file again leaves it.
func TestWindow13RelationKindChanges(t *testing.T) {
	k := provider(t)
	k.imports(k.file("memory.jsonl", []byte(server)))
	rel := ok(k.Relations(ctx))[0]
	if rel.Type != memory.RelatedTo {
		rel = ok(k.Relations(ctx))[1]
	}
	changed := ok(k.ChangeRelation(ctx, rel.ID, memory.Supports))
	if changed.Type != memory.Supports || changed.ID != rel.ID || changed.From != rel.From || !changed.CreatedAt.Equal(rel.CreatedAt.Time) {
		t.Errorf("%+v was %+v", changed, rel)
	}
	supports := "Ana keeps four hives supports Leeds lies on the Aire [lives_in was_born_in]"
	equal(t, []string{supports, serverDraws[1]}, k.drawn())
	if r := k.imports(k.file("again/memory.jsonl", []byte(server+"\n"))); r.Changed {
		t.Errorf("%+v", r)
	}
	equal(t, []string{supports, serverDraws[1]}, k.drawn())
	if c := ok(k.Undo(ctx)); c.Kind != "relation-kind" {
		t.Errorf("%+v", c)
	}
	equal(t, serverDraws, k.drawn())
	ok(k.Redo(ctx))
	equal(t, []string{supports, serverDraws[1]}, k.drawn())

	for reason, err := range map[string]error{
		"unknown-relation": errOf(k.ChangeRelation(ctx, rel.ID, "likes")),
		"no-relation":      errOf(k.ChangeRelation(ctx, "nobody", memory.Supports)),
	} {
		if fault.From(err) == nil || fault.From(err).Reason != reason {
			t.Errorf("%v, want %s", err, reason)
		}
	}
	other := ok(k.Relate(ctx, rel.From, memory.RelatedTo, rel.To))
	if err := errOf(k.ChangeRelation(ctx, other.ID, memory.Supports)); fault.From(err) == nil || fault.From(err).Reason != "relation-exists" {
		t.Errorf("%v", err)
	}
	last := ok(k.LastChange(ctx))
	if same := ok(k.ChangeRelation(ctx, other.ID, memory.RelatedTo)); same.ID != other.ID || ok(k.LastChange(ctx)).ID != last.ID {
		t.Error("a relation that is of that kind already was changed")
	}
}

func errOf[T any](_ T, err error) error { return err }

// Promise: the word leaves in the Memory Interchange Format, in both versions, and comes
// back from there.
func TestWindow13WordsInMIF(t *testing.T) {
	k := provider(t)
	k.imports(k.file("memory.jsonl", []byte(server)))
	for _, major := range []string{"1", "2"} {
		r, text := k.mif("out.mif.json", core.MIFOptions{Version: major, ExportOptions: plain})
		if v := ok(k.Validate(ctx, core.Input{Path: r.Path})); !v.Valid || !bytes.Contains(text, []byte("lives_in")) {
			t.Errorf("version %s: %+v\n%s", major, v.Errors, text)
		}
		there := other(t)
		there.take("in.mif.json", text, core.ImportOptions{})
		equal(t, serverDraws, there.drawn())
		_, back := there.mif(filepath.Base(r.Path), core.MIFOptions{Version: major, Format: mif.JSON, ExportOptions: plain})
		sameMIF(t, text, back)
	}
}
