package pam_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/memory"
	"keepsake/backend/schema"
)

// fullConversation has every member of §25 set.
func fullConversation() *memory.Conversation {
	n, size := 3, int64(5)
	return &memory.Conversation{
		ID: "conv-1", Provider: memory.Provider{Name: "chatgpt", ConversationID: "c", AccountID: "a", ExportFormatVersion: "1"}, Title: "T",
		Participants: []memory.Participant{{Role: memory.User, Name: "N", ProviderID: "p"}}, Model: "m", SystemInstruction: "s", IsArchived: true, Tags: []string{"a"},
		Temporal: memory.ConversationTemporal{CreatedAt: day, UpdatedAt: day}, Leaf: "m2",
		ImportMetadata: &memory.ImportMetadata{Importer: "keepsake/0.1.0", ImporterVersion: "chatgpt/2026.07", ImportedAt: day, SourceFile: "x.zip",
			SourceChecksum: "sha256:0000000000000000000000000000000000000000000000000000000000000000"},
		RawMetadata: memory.RawMetadata{"x": json.RawMessage(`null`)},
		Messages: []memory.Message{
			{ID: "m1", ProviderMessageID: "p", Role: memory.User, CreatedAt: day, ChildrenIDs: []string{"m2"},
				Content: &memory.Content{Type: "multipart", Parts: []memory.Part{{Type: "code", Text: "t", Language: "go", MIMEType: "text/plain", Ref: "r"}}}},
			{ID: "m2", Role: memory.Assistant, CreatedAt: day, ParentID: "m1", Model: "m", IsThought: true, TokenCount: &n, Content: &memory.Content{Type: "text", Text: "t"},
				Attachments: []memory.Attachment{{Type: "image", Name: "n", MIMEType: "image/png", SizeBytes: &size, Ref: "r", ProviderID: "p"}},
				Citations:   []memory.Citation{{Title: "t", URL: "https://example.com", Snippet: "s"}},
				ToolCalls:   []memory.ToolCall{{ID: "i", Name: "n", Input: json.RawMessage(`{"a":1}`), Output: "o"}},
				RawMetadata: memory.RawMetadata{"y": json.RawMessage(`[1]`)}},
		},
	}
}

// seed is a valid document to be changed.
type seed struct {
	kind schema.Kind
	text string
}

// seeds are documents with every member set, as we once exported them, and what
// others may write: the least that is valid, a custom type, an incremental export.
func seeds(t testing.TB) []seed {
	t.Helper()
	const custom = `{"id":"m","type":"custom","custom_type":"security_clearance","content":"c","content_hash":"sha256:` +
		`0000000000000000000000000000000000000000000000000000000000000000","temporal":{"created_at":"2026-01-01T00:00:00Z"},"provenance":{"platform":"grok"}}`
	return []seed{
		{schema.MemoryStore, string(file(t, "testdata/seeds/store.json"))},
		{schema.MemoryStore, `{"schema":"portable-ai-memory","schema_version":"1.0","owner":{"id":"o"},"memories":[` + custom + `]}`},
		{schema.MemoryStore, `{"schema":"portable-ai-memory","schema_version":"1.0-rc1","owner":{"id":"o"},"memories":[],"export_id":"e","export_date":"2026-01-01T00:00:00Z",` +
			`"export_type":"incremental","base_export_id":"b","since":null,"signature":null,"integrity":{"checksum":"sha256:0000000000000000000000000000000000000000000000000000000000000000","total_memories":0}}`},
		{schema.Conversation, string(file(t, "testdata/seeds/conversation.json"))},
		{schema.Conversation, conversationHead + `"messages":[` + message("m", "") + `]}`},
		{schema.Embeddings, embeddings},
		{schema.Embeddings, `{"schema":"portable-ai-memory-embeddings","schema_version":"1.0","embeddings":[{"id":"e","memory_id":"m","model":"x","dimensions":2,` +
			`"created_at":"2026-01-01T00:00:00Z","vector":null,"storage":{"type":"vector_db","ref":"r"}}]}`},
	}
}

// replacements are put in every place of a document.
const replacements = `
null true false 0 -0 1 -1 2 0.5 1.0 1.5 1.0000000001 -1e-9 1e2 1e-400 9007199254740993 18446744073709551616 1e300
"" "\u0020" "a" "A" "ab" "a\u0020b" "-a" "a-" "_" "aé" "é" "null" "0" "1" "true" "a\n" "\n" "\u0000" "\ud83d\ude00"
"1.0" "1.0\n" "1" "1.0.0" "v1.0" "1.0-rc" "1.0-rc1" "1.0-gamma" "01.00" "١.٠"
"did:web:x" "did:web:" "did:WEB:x" "did::x" "did:key:\n" "xdid:web:x" "a/1.0" "a/1.0.0" "a\u0020b/1.0.0" "/1.0.0" "a/1.0.0-rc1" "a/1.0.0\n"
"pt-BR" "pt_BR" "PT" "p" "zh-Hant-TW" "pt-br" "engl" "en-Latn" "sr-Latn-RS-x"
"custom" "fact" "Fact" "file" "json" "text" "multipart" "read" "user" "full" "RFC8785" "rfc8785" "Ed25519" "2026-01-01T00:00:00Z" "yesterday"
[] {} [null] [""] ["a"] ["a","a"] ["A"] ["read","read"] ["read","write"] [1] [1,1.0] [[]] [{}] {"x":1} {"id":"a"} {"type":"file","ref":"r"} {"created_at":"a"} {"role":"user"}
"sha256:0000000000000000000000000000000000000000000000000000000000000000" "sha256:000000000000000000000000000000000000000000000000000000000000000" "sha256:A000000000000000000000000000000000000000000000000000000000000000"
"abcdefghijklmnopqrstuvwxyz012345" "abcdefghijklmnopqrstuvwxyz0123456"
`

// mutator makes documents with one change each.
type mutator struct {
	document any
	values   []any
	names    []string // of every table
	try      func(document any, place, change string)
}

func newMutator(t testing.TB, try func(document any, place, change string)) *mutator {
	m := &mutator{try: try, names: []string{"zz", "$schema", "Id", "CONTENT", "createdAt", "__proto__"}}
	for _, text := range strings.Fields(replacements) {
		m.values = append(m.values, decoded(t, text))
	}
	for _, table := range readTables(t) {
		m.names = append(m.names, table.order...)
	}
	slices.Sort(m.names)
	m.names = slices.Compact(m.names)
	return m
}

func encoded(t testing.TB, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func decoded(t testing.TB, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func (m *mutator) run(document any) {
	m.document = document
	m.visit("", document, func(v any) { m.document = v })
}

// visit makes every change to the value at a place, and then those inside it.
func (m *mutator) visit(at string, v any, put func(any)) {
	with := func(change string, other any) {
		put(other)
		m.try(m.document, at, change)
		put(v)
	}
	for _, other := range m.values {
		with("another value", other)
	}
	switch node := v.(type) {
	case string:
		for _, near := range []string{node + "\n", node + " ", " " + node, strings.ToUpper(node), node[min(1, len(node)):], node[:max(0, len(node)-1)], node + node, "é" + node, node + "\u0661"} {
			with("a near one", near)
		}
	case map[string]any:
		m.members(at, node)
	case []any:
		with("emptied", []any{})
		with("each twice", append(slices.Clone(node), node...))
		for i, item := range node {
			with("one twice", slices.Insert(slices.Clone(node), i, item))
			with("one dropped", slices.Delete(slices.Clone(node), i, i+1))
			m.visit(at+"/"+fmt.Sprint(i), item, func(v any) { node[i] = v })
		}
	}
}

func (m *mutator) members(at string, node map[string]any) {
	for _, name := range sortedNames(node) {
		value := node[name]
		delete(node, name)
		m.try(m.document, at+"/"+name, "dropped")
		node[name] = value
		m.visit(at+"/"+name, value, func(v any) { node[name] = v })
	}
	for _, name := range m.names {
		if _, ok := node[name]; ok {
			continue
		}
		for _, value := range []any{nil, "a"} {
			node[name] = value
			m.try(m.document, at+"/"+name, "added")
		}
		delete(node, name)
	}
}

// TestSchemasAgreeWithTheFieldTables changes valid documents of each kind in
// every place, one change at a time, and holds the verdict of our schemas, and
// the places it names, to the tables of the specification.
func TestSchemasAgreeWithTheFieldTables(t *testing.T) {
	t.Parallel()
	tables := judge(readTables(t))
	counts, changes, digest := map[string]int{}, map[string]int{}, sha256.New()
	tried, valid, differ := 0, 0, 0
	for _, s := range seeds(t) {
		document := decoded(t, s.text)
		if found := tables.reasons(s.kind, document); len(found) > 0 || len(compiled(t).Check(s.kind, []byte(s.text))) > 0 {
			t.Fatalf("the seed is not valid: %v %s", found, s.text)
		}
		newMutator(t, func(mutant any, place, change string) {
			tried++
			changes[change]++
			want := tables.reasons(s.kind, mutant)
			places := map[string]bool{}
			for _, r := range want {
				places[r.at] = true
				counts[strings.SplitN(r.why, ":", 2)[0]]++
			}
			if len(want) == 0 {
				valid++
			}
			fmt.Fprintln(digest, s.kind, place, change, slices.Sorted(maps.Keys(places)))
			named := map[string]bool{}
			for _, v := range compiled(t).CheckValue(s.kind, mutant) {
				named[v.Pointer] = true
			}
			if !maps.Equal(places, named) {
				if differ++; differ <= 10 {
					t.Errorf("%s at %s, %s: the tables say %v, the schema %v: %.2000s", s.kind, place, change, want, slices.Sorted(maps.Keys(named)), encoded(t, mutant))
				}
			}
		}).run(document)
	}
	t.Logf("%d mutants, %d of them valid, %d other verdicts", tried, valid, differ)
	t.Logf("changes: %v", changes)
	t.Logf("broken rules: %v", counts)
	const pinned = "e680a00b640fcecc74a7377ee43fe65280cd70a4ec1e0c1e6350ce93fe69ae79"
	if sum := hex.EncodeToString(digest.Sum(nil)); sum != pinned || tried < 20_000 {
		t.Errorf("%d mutants, their verdicts are %s, pinned %s", tried, sum, pinned)
	}
}

// writeMutants writes one in so many of the mutants, with the verdict of our
// schemas.
func writeMutants(t *testing.T, path string, oneIn int) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	n := 0
	for _, s := range seeds(t) {
		newMutator(t, func(mutant any, _, _ string) {
			if n++; n%oneIn != 0 {
				return
			}
			raw := encoded(t, mutant)
			fmt.Fprintf(w, "{\"kind\":%q,\"valid\":%t,\"document\":%s}\n", s.kind, len(compiled(t).CheckValue(s.kind, mutant)) == 0, raw)
		}).run(decoded(t, s.text))
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
}
