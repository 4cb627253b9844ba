package pam_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/format/pam"
	"keepsake/backend/jcs"
	"keepsake/backend/memory"
)

// whole is a signed bundle with a file of each kind.
func whole(t testing.TB, k *pam.Key) map[string]string {
	t.Helper()
	c := &memory.Conversation{ID: "conv-1", Provider: memory.Provider{Name: "chatgpt"}, Temporal: memory.ConversationTemporal{CreatedAt: day},
		Messages: []memory.Message{{ID: "m1", Role: memory.User, CreatedAt: day, ChildrenIDs: []string{"m2"}}, {ID: "m2", Role: memory.Assistant, CreatedAt: day, ParentID: "m1"}}}
	picture := pam.Attachment{Ref: "aa11", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("\x89PNG bytes")), nil }}
	empty := pam.Attachment{Ref: "bb22", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("")), nil }}
	var b bytes.Buffer
	_, err := pam.WriteZip(&b, source(t, 2), pam.Bundle{Conversations: each([]pam.Talk{{Conversation: c}}), Attachments: each([]pam.Attachment{picture, empty})}, options(k))
	if err != nil {
		t.Fatal(err)
	}
	return entries(t, b.Bytes())
}

func verifyBundle(t *testing.T, files map[string]string, trust pam.Trust) pam.Report {
	t.Helper()
	r, err := pam.Verify(t.Context(), tree(t, "x.zip", zipOf(t, files)), compiled(t), trust)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Promise: the digest of a signed bundle covers everything in it, and the report
// says so.
func TestDigestCoversTheWholeBundle(t *testing.T) {
	k := key(t)
	files, own := whole(t, k), pam.Trust{Own: []pam.Public{k.Public()}}
	r := verifyBundle(t, files, own)
	if r.Verdict != pam.Own || !r.Valid || !r.Whole || len(r.NotCovered) != 0 || !slices.Contains(r.Covers, "relations") || !slices.Contains(r.Covers, "embeddings") {
		t.Fatalf("%+v", r)
	}
	inside := map[string]string{}
	for name, text := range files {
		inside["my export/"+name] = text
	}
	if r := verifyBundle(t, inside, own); !r.Whole || r.Verdict != pam.Own {
		t.Errorf("in a folder of the zip: %+v", r)
	}
	for _, name := range []string{"beside.txt", "conversations.json", "aaa.json", "memory.jsonl", "another export/memory.txt", "my export.txt", "My export/memory-store.js"} {
		added := maps.Clone(inside)
		added[name] = "[]"
		if r := verifyBundle(t, added, own); r.Whole || r.Verdict != pam.Broken || r.Valid || !has(r.Problems, "digest") || r.Problems[0].Path != name {
			t.Errorf("with %s beside its folder: %+v", name, r)
		}
	}
	bare := maps.Clone(inside)
	delete(bare, "my export/"+pam.DigestName)
	bare["conversations.json"] = "[]"
	if r := verifyBundle(t, bare, own); r.Verdict != pam.Broken || !has(r.Problems, "digest") || r.Problems[0].Path != "conversations.json" {
		t.Errorf("without its digest, and with a file beside its folder: %+v", r)
	}
	for _, junk := range []string{"__MACOSX/x", ".DS_Store", "Thumbs.db"} {
		added := maps.Clone(inside)
		added[junk] = "junk"
		if r := verifyBundle(t, added, own); !r.Whole || r.Verdict != pam.Own {
			t.Errorf("with %s: %+v", junk, r)
		}
	}
	renamed := maps.Clone(files)
	renamed["Keepsake-Digest.jcs"] = renamed[pam.DigestName]
	delete(renamed, pam.DigestName)
	if r := verifyBundle(t, renamed, own); r.Whole || !has(r.Warnings, "digest") {
		t.Errorf("with its digest renamed: %+v", r)
	}
	delete(files, pam.DigestName)
	if r := verifyBundle(t, files, pam.Trust{}); !has(r.Warnings, "digest") {
		t.Errorf("of a program that always writes one: %+v", r)
	}
	if r := verifyBundle(t, files, own); !has(r.Warnings, "digest") || r.Verdict != pam.Own || r.Whole || !slices.Contains(r.NotCovered, "relations") || !slices.Contains(r.NotCovered, "conversation files") {
		t.Errorf("without its digest: %+v", r)
	}
	if _, has := whole(t, nil)[pam.DigestName]; has {
		t.Error("an export that is not signed has a digest")
	}
}

// Promise: every file that is added, removed or changed is named.
func TestDigestNamesWhatChanged(t *testing.T) {
	k := key(t)
	files, own := whole(t, k), pam.Trust{Own: []pam.Public{k.Public()}}
	named := func(what string, files map[string]string, path string) {
		t.Helper()
		r := verifyBundle(t, files, own)
		if r.Verdict == pam.Broken && path == pam.StoreName && has(r.Problems, "json") {
			return // what is no document any more is named as that
		}
		if r.Verdict != pam.Broken || r.Whole || !slices.ContainsFunc(r.Problems, func(f pam.Finding) bool { return f.Check == "digest" && f.Path == path }) {
			t.Errorf("%s %s: %s, %+v", what, path, r.Verdict, r.Problems)
		}
	}
	for name, text := range files {
		if name == pam.DigestName {
			continue
		}
		for what, change := range changesOf(text) {
			changed := maps.Clone(files)
			changed[name] = change
			named(what, changed, name)
		}
		if name == pam.StoreName {
			continue
		}
		without := maps.Clone(files)
		delete(without, name)
		named("without", without, name)
		moved := maps.Clone(without)
		moved["attachments/moved"] = text
		named("moved", moved, name)
		named("moved", moved, "attachments/moved")
	}
	for _, name := range []string{"extra.json", "embeddings.json", "conversations/conv-2.json", "attachments/cc33", "deep/er/x"} {
		with := maps.Clone(files)
		with[name] = "{}"
		named("with", with, name)
	}
}

// changesOf are the ways to change a file: a bit, a byte more, a byte less.
func changesOf(text string) map[string]string {
	all := map[string]string{"longer": text + " ", "grown": " " + text}
	if text == "" {
		return all
	}
	all["cut"], all["emptied"] = text[:len(text)-1], ""
	for _, at := range []int{0, len(text) / 2, len(text) - 1} {
		b := []byte(text)
		b[at] ^= 1
		all["flipped"+string(rune('0'+at%10))] = string(b)
	}
	return all
}

// Promise: no byte of the digest itself can be changed, and one of another key,
// another bundle or beside a store that is not signed counts for nothing.
func TestDigestItselfIsHeld(t *testing.T) {
	k := key(t)
	files, own := whole(t, k), pam.Trust{Own: []pam.Public{k.Public()}}
	text := files[pam.DigestName]
	with := func(digest string) pam.Report {
		changed := maps.Clone(files)
		changed[pam.DigestName] = digest
		return verifyBundle(t, changed, own)
	}
	for i := range text {
		b := []byte(text)
		b[i] ^= 1
		if r := with(string(b)); r.Verdict != pam.Broken || r.Whole {
			t.Fatalf("byte %d of %d: %+v", i, len(text), r)
		}
	}
	for what, digest := range map[string]string{
		"empty": "", "spaced": " " + text, "nothing in it": "{}", "cut off": text[:len(text)-1],
		"more in it": strings.Replace(text, `{"files"`, `{"extra":1,"files"`, 1),
		"not signed": strings.Replace(text, `"algorithm":"Ed25519"`, `"algorithm":""`, 1),
	} {
		if r := with(digest); r.Verdict != pam.Broken || !has(r.Problems, "digest") {
			t.Errorf("%s: %+v", what, r)
		}
	}
	other, err := pam.Generate()
	if err != nil {
		t.Fatal(err)
	}
	if r := with(resignedDigest(t, text, other)); r.Verdict != pam.Broken || r.Whole {
		t.Errorf("a digest of these very files by another key: %+v", r)
	}
	if r := with(resignedDigest(t, text, k)); r.Verdict != pam.Own || !r.Whole {
		t.Errorf("the control: %+v", r)
	}
	unsigned := whole(t, nil)
	unsigned[pam.DigestName] = text
	if r := verifyBundle(t, unsigned, own); r.Verdict != pam.Broken || r.Whole {
		t.Errorf("beside a store that is not signed: %+v", r)
	}
}

// resignedDigest is a digest of the same files with the signature of a key.
func resignedDigest(t *testing.T, text string, by *pam.Key) string {
	t.Helper()
	var d map[string]any
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	block := d["signature"].(map[string]any)
	block["public_key"], block["key_id"], block["value"] = by.Public().Multibase(), by.Public().KeyID(), ""
	payload, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	if block["value"], err = by.SignJSON(payload); err != nil {
		t.Fatal(err)
	}
	signed, err := jcs.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return string(signed)
}

// Promise: a bundle that is signed anew gets a digest that fits it.
func TestSigningABundleRenewsItsDigest(t *testing.T) {
	k := key(t)
	files := whole(t, nil)
	folded := map[string]string{}
	for name, text := range files {
		folded["export/"+name] = text
	}
	for name, files := range map[string]map[string]string{"at the root": files, "in a folder": folded} {
		once, err := signed(t, tree(t, "x.zip", zipOf(t, files)), k)
		if err != nil {
			t.Fatal(err)
		}
		again, err := signed(t, tree(t, "x.zip", once), k)
		if err != nil {
			t.Fatal(err)
		}
		changed := entries(t, once)
		for path := range changed {
			if strings.Contains(path, "conversations/") {
				changed[path] += " "
			}
		}
		if _, err := signed(t, tree(t, "x.zip", zipOf(t, changed)), k); reason(err) != "sign-broken" {
			t.Errorf("%s: a changed bundle is signed: %v", name, err)
		}
		if len(entries(t, again)) != len(files)+1 {
			t.Errorf("%s: %d files", name, len(entries(t, again)))
		}
		r, err := pam.Verify(t.Context(), tree(t, "x.zip", again), compiled(t), pam.Trust{Own: []pam.Public{k.Public()}})
		if err != nil || r.Verdict != pam.Own || !r.Whole {
			t.Errorf("%s: %+v %v", name, r, err)
		}
	}
}
