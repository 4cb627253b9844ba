package pam_test

import (
	"slices"
	"testing"

	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/intake"
)

func diff(t testing.TB, a, b, base []byte) pam.Difference {
	t.Helper()
	var ground *intake.Tree
	if base != nil {
		ground = tree(t, "base.json", base)
	}
	d, err := pam.Diff(t.Context(), tree(t, "a.json", a), tree(t, "b.json", b), ground)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func paths(e pam.Entry) (all []string) {
	for _, f := range e.Fields {
		all = append(all, f.Path)
	}
	return all
}

func TestDiffOfTwo(t *testing.T) {
	base := store(t, 4, nil)
	if d := diff(t, base, base, nil); !d.Identical || d.Memories.Same != 4 || d.Relations.Same != 1 {
		t.Errorf("with itself: %+v", d)
	}
	d := diff(t, base, changedDoc(t, 5, func(d doc) {
		d.memory(1)["status"] = "archived"
		d.memory(1)["temporal"].(map[string]any)["valid_until"] = nil
		d["memories"], d["relations"] = d["memories"].([]any)[1:], []any{}
	}), nil)
	m := d.Memories
	if d.Identical || len(m.Added) != 1 || m.Added[0].ID != "mem-00004" || len(m.Removed) != 1 || m.Removed[0].ID != "mem-00000" || m.Same != 2 || len(d.Relations.Removed) != 1 {
		t.Errorf("%+v", d)
	}
	if len(m.Changed) != 1 || !slices.Equal(paths(m.Changed[0]), []string{"/status", "/temporal/valid_until"}) || m.Changed[0].Fields[1].B != nil || m.Conflicts != 0 {
		t.Errorf("%+v", m.Changed)
	}
}

func TestDiffOfThree(t *testing.T) {
	base := store(t, 3, nil)
	a := changedDoc(t, 4, func(d doc) {
		says(d.memory(0), "said by a")
		d.memory(1)["summary"] = "a"
		d["memories"] = slices.Delete(d["memories"].([]any), 2, 3)
	})
	b := changedDoc(t, 4, func(d doc) {
		says(d.memory(0), "said by b")
		d.memory(0)["summary"] = "only b"
		d.memory(2)["summary"] = "changed where a removed it"
		d.memory(3)["summary"] = "added by both, otherwise"
	})
	d := diff(t, a, b, base)
	conflicts := map[string]bool{}
	for _, list := range [][]pam.Entry{d.Memories.Added, d.Memories.Removed, d.Memories.Changed} {
		for _, e := range list {
			conflicts[e.ID] = e.Conflict
		}
	}
	if !conflicts["mem-00000"] || conflicts["mem-00001"] || !conflicts["mem-00002"] || !conflicts["mem-00003"] || d.Conflicts != 3 {
		t.Errorf("%v, %d", conflicts, d.Conflicts)
	}
	for _, f := range d.Memories.Changed[0].Fields {
		if f.Conflict != (f.Path != "/summary") {
			t.Errorf("%+v", f)
		}
	}
}

func TestDiffOfNoDocument(t *testing.T) {
	_, err := pam.Diff(t.Context(), tree(t, "a.json", store(t, 1, nil)), tree(t, "b.json", []byte(`{"memories":[`)), nil)
	if f := fault.From(err); f == nil || f.Code != fault.Invalid {
		t.Errorf("%v", err)
	}
}
