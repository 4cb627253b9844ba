package pam_test

import (
	"bytes"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/intake"
)

// twice are documents that agree with their own sums and have an id at two places,
// by what stands there: the places, and the id.
func twice(t *testing.T) map[string]struct {
	text            []byte
	check           string
	first, last, id string
} {
	again := func(array string, i int) func(doc) {
		return func(d doc) {
			all := d[array].([]any)
			one := maps.Clone(all[i].(map[string]any))
			d[array] = append(slices.Clone(all), one)
		}
	}
	other := func(d doc) {
		again("memories", 1)(d)
		says(d.memory(3), "other words")
	}
	type c = struct {
		text            []byte
		check           string
		first, last, id string
	}
	return map[string]c{
		"a memory, in no order":  {changedDoc(t, 3, again("memories", 1)), "memory-id", "/memories/1", "/memories/3", "mem-00001"},
		"a memory, side by side": {changedDoc(t, 3, again("memories", 2)), "memory-id", "/memories/2", "/memories/3", "mem-00002"},
		"with other words":       {changedDoc(t, 3, other), "memory-id", "/memories/1", "/memories/3", "mem-00001"},
		"a relation":             {changedDoc(t, 3, again("relations", 0)), "relation-id", "/relations/0", "/relations/1", "r"},
		"an entry":               {changedDoc(t, 3, again("conversations_index", 0)), "conversation-id", "/conversations_index/0", "/conversations_index/1", "conv-1"},
	}
}

// packed is a document as a file, in a zip and in a folder.
func packed(t *testing.T, text []byte) map[string]*intake.Tree {
	dir := filepath.Join(t.TempDir(), "export")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "memory-store.json"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	return map[string]*intake.Tree{
		"file": tree(t, "x.json", text), "zip": tree(t, "x.zip", zipOf(t, map[string]string{"memory-store.json": string(text)})), "folder": folder(t, dir),
	}
}

// Promise: an id that stands twice is told by every door that reads the document,
// with both places and the id, and none goes on with one of the two as if there
// were no other.
func TestAnIDThatStandsTwice(t *testing.T) {
	for name, c := range twice(t) {
		for as, x := range packed(t, c.text) {
			v, err := pam.Validate(t.Context(), x, compiled(t))
			i := slices.IndexFunc(v.Errors, func(f pam.Finding) bool { return f.Check == c.check })
			if err != nil || i < 0 {
				t.Errorf("%s, %s: %+v, %v", name, as, v, err)
				continue
			}
			if f := v.Errors[i]; f.Path != c.last+"/id" || f.Found != c.id || !strings.HasSuffix(f.Expected, "not that of "+c.first) {
				t.Errorf("%s, %s: validate says %+v", name, as, f)
			}
		}
		if c.check == "memory-id" {
			for as, x := range packed(t, c.text) {
				r, err := pam.Verify(t.Context(), x, compiled(t), pam.Trust{})
				if err != nil || r.Verdict != pam.Broken || len(r.Problems) != 1 || !slices.Equal(r.Problems, validate(t, "x.json", c.text).Errors) {
					t.Errorf("%s, %s: verify says %+v, %v", name, as, r, err)
				}
			}
		}
		told := func(what string, err error) {
			f := fault.From(err)
			if f == nil || f.Reason != "pam-twice" {
				t.Errorf("%s, %s: %v", name, what, err)
				return
			}
			for _, part := range []string{c.first + "/id", c.last + "/id", c.id} {
				if !strings.Contains(f.Error(), part) {
					t.Errorf("%s, %s: %q does not name %s", name, what, f, part)
				}
			}
		}
		whole, delta := changedDoc(t, 2, func(doc) {}), deltaOf(t, 2, func(doc) {})
		for as := range packed(t, c.text) {
			_, err := pam.Merge(t.Context(), packed(t, c.text)[as], tree(t, "delta.json", delta), compiled(t), pam.MergeOptions{AnyBase: true, Theirs: true}, pam.ToFile(io.Discard))
			told("as a base, "+as, err)
			_, err = pam.Merge(t.Context(), tree(t, "base.json", whole), packed(t, c.text)[as], compiled(t), pam.MergeOptions{AnyBase: true, Theirs: true}, pam.ToZip(io.Discard, day))
			told("as a delta, "+as, err)
			_, err = pam.Diff(t.Context(), tree(t, "base.json", whole), packed(t, c.text)[as], nil)
			told("compared, "+as, err)
		}
	}
}

// TestOneEmbeddingToAMemory (§12.1): two of one are told by validate and by a merge.
func TestOneEmbeddingToAMemory(t *testing.T) {
	all := embeddingsOf(3)
	all = append(all, all[1])
	all[3].ID = "another"
	files := entries(t, bundleOf(t, options(nil), embedded(t, 3), pam.Bundle{Embeddings: each(all)}))
	text := zipOf(t, files)
	v := validate(t, "x.zip", text)
	i := slices.IndexFunc(v.Errors, func(f pam.Finding) bool { return f.Check == "embedding-memory" })
	if i < 0 || v.Errors[i].Path != "embeddings.json#/embeddings/3/memory_id" || v.Errors[i].Found != "mem-00001" || !strings.Contains(v.Errors[i].Expected, "/embeddings/1 ") {
		t.Errorf("%+v", v)
	}
	_, err := pam.Merge(t.Context(), tree(t, "base.json", changedDoc(t, 2, func(doc) {})), tree(t, "x.zip", text), compiled(t), pam.MergeOptions{AnyBase: true, Theirs: true}, pam.ToZip(io.Discard, day))
	if f := fault.From(err); f == nil || f.Reason != "pam-twice" || !strings.Contains(f.Error(), "embeddings.json#/embeddings/1/memory_id and embeddings.json#/embeddings/3/memory_id are both mem-00001") {
		t.Error(err)
	}
	_, reasons := taken(t, "embeddings.json", []byte(files["embeddings.json"]))
	if !slices.Equal(reasons, []string{"pam-second"}) {
		t.Errorf("%v", reasons)
	}
}

// Promise: a memory of the result names no successor that stays behind, whether it
// may not leave or was not picked; one that neither document has stays named.
func TestMergeNamesNoSuccessorThatStays(t *testing.T) {
	superseded := func(d doc, i int, by string) {
		d.memory(i)["status"] = "superseded"
		inner(d.memory(i), "temporal")["superseded_by"] = by
	}
	base := func(kept bool) []byte {
		return changedDoc(t, 5, func(d doc) {
			superseded(d, 0, "mem-00004")
			superseded(d, 1, "mem-00002")
			superseded(d, 3, "elsewhere")
			d.memory(4)["access"] = map[string]any{"exportable": !kept, "visibility": "private", "shared_with": []any{}}
		})
	}
	delta := deltaOf(t, 3, func(d doc) { d["memories"], d["relations"] = []any{d.memory(2)}, []any{} })
	for name, c := range map[string]struct {
		base    []byte
		options pam.MergeOptions
		left    map[string]int
	}{
		"not exportable": {base(true), pam.MergeOptions{AnyBase: true, Theirs: true}, map[string]int{"not-exportable": 1, "superseded-by-without-memory": 1}},
		"not picked": {base(false), pam.MergeOptions{AnyBase: true, Theirs: true, ExportID: "x", ExportedBy: "keepsake/0.1.0", Date: day, Choices: map[string]pam.Choice{"mem-00004": {Of: pam.OfDelta}}},
			map[string]int{"not-picked": 1, "superseded-by-without-memory": 1}},
		"all there": {base(false), pam.MergeOptions{AnyBase: true, Theirs: true}, map[string]int{}},
	} {
		var out bytes.Buffer
		m, err := pam.Merge(t.Context(), tree(t, "base.json", c.base), tree(t, "delta.json", delta), compiled(t), c.options, pam.ToFile(&out))
		if err != nil || !maps.Equal(m.LeftOut, c.left) {
			t.Errorf("%s: %+v, %v", name, m, err)
			continue
		}
		if v := validate(t, "x.json", out.Bytes()); !v.Valid {
			t.Errorf("%s: %+v", name, v)
		}
		got := parsed(t, out.Bytes())
		by := func(i int) any { return inner(got.memory(i), "temporal")["superseded_by"] }
		if stayed := len(c.left) > 0; (by(0) == nil) != stayed || by(1) != "mem-00002" || by(3) != "elsewhere" || got.memory(0)["status"] != "superseded" {
			t.Errorf("%s: %s", name, out.Bytes())
		}
		if bytes.Contains(out.Bytes(), []byte("mem-00004")) == (len(c.left) > 0) {
			t.Errorf("%s: %s", name, out.Bytes())
		}
	}
}
