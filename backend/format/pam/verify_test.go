package pam_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/intake"
	"keepsake/backend/jcs"
)

func has(all []pam.Finding, check string) bool {
	return slices.ContainsFunc(all, func(f pam.Finding) bool { return f.Check == check })
}

// TestEveryByteCounts changes each byte of the memories of a signed export.
func TestEveryByteCounts(t *testing.T) {
	text := store(t, 2, key(t))
	from := bytes.Index(text, []byte(`"memories": [`)) + len(`"memories": [`)
	to := bytes.Index(text, []byte("\n],\n\"relations\""))
	for i := from; i < to; i++ {
		if text[i] == '\n' { // white space between memories
			continue
		}
		for _, b := range []byte{text[i] ^ 1, '"', ' '} {
			if b == text[i] {
				continue
			}
			changed := bytes.Clone(text)
			changed[i] = b
			if r := verify(t, changed, pam.Trust{}); r.Verdict != pam.Broken {
				t.Fatalf("byte %d, %q for %q: %+v", i, b, text[i], r)
			}
		}
	}
}

// TestSecondSpellingOfTheSameIsNotBroken: what JSON means is signed, not how it
// is written.
func TestSecondSpellingOfTheSameIsNotBroken(t *testing.T) {
	text := string(store(t, 2, key(t)))
	for from, to := range map[string]string{
		`"initial":1`: `"initial": 1.0`, `"n":1.5`: `"n":15e-1`, `"id":"mem-00000"`: `"id":"\u006dem-00000"`, `"summary":"s"`: "\"summary\"\n:\t\"s\"",
	} {
		if !strings.Contains(text, from) {
			t.Fatalf("no %s", from)
		}
		if r := verify(t, []byte(strings.ReplaceAll(text, from, to)), pam.Trust{}); r.Verdict != pam.Unknown {
			t.Errorf("%s: %+v", to, r)
		}
	}
}

// TestLooseJSONIsBroken: forms that readers take differently.
func TestLooseJSONIsBroken(t *testing.T) {
	text := string(store(t, 2, key(t)))
	for from, to := range map[string]string{
		`"summary":"s"`: `"summary":"t","summary":"s"`, `"x":null`: `"x":"\ud800"`, "\n}\n": "\n}\n{}", `"schema": `: `"schema": "x", "schema": `,
		`"deep":{"x":null}`: `"deep":` + strings.Repeat("[", 130) + strings.Repeat("]", 130), `"export_type": "full"`: `"export_type": 'full'`,
	} {
		if !strings.Contains(text, from) {
			t.Fatalf("no %s", from)
		}
		if r := verify(t, []byte(strings.Replace(text, from, to, 1)), pam.Trust{}); r.Verdict != pam.Broken {
			t.Errorf("%.60s: %+v", to, r)
		}
	}
	if r := verify(t, []byte("\xef\xbb\xbf"+text), pam.Trust{}); r.Verdict != pam.Broken {
		t.Errorf("%+v", r)
	}
}

func TestWhatStandsBesideMemoriesHasItsSchemaToo(t *testing.T) {
	for _, change := range []func(map[string]any){
		func(d map[string]any) { d["relations"].([]any)[0].(map[string]any)["type"] = "likes" },
		func(d map[string]any) { d["conversations_index"].([]any)[0].(map[string]any)["x"] = 1 },
		func(d map[string]any) { d["owner"] = map[string]any{"id": ""} },
		func(d map[string]any) { d["messages"] = []any{} },
		func(d map[string]any) { d["memories"] = map[string]any{} },
	} {
		if r := verify(t, edited(t, change), pam.Trust{}); r.Verdict != pam.Invalid || r.Valid || !has(r.Problems, "schema") {
			t.Errorf("%+v", r)
		}
	}
}

// Promise: a document whose signature and sums hold and which the schema alone refuses
// is not called broken, and is no more valid for that: nobody changed it, and whoever
// made it made a mistake. One that was changed as well is broken.
func TestWhatTheSchemaRefusesIsNotBroken(t *testing.T) {
	k := key(t)
	slip := func(change func(map[string]any)) []byte {
		var doc map[string]any
		if err := json.Unmarshal(store(t, 2, nil), &doc); err != nil {
			t.Fatal(err)
		}
		change(doc)
		memories, err := jcs.Marshal(doc["memories"])
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(memories)
		inner(doc, "integrity")["checksum"] = "sha256:" + hex.EncodeToString(sum[:])
		return foreignOf(t, doc, "Ed25519", k.Public().Multibase(), func(text []byte) []byte { return ed25519.Sign(ed25519.NewKeyFromSeed(k.Seed()), text) })
	}
	misspelt := func(d map[string]any) { inner(mem(d, 0), "provenance")["extractor"] = "ext/1.0" }
	trust := pam.Trust{Own: []pam.Public{k.Public()}}
	r := verify(t, slip(misspelt), trust)
	if r.Verdict != pam.Invalid || r.Valid || !r.Signed || len(r.Problems) != 1 || !hasAt(r.Problems, "schema", "/memories/0/provenance/extractor") {
		t.Errorf("%+v", r)
	}
	if r := verify(t, slip(func(map[string]any) {}), trust); r.Verdict != pam.Own || !r.Valid {
		t.Errorf("without the slip: %+v", r)
	}
	other := strings.Replace(string(slip(misspelt)), "Fact nº 1", "Fact nº 7", 1)
	if r := verify(t, []byte(other), trust); r.Verdict != pam.Broken {
		t.Errorf("changed since: %+v", r)
	}
	if r := verify(t, []byte(`{"memories":[{"id":5}]}`), trust); r.Verdict != pam.Broken || r.Document {
		t.Errorf("no document: %+v", r)
	}
}

// TestOtherVersions: what a newer version added is not what somebody broke.
func TestOtherVersions(t *testing.T) {
	added := func(version string) []byte {
		return edited(t, func(d map[string]any) { d["schema_version"] = version; mem(d, 0)["mood"] = "calm" })
	}
	for version, want := range map[string]pam.Verdict{"1.0": pam.Invalid, "1.7": pam.Uncheckable, "2.0": pam.Uncheckable} {
		if r := verify(t, added(version), pam.Trust{}); r.Verdict != want {
			t.Errorf("%s: %+v", version, r)
		}
	}
	plain := edited(t, func(d map[string]any) { d["schema_version"] = "1.1" })
	if r := verify(t, plain, pam.Trust{}); r.Verdict != pam.Unsigned || !has(r.Warnings, "schema-version") {
		t.Errorf("%+v", r)
	}
	changed := edited(t, func(d map[string]any) { d["schema_version"] = "2.0"; mem(d, 0)["content"] = "other" })
	if r := verify(t, changed, pam.Trust{}); r.Verdict != pam.Broken {
		t.Errorf("a change is a change in any version: %+v", r)
	}
}

func TestWarnings(t *testing.T) {
	k := key(t)
	with := func(change func(d map[string]any)) []byte {
		var d map[string]any
		if err := json.Unmarshal(store(t, 2, k), &d); err != nil {
			t.Fatal(err)
		}
		change(d)
		out, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	other, err := pam.Generate()
	if err != nil {
		t.Fatal(err)
	}
	for check, change := range map[string]func(d map[string]any){
		"signature-owner": func(d map[string]any) { inner(d, "owner")["did"] = "did:web:example.com" },
		"key-id":          func(d map[string]any) { inner(d, "signature")["key_id"] = other.Public().KeyID() },
	} {
		if r := verify(t, with(change), pam.Trust{}); r.Verdict != pam.Unknown || !has(r.Warnings, check) {
			t.Errorf("%s: %+v", check, r)
		}
	}
	mismatch := with(func(d map[string]any) { inner(d, "owner")["did"] = other.DID() })
	if r := verify(t, mismatch, pam.Trust{}); r.Verdict != pam.Broken {
		t.Errorf("the owner is known by another key: %+v", r)
	}
	bare := edited(t, func(map[string]any) {})
	if r := verify(t, bare, pam.Trust{}); r.Verdict != pam.Unsigned || !has(r.Warnings, "integrity") {
		t.Errorf("%+v", r)
	}
}

// TestOnePieceCannotFillTheMemory: each piece of a document has a limit.
func TestOnePieceCannotFillTheMemory(t *testing.T) {
	endless := strings.NewReader(`{"memories":[{"id":"` + strings.Repeat("x", 1<<20))
	var f *fault.Error
	if err := pam.WalkWithin(endless, 1<<16); !errors.As(err, &f) || f.Code != fault.TooLarge {
		t.Errorf("%v", err)
	}
	many := `{"memories":[` + strings.Repeat(`{"id":"x"},`, 100_000) + `{}]}`
	if err := pam.WalkWithin(strings.NewReader(many), 1<<16); err != nil {
		t.Errorf("many small pieces: %v", err)
	}
	members := `{"a":"` + strings.Repeat("x", 40_000) + `","b":"` + strings.Repeat("x", 40_000) + `"}`
	if err := pam.WalkWithin(strings.NewReader(members), 1<<16); !errors.As(err, &f) || f.Code != fault.TooLarge {
		t.Errorf("members count together: %v", err)
	}
}

// TestVerifyingHoldsNothing verifies a document of 16 MB and looks at the heap
// while it is read.
func TestVerifyingHoldsNothing(t *testing.T) {
	text := store(t, 20_000, key(t))
	if len(text) < 16<<20 {
		t.Fatalf("only %d bytes", len(text))
	}
	heap := &watched{at: bytes.NewReader(text), every: 16}
	tr, err := intake.Open(t.Context(), []intake.Source{intake.FromReaderAt("x.json", int64(len(text)), heap)}, intake.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	before := heapNow()
	r, err := pam.Verify(t.Context(), tr, compiled(t), pam.Trust{})
	if err != nil || r.Verdict != pam.Unknown {
		t.Fatalf("%+v %v", r, err)
	}
	if heap.most == 0 {
		t.Fatal("nobody looked")
	}
	more := int64(heap.most) - int64(before)
	t.Logf("%+d KB of heap at most for %d MB of document, in %d looks", more>>10, len(text)>>20, heap.n/16)
	if more > 4<<20 {
		t.Errorf("%d MB were held", more>>20)
	}
}

func heapNow() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// watched looks at the heap while it is read.
type watched struct {
	at    io.ReaderAt
	every int // so many reads one look
	n     int
	most  uint64
}

func (w *watched) ReadAt(p []byte, off int64) (int, error) {
	if w.n++; w.n%w.every == 0 {
		w.most = max(w.most, heapNow())
	}
	return w.at.ReadAt(p, off)
}
