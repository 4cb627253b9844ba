package mif_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"keepsake/backend/format/mif"
	"keepsake/backend/memory"
)

const (
	idA = "00000001-1111-4222-8333-000000000001"
	idB = "00000002-1111-4222-8333-000000000002"
	idC = "00000003-1111-4222-8333-000000000003"
)

// everyField is one memory, one task and one edge of version 1 with every member
// that the vault has a place of its own for.
const everyField = `{"mif_version":"1.0","export":{"id":"e","user_id":"u","created_at":"2026-03-01T00:00:00Z"},"memories":[{
	"id":"mem_` + idA + `","content":"Tea","type":"Pattern","importance":0.85,"created_at":"2026-01-02T03:04:05Z","updated_at":"2026-01-03T03:04:05Z",
	"accessed_at":"2026-01-05T00:00:00Z","access_count":7,"tags":["Green Tea"],"source":{"type":"user","agent":"claude-code"},
	"embedding":{"id":"v1","model":"m","dimensions":2,"vector":[0.5,-0.5],"created_at":"2026-01-04T00:00:00Z","normalized":true},
	"relations":{"related_memories":["mem_` + idB + `"],"related_todos":["todo_` + idC + `"]},"parent_id":"mem_` + idC + `",
	"entities":[{"text":"Tea","type":"DRINK"}]}],
	"todos":[{"id":"todo_` + idB + `","content":"Buy tea","status":"blocked","priority":"urgent","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-02T00:00:00Z",
	"due_date":"2026-01-03T00:00:00Z","completed_at":"2026-01-04T00:00:00Z","project":{"id":"proj_1","name":"Home"},"contexts":["@shop"],"tags":["x"],"notes":"soon",
	"related_memory_ids":["mem_` + idA + `"],"parent_id":"todo_` + idC + `","comments":[{"id":"c","type":"note","content":"green"}]}],
	"graph":{"format":"adjacency_list","edges":[{"source":"mem_` + idA + `","target":"mem_` + idB + `","weight":0.25,"type":"causal","created_at":"2026-01-06T00:00:00Z"}]}}`

func timeOf(t *testing.T, s string) memory.Time {
	t.Helper()
	at, err := memory.ParseTime(s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// fieldsOf is what the vault gets of everyField.
func fieldsOf(t *testing.T, r read) (memory.Record, mif.Embedding, memory.Todo, memory.Relation) {
	t.Helper()
	if len(r.Memories) != 1 || len(r.ToDo) != 1 || len(r.Edges) != 1 || r.Memories[0].Embedding == nil || len(r.Bad) > 0 {
		t.Fatalf("%+v", r)
	}
	return r.Memories[0].Record, *r.Memories[0].Embedding, r.ToDo[0], r.Edges[0].Relation
}

// Promise (docs/mif.md): each member of MIF that PAM has a place for comes to stand
// there, from either version, and not only among what is kept.
func TestFieldsOfMIF(t *testing.T) {
	first, err := take(t, "x.json", []byte(everyField))
	if err != nil {
		t.Fatal(err)
	}
	second, err := take(t, "y.json", write(t, first.source(), "2", mif.JSON))
	if err != nil {
		t.Fatal(err)
	}
	for version, r := range map[string]read{"1": first, "2": second} {
		m, e, todo, edge := fieldsOf(t, r)
		if count, last := mif.UseOf(m); count != 7 || !last.Equal(timeOf(t, "2026-01-05T00:00:00Z").Time) {
			t.Errorf("version %s: read %d times, last %s", version, count, last)
		}
		kept, _ := m.Metadata[mif.Kept].(string)
		for _, name := range []string{`"entities":[{"text":"Tea","type":"DRINK"}]`, `"normalized":true`, `"related_todos":["todo_` + idC + `"]`, `"tags":["Green Tea"]`, `"type":"user"`} {
			if !strings.Contains(kept, name) {
				t.Errorf("version %s keeps %s, without %s", version, kept, name)
			}
		}
		importance, _ := m.Importance()
		got := map[string]any{"id": m.ID, "type": string(m.Type), "content": m.Content, "tags": fmt.Sprint(m.Tags), "importance": importance, "status": string(m.Status),
			"created": m.Temporal.CreatedAt.String(), "updated": m.Temporal.UpdatedAt.String(), "platform": m.Provenance.Platform, "method": string(m.Provenance.ExtractionMethod),
			"vector": fmt.Sprint(e.ID, e.Model, e.Dimensions, e.Vector, e.CreatedAt)}
		for i, rel := range r.Memories[0].Relations {
			got["relation "+r.Memories[0].How[i]] = rel.From + " " + string(rel.Type) + " " + rel.To
		}
		want := map[string]any{"id": idA, "type": "preference", "content": "Tea", "tags": "[green-tea]", "importance": 0.85, "status": "active",
			"created": timeOf(t, "2026-01-02T03:04:05Z").String(), "updated": timeOf(t, "2026-01-03T03:04:05Z").String(), "platform": "claude-code", "method": "explicit_user_input",
			"vector":           fmt.Sprint("v1", "m", 2, []float64{0.5, -0.5}, timeOf(t, "2026-01-04T00:00:00Z")),
			"relation related": idA + " related_to " + idB, "relation parent": idA + " derived_from " + idC}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("version %s, memory (-want +got):\n%s", version, diff)
		}
		if !strings.Contains(todo.MIF, `"comments":[{"content":"green","id":"c","type":"note"}]`) || !strings.Contains(todo.MIF, `"parent_id":"todo_`+idC) {
			t.Errorf("version %s keeps of the task %s", version, todo.MIF)
		}
		todo.MIF = ""
		wantTodo := memory.Todo{ID: idB, Content: "Buy tea", Status: memory.Blocked, Priority: memory.Urgent, Project: "Home", Contexts: []string{"@shop"}, Tags: []string{"x"}, Notes: "soon", Related: []string{idA},
			CreatedAt: timeOf(t, "2026-01-01T00:00:00Z"), UpdatedAt: timeOf(t, "2026-01-02T00:00:00Z"), DueDate: timeOf(t, "2026-01-03T00:00:00Z"), CompletedAt: timeOf(t, "2026-01-04T00:00:00Z")}
		if diff := cmp.Diff(wantTodo, todo); diff != "" {
			t.Errorf("version %s, task (-want +got):\n%s", version, diff)
		}
		if edge.From != idB || edge.To != idA || edge.Type != memory.DerivedFrom || edge.Confidence == nil || *edge.Confidence != 0.25 || edge.CreatedAt.String() != timeOf(t, "2026-01-06T00:00:00Z").String() {
			t.Errorf("version %s, edge: %+v", version, edge)
		}
	}
}

// Promise: the types and sources of the table lead where it says.
func TestTypesOfMIF(t *testing.T) {
	for one, want := range map[string]memory.Type{"Observation": memory.Fact, "Decision": memory.Instruction, "Learning": memory.Skill, "Pattern": memory.Preference, "Context": memory.Context, "Task": memory.Goal,
		"Error": memory.Fact, "Discovery": memory.Fact, "Conversation": memory.Context, "CodeEdit": memory.Context, "FileAccess": memory.Context, "Search": memory.Context, "Command": memory.Context, "Intention": memory.Goal, "Mood": memory.Fact} {
		r, err := take(t, "x.json", []byte(strings.Replace(everyField, `"Pattern"`, `"`+one+`"`, 1)))
		if err != nil || r.Memories[0].Record.Type != want {
			t.Errorf("%s is %s, want %s (%v)", one, r.Memories[0].Record.Type, want, err)
		}
	}
	for source, want := range map[string]memory.Method{"user": memory.ExplicitUserInput, "conversation": memory.LLMInference, "hook": memory.LLMInference, "file": memory.APIExport} {
		r, err := take(t, "x.json", []byte(strings.Replace(everyField, `"type":"user"`, `"type":"`+source+`"`, 1)))
		if err != nil || r.Memories[0].Record.Provenance.ExtractionMethod != want {
			t.Errorf("%s is %s, want %s (%v)", source, r.Memories[0].Record.Provenance.ExtractionMethod, want, err)
		}
	}
}

// Promise: what the vault says in a place of its own leaves in MIF's own members, not
// only among what is kept of PAM.
func TestFieldsOfPAM(t *testing.T) {
	for of, want := range map[memory.Type]string{memory.Fact: "Observation", memory.Preference: "Pattern", memory.Skill: "Learning", memory.Context: "Context", memory.Instruction: "Decision", memory.Goal: "Task",
		memory.Identity: "Observation", memory.Relationship: "Observation", memory.Environment: "Context", memory.Project: "Context", memory.Custom: "Observation"} {
		if got := leavesAs(t, memory.Record{ID: idA, Type: of, Content: "Tea", Temporal: memory.Temporal{CreatedAt: at(1)}})["type"]; got != want {
			t.Errorf("%s leaves as %v, want %s", of, got, want)
		}
	}
	r := memory.Record{ID: idA, Type: memory.Preference, Content: "Tea", ContentHash: memory.ContentHash("Tea"), Status: memory.Archived, Tags: []string{"green"}, Summary: "drinks",
		Temporal: memory.Temporal{CreatedAt: at(1), UpdatedAt: at(2)}, Provenance: memory.Provenance{Platform: "chatgpt"}}
	importance := 0.5
	r.SetImportance(&importance)
	m := leavesAs(t, r)
	kept := map[string]any{}
	if err := json.Unmarshal([]byte(fmt.Sprint(m["metadata"].(map[string]any)["pam"])), &kept); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"status", "summary", "provenance"} {
		if kept[name] == nil {
			t.Errorf("%s is not kept: %v", name, kept)
		}
	}
	delete(m, "metadata")
	want := map[string]any{"id": "mem_" + idA, "content": "Tea", "type": "Pattern", "importance": 0.5, "created_at": at(1).String(), "updated_at": at(2).String(), "tags": []any{"green"}}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	weight := 0.25
	for of, want := range map[memory.RelationType]string{memory.DerivedFrom: "causal mem_" + idB + " mem_" + idA, memory.RelatedTo: "user_linked mem_" + idA + " mem_" + idB, memory.Supports: "user_linked mem_" + idA + " mem_" + idB} {
		e := map[string]any{}
		if err := json.Unmarshal(mif.EncodeEdge(memory.Relation{ID: idC, From: idA, To: idB, Type: of, Confidence: &weight, CreatedAt: at(4)}), &e); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(e["type"], " ", e["source"], " ", e["target"]); got != want || e["weight"] != 0.25 || e["created_at"] != at(4).String() {
			t.Errorf("%s leaves as %v", of, e)
		}
	}
}

// leavesAs is a memory of version 1.
func leavesAs(t *testing.T, r memory.Record) map[string]any {
	t.Helper()
	return whole(t, write(t, mif.Source{Memories: leaving([]memory.Record{r})}, "1", mif.JSON))["memories"].([]any)[0].(map[string]any)
}

// Promise: version 2 has its own names for what version 1 says.
func TestNamesOfVersionTwo(t *testing.T) {
	first, err := take(t, "x.json", []byte(everyField))
	if err != nil {
		t.Fatal(err)
	}
	doc := whole(t, write(t, first.source(), "2", mif.JSON))
	in := func(v any, path ...any) any {
		for _, step := range path {
			switch at := step.(type) {
			case string:
				o, _ := v.(map[string]any)
				v = o[at]
			case int:
				l, _ := v.([]any)
				if at >= len(l) {
					return nil
				}
				v = l[at]
			}
		}
		return v
	}
	m, todo := in(doc, "memories", 0), in(doc, "todos", 0)
	for what, got := range map[string][2]any{
		"id":                {in(m, "id"), idA},
		"memory_type":       {in(m, "memory_type"), "pattern"},
		"embeddings":        {in(m, "embeddings", "model"), "m"},
		"source_type":       {in(m, "source", "source_type"), "user"},
		"entity":            {in(m, "entities", 0, "name"), "Tea"},
		"entity_type":       {in(m, "entities", 0, "entity_type"), "DRINK"},
		"related_memory":    {in(m, "related_memory_ids", 0), idB},
		"related_todo":      {in(m, "related_todo_ids", 0), idC},
		"parent":            {in(m, "parent_id"), idC},
		"task":              {in(todo, "id"), idB},
		"task's parent":     {in(todo, "parent_id"), idC},
		"task's memory":     {in(todo, "related_memory_ids", 0), idA},
		"comment_type":      {in(todo, "comments", 0, "comment_type"), "note"},
		"project":           {in(todo, "project", "name"), "Home"},
		"project_id is one": {len(fmt.Sprint(in(todo, "project_id"))), 36},
	} {
		if got[0] != got[1] {
			t.Errorf("%s is %v, want %v", what, got[0], got[1])
		}
	}
	bare := whole(t, write(t, mif.Source{Memories: leaving(nil), TodoCount: 1, Todos: each([]memory.Todo{{ID: idB, Content: "x", Status: memory.ToDo, CreatedAt: at(1)}})}, "2", mif.JSON))
	if got := in(bare, "todos", 0, "updated_at"); got != at(1).String() {
		t.Errorf("a task without a change has updated_at %v", got)
	}
}

// Promise: an id that is no UUID comes back from version 2, where it cannot stand.
func TestOtherIDsComeBack(t *testing.T) {
	text := strings.NewReplacer("mem_"+idA, "note-1", "mem_"+idB, "note-2", "mem_"+idC, "note-3", "todo_"+idC, "job-3").Replace(everyField)
	first, err := take(t, "x.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	second, err := take(t, "y.json", write(t, first.source(), "2", mif.JSON))
	if err != nil {
		t.Fatal(err)
	}
	for by, r := range map[string]read{"version 1": first, "version 2": second} {
		if diff := cmp.Diff(plain(whole(t, []byte(text))["memories"]), plain(whole(t, write(t, r.source(), "1", mif.JSON))["memories"])); diff != "" {
			t.Errorf("by way of %s (-was +is):\n%s", by, diff)
		}
	}
	first.Memories[0].Relations, first.Memories[0].How = nil, nil // no relation is left in the vault
	if out := string(write(t, first.source(), "1", mif.JSON)); strings.Contains(out, "related_memories") || strings.Contains(out, "note-3") {
		t.Errorf("what is related to nothing leaves as %s", out)
	}
}

// Promise: a vector that lies elsewhere leaves as where it lies, and comes back so.
func TestVectorElsewhere(t *testing.T) {
	away := mif.Embedding{ID: "v", Model: "m", Dimensions: 3, CreatedAt: at(5), StorageType: "file", StorageRef: "vectors.bin"}
	r := memory.Record{ID: idA, Type: memory.Fact, Content: "Tea", Temporal: memory.Temporal{CreatedAt: at(1)}}
	source := mif.Source{Memories: each([]mif.Leaving{{Record: r, Embedding: &away}})}
	back, err := take(t, "x.json", write(t, source, "1", mif.JSON))
	if err != nil || len(back.Memories) != 1 || back.Memories[0].Embedding == nil {
		t.Fatal(err, back)
	}
	if diff := cmp.Diff(away, *back.Memories[0].Embedding); diff != "" {
		t.Errorf("(-was +is):\n%s", diff)
	}
}

// Promise: a relation of any type of PAM leaves as an edge and comes back as it was.
func TestRelationsComeBack(t *testing.T) {
	third := 0.3
	for _, of := range memory.RelationTypes() {
		for _, confidence := range []*float64{nil, &third} {
			rel := memory.Relation{ID: idC, From: idA, To: idB, Type: of, Confidence: confidence, CreatedAt: at(4)}
			edges := mif.List{Count: 1, Elements: each([]jsontext.Value{mif.EncodeEdge(rel)})}
			back, err := take(t, "x.json", write(t, mif.Source{Memories: leaving(nil), Lists: map[string]mif.List{mif.Edges: edges}}, "1", mif.JSON))
			if err != nil || len(back.Edges) != 1 {
				t.Fatal(err, back)
			}
			if diff := cmp.Diff(rel, back.Edges[0].Relation); diff != "" || back.Edges[0].Kept {
				t.Errorf("%s (-was +is):\n%s", of, diff)
			}
		}
	}
}

// Promise: a task leaves in MIF's own members.
func TestFieldsOfTasks(t *testing.T) {
	task := memory.Todo{ID: idB, Content: "Buy tea", Status: memory.Blocked, Priority: memory.Urgent, Project: "Home", Contexts: []string{"@shop"}, Tags: []string{"x"}, Notes: "soon", Related: []string{idA},
		CreatedAt: at(1), UpdatedAt: at(2), DueDate: at(3), CompletedAt: at(4)}
	out := whole(t, write(t, mif.Source{Memories: leaving(nil), Todos: each([]memory.Todo{task}), TodoCount: 1}, "1", mif.JSON))["todos"].([]any)[0].(map[string]any)
	if out["project"].(map[string]any)["name"] != "Home" {
		t.Errorf("%v", out["project"])
	}
	delete(out, "project")
	want := map[string]any{"id": "todo_" + idB, "content": "Buy tea", "status": "blocked", "priority": "urgent", "contexts": []any{"@shop"}, "tags": []any{"x"}, "notes": "soon",
		"related_memory_ids": []any{"mem_" + idA}, "created_at": at(1).String(), "updated_at": at(2).String(), "due_date": at(3).String(), "completed_at": at(4).String()}
	if diff := cmp.Diff(want, out); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Promise: what is changed in the vault leaves as it is now, whatever the document
// said that it was made of; and what a later document says of a memory goes before
// what was kept of PAM in it.
func TestChangedFieldsLeaveAsTheyAre(t *testing.T) {
	first, err := take(t, "x.json", []byte(everyField))
	if err != nil {
		t.Fatal(err)
	}
	half := 0.5
	for name, c := range map[string]struct {
		change func(*memory.Record)
		want   any
	}{
		"type":         {func(r *memory.Record) { r.Type = memory.Goal }, "Task"},
		"tags":         {func(r *memory.Record) { r.Tags = []string{"black"} }, []any{"black"}},
		"created_at":   {func(r *memory.Record) { r.Temporal.CreatedAt = at(1) }, at(1).String()},
		"updated_at":   {func(r *memory.Record) { r.Temporal.UpdatedAt = at(9) }, at(9).String()},
		"importance":   {func(r *memory.Record) { r.SetImportance(&half) }, 0.5},
		"content":      {func(r *memory.Record) { r.Content, r.ContentHash = "Mate", memory.ContentHash("Mate") }, "Mate"},
		"access_count": {func(*memory.Record) {}, 7.0},
	} {
		r := first.Memories[0].Record
		c.change(&r)
		if got := leavesAs(t, r)[name]; !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s leaves as %v, want %v", name, got, c.want)
		}
	}
	odd, err := take(t, "odd.json", []byte(strings.NewReplacer(`"importance":0.85,`, `"importance":"high","redactions":[{"type":"email"}],`,
		"2026-01-03T03:04:05Z", "2026-01-03T03:04:05.123456789Z").Replace(everyField)))
	if err != nil {
		t.Fatal(err)
	}
	changed := odd.Memories[0].Record
	if m := leavesAs(t, changed); m["importance"] != "high" || m["redactions"] == nil || m["updated_at"] != "2026-01-03T03:04:05.123456789Z" {
		t.Errorf("%v", m)
	}
	changed.SetImportance(&half)
	changed.Content, changed.ContentHash, changed.Temporal.UpdatedAt = "Mate", memory.ContentHash("Mate"), memory.Time{}
	if m := leavesAs(t, changed); m["importance"] != 0.5 || m["redactions"] != nil || m["updated_at"] != nil {
		t.Errorf("%v", m)
	}
	r := memory.Record{ID: idA, Type: memory.Custom, CustomType: "recipe", Content: "Tea", Status: memory.Archived, Tags: []string{"green", "green"}, Metadata: map[string]any{"domain": "x"},
		Temporal: memory.Temporal{CreatedAt: at(1), UpdatedAt: at(2), ValidFrom: at(1)}}
	r.SetImportance(&half)
	text := string(write(t, mif.Source{Memories: leaving([]memory.Record{r})}, "1", mif.JSON))
	for old, now := range map[string]string{`"type":"Observation"`: `"type":"Task"`, `["green","green"]`: `["black"]`, `"updated_at":"` + at(2).String(): `"updated_at":"` + at(7).String(), `"importance":0.5`: `"importance":0.9`} {
		if !strings.Contains(text, old) {
			t.Fatalf("no %s in %s", old, text)
		}
		text = strings.Replace(text, old, now, 1)
	}
	later, err := take(t, "z.json", []byte(text))
	if err != nil || len(later.Memories) != 1 {
		t.Fatal(err, later.Bad)
	}
	got := later.Memories[0].Record
	importance, _ := got.Importance()
	if got.Type != memory.Goal || got.CustomType != "" || fmt.Sprint(got.Tags) != "[black]" || !got.Temporal.UpdatedAt.Equal(at(7).Time) || importance != 0.9 || got.Status != memory.Archived {
		t.Errorf("%+v", got)
	}
}
