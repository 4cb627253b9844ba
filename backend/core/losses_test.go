package core_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/memory"
)

const aMinute = "2026-01-01T00:00:00Z"

// sparse is a bundle that says little of much, and much that most programs never say.
func sparse(k *kit) []byte {
	with := func(id, text string, more map[string]any) map[string]any {
		m := map[string]any{"id": id, "type": "fact", "content": text, "content_hash": memory.ContentHash(text), "status": "active", "tags": []any{},
			"temporal": map[string]any{"created_at": aMinute}, "provenance": map[string]any{"platform": "elsewhere"}}
		maps.Copy(m, more)
		return m
	}
	store := document{
		"schema": "portable-ai-memory", "schema_version": "1.0", "export_id": "0190a000-0000-7000-8000-00000000000a", "export_date": aMinute, "owner": map[string]any{"id": "o"},
		"memories": []any{
			with("0190a000-0000-7000-8000-000000000001", "likes tea", map[string]any{"confidence": map[string]any{"decay_model": "none"}}),
			with("0190a000-0000-7000-8000-000000000002", "likes coffee", map[string]any{"confidence": map[string]any{"current": 0.5, "decay_model": "none"}}),
			with("0190a000-0000-7000-8000-000000000003", "likes milk", map[string]any{"confidence": map[string]any{"initial": 0.25, "decay_model": "time_linear", "last_reinforced": aMinute},
				"metadata": map[string]any{"confidence": map[string]any{"current": 0.125}}}),
		},
		"relations": []any{},
		"conversations_index": []any{
			map[string]any{"id": "0190a000-0000-7000-8000-0000000000c1", "platform": "elsewhere", "title": "By the index", "tags": []any{"indexed"},
				"temporal": map[string]any{"created_at": aMinute}, "message_count": 1,
				"storage": map[string]any{"type": "file", "ref": "conversations/0190a000-0000-7000-8000-0000000000c1.json", "format": "json"}},
			map[string]any{"id": "0190a000-0000-7000-8000-0000000000c2", "platform": "elsewhere", "title": "Never counted", "temporal": map[string]any{"created_at": aMinute}},
			map[string]any{"id": "0190a000-0000-7000-8000-0000000000c3", "platform": "elsewhere", "title": "Elsewhere", "message_count": 7, "temporal": map[string]any{"created_at": aMinute},
				"storage": map[string]any{"type": "uri", "ref": "https://example.org/c3", "format": "json"}},
		},
	}
	conversation := `{"schema":"portable-ai-memory-conversation","schema_version":"1.0","id":"0190a000-0000-7000-8000-0000000000c1","provider":{"name":"elsewhere"},"temporal":{"created_at":"` + aMinute + `"},
		"messages":[{"id":"m1","role":"user","created_at":"` + aMinute + `","token_count":3.0,
			"content":{"type":"multipart","parts":[{"type":"text","text":"hi"},{"type":"image","ref":"https://example.org/part.png"}]},
			"attachments":[{"type":"image","name":"a","ref":"https://example.org/a.png","size_bytes":2e3},{"type":"file","name":"b","ref":"attachments/gone"}]}]}`
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range map[string][]byte{"memory-store.json": store.text(k), "conversations/0190a000-0000-7000-8000-0000000000c1.json": []byte(conversation)} {
		if _, err := ok(z.Create(name)).Write(text); err != nil {
			k.t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		k.t.Fatal(err)
	}
	return b.Bytes()
}

// TestNothingIsMadeUpOnTheWay: what a document leaves unsaid leaves unsaid, and what
// the vault has no place for leaves as it came.
func TestNothingIsMadeUpOnTheWay(t *testing.T) {
	k := fresh(t)
	k.take("sparse.zip", sparse(k), core.ImportOptions{})
	if row := k.saying("likes tea"); row.Confidence.IsStated() || row.Confidence.Value() != 1 {
		t.Errorf("a certainty that nobody stated: %+v", row.Confidence)
	}
	r, _ := k.export("out.zip", core.ExportOptions{IncludeConversations: true})
	k.valid(r.Path)
	files := unzipped(t, r.Path)
	d := parse(t, files["memory-store.json"])
	for text, want := range map[string]string{
		"likes tea": `{"decay_model":"none"}`, "likes coffee": `{"current":0.5,"decay_model":"none"}`, "likes milk": `{"decay_model":"time_linear","initial":0.25,"last_reinforced":"` + aMinute + `"}`,
	} {
		if got := ok(json.Marshal(d.saying(text)["confidence"])); string(got) != want {
			t.Errorf("%s: %s instead of %s", text, got, want)
		}
	}
	if meta := ok(json.Marshal(d.saying("likes milk")["metadata"])); !strings.Contains(string(meta), `"current":0.125`) {
		t.Errorf("of the open block: %s", meta)
	}
	was, is := parse(t, unzipped(t, k.file("sparse.zip", sparse(k)))["memory-store.json"])["conversations_index"].([]any), d["conversations_index"].([]any)
	for i := range was {
		if !reflect.DeepEqual(was[i], is[i]) {
			t.Errorf("entry %v left as %v", was[i], is[i])
		}
	}
	if len(files) != 3 { // the store, one conversation, the digest
		t.Errorf("%d files", len(files))
	}
	var c memory.Conversation
	if err := json.Unmarshal(files["conversations/0190a000-0000-7000-8000-0000000000c1.json"], &c); err != nil {
		t.Fatal(err)
	}
	m := c.Messages[0]
	if c.Title != "By the index" || len(c.Tags) != 1 || *m.TokenCount != 3 || *m.Attachments[0].SizeBytes != 2000 || m.RawMetadata != nil {
		t.Errorf("%+v", c)
	}
	if m.Attachments[0].Ref != "https://example.org/a.png" || m.Content.Parts[1].Ref != "https://example.org/part.png" || m.Attachments[1].Ref != "" {
		t.Errorf("references: %+v, %+v", m.Attachments, m.Content.Parts)
	}
	there := other(t)
	there.imports(r.Path)
	again, _ := there.export("again.zip", core.ExportOptions{IncludeConversations: true})
	if two := parse(t, unzipped(t, again.Path)["memory-store.json"]); !reflect.DeepEqual(two["memories"], d["memories"]) || !reflect.DeepEqual(two["conversations_index"], d["conversations_index"]) {
		t.Errorf("the second time as %v", two)
	}
	hidden, _ := k.export("hidden.zip", core.ExportOptions{IncludeConversations: true, StripIDs: true})
	for name, text := range unzipped(t, hidden.Path) {
		if bytes.Contains(text, []byte("example.org")) {
			t.Errorf("%s names places of somebody's own", name)
		}
	}
}

// TestAConversationThatNobodyHas: a memory goes on naming it where there is no index
// that it would have to stand in (§14.1).
func TestAConversationThatNobodyHas(t *testing.T) {
	k := fresh(t)
	d := parse(t, unzipped(t, k.file("sparse.zip", sparse(k)))["memory-store.json"])
	delete(d, "conversations_index")
	d.saying("likes tea")["provenance"].(map[string]any)["conversation_ref"] = "conv-9"
	k.take("one.json", d.text(k), core.ImportOptions{})
	named := func(name string, o core.ExportOptions) any {
		r, text := k.export(name, o)
		k.valid(r.Path)
		return parse(t, text).saying("likes tea")["provenance"].(map[string]any)["conversation_ref"]
	}
	if got := named("out.json", core.ExportOptions{}); got != "conv-9" {
		t.Errorf("names %v", got)
	}
	if got := named("hidden.json", core.ExportOptions{StripIDs: true}); got != nil {
		t.Errorf("names %v without ids", got)
	}
	k.imports(k.write("book.json", sampleBook()))
	if got := named("more.json", core.ExportOptions{}); got != nil {
		t.Errorf("names %v, which is not in the index", got)
	}
}

// TestADocumentMayBeEmpty: that there is nothing to remember is no mistake.
func TestADocumentMayBeEmpty(t *testing.T) {
	k := full(t)
	_, text := k.export("out.json", core.ExportOptions{})
	d := parse(t, text)
	d["memories"], d["relations"], d["conversations_index"] = []any{}, []any{}, []any{}
	d["export_id"] = "0190a000-0000-7000-8000-00000000000b"
	if r := k.take("empty.json", d.text(k), core.ImportOptions{}); r.State != "done" || r.Memories.New+r.Memories.Updated != 0 {
		t.Errorf("%+v", r)
	}
}

// TestEveryPlaceOutsideIsTold: each reference that leaves the bundle is told with its
// own place, and a conversation whose file holds another is taken from the index.
func TestEveryPlaceOutsideIsTold(t *testing.T) {
	k := fresh(t)
	entry := func(id, ref string) map[string]any {
		return map[string]any{"id": id, "platform": "elsewhere", "title": id, "temporal": map[string]any{"created_at": aMinute}, "storage": map[string]any{"type": "file", "ref": ref}}
	}
	dir := filepath.Join(k.root, "outside")
	held := unzipped(t, k.file("sparse.zip", sparse(k)))
	d := parse(t, held["memory-store.json"])
	c1 := "0190a000-0000-7000-8000-0000000000c1"
	d["conversations_index"] = []any{entry("a", "/etc/passwd"), entry("b", "../b.json"), entry("c", "conversations/none.json"), entry("d", "conversations/"+c1+".json"), entry(c1, "conversations/"+c1+".json")}
	d.saying("likes tea")["embedding_ref"], d.saying("likes milk")["embedding_ref"] = "e1", "e3"
	d.saying("likes tea")["provenance"].(map[string]any)["conversation_ref"] = "d"
	vector := func(id, of, rest string) string {
		return `{"id":"` + id + `","memory_id":"` + of + `","model":"m","dimensions":1,"created_at":"` + aMinute + `",` + rest + `"storage":{"type":"file","ref":"../../v.bin"}}`
	}
	for name, text := range map[string][]byte{
		"memory-store.json": d.text(k), "conversations/" + c1 + ".json": held["conversations/"+c1+".json"],
		"embeddings.json": []byte(`{"schema":"portable-ai-memory-embeddings","schema_version":"1.0","embeddings":[` +
			vector("e1", "0190a000-0000-7000-8000-000000000001", `"vector":[1],`) + "," + vector("e3", "0190a000-0000-7000-8000-000000000003", "") + `]}`),
	} {
		if err := errors.Join(os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700), os.WriteFile(filepath.Join(dir, name), text, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	r := k.imports(dir)
	addsUp(t, r)
	var told []string
	for _, p := range r.Problems {
		told = append(told, p.Reason+" "+p.Args["place"])
	}
	want := []string{
		"pam-outside /conversations_index/0/storage/ref", "pam-outside /conversations_index/1/storage/ref", "pam-file-missing /conversations_index/2/storage/ref",
		"pam-file-other /conversations_index/3/storage/ref", "pam-outside embeddings.json#/embeddings/0/storage/ref", "pam-outside embeddings.json#/embeddings/1/storage/ref",
	}
	if !slices.Equal(told, want) {
		t.Errorf("told %q", told)
	}
	if r.Conversations.New != 5 || r.Memories.New != 3 {
		t.Errorf("%+v", r)
	}
	out, text := k.export("out.json", core.ExportOptions{})
	k.valid(out.Path)
	if got := parse(t, text).saying("likes tea")["provenance"].(map[string]any)["conversation_ref"]; got != "d" {
		t.Errorf("comes from %v", got)
	}
	if again := k.imports(dir); again.Conversations.New+again.Conversations.Updated+again.Memories.New != 0 {
		t.Errorf("the second time: %+v", again)
	}
}

// TestNothingThatCameInStopsAnExport: whatever a document says that Portable AI Memory
// cannot hold, the rest still leaves, valid, and what was left out was told.
func TestNothingThatCameInStopsAnExport(t *testing.T) {
	entry := func(id string, more map[string]any) map[string]any {
		e := map[string]any{"id": id, "platform": "elsewhere", "temporal": map[string]any{"created_at": aMinute}}
		maps.Copy(e, more)
		return e
	}
	file := func(id string) map[string]any {
		return map[string]any{"storage": map[string]any{"type": "file", "ref": "conversations/" + id + ".json"}}
	}
	talk := func(id, raw, messages string) []byte {
		return []byte(`{"schema":"portable-ai-memory-conversation","schema_version":"1.0","id":"` + id + `","provider":{"name":"elsewhere"},"temporal":{"created_at":"` + aMinute + `"},"raw_metadata":` + raw + `,"messages":[` + messages + `]}`)
	}
	embedding := func(more string) []byte {
		return []byte(`{"schema":"portable-ai-memory-embeddings","schema_version":"1.0","embeddings":[{"id":"e","memory_id":"0190a000-0000-7000-8000-000000000001","model":"m","created_at":"` + aMinute + `",` + more + `}]}`)
	}
	const late = "9999-12-31T23:59:59-23:59"
	for name, c := range map[string]struct {
		change func(d document)
		files  map[string][]byte
		told   string // reason and place, "" for nothing
	}{
		"a count beyond doubles": {func(d document) {
			d["conversations_index"] = []any{entry("c", map[string]any{"message_count": json.Number("9007199254740993")})}
		}, nil, "pam-number /conversations_index/0/message_count"},
		"a count beyond everything": {func(d document) {
			d["conversations_index"] = []any{entry("c", map[string]any{"message_count": json.Number("18446744073709551616")})}
		}, nil, "pam-piece /conversations_index/0/message_count"},
		"a place outside, planted": {func(d document) { d["conversations_index"] = []any{entry("c", file("c"))} },
			map[string][]byte{"conversations/c.json": talk("c", `{"keepsake_message_count":99,"keepsake_storage":{"type":"file","ref":"../../evil"}}`, "")}, ""},
		"no place, planted": {func(d document) { d["conversations_index"] = []any{entry("c", file("c"))} },
			map[string][]byte{"conversations/c.json": talk("c", `{"keepsake_message_count":1.5,"keepsake_storage":{"type":"","ref":""}}`, "")}, ""},
		"a count, planted": {func(d document) { d["conversations_index"] = []any{entry("c", file("c"))} },
			map[string][]byte{"conversations/c.json": talk("c", `{"keepsake_message_count":9007199254740993,"keepsake_storage":[]}`, "")}, ""},
		"a great vector": {func(d document) { d.saying("likes tea")["embedding_ref"] = "e" },
			map[string][]byte{"embeddings.json": embedding(`"dimensions":2,"vector":[1e20,-1.5e300]`)}, ""},
		"dimensions beyond doubles": {func(d document) { d.saying("likes tea")["embedding_ref"] = "e" },
			map[string][]byte{"embeddings.json": embedding(`"dimensions":9007199254740993,"storage":{"type":"uri","ref":"x:y"}`)}, "embedding-too-many "},
		"a memory of the year 10000": {func(d document) { d.saying("likes tea")["temporal"].(map[string]any)["updated_at"] = late }, nil, "pam-piece /memories/0/temporal/updated_at"},
		"a message of the year 10000": {func(d document) { d["conversations_index"] = []any{entry("c", file("c"))} },
			map[string][]byte{"conversations/c.json": talk("c", `{}`, `{"id":"m","role":"user","created_at":"`+late+`"}`)}, "pam-conversation /messages/0/created_at"},
		"times that go back": {func(d document) {
			maps.Copy(d.saying("likes tea")["temporal"].(map[string]any), map[string]any{"updated_at": "2020-01-01T00:00:00Z", "valid_from": aMinute})
		}, nil, "pam-time-order /memories/0/temporal/updated_at"},
		"an end before its beginning": {func(d document) {
			maps.Copy(d.saying("likes tea")["temporal"].(map[string]any), map[string]any{"valid_from": aMinute, "valid_until": "2020-01-01T00:00:00Z"})
		}, nil, "pam-time-order /memories/0/temporal/valid_until"},
	} {
		k := fresh(t)
		d := parse(t, unzipped(t, k.file("sparse.zip", sparse(k)))["memory-store.json"])
		d["conversations_index"] = []any{}
		c.change(d)
		files := map[string][]byte{"memory-store.json": d.text(k)}
		maps.Copy(files, c.files)
		dir := filepath.Join(k.root, "in")
		for at, text := range files {
			if err := errors.Join(os.MkdirAll(filepath.Join(dir, filepath.Dir(at)), 0o700), os.WriteFile(filepath.Join(dir, at), text, 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		r := k.imports(dir)
		addsUp(t, r)
		told := ""
		for _, p := range r.Problems {
			told += p.Reason + " " + p.Args["place"]
		}
		if told != c.told {
			t.Errorf("%s: told %q", name, told)
		}
		for _, o := range []core.ExportOptions{{}, {IncludeConversations: true, IncludeEmbeddings: true}} {
			out, err := k.ExportPAM(ctx, filepath.Join(k.root, "out.zip"), o)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if v := ok(k.Validate(ctx, core.Input{Path: out.Path})); !v.Valid || len(v.Warnings) > 0 {
				t.Errorf("%s: %+v", name, v)
			}
		}
	}
}

// TestIDsOfADocumentAreStripped: what another program called a conversation and a
// message stands in no word of what leaves without ids, nor a vector of such words.
func TestIDsOfADocumentAreStripped(t *testing.T) {
	k := fresh(t)
	d := parse(t, unzipped(t, k.file("sparse.zip", sparse(k)))["memory-store.json"])
	says(d.saying("likes tea"), "likes tea, see talk-11223344, msg-55667788 and user-99001122", k.clock)
	m := d.saying("likes tea, see talk-11223344, msg-55667788 and user-99001122")
	m["summary"], m["embedding_ref"], d.saying("likes milk")["embedding_ref"] = "of talk-11223344", "e1", "e3"
	m["provenance"] = map[string]any{"platform": "elsewhere", "conversation_ref": "talk-11223344", "message_ref": "msg-55667788", "platform_user_id": "user-99001122"}
	d["conversations_index"] = []any{map[string]any{"id": "talk-11223344", "platform": "elsewhere", "title": "Of talk-11223344", "temporal": map[string]any{"created_at": aMinute}, "derived_memories": []any{m["id"]},
		"storage": map[string]any{"type": "file", "ref": "conversations/a.json"}}}
	vector := func(id, of string) string {
		return `{"id":"` + id + `","memory_id":"` + of + `","model":"m","dimensions":1,"created_at":"` + aMinute + `","vector":[1]}`
	}
	dir := filepath.Join(k.root, "in")
	for name, text := range map[string]string{
		"memory-store.json": string(d.text(k)),
		"conversations/a.json": `{"schema":"portable-ai-memory-conversation","schema_version":"1.0","id":"talk-11223344","title":"Of talk-11223344","provider":{"name":"elsewhere"},"temporal":{"created_at":"` + aMinute + `"},
			"messages":[{"id":"msg-55667788","role":"user","created_at":"` + aMinute + `","content":{"type":"text","text":"as in talk-11223344"}}]}`,
		"embeddings.json": `{"schema":"portable-ai-memory-embeddings","schema_version":"1.0","embeddings":[` + vector("e1", m["id"].(string)) + "," + vector("e3", d.saying("likes milk")["id"].(string)) + `]}`,
	} {
		if err := errors.Join(os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	k.imports(dir)
	r, _ := k.export("hidden.zip", core.ExportOptions{StripIDs: true, IncludeConversations: true, IncludeEmbeddings: true})
	k.valid(r.Path)
	files := unzipped(t, r.Path)
	for name, text := range files {
		for _, id := range []string{"talk-11223344", "msg-55667788", "user-99001122"} {
			if bytes.Contains(text, []byte(id)) {
				t.Errorf("%s leaves in %s: %s", id, name, text)
			}
		}
	}
	left := parse(t, files["memory-store.json"])
	if left.saying("likes tea, see [id], [id] and [id]")["embedding_ref"] != nil || left.saying("likes milk")["embedding_ref"] == nil || bytes.Count(files["embeddings.json"], []byte("memory_id")) != 1 {
		t.Errorf("%s", files["embeddings.json"])
	}
}
