package pam_test

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"

	"keepsake/backend/format/pam"
)

const conversationHead = `{"schema":"portable-ai-memory-conversation","schema_version":"1.0","id":"conv-1","provider":{"name":"chatgpt"},"temporal":{"created_at":"2026-01-01T00:00:00Z"},`

func message(id, more string) string {
	return `{"id":"` + id + `","role":"user","created_at":"2026-01-01T00:00:00Z"` + more + `}`
}

// TestConversationGraph breaks one rule of a companion file at a time.
func TestConversationGraph(t *testing.T) {
	for _, c := range []struct{ messages, check string }{
		{message("a", `,"children_ids":["b"]`) + `,` + message("b", `,"parent_id":"a"`), ""},
		{message("a", ``) + `,` + message("b", `,"parent_id":"a"`), ""}, // only one end tells
		{message("a", ``) + `,` + message("a", ``), "message-id"},
		{message("a", `,"parent_id":"x"`), "message-parent"},
		{message("a", `,"children_ids":["x"]`), "message-children"},
		{message("a", `,"children_ids":["b"]`) + `,` + message("b", ``), "message-children"},
		{message("a", `,"children_ids":["b"]`) + `,` + message("b", `,"parent_id":"a"`) + `,` + message("c", `,"parent_id":"a"`), "message-children"},
		{message("a", `,"parent_id":"b"`) + `,` + message("b", `,"parent_id":"a"`), "message-cycle"},
		{message("a", `,"parent_id":"a"`), "message-cycle"},
		{message("a", `,"extra":1`), "schema"},
		{strings.Replace(message("a", ``), "2026-01-01T", "2026-13-01T", 1), "date-time"},
	} {
		v := validate(t, "c.json", []byte(conversationHead+`"messages":[`+c.messages+`]}`))
		if v.Valid != (c.check == "") || c.check != "" && !has(v.Errors, c.check) {
			t.Errorf("%s: %+v", c.check, v)
		}
		if v.Kind != "portable-ai-memory-conversation" {
			t.Errorf("kind %q", v.Kind)
		}
	}
	late := strings.Replace(message("b", ``), "2026", "2025", 1)
	if v := validate(t, "c.json", []byte(conversationHead+`"messages":[`+message("a", ``)+`,`+late+`]}`)); !v.Valid || !has(v.Warnings, "message-order") {
		t.Errorf("%+v", v)
	}
	branches := message("a", ``) + `,` + strings.Replace(message("b", `,"parent_id":"a"`), "2026", "2027", 1) + `,` + message("c", `,"parent_id":"a"`)
	if v := validate(t, "c.json", []byte(conversationHead+`"messages":[`+branches+`]}`)); has(v.Warnings, "message-order") {
		t.Errorf("branches have no one order: %+v", v)
	}
}

const embeddings = `{"schema":"portable-ai-memory-embeddings","schema_version":"1.0","embeddings":[{"id":"e","memory_id":"mem-00000","model":"x","dimensions":2,"created_at":"2026-01-01T00:00:00Z","vector":[1,2]}]}`

func TestEmbeddingsAlone(t *testing.T) {
	for text, check := range map[string]string{
		embeddings: "",
		strings.Replace(embeddings, "[1,2]", "[1]", 1):                       "embedding-dimensions",
		strings.Replace(embeddings, `"dimensions":2`, `"dimensions":2.0`, 1): "",
		strings.Replace(embeddings, `[1,2]`, `null`, 1):                      "",
		strings.Replace(embeddings, `[1,2]}`, `[1,2]},`+embeddings[strings.Index(embeddings, `{"id"`):strings.Index(embeddings, `]}`)+1]+`}`, 1): "embedding-id",
	} {
		v := validate(t, "e.json", []byte(text))
		if v.Valid != (check == "") || check != "" && !has(v.Errors, check) {
			t.Errorf("%q: %+v", check, v)
		}
	}
}

// TestNumbersBesideTheMemories: a number that programs round differently is warned of
// where it stands, in every kind of piece, and nothing else about the piece goes
// unchecked for it.
func TestNumbersBesideTheMemories(t *testing.T) {
	for _, number := range []string{"9007199254740993", "18446744073709551616", "1e400", "1" + strings.Repeat("0", 400)} {
		asked := func(text string) string { return strings.ReplaceAll(text, `"N"`, number) }
		alone := validate(t, "e.json", []byte(asked(strings.NewReplacer(`"dimensions":2`, `"dimensions":"N"`, "2026-01-01T", "2026-13-01T", `[1,2]`, `["N",2]`).Replace(embeddings))))
		if !hasAt(alone.Warnings, "number", "/embeddings/0/dimensions") || !hasAt(alone.Errors, "date-time", "/embeddings/0/created_at") || !hasAt(alone.Errors, "embedding-dimensions", "/embeddings/0/dimensions") {
			t.Errorf("%.30s: %+v", number, alone)
		}
		talk := validate(t, "c.json", []byte(asked(conversationHead+`"raw_metadata":{"n":"N"},"messages":[`+message("a", `,"raw_metadata":{"n":["N"]}`)+`,`+message("b", `,"tool_calls":[{"name":"x","input":{"n":["N"]}}]`)+`]}`)))
		if !talk.Valid || len(talk.Warnings) != 1 || !hasAt(talk.Warnings, "number", "/messages/1/tool_calls/0/input/n/0") {
			t.Errorf("%.30s: %+v", number, talk)
		}
		index := validate(t, "x.json", []byte(asked(string(edited(t, func(d map[string]any) {
			d["conversations_index"].([]any)[0].(map[string]any)["message_count"] = "N"
			inner(mem(d, 0), "provenance")["conversation_ref"] = nil
		})))))
		if !hasAt(index.Warnings, "number", "/conversations_index/0/message_count") || !hasAt(index.Errors, "derived-memories", "/conversations_index/0/derived_memories/0") {
			t.Errorf("%.30s: %+v", number, index)
		}
	}
}

// TestPathsOutOfTheBundle: what a message names is a file of the bundle or lies
// elsewhere; a path that leads out is told.
func TestPathsOutOfTheBundle(t *testing.T) {
	for ref, told := range map[string]bool{"../../etc/passwd": true, "/etc/passwd": true, `..\\x`: true, "a/../../x": true, "https://example.org/a.png": false, "file-service://abc": false, "file-abc": false, "": false} {
		more := `,"attachments":[{"type":"file","ref":"` + ref + `"}],"content":{"type":"multipart","parts":[{"type":"image","ref":"` + ref + `"}]}`
		v := validate(t, "c.json", []byte(conversationHead+`"messages":[`+message("a", more)+`]}`))
		for _, place := range []string{"/messages/0/attachments/0/ref", "/messages/0/content/parts/0/ref"} {
			if hasAt(v.Warnings, "attachment-ref", place) != told || !v.Valid {
				t.Errorf("%s at %s: %+v", ref, place, v)
			}
		}
	}
}

// bundle zips a store and files beside it.
func zipOf(t testing.TB, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range files {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestBundleChecks breaks one rule between the files of a bundle at a time.
func TestBundleChecks(t *testing.T) {
	good := conversationHead + `"messages":[` + message("a", ``) + `,` + message("b", ``) + `]}`
	inBundle := func(change func(d, entry map[string]any)) string {
		return string(edited(t, func(d map[string]any) {
			entry := d["conversations_index"].([]any)[0].(map[string]any)
			entry["storage"] = map[string]any{"type": "file", "ref": "conversations/conv-1.json", "format": "json"}
			if change != nil {
				change(d, entry)
			}
		}))
	}
	with := func(store, conversation, embeddings string) map[string]string {
		files := map[string]string{"x/memory-store.json": store, "x/readme.txt": "-"}
		if conversation != "" {
			files["x/conversations/conv-1.json"] = conversation
		}
		if embeddings != "" {
			files["x/embeddings.json"] = embeddings
		}
		return files
	}
	ref := func(to string) func(d, entry map[string]any) {
		return func(_, entry map[string]any) { inner(entry, "storage")["ref"] = to }
	}
	linked := inBundle(func(d, _ map[string]any) { mem(d, 0)["embedding_ref"] = "e" })
	for _, c := range []struct {
		name, check string
		warning     bool
		files       map[string]string
	}{
		{"whole", "", false, with(inBundle(nil), good, "")},
		{"with embeddings", "", false, with(linked, good, embeddings)},
		{"an embedding out of the bundle", "storage-ref", false, with(linked, good, strings.Replace(embeddings, `"vector"`, `"storage":{"type":"file","ref":"../../etc/passwd"},"vector"`, 1))},
		{"an embedding elsewhere", "", false, with(linked, good, strings.Replace(embeddings, `"vector"`, `"storage":{"type":"uri","ref":"https://example.com/e"},"vector"`, 1))},
		{"the store alone in its bundle", "storage-ref", false, map[string]string{"memory-store.json": inBundle(nil)}},
		{"missing file", "storage-ref", false, with(inBundle(nil), "", "")},
		{"out of the bundle", "storage-ref", false, with(inBundle(ref("../x/conversations/conv-1.json")), good, "")},
		{"absolute", "storage-ref", false, with(inBundle(ref("/etc/passwd")), good, "")},
		{"another system's", "storage-ref", false, with(inBundle(ref(`..\\conv-1.json`)), good, "")},
		{"other id", "conversation-id", false, with(inBundle(nil), strings.Replace(good, `"id":"conv-1"`, `"id":"conv-2"`, 1), "")},
		{"other platform", "platform", false, with(inBundle(nil), strings.Replace(good, "chatgpt", "claude", 1), "")},
		{"other version", "schema-version", false, with(inBundle(nil), strings.Replace(good, `"1.0"`, `"1.1"`, 1), "")},
		{"other count", "message-count", true, with(inBundle(nil), conversationHead+`"messages":[`+message("a", ``)+`]}`, "")},
		{"count of none", "message-count", true, with(inBundle(func(_, e map[string]any) { e["message_count"] = 0 }), good, "")},
		{"no count", "", false, with(inBundle(func(_, e map[string]any) { delete(e, "message_count") }), good, "")},
		{"broken file", "json", false, with(inBundle(nil), good[:len(good)-1], "")},
		{"cycle", "message-cycle", false, with(inBundle(nil), conversationHead+`"messages":[`+message("a", `,"parent_id":"a"`)+`]}`, "")},
		{"not named", "conversation-file", true, with(inBundle(func(_, e map[string]any) { delete(e, "storage") }), good, "")},
		{"attachment", "attachment-ref", true, with(inBundle(nil), strings.Replace(good, `"id":"a",`, `"id":"a","attachments":[{"type":"file","ref":"attachments/no"}],`, 1), "")},
		{"imported_at", "date-time", false, with(inBundle(nil), strings.Replace(good, `"messages"`, `"import_metadata":{"imported_at":"x"},"messages"`, 1), "")},
		{"embedding of nobody", "embedding-memory", false, with(linked, good, strings.Replace(embeddings, "mem-00000", "mem-9", 1))},
		{"embedding not named", "embedding-ref", true, with(inBundle(nil), good, embeddings)},
		{"ref of nobody", "embedding-ref", false, with(linked, good, strings.Replace(embeddings, `"id":"e"`, `"id":"f"`, 1))},
		{"ref without a file", "embedding-ref", true, with(linked, good, "")},
	} {
		v := validate(t, "x.zip", zipOf(t, c.files))
		found := v.Errors
		if c.warning {
			found = v.Warnings
		}
		if c.check == "" && (!v.Valid || len(v.Warnings) > 0) || c.check != "" && (!has(found, c.check) || v.Valid != c.warning) {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
}

// Promise: CheckCompanions validates each conversation and the embeddings against their
// JSON schemas, and checks no references between files.
func TestCompanionsAreHeldAgainstTheirSchemas(t *testing.T) {
	conversation := conversationHead + `"messages":[` + message("a", ``) + `]}`
	for _, c := range []struct{ name, where, conversation, embeddings string }{
		{"whole", "", conversation, embeddings},
		{"an unknown parent", "", conversationHead + `"messages":[` + message("a", `,"parent_id":"nobody"`) + `]}`, embeddings},
		{"a role", "conversations/c.json#/messages/0/role", strings.Replace(conversation, `"user"`, `"narrator"`, 1), embeddings},
		{"a provider", "conversations/c.json#/provider/name", strings.Replace(conversation, `"chatgpt"`, `"?"`, 1), embeddings},
		{"a vector", "embeddings.json#/embeddings/0/vector", conversation, strings.Replace(embeddings, `"vector":[`, `"vector":["x",`, 1)},
		{"not JSON", "conversations/c.json#", conversation[:len(conversation)-2], embeddings},
	} {
		for _, root := range []string{"", "in/"} {
			bundle := tree(t, "x.zip", zipOf(t, map[string]string{root + "memory-store.json": "{}", root + "conversations/c.json": c.conversation, root + "embeddings.json": c.embeddings}))
			found, err := pam.CheckCompanions(t.Context(), bundle, compiled(t))
			if err != nil || (c.where == "") != (len(found) == 0) || c.where != "" && !strings.HasPrefix(found[0].Path, root+c.where) {
				t.Errorf("%s in %q: %+v, %v", c.name, root, found, err)
			}
		}
	}
}

// TestFindingsPointAtTheirPlace: the path of a finding leads there.
func TestFindingsPointAtTheirPlace(t *testing.T) {
	v := validate(t, "x.json", edited(t, func(d map[string]any) {
		mem(d, 1)["content"] = "other"
		d["conversations_index"].([]any)[0].(map[string]any)["derived_memories"] = []any{"mem-00000", "nobody"}
	}))
	want := map[string]string{"content-hash": "/memories/1/content_hash", "derived-memories": "/conversations_index/0/derived_memories/1"}
	for check, path := range want {
		if !hasAt(v.Errors, check, path) {
			t.Errorf("no %s at %s: %+v", check, path, v.Errors)
		}
	}
}

func hasAt(all []pam.Finding, check, path string) bool {
	for _, f := range all {
		if f.Check == check && f.Path == path {
			return true
		}
	}
	return false
}

// TestNotOneDocument: what holds no single memory store is told to be none.
func TestNotOneDocument(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"two documents": {"a.json": embeddings, "b.json": embeddings}, "two stores": {"a/memory-store.json": "{}", "b/memory-store.json": "{}"}, "no document": {"a.txt": "", "b.txt": ""},
	} {
		text := zipOf(t, files)
		if v := validate(t, "x.zip", text); v.Valid || !has(v.Errors, "document") {
			t.Errorf("%s: %+v", name, v)
		}
		r, err := pam.Verify(t.Context(), tree(t, "x.zip", text), compiled(t), pam.Trust{})
		if err != nil || r.Verdict != pam.Broken || !has(r.Problems, "document") {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}
