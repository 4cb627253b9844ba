package pam_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
)

func embeddingsOf(n int) []pam.Embedding {
	var all []pam.Embedding
	for i := range n {
		x := pam.Embedding{
			ID: fmt.Sprint("emb-", i), MemoryID: record(i).ID, Model: "text-embedding-3-small", Dimensions: 3, CreatedAt: day,
			Vector: []float64{float64(i), 0.1, -1e-9},
		}
		if i == 1 {
			x.Vector, x.Storage = nil, &pam.EmbeddingStorage{Type: "vector_db", Ref: "db://x"}
		}
		all = append(all, x)
	}
	return all
}

// embedded is the source of memories that name their embeddings.
func embedded(t testing.TB, n int) pam.Source {
	t.Helper()
	src := source(t, n)
	var all []pam.Memory
	for i := range n {
		r := record(i)
		r.EmbeddingRef = fmt.Sprint("emb-", i)
		text, err := pam.EncodeMemory(r)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, pam.Memory{ID: r.ID, Canonical: text})
	}
	src.Memories = each(all)
	return src
}

func taken(t *testing.T, name string, text []byte) (all []pam.Embedding, reasons []string) {
	t.Helper()
	for x, err := range pam.ReadEmbeddings(context.Background(), tree(t, name, text), compiled(t)) {
		if err != nil {
			reasons = append(reasons, fault.From(err).Reason)
			continue
		}
		all = append(all, x)
	}
	return all, reasons
}

// Promise (PAM §12): what is written is valid and reads back as it was.
func TestEmbeddingsRoundTrip(t *testing.T) {
	var b bytes.Buffer
	bundle := pam.Bundle{Embeddings: each(embeddingsOf(20)), Conversations: each([]pam.Talk{{Conversation: fullConversation()}})}
	if _, err := pam.WriteZip(&b, embedded(t, 20), bundle, options(key(t))); err != nil {
		t.Fatal(err)
	}
	if v := validate(t, "b.zip", b.Bytes()); !v.Valid || len(v.Warnings) > 0 {
		t.Errorf("%+v", v)
	}
	all, reasons := taken(t, "b.zip", b.Bytes())
	if !reflect.DeepEqual(all, embeddingsOf(20)) || reasons != nil {
		t.Errorf("read %+v, %v", all, reasons)
	}
	var alone bytes.Buffer
	if err := pam.WriteEmbeddings(&alone, each(embeddingsOf(3))); err != nil {
		t.Fatal(err)
	}
	if all, reasons = taken(t, "embeddings.json", alone.Bytes()); len(all) != 3 || reasons != nil {
		t.Errorf("alone: %d, %v", len(all), reasons)
	}
	if all, reasons = taken(t, "store.json", store(t, 3, nil)); all != nil || reasons != nil {
		t.Errorf("a store alone: %v, %v", all, reasons)
	}
}

// Promise: a bad embedding is refused by itself, and the others arrive; the
// spec's other kinds of storage are kept as references.
func TestBadEmbeddingsAreRefusedOneByOne(t *testing.T) {
	item := func(id, rest string) string {
		return `{"id":"` + id + `","memory_id":"` + id + `","model":"m","dimensions":2,"created_at":"2026-01-01T00:00:00Z"` + rest + `}`
	}
	doc := func(items ...string) []byte {
		return []byte(`{"schema":"portable-ai-memory-embeddings","schema_version":"1.0","embeddings":[` + strings.Join(items, ",") + `]}`)
	}
	good := item("good", `,"vector":[1,2]`)
	for rest, reason := range map[string]string{
		`,"vector":[1]`:    "embedding-dimensions",
		`,"vector":null`:   "embedding-empty",
		`,"vector":["x"]`:  "embedding-breaks-schema",
		`,"other":1`:       "embedding-empty",
		`,"vector":[1e99]`: "embedding-dimensions",
		`,"storage":{"type":"file","ref":"../../etc/passwd"}`: "embedding-in-file",
	} {
		all, reasons := taken(t, "embeddings.json", doc(item("bad", rest), good))
		if len(all) != 1 || all[0].ID != "good" || !reflect.DeepEqual(reasons, []string{reason}) {
			t.Errorf("%s: %+v, %v", rest, all, reasons)
		}
	}
	for _, kind := range []string{"database", "object_storage", "vector_db", "uri"} {
		all, reasons := taken(t, "embeddings.json", doc(item("far", `,"vector":null,"storage":{"type":"`+kind+`","ref":"x://y"}`)))
		if len(all) != 1 || all[0].Storage.Type != kind || all[0].Storage.Ref != "x://y" || reasons != nil {
			t.Errorf("%s: %+v, %v", kind, all, reasons)
		}
	}
	if _, reasons := taken(t, "embeddings.json", doc(good, good)); !reflect.DeepEqual(reasons, []string{"pam-second"}) {
		t.Errorf("twice: %v", reasons)
	}
	if all, reasons := taken(t, "embeddings.json", doc(good, good)[:250]); len(all) != 1 || !reflect.DeepEqual(reasons, []string{"embeddings-unreadable"}) {
		t.Errorf("cut off: %d, %v", len(all), reasons)
	}
	stops := pam.ReadEmbeddings(context.Background(), tree(t, "embeddings.json", doc(good, good)), compiled(t))
	for range stops {
		break
	}
	broken := errors.New("broken")
	failing := iter.Seq2[pam.Embedding, error](func(yield func(pam.Embedding, error) bool) { yield(pam.Embedding{}, broken) })
	if err := pam.WriteEmbeddings(&bytes.Buffer{}, failing); !errors.Is(err, broken) {
		t.Errorf("write: %v", err)
	}
}

// increment is a store that builds on another one, with a type of its own.
func increment(t testing.TB) []byte {
	t.Helper()
	r := record(3)
	r.Type, r.CustomType, r.Status = memory.Custom, "badge", memory.Retracted
	text, err := pam.EncodeMemory(r)
	if err != nil {
		t.Fatal(err)
	}
	o := options(key(t))
	o.BaseExportID, o.Since, o.TypeRegistry = "f47ac10b-58cc-4372-a567-0e02b2c3d479", memory.At(day.AddDate(0, -1, 0)), pam.TypeRegistry
	src := source(t, 0)
	src.Memories, src.Relations = each([]pam.Memory{{ID: r.ID, Canonical: text}}), nil
	src.Index[0].DerivedMemories = []string{r.ID}
	var b bytes.Buffer
	if _, err := pam.WriteStore(&b, src, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Promise (PAM §16, §19): an increment says what it builds on, and where the
// types of its own are listed.
func TestIncrementIsValidAndSigned(t *testing.T) {
	text := increment(t)
	if v := validate(t, "delta.json", text); !v.Valid || len(v.Warnings) > 0 {
		t.Errorf("%+v", v)
	}
	if r := verify(t, text, pam.Trust{Own: []pam.Public{key(t).Public()}}); r.Verdict != pam.Own {
		t.Errorf("%+v", r)
	}
	var root map[string]any
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	if root["export_type"] != "incremental" || root["base_export_id"] != "f47ac10b-58cc-4372-a567-0e02b2c3d479" || root["since"] != "2026-10-21T09:00:00Z" || root["type_registry"] != pam.TypeRegistry {
		t.Errorf("%v", root)
	}
}

// TestOfficialSDKOnBundles lets the official SDK judge an embeddings file, the
// store that goes with it, and an increment, and then its own command, as a
// person would type it.
func TestOfficialSDKOnBundles(t *testing.T) {
	python, dir := official(t), t.TempDir()
	b := pam.Bundle{Embeddings: each(embeddingsOf(20)), Conversations: each([]pam.Talk{{Conversation: fullConversation()}})}
	if _, err := pam.WriteFolder(dir, embedded(t, 20), b, options(key(t))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "delta.json"), increment(t), 0o600); err != nil {
		t.Fatal(err)
	}
	const ask = `
import json, pathlib, sys
from portable_ai_memory.core.io import load
from portable_ai_memory.core.validator import validate
files = sorted(pathlib.Path(sys.argv[1]).rglob("*.json"))
print(json.dumps([len(files), [f"{p.name}: {i}" for p in files for i in validate(load(p)).issues]]))`
	out, err := exec.Command(python, "-c", ask, dir).CombinedOutput()
	if want := "[4, []]"; err != nil || strings.TrimSpace(string(out)) != want {
		t.Errorf("%v\n%s", err, out)
	}
	command := filepath.Join(filepath.Dir(python), "pam")
	for _, path := range []string{dir, filepath.Join(dir, pam.StoreName), filepath.Join(dir, "delta.json")} {
		if out, err := exec.Command(command, "validate", path).CombinedOutput(); err != nil {
			t.Errorf("pam validate %s: %v\n%s", path, err, out)
		}
	}
	broken := filepath.Join(t.TempDir(), "broken.json")
	text := bytes.Replace(file(t, filepath.Join(dir, pam.StoreName)), []byte(`"content_hash":"sha256:`), []byte(`"content_hash":"sha256:0`), 1)
	if err := os.WriteFile(broken, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(command, "validate", broken).CombinedOutput(); err == nil {
		t.Errorf("pam validate takes a broken file, so it shows nothing:\n%s", out)
	}
}

func TestBundledRegistry(t *testing.T) {
	r, err := pam.BundledRegistry()
	if err != nil || r.Version != "1.0" || len(r.Types) == 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	for name, typ := range r.Types {
		if typ.Status != pam.Registered || typ.Description == "" || typ.RegisteredAt.IsZero() {
			t.Errorf("%s: %+v", name, typ)
		}
	}
}
