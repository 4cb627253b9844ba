package mif_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/format/mif"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
	"keepsake/backend/schema"
)

// compiled is the schemas, which take a while to compile.
var compiled = sync.OnceValues(schema.Compile)

func rules(t testing.TB) *schema.Set {
	t.Helper()
	set, err := compiled()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func validate(t testing.TB, text []byte) mif.Validation {
	t.Helper()
	tree := treeOf(t, "x", text)
	v, err := mif.Validate(t.Context(), tree, tree.Files()[0], rules(t))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Promise: what is written is valid by the schema, in both versions and every form.
func TestWhatIsWrittenIsValid(t *testing.T) {
	for _, text := range [][]byte{exampleOne(), exampleTwo()} {
		r, err := take(t, "x", text)
		if err != nil {
			t.Fatal(err)
		}
		for _, major := range []string{"1", "2"} {
			for _, form := range mif.Forms() {
				out := write(t, r.source(), major, form)
				v := validate(t, out)
				if len(v.Errors) > 0 || v.Sum != mif.FitsOwn {
					t.Errorf("version %s as %s: %+v\n%s", major, form, v.Errors, out)
				}
			}
		}
	}
}

func TestValidate(t *testing.T) {
	v := validate(t, exampleOne())
	var checks []string
	for _, w := range v.Warnings {
		checks = append(checks, w.Check)
	}
	if len(v.Errors) > 0 || strings.Join(checks, " ") != "embedding-dimensions checksum" {
		t.Errorf("%+v, %v", v.Errors, checks)
	}
	for text, want := range map[string]string{
		`{"mif_version":"3.0","export":{"id":"exp_1","user_id":"u"},"memories":[]}`:                                                                                                   "mif-version",
		`{"mif_version":"1.0","export":{"id":"exp_1","created_at":"2026-01-01T00:00:00Z","user_id":"u"},"memories":[{"id":"x"}]}`:                                                     "schema",
		`{"mif_version":"1.0","export":{"id":"exp_1","user_id":"u"},"memories":[]}`:                                                                                                   "schema",
		`{"mif_version":"1.0","export":{"id":"exp_1"`:                                                                                                                                 "json",
		`{"mif_version":"1.0","export":{"id":"exp_1","created_at":"2026-01-01T00:00:00Z","user_id":"u"},"memories":[{"id":"mem_1","content":"x","type":"Task","created_at":"soon"}]}`: "date-time",
		`{"mif_version":"1.0","export":{"id":"exp_1","created_at":"2026-01-01T00:00:00Z","user_id":"u"},"memories":[{"id":"mem_1","content":"x","type":"Task","created_at":"2026-01-01T00:00:00Z"},{"id":"mem_1","content":"x","type":"Task","created_at":"2026-01-01T00:00:00Z"}]}`: "id",
	} {
		v := validate(t, []byte(text))
		if len(v.Errors) == 0 || v.Errors[0].Check != want {
			t.Errorf("%s: %+v, want %s", text, v.Errors, want)
		}
	}
	// Version 2 calls memories by their bare ids, and edges of version 1 stand in it as they are.
	const two = `{"mif_version":"2.0","export_meta":{"id":"e","created_at":"2026-01-01T00:00:00Z"},"memories":[{"id":"a1b2c3d4-e5f6-7890-abcd-ef1234567890","content":"x","memory_type":"task","created_at":"2026-01-01T00:00:00Z"}],
"graph":{"edges":[{"source":"mem_a1b2c3d4-e5f6-7890-abcd-ef1234567890","target":"mem_%s","type":"causal"}]}}`
	for target, want := range map[string]int{"a1b2c3d4-e5f6-7890-abcd-ef1234567890": 0, "a1b2c3d4-e5f6-7890-abcd-ef1234567891": 1} {
		v := validate(t, fmt.Appendf(nil, two, target))
		if n := len(slices.DeleteFunc(v.Warnings, func(f mif.Finding) bool { return f.Check != "memory-reference" })); n != want {
			t.Errorf("an edge to %s: %d warnings", target, n)
		}
	}
}

func TestEnvelope(t *testing.T) {
	e := mif.NewEnvelope("1.0", 64<<10, 3, 4, bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 12))
	bound, err := e.Bound()
	if err != nil || !strings.HasPrefix(string(bound), `{"encryption":{"algorithm":"aes-256-gcm","format":"mif+json","iv":"AgICAgICAgICAgIC","kdf":{"m_kib":65536,"name":"argon2id","p":4,"salt":"`) {
		t.Fatalf("%s, %v", bound, err)
	}
	e.Payload, e.Tag = []byte("payload"), bytes.Repeat([]byte{3}, 16)
	var b bytes.Buffer
	if err := e.Write(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if !mif.IsEnvelope(b.Bytes()) || mif.IsEnvelope(exampleOne()) {
		t.Error("an envelope is not told from a document")
	}
	again, err := mif.ReadEnvelope(strings.NewReader(text), "x")
	if got, _ := again.Bound(); err != nil || !bytes.Equal(got, bound) || string(again.Payload) != "payload" {
		t.Errorf("%v", err)
	}
	for change, want := range map[string]string{
		`"kdf":`:         "mif-envelope-no-kdf",
		`"argon2id",`:    "mif-envelope",
		`"version":19`:   "mif-envelope",
		`"aes-256-gcm"`:  "mif-envelope",
		`"m_kib":65536`:  "mif-envelope",
		`"iv":"AgIC`:     "mif-envelope",
		`"mif+json"`:     "mif-envelope",
		`"encryption":{`: "mif-not-whole",
	} {
		other := map[string]string{`"kdf":`: `"cost":`, `"argon2id",`: `"scrypt",`, `"version":19`: `"version":16`, `"aes-256-gcm"`: `"aes-128-gcm"`, `"m_kib":65536`: `"m_kib":-1`, `"iv":"AgIC`: `"iv":"?gIC`, `"mif+json"`: `"x"`, `"encryption":{`: `"encryption":[{`}[change]
		_, err := mif.ReadEnvelope(strings.NewReader(strings.Replace(text, change, other, 1)), "x")
		if f := fault.From(err); f == nil || f.Reason != want {
			t.Errorf("%s: %v, want %s", change, err, want)
		}
	}
}

// endless is a document of many memories that never stands in memory whole.
type endless struct {
	lines, left int
	rest        []byte
}

func (e *endless) Read(p []byte) (int, error) {
	if len(e.rest) == 0 {
		switch {
		case e.left == 0:
			return 0, io.EOF
		case e.left == e.lines:
			e.rest = []byte(`{"mif_version":"1.0","export":{"id":"exp_1","user_id":"u","created_at":"2026-01-01T00:00:00Z"}}` + "\n")
		default:
			e.rest = fmt.Appendf(nil, `{"id":"mem_%08d-1111-4222-8333-000000000000","content":"Memory %d, %s","type":"Task","created_at":"2026-01-01T00:00:00Z","importance":0.5}`+"\n", e.left, e.left, strings.Repeat("and so on ", 20))
		}
		e.left--
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

func (e *endless) ReadAt([]byte, int64) (int, error) { return 0, io.EOF }

// Promise: a document of any length streams; what is held of it does not grow.
func TestLongDocumentsStream(t *testing.T) {
	const small, large = 2_000, 40_000
	peak := func(count int) uint64 {
		var b bytes.Buffer
		if _, err := io.Copy(&b, &endless{lines: count, left: count}); err != nil {
			t.Fatal(err)
		}
		tree := treeOf(t, "long.mif.jsonl", b.Bytes())
		head, err := mif.Glance(t.Context(), tree, tree.Files()[0])
		if err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		var before, now runtime.MemStats
		runtime.ReadMemStats(&before)
		top, seen := uint64(0), 0
		_, err = mif.Take(t.Context(), tree, tree.Files()[0], head, mif.Taker{Memory: func(m mif.Memory) error {
			if seen++; seen%(count/4) == 0 {
				runtime.GC()
				runtime.ReadMemStats(&now)
				top = max(top, now.HeapAlloc-min(before.HeapAlloc, now.HeapAlloc))
			}
			return nil
		}})
		if err != nil || seen != count-1 {
			t.Fatal(err, seen)
		}
		return top
	}
	if a, b := peak(small), peak(large); b > a+2<<20 {
		t.Errorf("%d bytes are held of %d memories, %d of %d", a, small, b, large)
	}
}

// Parsers meet any bytes: they end, without a panic, and what they give has an
// id, words and a time.
func fuzzDocument(f *testing.F, form mif.Form) {
	for _, text := range [][]byte{exampleOne(), exampleTwo()} {
		r, err := take(f, "x", text)
		if err != nil {
			f.Fatal(err)
		}
		for _, major := range []string{"1", "2"} {
			f.Add(write(f, r.source(), major, form))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) == 0 || len(text) > 1<<20 {
			return
		}
		tree, err := intake.Open(t.Context(), []intake.Source{intake.FromReaderAt("x", int64(len(text)), bytes.NewReader(text))}, intake.Options{})
		if err != nil {
			return
		}
		defer tree.Close()
		for _, file := range tree.Files() {
			head, err := mif.Glance(t.Context(), tree, file)
			if err != nil {
				continue
			}
			_, _ = mif.Take(t.Context(), tree, file, head, mif.Taker{
				Memory: func(m mif.Memory) error {
					if m.Record.ID == "" || m.Record.Content == "" || m.Record.Temporal.CreatedAt.IsZero() {
						t.Fatalf("%+v", m.Record)
					}
					return nil
				},
				Todo: func(x memory.Todo) error {
					if x.ID == "" || x.Content == "" {
						t.Fatalf("%+v", x)
					}
					return nil
				},
				Edge: func(mif.Edge) error { return nil },
			})
		}
	})
}

func FuzzJSON(f *testing.F)  { fuzzDocument(f, mif.JSON) }
func FuzzYAML(f *testing.F)  { fuzzDocument(f, mif.YAML) }
func FuzzLines(f *testing.F) { fuzzDocument(f, mif.JSONL) }

func FuzzEnvelope(f *testing.F) {
	e := mif.NewEnvelope("1.0", 64<<10, 3, 4, bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 12))
	e.Payload, e.Tag = []byte("payload"), bytes.Repeat([]byte{3}, 16)
	var b bytes.Buffer
	if err := e.Write(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add(bytes.Replace(b.Bytes(), []byte(`"kdf"`), []byte(`"cost"`), 1))
	f.Fuzz(func(t *testing.T, text []byte) {
		e, err := mif.ReadEnvelope(bytes.NewReader(text), "x")
		if err != nil {
			return
		}
		if _, err := e.Bound(); err != nil {
			t.Fatal(err)
		}
	})
}

// Promise: however many edges, elements of other lists and tasks there are, they are not
// held: what is alive while the last of 20,000 is written is little more than before
// the first.
func TestListsAreNotHeld(t *testing.T) {
	const count = 20_000
	alive := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	var before, last uint64
	elements := func(yield func(jsontext.Value, error) bool) {
		before = alive()
		for i := range count {
			if i == count-1 {
				last = alive()
			}
			if !yield(fmt.Appendf(nil, `{"source":"mem_a%d","target":"mem_b%d","metadata":{"why":%q}}`, i, i, strings.Repeat("x", 400)), nil) {
				return
			}
		}
	}
	todos := func(yield func(memory.Todo, error) bool) {
		before = alive()
		for i := range count {
			if i == count-1 {
				last = alive()
			}
			if !yield(memory.Todo{ID: fmt.Sprint("todo_", i), Content: strings.Repeat("x", 400), CreatedAt: at(i)}, nil) {
				return
			}
		}
	}
	for what, s := range map[string]mif.Source{
		"edges":    {Lists: map[string]mif.List{mif.Edges: {Count: count, Elements: elements}}, Members: []mif.Piece{{Name: "graph.zeal", Raw: jsontext.Value("1")}}},
		"entities": {Lists: map[string]mif.List{"knowledge_graph.entities": {Count: count, Elements: elements}}},
		"projects": {Lists: map[string]mif.List{"projects": {Count: count, Elements: elements}}},
		"tasks":    {Todos: todos, TodoCount: count},
	} {
		s.Memories = func(func(mif.Leaving, error) bool) {}
		for _, form := range []mif.Form{mif.JSON, mif.JSONL} {
			size := &counting{}
			if _, err := mif.Write(size, s, mif.Options{Major: "2", Form: form, Date: at(900)}); err != nil {
				t.Fatal(err)
			}
			if held := int64(last) - int64(before); held > 1<<20 || size.n < 8<<20 {
				t.Errorf("%s as %s: %d bytes more are alive, %d were written", what, form, held, size.n)
			}
		}
	}
	large := each(slices.Repeat([]jsontext.Value{fmt.Appendf(nil, "{\"why\":%q}", strings.Repeat("x", 1<<20))}, 50))
	s := mif.Source{Memories: func(func(mif.Leaving, error) bool) {}, Lists: map[string]mif.List{mif.Edges: {Count: 50, Elements: large}}}
	if _, err := mif.Write(&counting{}, s, mif.Options{Major: "1", Form: mif.YAML, Date: at(900)}); fault.CodeOf(err) != fault.TooLarge {
		t.Errorf("YAML of 50 MB: %v", err)
	}
}

// Promise: a document that will not fit in YAML is refused before all of it was
// read, and never for what would fit.
func TestYAMLIsRefusedFirst(t *testing.T) {
	read := 0
	leaving := func(text string) mif.Leaving {
		return mif.Leaving{Record: memory.Record{ID: fmt.Sprintf("00000000-0000-4000-8000-%012d", read), Type: memory.Fact, Content: text, Status: memory.Active, Temporal: memory.Temporal{CreatedAt: at(900)}}}
	}
	s := mif.Source{Memories: func(yield func(mif.Leaving, error) bool) {
		for read = 0; read < 100; read++ {
			if !yield(leaving(strings.Repeat("x", 1<<20)), nil) {
				return
			}
		}
	}}
	out := &counting{}
	if _, err := mif.Write(out, s, mif.Options{Major: "1", Form: mif.YAML, Date: at(900)}); fault.CodeOf(err) != fault.TooLarge || read > 20 || out.n != 0 {
		t.Errorf("refused with %v after %d of 100 memories and %d bytes", err, read, out.n)
	}
	for _, sign := range []string{"x", `"`, `\`, "\n", "\t", "\x01", "é", "\u2028", "a: b", "- ", "'"} {
		if least, is := mif.LeastYAML(strings.Repeat(sign, 1000)); least > is {
			t.Errorf("%q: at least %d bytes, and it has %d", sign, least, is)
		}
	}
}

type counting struct{ n int }

func (c *counting) Write(p []byte) (int, error) {
	c.n += len(p)
	return len(p), nil
}

// breaking fails from a place in it on, as a disk does or a person who stops it.
type breaking struct {
	*bytes.Reader
	from int64
	fail func() error
}

func (b breaking) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > b.from {
		return 0, b.fail()
	}
	return b.Reader.ReadAt(p, off)
}

// Promise: a document whose reading is stopped, or whose file is damaged, is not said
// to be no document, wherever in it that is.
func TestStoppedIsNotBroken(t *testing.T) {
	long := strings.Repeat("x", 300<<10)
	text := []byte(`{"mif_version":"1.0","memories":[{"id":"mem_1","content":"` + long + `","type":"fact","created_at":"2026-03-01T12:00:00Z","metadata":{"note":"` + long + `"}}]}`)
	for _, from := range []int64{100 << 10, 400 << 10} {
		for name, want := range map[string]fault.Code{"stopped": fault.Cancelled, "damaged": fault.Refused} {
			ctx, stop := context.WithCancel(t.Context())
			fail := func() error {
				if name == "stopped" {
					stop()
				}
				return errors.New("no more")
			}
			tree, err := intake.Open(t.Context(), []intake.Source{intake.FromReaderAt("x.json", int64(len(text)), breaking{bytes.NewReader(text), from, fail})}, intake.Options{})
			if err == nil {
				_, err = mif.Take(ctx, tree, tree.Files()[0], mif.Head{Version: "1.0"}, mif.Taker{Memory: func(mif.Memory) error { return nil }})
			}
			if got := fault.CodeOf(err); got != want {
				t.Errorf("%s from %d on: %s, %v", name, from, got, err)
			}
			stop()
		}
	}
}
