package pam_test

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/jcs"
	"keepsake/backend/memory"
)

// doc is a memory store to be changed by hand.
type doc map[string]any

func (d doc) memory(i int) map[string]any { return d["memories"].([]any)[i].(map[string]any) }

// resummed writes a document with an integrity block that fits, unsigned; what
// is no document comes back as it is.
func resummed(text []byte) []byte {
	var d doc
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if dec.Decode(&d) != nil {
		return text
	}
	memories, ok := d["memories"].([]any)
	if !ok {
		return text
	}
	delete(d, "signature")
	sorted := slices.Clone(memories)
	id := func(m any) string {
		object, _ := m.(map[string]any)
		text, _ := object["id"].(string)
		return text
	}
	slices.SortStableFunc(sorted, func(a, b any) int { return cmp.Compare(id(a), id(b)) })
	plain, err := json.Marshal(sorted)
	if err != nil {
		return text
	}
	canonical, err := jcs.Transform(plain)
	if err != nil {
		return text
	}
	sum := sha256.Sum256(canonical)
	d["integrity"] = map[string]any{"canonicalization": "RFC8785", "checksum": "sha256:" + hex.EncodeToString(sum[:]), "total_memories": len(memories)}
	out, err := json.Marshal(d)
	if err != nil {
		return text
	}
	return out
}

// changedDoc is the store of n memories, changed and summed again.
func changedDoc(t testing.TB, n int, change func(doc)) []byte {
	t.Helper()
	var d doc
	if err := json.Unmarshal(store(t, n, nil), &d); err != nil {
		t.Fatal(err)
	}
	change(d)
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return resummed(text)
}

// deltaOf is an incremental document with what change leaves of it.
func deltaOf(t testing.TB, n int, change func(doc)) []byte {
	return changedDoc(t, n, func(d doc) {
		d["export_type"], d["base_export_id"], d["since"] = "incremental", d["export_id"], "2026-01-01T00:00:00Z"
		d["export_id"] = "delta-1"
		change(d)
	})
}

func says(m map[string]any, text string) {
	m["content"], m["content_hash"] = text, memory.ContentHash(text)
}

func merge(t testing.TB, base, delta []byte, any bool) ([]byte, pam.Merged, error) {
	t.Helper()
	var out bytes.Buffer
	m, err := pam.Merge(t.Context(), tree(t, "base.json", base), tree(t, "delta.json", delta), compiled(t), any, &out)
	return out.Bytes(), m, err
}

func parsed(t testing.TB, text []byte) (d doc) {
	t.Helper()
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestMergeIsTheSpecificationsOwn: Appendix E, written out once more.
func TestMergeIsTheSpecificationsOwn(t *testing.T) {
	base := store(t, 6, key(t))
	delta := deltaOf(t, 8, func(d doc) {
		says(d.memory(1), "now something else")
		d.memory(2)["status"] = "retracted"
		d["memories"] = []any{d.memory(7), d.memory(1), d.memory(2), d.memory(6), d.memory(0)}
		d["relations"] = []any{map[string]any{"id": "r2", "from": "mem-00007", "to": "mem-00003", "type": "extends", "created_at": "2026-11-21T09:00:00Z"}}
	})
	text, m, err := merge(t, base, delta, false)
	if err != nil {
		t.Fatal(err)
	}
	if v := validate(t, "x.json", text); !v.Valid || len(v.Warnings) > 0 {
		t.Errorf("%+v", v)
	}
	if r := verify(t, text, pam.Trust{}); r.Verdict != pam.Unsigned {
		t.Errorf("%+v", r)
	}
	want := map[string]any{}
	for _, text := range [][]byte{base, delta} {
		for _, m := range parsed(t, text)["memories"].([]any) {
			want[m.(map[string]any)["id"].(string)] = m
		}
	}
	got := parsed(t, text)
	for i, id := range slices.Sorted(maps.Keys(want)) {
		a, _ := json.Marshal(want[id])
		if b, _ := json.Marshal(got.memory(i)); !bytes.Equal(a, b) {
			t.Errorf("memory %d is %s, want %s", i, b, a)
		}
	}
	if got["export_id"] != parsed(t, base)["export_id"] || got["export_type"] != "full" || got["signature"] != nil || len(got["relations"].([]any)) != 2 {
		t.Errorf("%v", got)
	}
	if m.Added != 2 || m.Updated != 2 || m.Retracted != 1 || m.Unchanged != 1 || m.Memories != 8 || m.LeftOut["signature"] != 1 {
		t.Errorf("%+v", m)
	}
	again, _, err := merge(t, text, delta, false)
	if err != nil || !bytes.Equal(again, text) {
		t.Errorf("merged again it differs: %v", err)
	}
}

// TestMergeKeepsTheIndexTrue: a memory of a conversation that no index names
// brings one along, and a relation to nowhere stays behind.
func TestMergeKeepsTheIndexTrue(t *testing.T) {
	delta := deltaOf(t, 3, func(d doc) {
		d.memory(2)["provenance"].(map[string]any)["conversation_ref"] = "conv-2"
		d["memories"], d["conversations_index"] = []any{d.memory(2)}, []any{}
		d["relations"] = []any{map[string]any{"id": "r9", "from": "mem-00002", "to": "nobody", "type": "extends", "created_at": "2026-11-21T09:00:00Z"}}
	})
	text, m, err := merge(t, store(t, 2, nil), delta, false)
	if err != nil {
		t.Fatal(err)
	}
	if v := validate(t, "x.json", text); !v.Valid || len(v.Warnings) > 0 {
		t.Errorf("%+v", v)
	}
	if m.LeftOut["relation-without-memory"] != 1 || m.Conversations != 2 || !strings.Contains(string(text), `{"derived_memories":["mem-00002"],"id":"conv-2"`) {
		t.Errorf("%+v\n%s", m, text)
	}
}

func TestMergeRefuses(t *testing.T) {
	base := store(t, 2, nil)
	stranger := deltaOf(t, 2, func(d doc) { d["base_export_id"] = "another" })
	broken := bytes.Replace(base, []byte("Fact"), []byte("Fake"), 1)
	for name, c := range map[string]struct {
		base, delta []byte
		any         bool
		reason      string
	}{
		"another base":          {base, stranger, false, "merge-base"},
		"no base":               {base, base, false, "merge-base"},
		"a broken base":         {broken, stranger, true, "merge-unsound"},
		"a broken delta":        {base, broken, true, "merge-unsound"},
		"no document":           {base, []byte(`[1]`), true, "merge-unsound"},
		"another major version": {base, bytes.Replace(stranger, []byte(`"schema_version":"1.0"`), []byte(`"schema_version":"2.0"`), 1), true, "merge-unsound"},
	} {
		_, _, err := merge(t, c.base, c.delta, c.any)
		if f := fault.From(err); f == nil || f.Reason != c.reason {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := merge(t, base, stranger, true); err != nil {
		t.Errorf("any base: %v", err)
	}
}

// TestMergeOfWhatStandsInNoOrder gives the same as of what does.
func TestMergeOfWhatStandsInNoOrder(t *testing.T) {
	shuffled := changedDoc(t, 5, func(d doc) { d["memories"] = []any{d.memory(3), d.memory(0), d.memory(4), d.memory(1), d.memory(2)} })
	delta := deltaOf(t, 6, func(d doc) { d["memories"] = []any{d.memory(5)} })
	a, _, err := merge(t, shuffled, delta, false)
	if err != nil {
		t.Fatal(err)
	}
	b, _, err := merge(t, changedDoc(t, 5, func(doc) {}), delta, false)
	if err != nil || !bytes.Equal(a, b) {
		t.Errorf("%v:\n%s\n%s", err, a, b)
	}
}

// FuzzMerge: of two valid documents the result is valid, and merging once more
// changes nothing; of anything else there is at least no panic.
func FuzzMerge(f *testing.F) {
	f.Add(store(f, 3, nil), deltaOf(f, 4, func(d doc) { says(d.memory(1), "other words") }))
	f.Add(store(f, 0, nil), deltaOf(f, 2, func(d doc) { d["conversations_index"] = []any{} }))
	f.Add(changedDoc(f, 3, func(d doc) { d["memories"] = []any{d.memory(2), d.memory(0), d.memory(1)} }), deltaOf(f, 2, func(doc) {}))
	f.Fuzz(func(t *testing.T, base, delta []byte) {
		if base, delta = resummed(base), resummed(delta); len(base) == 0 || len(delta) == 0 {
			return
		}
		text, m, err := merge(t, base, delta, true)
		sound := validate(t, "base.json", base).Valid && validate(t, "delta.json", delta).Valid
		if err != nil {
			if r := fault.From(err).Reason; r == "" || fault.CodeOf(err) == fault.Internal {
				t.Fatalf("no reason: %v", err)
			}
			return
		}
		if v := validate(t, "merged.json", text); sound && !v.Valid {
			t.Fatalf("the result is not valid: %+v\n%s", v.Errors, text)
		}
		if r := verify(t, text, pam.Trust{}); r.Memories != m.Memories {
			t.Fatalf("%d memories, told %d", r.Memories, m.Memories)
		}
		again, _, err := merge(t, text, delta, true)
		if err != nil || !bytes.Equal(again, text) {
			t.Fatalf("merged again: %v\n%s\n%s", err, text, again)
		}
	})
}

// Promise: what lies beside the stores of bundles stays behind counted, and the
// merged document names none of it.
func TestMergeCountsWhatStaysBehind(t *testing.T) {
	picture := pam.Attachment{Ref: "aa11", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("bytes")), nil }}
	all := pam.Bundle{Embeddings: each(embeddingsOf(20)), Conversations: each([]*memory.Conversation{fullConversation()}), Attachments: each([]pam.Attachment{picture})}
	var base, out bytes.Buffer
	if _, err := pam.WriteZip(&base, embedded(t, 20), all, options(key(t))); err != nil {
		t.Fatal(err)
	}
	m, err := pam.Merge(t.Context(), tree(t, "base.zip", base.Bytes()), tree(t, "delta.json", deltaOf(t, 3, func(doc) {})), compiled(t), true, &out)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"signature": 1, "conversation-file": 1, "attachment": 1, "embeddings": 17} // the delta has three memories without
	if !maps.Equal(m.LeftOut, want) {
		t.Errorf("%v, want %v", m.LeftOut, want)
	}
	if v := validate(t, "x.json", out.Bytes()); !v.Valid || len(v.Warnings) > 0 {
		t.Errorf("%+v", v)
	}
}
