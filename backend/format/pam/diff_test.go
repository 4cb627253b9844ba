package pam_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
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

// Promise: what PAM 1.0 does not have is compared and reported, by its names and
// whose it is; of a wrong case, too.
func TestDiffReportsWhatIsUnknown(t *testing.T) {
	base := store(t, 3, nil)
	if d := diff(t, base, base, base); d.Unknown != nil || d.Newer != nil {
		t.Errorf("nothing is unknown: %+v", d)
	}
	other := changedDoc(t, 3, func(d doc) {
		d["schema_version"], d["Owner"] = "1.2", map[string]any{}
		d.memory(0)["Summary"] = "in another case"
		d.memory(2)["temporal"].(map[string]any)["Created_At"] = "2026-01-01T00:00:00Z"
		d["relations"].([]any)[0].(map[string]any)["weight"] = 1
	})
	want := map[string]int{"document:Owner": 1, "memory:Summary": 1, "memory.temporal:Created_At": 1, "relation:weight": 1}
	d := diff(t, base, other, other)
	if !maps.Equal(d.Unknown["b"], want) || !maps.Equal(d.Unknown["base"], want) || len(d.Unknown) != 2 || !slices.Equal(d.Newer, []string{"b", "base"}) {
		t.Errorf("%v, %v", d.Unknown, d.Newer)
	}
	if len(d.Memories.Changed) != 2 || !slices.Equal(paths(d.Memories.Changed[0]), []string{"/Summary"}) {
		t.Errorf("%+v", d.Memories.Changed)
	}
}

// Promise: what cannot be compared is refused in one sentence that names the file
// and the place.
func TestDiffRefuses(t *testing.T) {
	good := store(t, 2, nil)
	for name, c := range map[string]struct {
		bad           []byte
		reason, place string
	}{
		"another major version": {changedDoc(t, 2, func(d doc) { d["schema_version"] = "2.0" }), "pam-version", "2.0"},
		"an id in another case": {[]byte(with(t, string(good), `"id":"mem-00001"`, `"ID":"mem-00001"`)), "diff-no-id", "/memories/1"},
		"a number as an id":     {[]byte(with(t, string(good), `"id":"mem-00001"`, `"id":7`)), "diff-no-id", "/memories/1"},
		"a number too large":    {changedDoc(t, 2, func(d doc) { d.memory(1)["metadata"] = map[string]any{"n": json.Number("9007199254740993")} }), "diff-number", "/memories/1"},
		"no document at all":    {[]byte(`{"Schema":"portable-ai-memory"}`), "no-memory-store", ""},
	} {
		for i, pair := range [][3][]byte{{c.bad, good, good}, {good, c.bad, good}, {good, good, c.bad}} {
			_, err := pam.Diff(t.Context(), tree(t, "0.json", pair[0]), tree(t, "1.json", pair[1]), tree(t, "2.json", pair[2]))
			if f := fault.From(err); f == nil || f.Reason != c.reason || !strings.Contains(f.Error(), fmt.Sprintf("%d.json", i)) || !strings.Contains(f.Error(), c.place) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
