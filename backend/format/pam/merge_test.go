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
	"strconv"
	"strings"
	"testing"

	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/intake"
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
	m, err := pam.Merge(t.Context(), tree(t, "base.json", base), tree(t, "delta.json", delta), compiled(t), pam.MergeOptions{AnyBase: any, Theirs: true}, pam.ToFile(&out))
	return out.Bytes(), m, err
}

func parsed(t testing.TB, text []byte) (d doc) {
	t.Helper()
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestMergeWritesDoublesThatOthersRead: the canonical form of 1e20 is a whole number
// that readers refuse, so it is not what the result holds.
func TestMergeWritesDoublesThatOthersRead(t *testing.T) {
	base := resummed(edited(t, func(d map[string]any) {
		inner(mem(d, 0), "metadata")["n"] = json.Number("1e20")
		inner(mem(d, 1), "metadata")["n"] = []any{json.Number("-2.5E19"), `1e20 "`}
	}))
	delta := deltaOf(t, 4, func(d doc) { d["memories"] = []any{d.memory(3)} })
	text, m, err := merge(t, base, delta, true)
	if err != nil || m.Memories != 4 {
		t.Fatalf("%+v, %v", m, err)
	}
	if v := validate(t, "x.json", text); !v.Valid || len(v.Warnings) > 0 {
		t.Errorf("%+v", v)
	}
	if meta := inner(parsed(t, text).memory(1), "metadata"); meta["n"].([]any)[0] != -2.5e19 || meta["n"].([]any)[1] != `1e20 "` {
		t.Errorf("%v", meta)
	}
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
		"a delta as base":       {deltaOf(t, 2, func(doc) {}), deltaOf(t, 2, func(d doc) { d["base_export_id"], d["export_id"] = "delta-1", "delta-2" }), false, "merge-base-delta"},
		"another owner":         {base, deltaOf(t, 2, func(d doc) { d["owner"].(map[string]any)["id"] = "somebody else" }), false, "merge-owner"},
		"a broken base":         {broken, stranger, true, "merge-unsound"},
		"a broken delta":        {base, broken, true, "merge-unsound"},
		"no document":           {base, []byte(`[1]`), true, "merge-unsound"},
		"another major version": {base, bytes.Replace(stranger, []byte(`"schema_version":"1.0"`), []byte(`"schema_version":"2.0"`), 1), true, "pam-version"},
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

// Promise (§22.3): a document of a newer minor version is merged. What that added
// is counted by its names, in neither file lost silently, and the result is a valid
// document of 1.0; a file that only says a newer version merges like any other.
func TestMergeOfANewerMinorVersion(t *testing.T) {
	plain := func(d doc) { says(d.memory(1), "other words") }
	newer := func(d doc) {
		plain(d)
		d["schema_version"], d["era"] = "1.7", "late"
		d.memory(0)["mood"] = "calm"
		d.memory(1)["temporal"].(map[string]any)["season"] = map[string]any{"name": "spring"}
		d["relations"].([]any)[0].(map[string]any)["weight"] = 3
	}
	want := map[string]int{"document:era": 1, "memory:mood": 1, "memory.temporal:season": 1, "relation:weight": 1}
	base, delta := store(t, 3, nil), deltaOf(t, 3, plain)
	expected, _, err := merge(t, base, delta, false)
	if err != nil {
		t.Fatal(err)
	}
	text, m, err := merge(t, base, deltaOf(t, 3, newer), false)
	if err != nil || !bytes.Equal(text, expected) || !maps.Equal(m.Unknown, want) {
		t.Errorf("a newer delta: %+v, %v\n%s", m, err, text)
	}
	shuffled := func(d doc) {
		newer(d)
		slices.Reverse(d["memories"].([]any))
	}
	for name, change := range map[string]func(doc){"in order": newer, "in none": shuffled} {
		text, m, err = merge(t, changedDoc(t, 3, change), delta, false)
		if v := validate(t, "merged.json", text); err != nil || !v.Valid || len(v.Warnings) > 0 || !maps.Equal(m.Unknown, want) || parsed(t, text)["schema_version"] != "1.0" {
			t.Errorf("a newer base, %s: %+v, %v, %+v", name, m, err, v)
		}
	}
	text, m, err = merge(t, base, deltaOf(t, 3, func(d doc) { plain(d); d["schema_version"] = "1.1" }), false)
	if err != nil || !bytes.Equal(text, expected) || len(m.Unknown) != 0 {
		t.Errorf("newer in name only: %+v, %v", m, err)
	}
	bad := deltaOf(t, 3, func(d doc) { newer(d); d.memory(0)["content"] = "with another hash" })
	if _, _, err := merge(t, base, bad, false); fault.From(err) == nil || fault.From(err).Reason != "merge-unsound" {
		t.Errorf("a newer one that is broken: %v", err)
	}
}

// Promise: an index that names a file outside of its bundle stops a merge, in one
// sentence that names the place.
func TestMergeNamesARefOutside(t *testing.T) {
	open := func(name string, text []byte) *intake.Tree {
		if text[0] == '{' {
			return tree(t, name+".json", text)
		}
		return tree(t, name+".zip", text)
	}
	for _, ref := range []string{"../secret.json", "/etc/passwd", `C:\x.json`} {
		outside := bundleOf(t, options(nil), source(t, 2), pam.Bundle{Conversations: each([]pam.Talk{{Conversation: fullConversation()}})})
		files := entries(t, outside)
		files["memory-store.json"] = strings.Replace(files["memory-store.json"], `"ref":"conversations/conv-1.json"`, `"ref":`+strconv.Quote(ref), 1)
		delete(files, "keepsake-digest.jcs")
		for _, both := range [][2][]byte{{zipOf(t, files), store(t, 2, nil)}, {store(t, 2, nil), zipOf(t, files)}} {
			var out bytes.Buffer
			_, err := pam.Merge(t.Context(), open("a", both[0]), open("b", both[1]), compiled(t), pam.MergeOptions{AnyBase: true, Theirs: true}, pam.ToFile(&out))
			if f := fault.From(err); f == nil || f.Reason != "merge-outside" || !strings.Contains(f.Error(), "/conversations_index/0/storage/ref") || !strings.Contains(f.Error(), ".zip") {
				t.Errorf("%s: %v", ref, err)
			}
			if out.Len() > 0 {
				t.Errorf("%s: %d bytes were written", ref, out.Len())
			}
		}
	}
}

// TestASharedFileIsReadOnce: a file that many entries of an index name is looked at
// once, and no merge makes a copy of it for each.
func TestASharedFileIsReadOnce(t *testing.T) {
	files := entries(t, bundleOf(t, options(nil), source(t, 2), pam.Bundle{Conversations: each([]pam.Talk{{Conversation: fullConversation()}})}))
	var d doc
	if err := json.Unmarshal([]byte(files["memory-store.json"]), &d); err != nil {
		t.Fatal(err)
	}
	first := d["conversations_index"].([]any)[0].(map[string]any)
	second := maps.Clone(first)
	second["id"], second["derived_memories"] = "conv-2", []any{}
	alone, err := pam.Inspect(t.Context(), tree(t, "a.zip", zipOf(t, files)))
	if err != nil || alone.Messages == 0 {
		t.Fatalf("%+v, %v", alone, err)
	}
	d["conversations_index"] = []any{first, second}
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	files["memory-store.json"] = string(text)
	delete(files, "keepsake-digest.jcs")
	shared := tree(t, "a.zip", zipOf(t, files))
	if in, err := pam.Inspect(t.Context(), shared); err != nil || in.Conversations != 2 || in.Messages != alone.Messages {
		t.Errorf("%d messages instead of %d, %v", in.Messages, alone.Messages, err)
	}
	var out bytes.Buffer
	_, err = pam.Merge(t.Context(), shared, tree(t, "b.json", store(t, 2, nil)), compiled(t), pam.MergeOptions{AnyBase: true, Theirs: true}, pam.ToZip(&out, day))
	if f := fault.From(err); f == nil || f.Reason != "merge-same-file" || f.Args["place"] != "/conversations_index/0/storage/ref" || f.Args["other"] != "/conversations_index/1/storage/ref" || f.Args["name"] != "a.zip" {
		t.Errorf("%v", err)
	}
	if out.Len() > 0 {
		t.Errorf("%d bytes were written", out.Len())
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

// Promise: in one file, what lies beside the stores of bundles stays behind counted,
// and the merged document names none of it.
func TestMergeCountsWhatStaysBehind(t *testing.T) {
	picture := pam.Attachment{Ref: "aa11", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("bytes")), nil }}
	all := pam.Bundle{Embeddings: each(embeddingsOf(20)), Conversations: each([]pam.Talk{{Conversation: fullConversation()}}), Attachments: each([]pam.Attachment{picture})}
	var base, out bytes.Buffer
	if _, err := pam.WriteZip(&base, embedded(t, 20), all, options(key(t))); err != nil {
		t.Fatal(err)
	}
	m, err := pam.Merge(t.Context(), tree(t, "base.zip", base.Bytes()), tree(t, "delta.json", deltaOf(t, 3, func(doc) {})), compiled(t), pam.MergeOptions{AnyBase: true, Theirs: true}, pam.ToFile(&out))
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

// bundleOf is a zip of n memories with embeddings of what all has.
func bundleOf(t testing.TB, o pam.Options, src pam.Source, all pam.Bundle) []byte {
	t.Helper()
	var out bytes.Buffer
	if _, err := pam.WriteZip(&out, src, all, o); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func attachment(name, text string) pam.Attachment {
	return pam.Attachment{Ref: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

// told are the changes of a merge: kind, id, title, and why it stayed.
func told(m pam.Merged) (all []string) {
	for _, c := range m.Changes {
		if c.Taken != (c.Why == "") {
			panic(c)
		}
		all = append(all, strings.Join([]string{c.Kind, c.ID, c.Title, string(c.Why)}, " "))
	}
	return all
}

func mergeBundles(t *testing.T, base, delta []byte, o pam.MergeOptions) (map[string]string, pam.Merged) {
	t.Helper()
	var out bytes.Buffer
	o.AnyBase, o.Theirs = true, true
	m, err := pam.Merge(t.Context(), tree(t, "base.zip", base), tree(t, "delta.zip", delta), compiled(t), o, pam.ToZip(&out, day))
	if err != nil {
		t.Fatal(err)
	}
	if v := validate(t, "x.zip", out.Bytes()); !v.Valid || len(v.Warnings) > 0 {
		t.Errorf("%+v", v)
	}
	return entries(t, out.Bytes()), m
}

// Promise: a bundle carries the conversations, attachments and embeddings of both,
// and names what both have and differs.
func TestMergeCarriesBundles(t *testing.T) {
	o, mine, theirs := options(key(t)), fullConversation(), fullConversation()
	theirs.Messages[1].Content.Text = "something else"
	other := embeddingsOf(20)
	other[3].Vector[0] = 99
	base := bundleOf(t, o, embedded(t, 20), pam.Bundle{Embeddings: each(embeddingsOf(20)), Conversations: each([]pam.Talk{{Conversation: mine}}),
		Attachments: each([]pam.Attachment{attachment("aa", "same"), attachment("bb", "mine"), attachment("cc", "only mine")})})
	o.ExportID, o.BaseExportID, o.Since = "delta-1", o.ExportID, day
	delta := bundleOf(t, o, embedded(t, 20), pam.Bundle{Embeddings: each(other), Conversations: each([]pam.Talk{{Conversation: theirs}}),
		Attachments: each([]pam.Attachment{attachment("aa", "same"), attachment("bb", "theirs"), attachment("dd", "only theirs")})})
	files, m := mergeBundles(t, base, delta, pam.MergeOptions{})
	if want := []string{"embedding mem-00003  ", "conversation conv-1 T ", "attachment bb  "}; !slices.Equal(told(m), want) {
		t.Errorf("%q", told(m))
	}
	if m.Files != 1 || m.Attachments != 4 || m.Embeddings != 20 || !maps.Equal(m.LeftOut, map[string]int{"signature": 1}) {
		t.Errorf("%+v", m)
	}
	if files["attachments/aa"] != "same" || files["attachments/bb"] != "theirs" || files["attachments/cc"] != "only mine" || files["attachments/dd"] != "only theirs" {
		t.Errorf("%v", files)
	}
	if !strings.Contains(files["conversations/conv-1.json"], "something else") || !strings.Contains(files["embeddings.json"], "[99,") || files["keepsake-digest.jcs"] != "" {
		t.Errorf("%v", files)
	}
}

// Promise: a conversation that grew on one side alone is no conflict, and the one
// that has all of it is taken, whichever side it is on.
func TestMergeTakesTheLongerConversation(t *testing.T) {
	long, short := fullConversation(), fullConversation()
	short.Messages = short.Messages[:1]
	short.Messages[0].ChildrenIDs, short.Leaf = nil, ""
	for _, c := range []*memory.Conversation{long, short} { // as providers number things
		c.Messages[0].RawMetadata = memory.RawMetadata{"id": json.RawMessage(`12345678901234567890`)}
	}
	o := options(nil)
	bundle := func(c *memory.Conversation) []byte {
		src := source(t, 2)
		src.Index[0].MessageCount = new(len(c.Messages))
		return bundleOf(t, o, src, pam.Bundle{Conversations: each([]pam.Talk{{Conversation: c}})})
	}
	for name, c := range map[string][2][]byte{"delta grew": {bundle(short), bundle(long)}, "delta is older": {bundle(long), bundle(short)}} {
		files, m := mergeBundles(t, c[0], c[1], pam.MergeOptions{})
		if len(m.Changes) != 0 || !strings.Contains(files["conversations/conv-1.json"], `"m2"`) || !strings.Contains(files["memory-store.json"], `"message_count":2`) ||
			!strings.Contains(files["conversations/conv-1.json"], `12345678901234567890`) {
			t.Errorf("%s: %+v", name, m)
		}
	}
}

// Promise: an embedding goes with the words it was made of, and no two have one name.
func TestMergedEmbeddingsFollowTheirWords(t *testing.T) {
	o := options(nil)
	base := bundleOf(t, o, embedded(t, 3), pam.Bundle{Embeddings: each(embeddingsOf(3))})
	delta := deltaOf(t, 4, func(d doc) {
		says(d.memory(1), "other words")
		d["memories"] = []any{d.memory(1), d.memory(2), d.memory(3)}
		d["conversations_index"] = []any{}
	})
	files, m := mergeBundles(t, base, zipOf(t, map[string]string{"memory-store.json": string(delta)}), pam.MergeOptions{})
	if m.Embeddings != 2 || m.LeftOut["embeddings"] != 1 || strings.Contains(files["embeddings.json"], "mem-00001") {
		t.Errorf("%+v\n%s", m, files["embeddings.json"])
	}
	clash := embeddingsOf(4)[3:]
	clash[0].ID = "emb-0"
	src := embedded(t, 4)
	var all []pam.Memory
	for m, err := range src.Memories {
		if err != nil {
			t.Fatal(err)
		}
		m.Canonical = bytes.Replace(m.Canonical, []byte(`"emb-3"`), []byte(`"emb-0"`), 1)
		all = append(all, m)
	}
	src.Memories, src.Relations, src.Index = each(all[3:]), nil, nil
	files, m = mergeBundles(t, base, bundleOf(t, o, src, pam.Bundle{Embeddings: each(clash)}), pam.MergeOptions{})
	if m.Embeddings != 4 || !strings.Contains(files["embeddings.json"], `"id":"emb-0+","memory_id":"mem-00003"`) {
		t.Errorf("%+v\n%s", m, files["embeddings.json"])
	}
}

// Promise: a bundle whose digest does not fit is not merged.
func TestMergeRefusesABrokenBundle(t *testing.T) {
	base := bundleOf(t, options(key(t)), source(t, 2), pam.Bundle{Conversations: each([]pam.Talk{{Conversation: fullConversation()}})})
	files := entries(t, base)
	files["conversations/conv-1.json"] = strings.Replace(files["conversations/conv-1.json"], `"T"`, `"U"`, 1)
	broken := zipOf(t, files)
	_, err := pam.Merge(t.Context(), tree(t, "a.zip", broken), tree(t, "b.json", store(t, 2, nil)), compiled(t), pam.MergeOptions{AnyBase: true, Theirs: true}, pam.ToFile(io.Discard))
	if f := fault.From(err); f == nil || f.Reason != "merge-unsound" {
		t.Error(err)
	}
}

// Promise: what somebody chose is what the result has, member by member, and it is
// an export of its own.
func TestMergeFollowsChoices(t *testing.T) {
	base := changedDoc(t, 4, func(doc) {})
	other := changedDoc(t, 6, func(d doc) {
		for i := range 4 {
			says(d.memory(i), "theirs "+d.memory(i)["id"].(string))
			d.memory(i)["summary"] = "their summary"
		}
	})
	later := memory.At(day.AddDate(1, 0, 0))
	o := pam.MergeOptions{AnyBase: true, Theirs: true, ExportID: "chosen", ExportedBy: "keepsake/0.1.0", Date: later, Choices: map[string]pam.Choice{
		"mem-00000": {Of: pam.OfBase}, "mem-00001": {Of: pam.OfDelta}, "mem-00002": {Of: pam.OfBoth, Fields: []string{"/summary", "/id"}},
		"mem-00003": {Of: pam.OfBoth, Fields: []string{"/content"}}, "mem-00004": {Of: pam.OfBase},
	}}
	unmet := o
	unmet.Choices = map[string]pam.Choice{"mem-00000": {Of: pam.OfBase}, "mem-9": {Of: pam.OfBase}}
	_, err := pam.Merge(t.Context(), tree(t, "a.json", base), tree(t, "b.json", other), compiled(t), unmet, pam.ToFile(io.Discard))
	if f := fault.From(err); f == nil || f.Reason != "merge-no-memory" || f.Args["id"] != "mem-9" {
		t.Errorf("a memory that neither has: %v", err)
	}
	unmet.Choices = map[string]pam.Choice{"mem-00005": {Of: pam.OfBoth, Fields: []string{"/tags"}}}
	_, err = pam.Merge(t.Context(), tree(t, "a.json", base), tree(t, "b.json", other), compiled(t), unmet, pam.ToFile(io.Discard))
	if f := fault.From(err); f == nil || f.Reason != "merge-not-both" {
		t.Errorf("members of a memory that one has: %v", err)
	}
	unmet.Choices = map[string]pam.Choice{"mem-00000": {Of: pam.OfBoth, Fields: []string{"/type", "/id"}}}
	if m, err := pam.Merge(t.Context(), tree(t, "a.json", base), tree(t, "b.json", other), compiled(t), unmet, pam.ToFile(io.Discard)); err != nil || m.Kept != 1 || m.Mixed != 0 {
		t.Errorf("members in which they do not differ: %+v, %v", m, err)
	}
	var out bytes.Buffer
	m, err := pam.Merge(t.Context(), tree(t, "a.json", base), tree(t, "b.json", other), compiled(t), o, pam.ToFile(&out))
	if err != nil {
		t.Fatal(err)
	}
	if v := validate(t, "x.json", out.Bytes()); !v.Valid || len(v.Warnings) > 0 {
		t.Errorf("%+v", v)
	}
	ours, got := parsed(t, base), parsed(t, out.Bytes())
	var says []string
	for i := range got["memories"].([]any) {
		g := got.memory(i)
		says = append(says, g["id"].(string)+" "+strings.Fields(g["content"].(string))[0]+" "+g["summary"].(string))
	}
	if want := []string{"mem-00000 Fact s", "mem-00001 theirs their summary", "mem-00002 Fact their summary", "mem-00003 theirs s", "mem-00005 Fact s"}; !slices.Equal(says, want) {
		t.Errorf("%q", says)
	}
	if changed := got.memory(2)["temporal"].(map[string]any)["updated_at"]; changed != later.String() {
		t.Errorf("mixed at %v", changed)
	}
	if got["export_id"] != "chosen" || got["export_date"] != later.String() || ours["export_id"] == "chosen" {
		t.Errorf("%v", got["export_id"])
	}
	if m.Kept != 1 || m.Updated != 3 || m.Mixed != 2 || m.Added != 1 || m.LeftOut["not-picked"] != 1 {
		t.Errorf("%+v", m)
	}
}

// TestMixFollowsItsLeader: what says nothing by itself comes with what it belongs to.
func TestMixFollowsItsLeader(t *testing.T) {
	a, b := record(0), record(0)
	b.Content, b.Type, b.CustomType = "other words", memory.Custom, "hobby"
	b.ContentHash = memory.ContentHash(b.Content)
	b.EmbeddingRef = "x"
	mixed, err := pam.Mix(a, b, []string{"/content", "/type", "/temporal/updated_at"}, day)
	if err != nil || mixed.ContentHash != b.ContentHash || mixed.CustomType != "hobby" || mixed.Temporal.UpdatedAt != day || mixed.EmbeddingRef != "" {
		t.Errorf("%+v: %v", mixed, err)
	}
	if back, err := pam.Mix(mixed, a, []string{"/content", "/type"}, day); err != nil || back.CustomType != "" || back.Content != a.Content {
		t.Errorf("%+v: %v", back, err)
	}
	if early, err := pam.Mix(a, b, nil, memory.At(day.AddDate(-1, 0, 0))); err != nil || early.Temporal.UpdatedAt.Compare(a.Temporal.CreatedAt) < 0 {
		t.Errorf("changed before it was made: %v %v", early.Temporal, err)
	}
	fields := pam.DiffRecords(a, b)
	for _, f := range fields {
		if want := f.Path == "/content" || f.Path == "/type"; pam.IsPickable(f.Path, fields) != want {
			t.Errorf("%s", f.Path)
		}
	}
	for path, want := range map[string]bool{"/tags": true, "/metadata/anything": true, "/temporal/valid_until": true, "/mood": false, "/temporal/season": false, "/Content": false} {
		if pam.IsPickable(path, nil) != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
}
