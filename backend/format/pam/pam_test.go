package pam_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strings"
	"testing"
	"time"

	"keepsake/backend/format/pam"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

var day = memory.At(time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC))

func key(t testing.TB) *pam.Key {
	t.Helper()
	k, err := pam.FromSeed(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func options(k *pam.Key) pam.Options {
	o := pam.Options{ExportID: "e47ac10b-58cc-4372-a567-0e02b2c3d479", Date: day, ExportedBy: "keepsake/0.1.0",
		Owner: pam.Owner{ID: "owner-1", CreatedAt: day}, Signer: k}
	if k != nil {
		o.Owner.DID = k.DID()
	}
	return o
}

// record is a memory with every member set.
func record(i int) memory.Record {
	r := memory.Record{
		ID: fmt.Sprintf("mem-%05d", i), Type: memory.Fact, Content: fmt.Sprintf("Fact nº %d: <a> & \u2028 \"ü\"", i), Status: memory.Active,
		Summary: "s", Tags: []string{"a", "b"},
		Temporal:   memory.Temporal{CreatedAt: day, UpdatedAt: memory.At(day.Add(1500 * time.Microsecond)), ValidFrom: day, ValidUntil: day},
		Provenance: memory.Provenance{Platform: "chatgpt", PlatformUserID: "u", ConversationRef: "conv-1", MessageRef: "m1", ExtractionMethod: memory.APIExport, ExtractedAt: day, Extractor: "keepsake/0.1.0"},
		Confidence: &memory.Confidence{Initial: new(1.0), Current: new(0.8125), DecayModel: memory.DecayNone, LastReinforced: day},
		Access:     &memory.Access{Visibility: memory.Shared, Exportable: true, SharedWith: []memory.Grant{{Entity: "e", Permissions: []string{"read"}}}},
		Metadata:   map[string]any{"language": "en", "n": 1.5, "gone": nil, "deep": map[string]any{"x": nil}},
	}
	r.ContentHash = memory.ContentHash(r.Content)
	return r
}

func source(t testing.TB, n int) pam.Source {
	t.Helper()
	var all []pam.Memory
	entry := pam.IndexEntry{ID: "conv-1", Platform: "chatgpt", Title: "T", Temporal: memory.ConversationTemporal{CreatedAt: day}, MessageCount: new(2)}
	for i := range n {
		text, err := pam.EncodeMemory(record(i))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, pam.Memory{ID: record(i).ID, Canonical: text})
		entry.DerivedMemories = append(entry.DerivedMemories, record(i).ID)
	}
	return pam.Source{Memories: each(all), Index: []pam.IndexEntry{entry},
		Relations: []memory.Relation{{ID: "r", From: "mem-00000", To: "mem-00001", Type: memory.Supports, CreatedAt: day}}}
}

func each[T any](items []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, item := range items {
			if !yield(item, nil) {
				return
			}
		}
	}
}

func store(t testing.TB, n int, k *pam.Key) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := pam.WriteStore(&b, source(t, n), options(k)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func tree(t testing.TB, name string, text []byte) *intake.Tree {
	t.Helper()
	tr, err := opened(t, name, text)
	if err != nil {
		t.Fatalf("open %s: %v", name, err)
	}
	return tr
}

func opened(t testing.TB, name string, text []byte) (*intake.Tree, error) {
	tr, err := intake.Open(context.Background(), []intake.Source{intake.FromReaderAt(name, int64(len(text)), bytes.NewReader(text))}, intake.Options{})
	if err == nil {
		t.Cleanup(func() { _ = tr.Close() })
	}
	return tr, err
}

func verify(t testing.TB, text []byte, trust pam.Trust) pam.Report {
	t.Helper()
	r, err := pam.Verify(context.Background(), tree(t, "x.json", text), compiled(t), trust)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func validate(t testing.TB, name string, text []byte) pam.Validation {
	t.Helper()
	v, err := pam.Validate(context.Background(), tree(t, name, text), compiled(t))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestSameInputsSameBytes(t *testing.T) {
	if a, b := store(t, 3, key(t)), store(t, 3, key(t)); !bytes.Equal(a, b) {
		t.Error("two exports of the same state differ")
	}
}

func TestWhatIsWrittenIsValidAndOwn(t *testing.T) {
	k := key(t)
	text := store(t, 5, k)
	r := verify(t, text, pam.Trust{Own: []pam.Public{k.Public()}})
	if r.Verdict != pam.Own || !r.Valid || !r.Signed || len(r.Words) != 6 {
		t.Errorf("%+v", r)
	}
	v := validate(t, "x.json", text)
	if !v.Valid || len(v.Warnings) > 0 || v.ChecksRun < 20 {
		t.Errorf("%+v", v)
	}
}

func TestVerdicts(t *testing.T) {
	k := key(t)
	signed, unsigned := store(t, 2, k), store(t, 2, nil)
	other, _ := pam.Generate()
	if r := verify(t, signed, pam.Trust{}); r.Verdict != pam.Unknown || !r.Valid {
		t.Errorf("%+v", r)
	}
	if r := verify(t, signed, pam.Trust{Known: []pam.Public{k.Public()}}); r.Verdict != pam.Known {
		t.Errorf("%+v", r)
	}
	if r := verify(t, signed, pam.Trust{Required: []pam.Public{other.Public()}}); r.Valid || !has(r.Problems, "trust") {
		t.Errorf("another key than the required one: %+v", r)
	}
	if r := verify(t, unsigned, pam.Trust{}); r.Verdict != pam.Unsigned || !r.Valid || r.Signed {
		t.Errorf("%+v", r)
	}
	if r := verify(t, unsigned, pam.Trust{Required: []pam.Public{k.Public()}}); r.Valid {
		t.Errorf("unsigned where a key is required: %+v", r)
	}
	big := strings.Replace(string(unsigned), `"n":1.5`, `"n":9007199254740993`, 1)
	if r := verify(t, []byte(big), pam.Trust{}); r.Verdict != pam.Uncheckable || r.Valid {
		t.Errorf("%+v", r)
	}
}

// TestEveryChangeIsSeen changes every value inside the memories of a signed
// export, one at a time, and demands the verdict "broken" for each.
func TestEveryChangeIsSeen(t *testing.T) {
	text := store(t, 2, key(t))
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	n := 0
	for i := range doc["memories"].([]any) {
		forEachLeaf(doc["memories"].([]any)[i], func(change func() (undo func())) {
			undo := change()
			changed, _ := json.Marshal(doc)
			undo()
			if n++; verify(t, changed, pam.Trust{}).Verdict != pam.Broken {
				t.Errorf("a change was not seen in %.2000s", changed)
			}
		})
	}
	if n < 60 {
		t.Errorf("only %d changes were tried", n)
	}
}

// forEachLeaf offers every scalar and every member below v for a change.
func forEachLeaf(v any, try func(change func() func())) {
	switch node := v.(type) {
	case map[string]any:
		for name, value := range node {
			try(func() func() { delete(node, name); return func() { node[name] = value } })
			if altered, ok := alter(value); ok {
				try(func() func() { node[name] = altered; return func() { node[name] = value } })
			}
			forEachLeaf(value, try)
		}
	case []any:
		for i, value := range node {
			if altered, ok := alter(value); ok {
				try(func() func() { node[i] = altered; return func() { node[i] = value } })
			}
			forEachLeaf(value, try)
		}
	}
}

func alter(v any) (any, bool) {
	switch x := v.(type) {
	case string:
		return x + "x", true
	case float64:
		return x + 0.0625, true
	case bool:
		return !x, true
	case nil:
		return 0.0, true
	}
	return nil, false
}

func TestEveryCutIsSeen(t *testing.T) {
	text := bytes.TrimSpace(store(t, 2, key(t)))
	for n := 1; n < len(text); n += 7 {
		if r := verify(t, text[:n], pam.Trust{}); r.Verdict != pam.Broken {
			t.Fatalf("cut at %d: %+v", n, r)
		}
	}
}

func TestHeadIsSigned(t *testing.T) {
	k := key(t)
	text := string(store(t, 2, k))
	for _, c := range [][2]string{
		{`"export_id": "e4`, `"export_id": "e5`}, {`"export_date": "2026-11-21T09`, `"export_date": "2026-11-21T08`},
		{`"id":"owner-1"`, `"id":"owner-2"`}, {`"total_memories":2`, `"total_memories":3`},
		{`"signed_at":"2026`, `"signed_at":"2025`}, {`"algorithm":"Ed25519"`, `"algorithm":"ES256"`},
		{`"did":"did:key:z6Mk`, `"did":"did:key:z6Mka`}, {`"relations": [`, `"memories": [`},
	} {
		if !strings.Contains(text, c[0]) {
			t.Fatalf("no %s in the export", c[0])
		}
		if r := verify(t, []byte(strings.Replace(text, c[0], c[1], 1)), pam.Trust{Own: []pam.Public{k.Public()}}); r.Verdict != pam.Broken {
			t.Errorf("%s: %+v", c[1], r)
		}
	}
}

func TestOrderOfMembersAndMemoriesDoesNotMatter(t *testing.T) {
	var doc map[string]json.RawMessage
	_ = json.Unmarshal(store(t, 3, key(t)), &doc)
	var memories []json.RawMessage
	_ = json.Unmarshal(doc["memories"], &memories)
	memories[0], memories[2] = memories[2], memories[0]
	doc["memories"], _ = json.Marshal(memories)
	text, _ := json.MarshalIndent(doc, "", "\t")
	if r := verify(t, text, pam.Trust{}); r.Verdict != pam.Unknown {
		t.Errorf("%+v", r)
	}
}

func TestNotExportableNeverLeaves(t *testing.T) {
	r := record(0)
	r.Access.Exportable = false
	text, _ := pam.EncodeMemory(r)
	if _, err := pam.WriteStore(io.Discard, pam.Source{Memories: each([]pam.Memory{{ID: r.ID, Canonical: text}})}, options(nil)); err == nil {
		t.Error("it left")
	}
}

func TestBundles(t *testing.T) {
	k := key(t)
	c := &memory.Conversation{ID: "conv-1", Provider: memory.Provider{Name: "chatgpt"}, Temporal: memory.ConversationTemporal{CreatedAt: day}, Leaf: "m2",
		Messages: []memory.Message{{ID: "m1", Role: memory.User, ChildrenIDs: []string{"m2"}, Content: &memory.Content{Type: "text", Text: "?"}}, {ID: "m2", Role: memory.Assistant, CreatedAt: day, ParentID: "m1",
			Attachments: []memory.Attachment{{Type: "image", Ref: "attachments/abc"}}}}}
	bundle := func() pam.Bundle {
		return pam.Bundle{Conversations: each([]pam.Talk{{Conversation: c}}), Attachments: each([]pam.Attachment{{Ref: "abc", Open: func() (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader("bytes")), nil
		}}})}
	}
	var zipped bytes.Buffer
	if _, err := pam.WriteZip(&zipped, source(t, 2), bundle(), options(k)); err != nil {
		t.Fatal(err)
	}
	if v := validate(t, "x.zip", zipped.Bytes()); !v.Valid || len(v.Warnings) > 0 {
		t.Errorf("%+v", v)
	}
	dir := t.TempDir()
	if _, err := pam.WriteFolder(dir, source(t, 2), bundle(), options(k)); err != nil {
		t.Fatal(err)
	}
	src, err := intake.FromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	folder, err := intake.Open(context.Background(), []intake.Source{src}, intake.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	r, err := pam.Verify(context.Background(), folder, compiled(t), pam.Trust{Own: []pam.Public{k.Public()}})
	if err != nil || r.Verdict != pam.Own {
		t.Errorf("%+v %v", r, err)
	}
	in, err := pam.Inspect(context.Background(), folder)
	if err != nil || in.Memories != 2 || in.Relations != 1 || in.Conversations != 1 || !in.Signed {
		t.Errorf("%+v %v", in, err)
	}
}

func TestEncrypted(t *testing.T) {
	var b bytes.Buffer
	w, err := pam.Encrypt(&b, []byte("pass"))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = w.Write(store(t, 1, nil))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(b.Bytes(), []byte("Fact")) {
		t.Error("readable")
	}
	if _, err := pam.Verify(context.Background(), tree(t, "x.age", b.Bytes()), compiled(t), pam.Trust{}); err == nil {
		t.Error("an encrypted file was verified")
	}
	plain, err := pam.Decrypt(bytes.NewReader(b.Bytes()), []byte("pass"))
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := io.ReadAll(plain); !bytes.Equal(text, store(t, 1, nil)) {
		t.Error("other bytes came back")
	}
	if _, err := pam.Decrypt(bytes.NewReader(b.Bytes()), []byte("other")); err == nil {
		t.Error("another passphrase opened it")
	}
}
