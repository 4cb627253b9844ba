package pam_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
)

// newerBundle is a bundle of three memories whose store, conversation and embeddings
// are of a version, with a member that PAM 1.0 does not have in every object of them
// that is closed; and how often each of these stands in it.
func newerBundle(t testing.TB, version string) (map[string]string, map[string]int) {
	t.Helper()
	picture := attachment("aa", "a picture")
	zipped := bundleOf(t, options(nil), embedded(t, 3), pam.Bundle{Embeddings: each(embeddingsOf(3)),
		Conversations: each([]pam.Talk{{Conversation: fullConversation()}}), Attachments: each([]pam.Attachment{picture})})
	files, planted := entries(t, zipped), map[string]int{}
	plant := func(name string, objects ...any) {
		for _, o := range objects {
			o.(map[string]any)["mood"] = map[string]any{"is": "calm"}
			planted[name+":mood"]++
		}
	}
	change := func(name string, by func(doc)) {
		d := parsed(t, []byte(files[name]))
		d["schema_version"] = version
		by(d)
		text, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(text)
	}
	list := func(v any) []any { return v.([]any) }
	in := func(v any, names ...string) any {
		for _, name := range names {
			v = v.(map[string]any)[name]
		}
		return v
	}
	change("memory-store.json", func(d doc) {
		plant("document", map[string]any(d))
		plant("document.owner", d["owner"])
		m := d.memory(0)
		plant("memory", m)
		plant("memory.temporal", m["temporal"])
		plant("memory.provenance", m["provenance"])
		plant("memory.confidence", m["confidence"])
		plant("memory.access", m["access"])
		plant("memory.access.shared_with", list(in(m, "access", "shared_with"))...)
		plant("relation", list(d["relations"])...)
		entry := list(d["conversations_index"])[0]
		plant("conversations_index", entry)
		plant("conversations_index.temporal", in(entry, "temporal"))
		plant("conversations_index.storage", in(entry, "storage"))
	})
	files["memory-store.json"] = string(resummed([]byte(files["memory-store.json"])))
	change("conversations/conv-1.json", func(d doc) {
		plant("conversation", map[string]any(d))
		for _, name := range []string{"temporal", "provider", "import_metadata"} {
			plant("conversation."+name, d[name])
		}
		plant("conversation.participants", list(d["participants"])...)
		messages := list(d["messages"])
		plant("message", messages...)
		plant("message.content", in(messages[0], "content"))
		plant("message.content.parts", list(in(messages[0], "content", "parts"))...)
		for _, name := range []string{"attachments", "citations", "tool_calls"} {
			plant("message."+name, list(in(messages[1], name))...)
		}
	})
	change("embeddings.json", func(d doc) {
		plant("embeddings", map[string]any(d))
		all := list(d["embeddings"])
		plant("embedding", all...)
		plant("embedding.storage", in(all[1], "storage"))
	})
	return files, planted
}

// Promise (§22.3): bundles whose stores, conversations and embeddings are of a newer
// minor version are merged like those of 1.0. What that added is counted by its
// names, wherever it stands, and a valid bundle of 1.0 comes out.
func TestMergeOfNewerBundles(t *testing.T) {
	newer, planted := newerBundle(t, "1.7")
	plain := bundleOf(t, options(nil), embedded(t, 3), pam.Bundle{Embeddings: each(embeddingsOf(3)),
		Conversations: each([]pam.Talk{{Conversation: fullConversation()}}), Attachments: each([]pam.Attachment{attachment("aa", "a picture")})})
	want, _ := mergeBundles(t, plain, plain, pam.MergeOptions{})
	store := map[string]int{}
	for name, n := range planted {
		if !strings.HasPrefix(name, "message") && !strings.HasPrefix(name, "conversation:") && !strings.HasPrefix(name, "conversation.") && !strings.HasPrefix(name, "embedding") {
			store[name] = n
		}
	}
	beside := maps.Clone(newer)
	beside["memory-store.json"] = entries(t, plain)["memory-store.json"]
	delete(beside, "keepsake-digest.jcs")
	both := map[string]int{}
	for name, n := range planted {
		both[name] = 2 * n
	}
	companions := maps.Clone(planted)
	maps.DeleteFunc(companions, func(name string, _ int) bool { return store[name] > 0 })
	for name, c := range map[string]struct {
		base, delta []byte
		unknown     map[string]int
	}{
		"a newer delta":               {plain, zipOf(t, newer), planted},
		"a newer base":                {zipOf(t, newer), plain, planted},
		"both":                        {zipOf(t, newer), zipOf(t, newer), both},
		"newer beside a store of 1.0": {plain, zipOf(t, beside), companions},
	} {
		files, m := mergeBundles(t, c.base, c.delta, pam.MergeOptions{})
		if !maps.Equal(m.Unknown, c.unknown) || len(m.Changes) != 0 || m.Embeddings != 3 || m.Files != 1 || m.Attachments != 1 {
			t.Errorf("%s: %+v", name, m)
		}
		for path, text := range want {
			if !sameJSON(files[path], text) {
				t.Errorf("%s: %s is\n%s\nand would be\n%s", name, path, files[path], text)
			}
		}
	}
	text, m, err := mergedIntoOne(t, plain, zipOf(t, newer))
	if v := validate(t, "merged.json", text); err != nil || !v.Valid || m.LeftOut["conversation-file"] != 1 || m.LeftOut["embeddings"] != 3 || !maps.Equal(m.Unknown, store) {
		t.Errorf("into one file: %+v, %v, %+v", m, err, v.Errors)
	}
}

func mergedIntoOne(t *testing.T, base, delta []byte) ([]byte, pam.Merged, error) {
	t.Helper()
	var out bytes.Buffer
	m, err := pam.Merge(t.Context(), tree(t, "base.zip", base), tree(t, "delta.zip", delta), compiled(t), pam.MergeOptions{AnyBase: true, Theirs: true}, pam.ToFile(&out))
	return out.Bytes(), m, err
}

// sameJSON compares what two texts say; what is no JSON is compared as it is.
func sameJSON(a, b string) bool {
	var one, other any
	if json.Unmarshal([]byte(a), &one) != nil || json.Unmarshal([]byte(b), &other) != nil {
		return a == b
	}
	x, errX := json.Marshal(one)
	y, errY := json.Marshal(other)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// Promise: a companion file of another major version stops the merge, in one
// sentence that names the file and the version, whichever side it is on.
func TestMergeRefusesCompanionsOfAnotherMajorVersion(t *testing.T) {
	plain := bundleOf(t, options(nil), embedded(t, 3), pam.Bundle{Embeddings: each(embeddingsOf(3)), Conversations: each([]pam.Talk{{Conversation: fullConversation()}})})
	for _, name := range []string{"conversations/conv-1.json", "embeddings.json"} {
		files := entries(t, plain)
		files[name] = strings.Replace(files[name], `"1.0"`, `"2.3"`, 1)
		delete(files, "keepsake-digest.jcs")
		for side, both := range map[string][2][]byte{"base.zip": {zipOf(t, files), plain}, "delta.zip": {plain, zipOf(t, files)}} {
			var out bytes.Buffer
			_, err := pam.Merge(t.Context(), tree(t, "base.zip", both[0]), tree(t, "delta.zip", both[1]), compiled(t), pam.MergeOptions{AnyBase: true, Theirs: true}, pam.ToZip(&out, day))
			if f := fault.From(err); f == nil || f.Reason != "pam-version" || !strings.Contains(f.Error(), side+"/"+name) || !strings.Contains(f.Error(), "2.3") {
				t.Errorf("%s of %s: %v", name, side, err)
			}
		}
	}
}

// Promise: a conversation that only a newer version added something to is no
// conflict, and neither is its embedding.
func TestNewerMembersAreNoConflict(t *testing.T) {
	a, _ := newerBundle(t, "1.1")
	b, _ := newerBundle(t, "1.2")
	b["embeddings.json"] = strings.ReplaceAll(b["embeddings.json"], "calm", "merry")
	b["conversations/conv-1.json"] = strings.ReplaceAll(b["conversations/conv-1.json"], "calm", "merry")
	if _, m := mergeBundles(t, zipOf(t, a), zipOf(t, b), pam.MergeOptions{}); len(m.Changes) != 0 {
		t.Errorf("%+v", m.Changes)
	}
}

// Promise (§21.1): what is marked as not exportable leaves by no merge either, of
// whichever side, and neither do its relations and its embedding; it is counted.
func TestNotExportableIsNotMerged(t *testing.T) {
	hide := func(text string) string {
		d := parsed(t, []byte(text))
		d.memory(1)["access"].(map[string]any)["exportable"] = false
		says(d.memory(1), "a secret")
		changed, err := json.Marshal(map[string]any(d))
		if err != nil {
			t.Fatal(err)
		}
		return string(resummed(changed))
	}
	plain := bundleOf(t, options(nil), embedded(t, 3), pam.Bundle{Embeddings: each(embeddingsOf(3)), Conversations: each([]pam.Talk{{Conversation: fullConversation()}})})
	files := entries(t, plain)
	files["memory-store.json"] = hide(files["memory-store.json"])
	kept := zipOf(t, files)
	for name, c := range map[string]struct {
		base, delta []byte
		choices     map[string]pam.Choice
	}{
		"in the delta":                      {plain, kept, nil},
		"in both":                           {kept, kept, nil},
		"in the base, which somebody chose": {kept, plain, map[string]pam.Choice{"mem-00001": {Of: pam.OfBase}}},
		"of both":                           {plain, kept, map[string]pam.Choice{"mem-00001": {Of: pam.OfBoth, Fields: []string{"/content", "/access/exportable"}}}},
	} {
		all, m := mergeBundles(t, c.base, c.delta, pam.MergeOptions{Choices: c.choices, ExportID: "x", ExportedBy: "keepsake/0.1.0", Date: day})
		if m.Memories != 2 || m.Updated != 0 || m.Kept != 0 || m.Mixed != 0 || m.Unchanged != 2 || m.LeftOut["not-exportable"] != 1 || m.LeftOut["relation-without-memory"] != 1 || m.Embeddings != 2 {
			t.Errorf("%s: %+v", name, m)
		}
		for path, text := range all {
			if strings.Contains(text, "a secret") || strings.Contains(text, "mem-00001") {
				t.Errorf("%s: %s holds it: %s", name, path, text)
			}
		}
	}
}
