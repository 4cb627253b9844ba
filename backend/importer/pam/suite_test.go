package pam_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"keepsake/backend/importer"
	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/importer/pam"
)

// TestSuite holds the reader to what all readers promise.
func TestSuite(t *testing.T) { Run(t, pam.New(), own(), others()) }

func own() []Fixture {
	o := gen.PAMOptions{Seed: 3, Memories: 9, Conversations: 3, Turns: 2}
	files, truth := gen.PAM(o)
	foreign, strange := gen.PAM(gen.PAMOptions{Seed: 4, Memories: 5, Conversations: 2, Turns: 2, Foreign: true})
	inStore := func(t gen.PAMTruth) int { return len(t.IDs) + t.Relations }
	inBundle := func(t gen.PAMTruth) int { return inStore(t) + 2*2*len(t.Conversations) } // two turns each
	vectors, _ := embedded(`[3,4]`)
	folder := make([]gen.File, 0, len(files))
	var talk gen.File
	for _, f := range files {
		if strings.HasPrefix(f.Name, "conversations/") {
			talk = gen.File{Name: path.Base(f.Name), Data: f.Data}
		}
		folder = append(folder, gen.File{Name: "my export/" + f.Name, Data: f.Data})
	}
	all := []Fixture{
		{Name: "bundle", Format: "bundle", Files: []gen.File{{Name: "memories.pam.zip", Data: gen.Zip(files)}}, Conversations: 3, Records: inBundle(truth), Golden: true},
		{Name: "bundle in a folder", Format: "bundle", Files: []gen.File{{Name: "memories.zip", Data: gen.Zip(folder)}}, Conversations: 3, Records: inBundle(truth)},
		{Name: "foreign bundle", Format: "bundle", Files: []gen.File{{Name: "memories.pam.zip", Data: gen.Zip(foreign)}}, Conversations: 2, Records: inBundle(strange), Golden: true},
		{Name: "bundle with embeddings", Format: "bundle", Files: []gen.File{{Name: "memories.zip", Data: gen.Zip(vectors)}}},
		{Name: "conversation", Format: "conversations", Files: []gen.File{talk}, Conversations: 1, Records: 2 * 2},
		{Name: "store", Format: "store", Files: []gen.File{{Name: "keepsake-2026-08-01.pam.json", Data: files[0].Data}}, Conversations: 3, Records: inStore(truth)},
	}
	refused := "what was signed is UTF-8 without a mark, so the file is refused by name"
	for i := range all {
		all[i].Forms = map[string]string{"with a mark": refused, "in UTF-16": refused, "doubled": "two documents are two imports"}
	}
	return all
}

// A document that was saved in another encoding is told from what nobody knows.
func TestAnotherEncodingIsNamed(t *testing.T) {
	for _, f := range own() {
		if len(f.Files) > 1 || strings.HasSuffix(f.Files[0].Name, ".zip") {
			continue
		}
		document, wide := f.Files[0].Data, []byte{0xff, 0xfe}
		for _, u := range utf16.Encode([]rune(string(document))) {
			wide = binary.LittleEndian.AppendUint16(wide, u)
		}
		for name, data := range map[string][]byte{"a mark": append([]byte("\xef\xbb\xbf"), document...), "UTF-16": wide} {
			m, err := pam.New().Sniff(t.Context(), Fixture{Files: []gen.File{{Name: "x.pam.json", Data: data}}}.Tree(t))
			if err != nil || m.Advice == nil || m.Advice.Reason != "pam-encoding" {
				t.Errorf("%s, %s: %+v, %v", f.Name, name, m, err)
			}
		}
	}
}

func others() []Fixture {
	list := []Fixture{
		Loose("conversations.json", `[]`),
		Loose("mif.json", `{"schema_version":"1.0.0","generator":"x","memories":[{"id":"1","content":"likes tea","content_hash":"x","memory_type":"fact"}]}`),
		Loose("mem0.json", `{"results":[{"memory":"likes tea","user_id":"u"}]}`),
		Loose("embeddings.json", `{"schema":"portable-ai-memory-embeddings","schema_version":"1.0","embeddings":[]}`),
	}
	for _, era := range gen.Eras() {
		data, _ := gen.ChatGPT(gen.ChatGPTOptions{Seed: 1, Era: era})
		name := "chatgpt.zip"
		if era == gen.Loose {
			name = "chatgpt.json"
		}
		list = append(list, Fixture{Name: "chatgpt " + string(era), Files: []gen.File{{Name: name, Data: data}}})
	}
	files, _ := gen.ClaudeZips(gen.OneZip, gen.ClaudeOptions{Seed: 1})
	return append(list, Fixture{Name: "claude", Files: files})
}

// TestThePlantedTruth: every memory, relation and conversation that was planted
// comes out, and every member that nobody knows is counted.
func TestThePlantedTruth(t *testing.T) {
	for _, foreign := range []bool{false, true} {
		files, truth := gen.PAM(gen.PAMOptions{Seed: 8, Memories: 12, Conversations: 4, Turns: 3, Foreign: foreign})
		r := Read(t, pam.New(), Fixture{Files: []gen.File{{Name: "x.zip", Data: gen.Zip(files)}}}.Tree(t))
		if strings.Join(r.Contents(), "\n") != strings.Join(truth.Contents, "\n") {
			t.Errorf("memories are %q, planted %q", r.Contents(), truth.Contents)
		}
		for i, d := range r.Records {
			if d.ID != truth.IDs[i] || d.Owner == "" || d.At.IsZero() {
				t.Errorf("record %d is %q of %q, exported at %v", i, d.ID, d.Owner, d.At)
			}
		}
		if len(r.Relations) != truth.Relations || len(r.Conversations) != len(truth.Conversations) {
			t.Errorf("%d relations and %d conversations", len(r.Relations), len(r.Conversations))
		}
		for _, c := range r.Conversations {
			if len(c.Messages) != 6 || len(c.ActivePath()) != 6 {
				t.Errorf("%s has %d messages, %d on the way to %q", c.ID, len(c.Messages), len(c.ActivePath()), c.Leaf)
			}
		}
		unknown := 0
		for _, n := range r.Unknown {
			unknown += n
		}
		if unknown != truth.Unknown {
			t.Errorf("%d unknown members counted, %d planted: %v", unknown, truth.Unknown, r.Unknown)
		}
	}
}

// embedded is a bundle of five memories and an embedding of each: two that can be
// kept, one in a file, one whose vector is given, and one that its memory does not name.
func embedded(vector string) ([]gen.File, gen.PAMTruth) {
	files, truth := gen.PAM(gen.PAMOptions{Seed: 7, Memories: 5})
	for i, id := range truth.IDs[:4] {
		files[0].Data = []byte(strings.Replace(string(files[0].Data), `"id":"`+id+`"`, `"embedding_ref":"e`+strconv.Itoa(i)+`","id":"`+id+`"`, 1))
	}
	item := func(i int, rest string) string {
		return fmt.Sprintf(`{"id":"e%d","memory_id":%q,"model":"m","dimensions":2,"created_at":"2026-01-01T00:00:00Z",%s}`, i, truth.IDs[i], rest)
	}
	items := []string{
		item(0, `"vector":[1,0.5]`), item(1, `"vector":null,"storage":{"type":"uri","ref":"x://y"}`),
		item(2, `"storage":{"type":"file","ref":"v.bin"}`), item(3, `"vector":`+vector), item(4, `"vector":[1,2]`),
	}
	return append(files, gen.File{Name: "embeddings.json", Data: []byte(
		`{"schema":"portable-ai-memory-embeddings","schema_version":"1.0","embeddings":[` + strings.Join(items, ",") + `]}`)}), truth
}

// TestEmbeddings: each that a memory names is given as it stands; what cannot be
// kept is counted by its reason, and one that does not fit is told.
func TestEmbeddings(t *testing.T) {
	files, truth := embedded(`[1]`)
	r := Read(t, pam.New(), Fixture{Files: []gen.File{{Name: "x.zip", Data: gen.Zip(files)}}}.Tree(t))
	CheckDrafts(t, pam.New().Info(), r)
	if len(r.Records) != 5 || len(r.Embeddings) != 2 {
		t.Fatalf("%d memories, embeddings %+v", len(r.Records), r.Embeddings)
	}
	if x := r.Embeddings[0]; x.MemoryID != truth.IDs[0] || x.ID != "e0" || !slices.Equal(x.Vector, []float64{1, 0.5}) || x.Owner == "" || x.CreatedAt.IsZero() {
		t.Errorf("%+v", x)
	}
	if x := r.Embeddings[1]; x.Vector != nil || x.StorageType != "uri" || x.StorageRef != "x://y" || x.Dimensions != 2 {
		t.Errorf("%+v", x)
	}
	if r.Skipped["embedding-in-file"] != 1 || r.Skipped["embedding-without-memory"] != 1 {
		t.Errorf("left out: %v", r.Skipped)
	}
	if len(r.Problems) != 1 || r.Problems[0].At != "/embeddings/3" || r.Problems[0].Reason != "embedding-dimensions" {
		t.Errorf("told: %+v", r.Problems)
	}
}

// TestAnIndexEntryWithoutAFile is given without messages, and says how many
// there were.
func TestAnIndexEntryWithoutAFile(t *testing.T) {
	files, truth := gen.PAM(gen.PAMOptions{Seed: 5, Memories: 2, Conversations: 2, Turns: 2})
	r := Read(t, pam.New(), Fixture{Files: []gen.File{{Name: "x.json", Data: files[0].Data}}}.Tree(t))
	if len(r.Conversations) != len(truth.Conversations) {
		t.Fatalf("%d conversations", len(r.Conversations))
	}
	for _, c := range r.Conversations {
		if len(c.Messages) != 0 || string(c.RawMetadata["keepsake_message_count"]) != "4" {
			t.Errorf("%s: %d messages, %s", c.ID, len(c.Messages), c.RawMetadata)
		}
	}
	if len(r.Problems) != 0 {
		t.Errorf("one document told that it has no files: %+v", r.Problems)
	}
	z := Read(t, pam.New(), Fixture{Files: []gen.File{{Name: "x.zip", Data: gen.Zip(files[:1])}}}.Tree(t))
	if len(z.Conversations) != len(truth.Conversations) || len(z.Problems) != len(truth.Conversations) || z.Problems[0].Reason != "pam-file-missing" {
		t.Errorf("a bundle of the store alone: %+v", z.Problems)
	}
}

func TestVersions(t *testing.T) {
	document := func(version string) Fixture {
		return Loose("x.json", `{"schema":"portable-ai-memory","schema_version":"`+version+`","owner":{"id":"o"},"memories":[{"id":"m-1","type":"fact","content":"likes tea",`+
			`"content_hash":"sha256:00","temporal":{"created_at":"2026-01-01T00:00:00Z"},"provenance":{"platform":"x-1"},"feeling":1}]}`)
	}
	r := Read(t, pam.New(), document("1.3").Tree(t))
	if len(r.Records) != 1 || len(r.Problems) != 1 || r.Problems[0].Reason != "pam-newer" || r.Unknown["memory:feeling"] != 1 {
		t.Errorf("a newer minor version: %+v", r)
	}
	err := pam.New().Read(t.Context(), document("2.0").Tree(t), (&Recording{}).Sink())
	if err == nil || !strings.Contains(err.Error(), "2.0") {
		t.Errorf("another major version: %v", err)
	}
	m, err := pam.New().Sniff(t.Context(), document("2.0").Tree(t))
	if err != nil || m.Certainty != importer.Certain || m.Advice == nil {
		t.Errorf("sniffed as %+v, %v", m, err)
	}
}

// TestCompanionsOfOtherVersions (§22.3): a conversation and embeddings of a newer
// minor version are read, and what that added, wherever it stands, is counted; those
// of another major version are told and not read.
func TestCompanionsOfOtherVersions(t *testing.T) {
	bundle := func(version string) Fixture {
		files, _ := embedded(`[3,4]`)
		conversations, _ := gen.PAM(gen.PAMOptions{Seed: 7, Memories: 5, Conversations: 1, Turns: 1})
		conversation, last := conversations[1], &files[len(files)-1]
		for _, f := range []*gen.File{&conversation, last} {
			f.Data = []byte(strings.Replace(string(f.Data), `"schema_version":"1.0"`, `"schema_version":"`+version+`","era":1`, 1))
		}
		conversation.Data = []byte(strings.Replace(string(conversation.Data), `"messages":[{`, `"participants":[{"role":"user","mood":1}],"messages":[{"mood":1,"attachments":[{"type":"file","mood":1}],`, 1))
		last.Data = []byte(strings.Replace(string(last.Data), `"storage":{`, `"mood":1,"storage":{"mood":1,`, 1))
		return Fixture{Files: []gen.File{{Name: "x.zip", Data: gen.Zip(append(files, conversation))}}}
	}
	r := Read(t, pam.New(), bundle("1.3").Tree(t))
	newer := 0
	for _, p := range r.Problems {
		if p.Reason == "pam-newer" {
			newer++
		}
	}
	for _, name := range []string{"conversation:era", "conversation.participants:mood", "message:mood", "message.attachments:mood", "embeddings:era", "embedding:mood", "embedding.storage:mood"} {
		if r.Unknown[name] != 1 {
			t.Errorf("%s: %v", name, r.Unknown)
		}
	}
	if newer != 2 || len(r.Conversations) != 1 || len(r.Embeddings) != 3 {
		t.Errorf("%d told, %d conversations, %d embeddings: %+v", newer, len(r.Conversations), len(r.Embeddings), r.Problems)
	}
	r = Read(t, pam.New(), bundle("2.0").Tree(t))
	if len(r.Conversations) != 0 || len(r.Embeddings) != 0 || len(r.Records) != 5 || len(r.Problems) != 2 {
		t.Errorf("of another major version: %+v", r)
	}
	for _, p := range r.Problems {
		if p.Reason != "pam-version" {
			t.Errorf("%+v", p)
		}
	}
}

// TestReferencesStayInside: a reference out of the bundle is told and never
// followed.
func TestReferencesStayInside(t *testing.T) {
	files, truth := gen.PAM(gen.PAMOptions{Seed: 6, Memories: 1, Conversations: 1, Turns: 1})
	files[0].Data = []byte(strings.Replace(string(files[0].Data), `conversations/`+truth.Conversations[0], `../outside`, 1))
	r := Read(t, pam.New(), Fixture{Files: []gen.File{{Name: "x.zip", Data: gen.Zip(files[:1])}, {Name: "outside.json", Data: files[1].Data}}}.Tree(t))
	if len(r.Problems) == 0 || r.Problems[0].Reason != "pam-outside" || len(r.Conversations) != 1 || len(r.Conversations[0].Messages) != 0 {
		t.Errorf("%+v", r)
	}
}

// Promise: a conversation that does not fit is told with the place in its file.
func TestAConversationThatDoesNotFit(t *testing.T) {
	files, _ := gen.PAM(gen.PAMOptions{Seed: 6, Memories: 1, Conversations: 1, Turns: 1})
	files[1].Data = []byte(strings.Replace(string(files[1].Data), `"role":"user"`, `"role":"nobody"`, 1))
	r := Read(t, pam.New(), Fixture{Files: []gen.File{{Name: "x.zip", Data: gen.Zip(files)}}}.Tree(t))
	want := files[1].Name + "#/messages/0/role "
	if !slices.ContainsFunc(r.Problems, func(p Problem) bool { return strings.Contains(p.Message, want) }) {
		t.Errorf("%q is not told: %+v", want, r.Problems)
	}
}

// Promise: of what has an id that stands twice the first is given, and the other is
// told with both places.
func TestIDsThatStandTwice(t *testing.T) {
	files, truth := gen.PAM(gen.PAMOptions{Seed: 9, Memories: 3, Conversations: 2, Turns: 1})
	var d map[string]any
	if err := json.Unmarshal(files[0].Data, &d); err != nil {
		t.Fatal(err)
	}
	for _, array := range []string{"memories", "relations", "conversations_index"} {
		all := d[array].([]any)
		other := maps.Clone(all[0].(map[string]any))
		if array == "memories" {
			other["content"] = "other words"
		}
		d[array] = append(all, other)
	}
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	files[0].Data = text
	again := files[1]
	again.Name = "conversations/again.json"
	r := Read(t, pam.New(), Fixture{Files: []gen.File{{Name: "x.zip", Data: gen.Zip(append(files, again))}}}.Tree(t))
	if strings.Join(r.Contents(), "\n") != strings.Join(truth.Contents, "\n") || len(r.Relations) != truth.Relations || len(r.Conversations) != 2 {
		t.Errorf("%q, %d relations, %d conversations", r.Contents(), len(r.Relations), len(r.Conversations))
	}
	var told []string
	for _, p := range r.Problems {
		told = append(told, p.Message)
	}
	relation := d["relations"].([]any)[0].(map[string]any)["id"].(string)
	count := func(array string) string { return "/" + array + "/" + strconv.Itoa(len(d[array].([]any))-1) + "/id" }
	for _, want := range []string{
		"/memories/0/id and " + count("memories") + " are both " + truth.IDs[0] + ";",
		"/relations/0/id and " + count("relations") + " are both " + relation + ";",
		"/conversations_index/0/id and " + count("conversations_index") + " are both ",
		files[1].Name + "#/id and conversations/again.json#/id are both ",
	} {
		if !slices.ContainsFunc(told, func(s string) bool { return strings.Contains(s, want) }) {
			t.Errorf("%q is not told: %q", want, told)
		}
	}
	if len(told) != 4 {
		t.Errorf("told: %q", told)
	}
}

// FuzzRead holds that no file makes the reader panic or hang, and that what it
// gives is sound.
func FuzzRead(f *testing.F) {
	files, _ := gen.PAM(gen.PAMOptions{Seed: 2, Memories: 2, Conversations: 1, Turns: 2})
	foreign, _ := gen.PAM(gen.PAMOptions{Seed: 2, Memories: 2, Conversations: 1, Turns: 2, Foreign: true})
	vectors, _ := embedded(`[3,4]`)
	none := []byte(`{"embeddings":[{"id":1}]}`)
	f.Add(files[0].Data, files[1].Data, none)
	f.Add(foreign[0].Data, foreign[1].Data, none)
	f.Add(vectors[0].Data, files[1].Data, vectors[1].Data)
	f.Add([]byte(`{"schema":"portable-ai-memory","memories":[{"id":"","content":1},[],null]}`), []byte(`{"messages":[{"id":"a","parent_id":"b"},{"id":"b","parent_id":"a"}]}`), none)
	im := pam.New()
	f.Fuzz(func(t *testing.T, store, conversation, embeddings []byte) {
		fixture := Fixture{Files: []gen.File{{Name: "x.zip", Data: gen.Zip([]gen.File{
			{Name: "memory-store.json", Data: store}, {Name: "conversations/c.json", Data: conversation}, {Name: "embeddings.json", Data: embeddings},
		})}}}
		tree, err := fixture.Open()
		if err != nil {
			return // refused before any reader saw it
		}
		defer tree.Close()
		if _, err := im.Sniff(t.Context(), tree); err != nil {
			t.Fatal(err)
		}
		r := &Recording{}
		if err := im.Read(t.Context(), tree, r.Sink()); err == nil {
			CheckDrafts(t, im.Info(), r)
		}
	})
}
