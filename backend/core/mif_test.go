package core_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/format/mif"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/memory"
)

// plain hides nothing.
var plain = core.ExportOptions{RedactionOptions: core.RedactionOptions{Redact: to(false)}}

func (k *kit) mif(name string, o core.MIFOptions) (core.MIFResult, []byte) {
	k.t.Helper()
	r := ok(k.ExportMIF(ctx, filepath.Join(k.root, name), o))
	return r, ok(os.ReadFile(r.Path))
}

// sameMIF compares two documents in everything that is not said anew by each.
func sameMIF(t *testing.T, was, is []byte) {
	t.Helper()
	one, other := plainMIF(t, was), plainMIF(t, is)
	if diff := cmp.Diff(one, other); diff != "" {
		t.Errorf("(-was +is)\n%s", diff)
	}
}

// plainMIF is a document as any value: memories by id, sets in order, times in UTC.
func plainMIF(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
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
		inOrderOf(g["edges"])
	}
	inOrderOf(doc["memories"])
	return level(doc).(map[string]any)
}

// inOrderOf sorts a list by how its elements are written.
func inOrderOf(v any) {
	list, _ := v.([]any)
	byText := make(map[string]any, len(list))
	texts := make([]string, len(list))
	for i, one := range list {
		texts[i] = fmt.Sprint(one)
		byText[texts[i]] = one
	}
	slices.Sort(texts)
	for i, text := range texts {
		list[i] = byText[text]
	}
}

func level(v any) any {
	switch x := v.(type) {
	case map[string]any:
		if beside, ok := x["mif_refused"].(map[string]any); ok { // it comes back from there
			delete(x, "mif_refused")
			maps.Copy(x, beside)
		}
		for name, in := range x {
			if x[name] = level(in); in == nil {
				delete(x, name)
			}
		}
		inOrderOf(x["related_memories"])
	case []any:
		for i := range x {
			x[i] = level(x[i])
		}
	case string:
		if at, err := time.Parse(time.RFC3339Nano, x); err == nil {
			return at.UTC().Format(time.RFC3339Nano)
		}
	}
	return v
}

func published(name string) []byte {
	text, err := os.ReadFile("../format/mif/testdata/" + name + ".mif.json")
	if err != nil {
		panic(err)
	}
	return text
}

// Promise: a document of either version goes through a vault and comes out as it
// was; what it did to the vault is undone as one.
func TestMIFComesBack(t *testing.T) {
	for major, name := range map[string]string{"1": "one", "2": "two"} {
		k := fresh(t)
		report := k.take("in.mif.json", published(name), core.ImportOptions{})
		if report.Todos.New != 1 || len(report.Ledger) != 1 {
			t.Errorf("%+v", report)
		}
		k.reopen()
		_, out := k.mif("out.mif.json", core.MIFOptions{Version: major, ExportOptions: plain})
		sameMIF(t, published(name), out)
		again := k.take("again.mif.json", out, core.ImportOptions{})
		if again.Memories.New+again.Memories.Updated+again.Todos.New+again.Todos.Updated+again.Relations.New != 0 {
			t.Errorf("read again: %+v", again)
		}
		_, twice := k.mif("twice.mif.json", core.MIFOptions{Version: major, ExportOptions: plain})
		sameMIF(t, out, twice)
		there := other(t)
		there.take("lines.mif.jsonl", textOf(k.mif("x.mif.jsonl", core.MIFOptions{Version: major, Format: mif.JSONL, ExportOptions: plain})), core.ImportOptions{})
		_, moved := there.mif("moved.mif.json", core.MIFOptions{Version: major, ExportOptions: plain})
		sameMIF(t, out, moved)
		yaml := other(t)
		yaml.take("x.mif.yaml", textOf(k.mif("x.mif.yaml", core.MIFOptions{Version: major, Format: mif.YAML, ExportOptions: plain})), core.ImportOptions{})
		_, moved = yaml.mif("moved.mif.json", core.MIFOptions{Version: major, ExportOptions: plain})
		sameMIF(t, out, moved)

		u := fresh(t)
		first := u.take("in.mif.json", published(name), core.ImportOptions{})
		change := ok(u.UndoImport(ctx, first.ImportID))
		if todos := ok(u.Todos(ctx, core.TodoQuery{})); change.Kept != 0 || len(todos) != 0 || u.state().Memories+u.state().Relations != 0 || core.Kept(u.Service) != 0 {
			t.Errorf("after undo: %+v, %d tasks, %d pieces", change, len(todos), core.Kept(u.Service))
		}
	}
}

// Promise: an export is valid by its own validate, also without the vectors of which
// the document said more than their numbers.
func TestMIFIsValid(t *testing.T) {
	k := fresh(t)
	k.take("in.mif.json", []byte(`{"mif_version":"1.0","export":{"id":"exp_1","created_at":"2026-02-01T00:00:00Z","user_id":"u"},"consent":{"retention_days":"a year"},"memories":[
		{"id":"mem_00000001-1111-4222-8333-000000000001","content":"Tea","type":"Observation","created_at":"2026-01-01T00:00:00Z",
		"embedding":{"model":"minilm","dimensions":2,"vector":[0.5,0.5],"normalized":true}},
		{"id":"my note","content":"Mate","type":"Mood","created_at":"2026-01-01T00:00:00Z","accessed_at":"yesterday"}]}`), core.ImportOptions{})
	for _, major := range []string{"1", "2"} {
		for _, without := range []bool{false, true} {
			r, text := k.mif("out.mif.json", core.MIFOptions{Version: major, NoEmbeddings: without, ExportOptions: plain})
			if v := ok(k.Validate(ctx, core.Input{Path: r.Path})); !v.Valid || bytes.Contains(text, []byte("normalized")) == without {
				t.Errorf("version %s: %+v\n%s", major, v.Errors, text)
			}
		}
	}
}

// Promise: why a document cannot be read to its end is said in every language.
func TestUnreadMIFIsSaidAsAFault(t *testing.T) {
	k := fresh(t)
	in := core.Input{Path: filepath.Join(k.root, "cut.mif.json")}
	if err := os.WriteFile(in.Path, []byte(`{"mif_version":"1.0","memories":[{"id":"mem_1"`), 0o600); err != nil {
		t.Fatal(err)
	}
	v, r := ok(k.Validate(ctx, in)), ok(k.Verify(ctx, in, nil))
	for _, found := range [][]core.Finding{v.Errors, r.Problems} {
		if last := found[len(found)-1]; last.Check != "json" || last.Fault == nil || last.Fault.Message() != last.Message {
			t.Errorf("%+v", found)
		}
	}
}

// Promise: a name that leads to no memory comes back as well, as long as its memory is
// there; it becomes a relation when that memory comes, and goes when it is forgotten.
func TestNamesThatLeadNowhereComeBack(t *testing.T) {
	id := func(n int) string { return fmt.Sprintf("mem_%08d-1111-4222-8333-000000000001", n) }
	memory := func(n int, more string) string {
		return fmt.Sprintf(`{"id":%q,"content":"number %d","type":"Observation","created_at":"2026-01-01T00:00:00Z"%s}`, id(n), n, more)
	}
	document := func(memories ...string) []byte {
		return []byte(`{"mif_version":"1.0","export":{"id":"e","created_at":"2026-02-01T00:00:00Z","user_id":"u"},"memories":[` + strings.Join(memories, ",") + `]}`)
	}
	names := fmt.Sprintf(`,"relations":{"related_memories":[%q,%q,"my own name",%q]},"parent_id":%q`, id(1), id(2), id(8), id(9))
	text := document(memory(1, names), memory(2, ""))
	k := fresh(t)
	report := k.take("in.mif.json", text, core.ImportOptions{})
	if skipped := report.Ledger[0].Skipped; len(skipped) != 0 {
		t.Errorf("left out: %v", skipped)
	}
	k.reopen()
	_, out := k.mif("out.mif.json", core.MIFOptions{ExportOptions: plain})
	sameMIF(t, text, out)
	there := other(t)
	there.take("two.mif.json", textOf(k.mif("two.mif.json", core.MIFOptions{Version: "2", ExportOptions: plain})), core.ImportOptions{})
	_, moved := there.mif("moved.mif.json", core.MIFOptions{ExportOptions: plain})
	if !bytes.Contains(moved, []byte(id(8))) || !bytes.Contains(moved, []byte(`"parent_id":"`+id(9))) {
		t.Errorf("by way of version 2: %s", moved)
	}

	// Now one of them comes: it is named once, by the relation.
	if r := k.take("more.mif.json", document(memory(1, names), memory(2, ""), memory(8, "")), core.ImportOptions{}); r.Relations.New != 1 {
		t.Errorf("relations: %+v", r.Relations)
	}
	_, out = k.mif("out.mif.json", core.MIFOptions{ExportOptions: plain})
	sameMIF(t, document(memory(1, names), memory(2, ""), memory(8, "")), out)
	// When it is forgotten, nothing names it.
	ok(k.Forget(ctx, []string{strings.TrimPrefix(id(8), "mem_")}, nil))
	_, out = k.mif("out.mif.json", core.MIFOptions{ExportOptions: plain})
	if bytes.Contains(out, []byte(id(8))) || !bytes.Contains(out, []byte(id(9))) {
		t.Errorf("after it was forgotten: %s", out)
	}
	// With the memory that named them, all goes.
	ok(k.Forget(ctx, []string{strings.TrimPrefix(id(1), "mem_")}, nil))
	if kept := core.Kept(k.Service); kept != 0 {
		t.Errorf("%d records are left", kept)
	}

	u := fresh(t)
	ok(u.UndoImport(ctx, u.take("in.mif.json", text, core.ImportOptions{}).ImportID))
	if kept := core.Kept(u.Service); kept != 0 {
		t.Errorf("after undo %d records are left", kept)
	}
}

func textOf[A, B any](_ A, b B) B { return b }

// Promise: PAM → vault → MIF → vault → PAM loses nothing of 10,000 memories and
// their relations, and MIF → vault → MIF nothing of as many.
func TestTenThousandThroughTheVault(t *testing.T) {
	if testing.Short() {
		t.Skip("10,000 memories twice")
	}
	const count = 10_000
	k := fresh(t)
	files, _ := gen.PAM(gen.PAMOptions{Seed: 5, Memories: count})
	k.take("in.pam.json", files[0].Data, core.ImportOptions{})
	r, _ := k.export("before.pam.json", core.ExportOptions{Unsigned: true})
	if r.Memories < count*9/10 {
		t.Fatalf("%d memories", r.Memories)
	}
	there := other(t)
	there.take("x.mif.jsonl", textOf(k.mif("x.mif.jsonl", core.MIFOptions{Format: mif.JSONL, ExportOptions: plain})), core.ImportOptions{})
	there.export("after.pam.json", core.ExportOptions{Unsigned: true})
	samePAM(t, ok(os.ReadFile(filepath.Join(k.root, "before.pam.json"))), ok(os.ReadFile(filepath.Join(there.root, "after.pam.json"))))

	m := fresh(t)
	text := manyMIF(count)
	m.take("in.mif.json", text, core.ImportOptions{})
	_, out := m.mif("out.mif.json", core.MIFOptions{ExportOptions: plain})
	sameMIF(t, text, out)
	elsewhere := other(t) // by way of version 2, which asks for two members that were not there: this one, and when a task was changed
	text = bytes.Replace(text, []byte(`"consent":`), []byte(`"vendor_extensions":{},"consent":`), 1)
	elsewhere.take("two.mif.json", textOf(m.mif("two.mif.json", core.MIFOptions{Version: "2", ExportOptions: plain})), core.ImportOptions{})
	_, out = elsewhere.mif("back.mif.json", core.MIFOptions{ExportOptions: plain})
	sameMIF(t, text, out)
}

// samePAM compares memories and relations of two stores.
func samePAM(t *testing.T, was, is []byte) {
	t.Helper()
	read := func(text []byte) map[string]string {
		var doc struct {
			Memories, Relations []json.RawMessage
		}
		if err := json.Unmarshal(text, &doc); err != nil {
			t.Fatal(err)
		}
		all := map[string]string{}
		for _, raw := range slices.Concat(doc.Memories, doc.Relations) {
			var v map[string]any
			if err := json.Unmarshal(raw, &v); err != nil {
				t.Fatal(err)
			}
			if metadata, ok := v["metadata"].(map[string]any); ok {
				delete(metadata, "mif")
				if len(metadata) == 0 {
					delete(v, "metadata")
				}
			}
			text, _ := json.Marshal(v)
			all[fmt.Sprint(v["id"])] = string(text)
		}
		return all
	}
	one, other := read(was), read(is)
	if len(one) != len(other) {
		t.Errorf("%d memories and relations were, %d are", len(one), len(other))
	}
	wrong := 0
	for id, text := range one {
		if other[id] != text && wrong < 3 {
			wrong++
			t.Errorf("was %s\nis  %s", text, other[id])
		}
	}
}

func manyMIF(count int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"mif_version":"1.0","export":{"id":"exp_1","created_at":"2026-02-01T00:00:00Z","user_id":"u"},"memories":[`)
	id := func(i int) string { return fmt.Sprintf("mem_%08d-1111-4222-8333-%012d", i, i) }
	for i := range count {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%q,"content":"Memory number %d","type":%q,"importance":0.%d,"created_at":"2026-01-02T14:30:00.%09dZ","access_count":%d,"tags":["Odd Tag","t%d"],"entities":[{"text":"E%d","type":"X"}]`,
			id(i), i, []string{"Observation", "Error", "Dream", "Task"}[i%4], 1+i%9, i, i%7, i%5, i)
		switch i % 5 {
		case 0:
			fmt.Fprintf(&b, `,"updated_at":"2026-03-01T00:00:00.1Z","accessed_at":"2026-03-01T02:00:00+02:00","decay_rate":0.05,"source":{"type":"user","agent":"An Agent","session_id":"s%d"}`, i)
		case 1:
			fmt.Fprintf(&b, `,"embedding":{"model":"m","dimensions":3,"vector":[0.5,-1,%d],"normalized":true}`, i)
		case 2:
			fmt.Fprintf(&b, `,"relations":{"related_memories":[%q],"related_todos":["todo_%d"]},"metadata":{"k":[null,1]}`, id((i+1)%count), i)
		case 3:
			fmt.Fprintf(&b, `,"redactions":[{"type":"email","original_length":3,"position":[1,4]}],"mood":{"a":null,"b":%d}`, i)
		}
		b.WriteByte('}')
	}
	b.WriteString(`],"todos":[`)
	for i := range count / 100 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"todo_%08d-1111-4222-8333-%012d","content":"Task %d","status":"blocked","priority":"low","created_at":"2026-01-02T14:30:00Z","updated_at":"2026-01-03T14:30:00Z","contexts":["@home"],"odd":%d}`, count+i, i, i, i)
	}
	b.WriteString(`],"consent":{"exported_by":"u","retention_days":30},"graph":{"format":"adjacency_list","hebbian_config":{"learning_rate":0.1},"nodes":[{"id":"n1"}],"edge_count":`)
	fmt.Fprintf(&b, "%d,\"edges\":[", count)
	for i := range count {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"source":%q,"target":%q,"weight":0.%d,"type":%q,"created_at":"2026-01-02T14:30:00Z"}`, id(i), id((i+7)%count), 1+i%9, []string{"semantic_association", "causal", "user_linked"}[i%3])
	}
	b.WriteString(`]}}`)
	return b.Bytes()
}

// Promise (MIF §8): the three strategies do what they are called.
func TestMergeStrategies(t *testing.T) {
	for merge, want := range map[core.Merge]struct{ contents, todos []string }{
		"":                  {[]string{"Robin likes tea", "Robin lives in Porto"}, []string{"Water the plants"}},
		core.SkipDuplicates: {[]string{"Robin likes tea", "Robin lives in Porto"}, []string{"Water the plants"}},
		core.Overwrite:      {[]string{"Robin likes coffee", "Robin lives in Porto"}, []string{"Sell the plants"}},
		core.Rename:         {[]string{"Robin likes coffee", "Robin likes tea", "Robin lives in Porto"}, []string{"Sell the plants", "Water the plants"}},
	} {
		k := fresh(t)
		doc := func(drink, todo string) []byte {
			return fmt.Appendf(nil, `{"mif_version":"1.0","export":{"id":"exp_1","created_at":"2026-02-01T00:00:00Z","user_id":"u"},"memories":[
				{"id":"mem_00000001-1111-4222-8333-000000000001","content":"Robin likes %s","type":"Pattern","created_at":"2026-01-01T00:00:00Z"},
				{"id":"mem_00000002-1111-4222-8333-000000000001","content":"Robin lives in Porto","type":"Observation","created_at":"2026-01-01T00:00:00Z"}],
				"todos":[{"id":"todo_00000003-1111-4222-8333-000000000001","content":"%s the plants","status":"todo","created_at":"2026-01-01T00:00:00Z"}]}`, drink, todo)
		}
		k.take("one.json", doc("tea", "Water"), core.ImportOptions{})
		k.take("two.json", doc("coffee", "Sell"), core.ImportOptions{Merge: merge})
		var contents, todos []string
		for _, r := range k.memories(core.MemoryQuery{}) {
			contents = append(contents, r.Content)
		}
		for _, x := range ok(k.Todos(ctx, core.TodoQuery{})) {
			todos = append(todos, x.Content)
		}
		slices.Sort(contents)
		slices.Sort(todos)
		if !slices.Equal(contents, want.contents) || !slices.Equal(todos, want.todos) {
			t.Errorf("%q: %q, %q", merge, contents, todos)
		}
		before := len(contents)
		k.take("three.json", append(doc("coffee", "Sell"), '\n'), core.ImportOptions{Merge: merge})
		if n := len(k.memories(core.MemoryQuery{})); n != before {
			t.Errorf("%q: the same again made %d of %d memories", merge, n, before)
		}
	}
}

// Promise: what a plan says of the strategies is what they do, and undoing the
// import brings back what was here.
func TestPlanOfAMerge(t *testing.T) {
	doc := func(drink, due string) []byte {
		return fmt.Appendf(nil, `{"mif_version":"1.0","memories":[
			{"id":"mem_00000001-1111-4222-8333-000000000001","content":"Robin likes %s","type":"Pattern","created_at":"2026-01-01T00:00:00Z"},
			{"id":"mem_00000002-1111-4222-8333-000000000001","content":"Robin lives in Porto","type":"Observation","created_at":"2026-01-01T00:00:00Z"}%s]}`, drink, due)
	}
	more := `,{"id":"mem_00000003-1111-4222-8333-000000000001","content":"Robin sings","type":"Observation","created_at":"2026-01-01T00:00:00Z"},
		{"id":"mem_00000004-1111-4222-8333-000000000001","content":"Robin lives in Porto","type":"Observation","created_at":"2026-01-01T00:00:00Z"}`
	for merge, want := range map[core.Merge]int{core.SkipDuplicates: 3, core.Overwrite: 3, core.Rename: 5} {
		k := fresh(t)
		k.take("one.json", doc("tea", ""), core.ImportOptions{})
		plan := ok(k.PlanImport(ctx, []core.Input{{Path: k.file("two.json", doc("coffee", more))}}, core.ImportOptions{}))
		if got := plan.Sources[0].Merging; got == nil || *got != (core.PlanMerging{New: 1, Same: 1, Changed: 1, Said: 1}) {
			t.Fatalf("%+v", got)
		}
		if err := k.Agree(ctx, plan.ID, core.ImportOptions{Merge: merge, MergeIn: "mif"}); err != nil {
			t.Fatal(err)
		}
		done, _ := k.listen()
		ok(k.StartImport(ctx, plan.ID))
		ended := <-done
		drinks := len(k.memories(core.MemoryQuery{Text: "Robin likes coffee"}))
		if n := len(k.memories(core.MemoryQuery{})); n != want || drinks != map[core.Merge]int{core.SkipDuplicates: 0, core.Overwrite: 1, core.Rename: 1}[merge] {
			t.Errorf("%s: %d memories, %d with coffee", merge, n, drinks)
		}
		ok(k.UndoImport(ctx, ended.ImportID))
		if back := k.saying("Robin likes tea"); back.ID != "00000001-1111-4222-8333-000000000001" || len(k.memories(core.MemoryQuery{})) != 2 {
			t.Errorf("%s, undone: %+v", merge, back)
		}
	}
}

// Promise (security.md 5.6): an encrypted document opens with its passphrase and
// nothing readable stands in it; one that says no salt and cost is refused.
func TestEncryptedMIF(t *testing.T) {
	k := fresh(t)
	k.take("in.mif.json", published("one"), core.ImportOptions{})
	secret := []byte("one two three four")
	r, text := k.mif("out.mif.json", core.MIFOptions{ExportOptions: core.ExportOptions{Passphrase: secret}})
	if !r.Encrypted || bytes.Contains(text, []byte("RocksDB")) || bytes.Contains(text, []byte("Limit requests")) {
		t.Errorf("%+v\n%s", r, text)
	}
	there := other(t)
	_, err := there.Import(ctx, []core.Input{{Path: r.Path}}, core.ImportOptions{}, nil)
	wantFault(t, err, fault.Refused, "file-encrypted")
	_, err = there.Import(ctx, []core.Input{{Path: r.Path, Passphrase: []byte("another secret")}}, core.ImportOptions{}, nil)
	wantFault(t, err, fault.WrongPassphrase, "foreign-passphrase")
	ok(there.Import(ctx, []core.Input{{Path: r.Path, Passphrase: secret}}, core.ImportOptions{}, nil))
	_, out := there.mif("again.mif.json", core.MIFOptions{})
	sameMIF(t, textOf(k.mif("plain.mif.json", core.MIFOptions{})), out)
	foreign := there.file("foreign.mif.json", []byte(`{"mif_version":"1.0","encryption":{"algorithm":"aes-256-gcm","key_derivation":"argon2id","encrypted_payload":"AA==","iv":"AA==","auth_tag":"AA=="}}`))
	_, err = there.Import(ctx, []core.Input{{Path: foreign, Passphrase: secret}}, core.ImportOptions{}, nil)
	wantFault(t, err, fault.Unsupported, "mif-envelope-no-kdf")
	_, err = k.ExportMIF(ctx, filepath.Join(k.root, "x"), core.MIFOptions{ExportOptions: core.ExportOptions{Passphrase: []byte("short")}})
	wantFault(t, err, fault.Invalid, "passphrase-too-short")
}

// Promise (MIF §6.2, security.md 5.6): a file that says it is encrypted, in whatever
// shape, is refused in words by everything that reads it, and never taken for an
// empty document.
func TestEncryptedInAnotherShape(t *testing.T) {
	k := fresh(t)
	zipped := func(text string) []byte { return gen.Zip([]gen.File{{Name: "memories.mif.json", Data: []byte(text)}}) }
	for name, text := range map[string][]byte{
		"flag.mif.json":        []byte(`{"encrypted":true,"mif_version":"1.0"}`),
		"payload.mif.json":     []byte(`{"mif_version":"1.0","encrypted":true,"payload":"aGVsbG8="}`),
		"unversioned.mif.json": []byte(`{"encrypted":true,"payload":"aGVsbG8=","iv":"AA=="}`),
		"two.mif.json":         []byte(`{"mif_version":"2.0","encrypted":true,"algorithm":"xchacha","data":"aa"}`),
		"word.mif.json":        []byte(`{"mif_version":"1.0","encryption":"aes"}`),
		"bare.mif.json":        []byte(`{"mif_version":"1.0","encryption":{"algorithm":"x"}}`),
		"flat.mif.json":        []byte(`{"mif_version":"1.0","encrypted_payload":"aaaa","iv":"b"}`),
		"lines.mif.jsonl":      []byte(`{"mif_version":"1.0","encrypted":true}` + "\n"),
		"flag.mif.yaml":        []byte("mif_version: \"1.0\"\nencrypted: true\npayload: x\n"),
		"envelope.mif.yaml":    []byte("mif_version: \"1.0\"\nencryption:\n  algorithm: aes-256-gcm\n  encrypted_payload: aa\n"),
		"flag.zip":             zipped(`{"encrypted":true,"mif_version":"1.0","payload":"aa"}`),
		"envelope.zip":         zipped(`{"mif_version":"1.0","encryption":{"algorithm":"aes-256-gcm","encrypted_payload":"aa"}}`),
	} {
		t.Run(name, func(t *testing.T) {
			in := core.Input{Path: k.file(name, text)}
			_, looked := k.Inspect(ctx, in)
			_, dry := k.Import(ctx, []core.Input{in}, core.ImportOptions{DryRun: true}, nil)
			_, taken := k.Import(ctx, []core.Input{in}, core.ImportOptions{}, nil)
			for what, f := range map[string]*fault.Error{
				"inspect": fault.From(looked), "dry run": fault.From(dry), "import": fault.From(taken),
				"window": ok(k.PlanImport(ctx, []core.Input{in}, core.ImportOptions{})).Sources[0].Fault,
			} {
				if f == nil || f.Code != fault.Unsupported || !strings.HasPrefix(f.Reason, "mif-envelope") {
					t.Errorf("%s: %v", what, f)
				}
			}
			if v := ok(k.Validate(ctx, in)); v.Valid || len(v.Errors) != 1 || !strings.Contains(v.Errors[0].Message, "is encrypted") {
				t.Errorf("validate: %+v", v)
			}
			if r := ok(k.Verify(ctx, in, nil)); r.Verdict == core.VerdictUnsigned || r.Valid || !strings.Contains(r.Problems[0].Message, "is encrypted") {
				t.Errorf("verify: %+v", r)
			}
		})
	}
	if got := ok(k.Imports(ctx)); len(got) != 0 {
		t.Errorf("%d imports", len(got))
	}
}

// Promise: a document that can be read is read, whatever it says of encryption.
func TestNotEncrypted(t *testing.T) {
	memories := `"memories":[{"id":"mem_00000001-1111-4222-8333-000000000001","content":"Robin lives in Porto","type":"Observation","created_at":"2026-01-01T00:00:00Z"}]`
	for name, text := range map[string]string{
		"said not.mif.json": `{"mif_version":"1.0","encrypted":false,"encryption":null,` + memories + `}`,
		"at rest.mif.json":  `{"mif_version":"1.0","encrypted":true,"encryption":{"algorithm":"none","key_derivation":"","encrypted_payload":""},` + memories + `}`,
		"after.mif.json":    `{"mif_version":"1.0",` + memories + `,"encryption":{"key_derivation":"argon2id"}}`,
		"quoted.mif.json":   `{"mif_version":"1.0","vendor_extensions":{"x":{"encryption":{"encrypted_payload":"","key_derivation":""}}},` + memories + `}`,
	} {
		k := fresh(t)
		k.take(name, []byte(text), core.ImportOptions{})
		if got := k.memories(core.MemoryQuery{}); len(got) != 1 {
			t.Errorf("%s: %d memories", name, len(got))
		}
	}
}

// Promise (MIF §6.1): what leaves says what was taken out of it and where; the
// vault keeps it. The preview, the review and the file count the same.
func TestMIFHidesSecrets(t *testing.T) {
	k := fresh(t)
	id := k.add("Write to robin@example.com, ü").ID
	ok(k.AddTodo(ctx, core.TodoEdit{Content: to("Mail ana@example.com"), Tags: to([]string{"of-carla@example.com"})}))
	k.take("in.mif.json", []byte(`{"mif_version":"1.0","memories":[{"id":"mem_00000001-1111-4222-8333-000000000001","content":"Robin lives in Porto","type":"Observation",
		"created_at":"2026-01-01T00:00:00Z","entities":[{"text":"mail-in@example.com","type":"ADDRESS","start":0.30000000000000004}]}],
		"graph":{"format":"adjacency_list","edges":[{"source":"mem_00000001-1111-4222-8333-000000000001","target":"elsewhere","weight":0.5,"type":"causal","why":"said edge@example.com"}]},
		"vendor_extensions":{"crm":["vendor@example.com"]}}`), core.ImportOptions{})
	const places = 6
	p := ok(k.PreviewMIF(ctx, core.MIFOptions{}))
	found := ok(k.ExportFindings(ctx, core.MIFOptions{}, core.FindingQuery{}))
	r, text := k.mif("out.mif.json", core.MIFOptions{})
	if p.Findings != places || p.Hidden != places || p.FindingsByKind["email"] != places || p.Todos != 1 || found.Total != places || found.Hidden != places ||
		r.Redacted != 2 || r.Hidden != places || bytes.Contains(text, []byte("@example.com")) ||
		!bytes.Contains(text, []byte(`"redactions":[{"original_length":17,"position":[9,26],"type":"email"}]`)) || !bytes.Contains(text, []byte(`"pii_detected":true`)) {
		t.Errorf("%+v, %+v, %+v\n%s", p, found, r, text)
	}
	if !bytes.Contains(text, []byte(`0.30000000000000004`)) {
		t.Error("a number beside what is hidden was written differently")
	}
	in := map[core.ThingKind]int{}
	for _, f := range found.Items {
		in[f.In]++
		if !strings.HasSuffix(f.Text, "@example.com") || f.Field == "" || f.InID == "" {
			t.Errorf("%+v", f)
		}
	}
	if diff := cmp.Diff(map[core.ThingKind]int{core.InMemory: 2, core.InTask: 2, core.InDocument: 2}, in); diff != "" {
		t.Error(diff)
	}
	last := found.Items[places-1]
	keep := core.ExportOptions{RedactionOptions: core.RedactionOptions{Keep: []string{last.ID}}}
	if r, text = k.mif("kept.mif.json", core.MIFOptions{ExportOptions: keep}); r.Hidden != places-1 || !bytes.Contains(text, []byte(last.Text)) {
		t.Errorf("kept %s: %+v", last.Text, r)
	}
	window := ok(k.ExportFindings(ctx, core.MIFOptions{ExportOptions: keep}, core.FindingQuery{Offset: 4, Limit: 1}))
	if len(window.Items) != 1 || window.Items[0].ID != found.Items[4].ID || window.Hidden != places-1 {
		t.Errorf("%+v", window)
	}
	if r, text = k.mif("plain.mif.json", core.MIFOptions{ExportOptions: plain}); r.Hidden != 0 || bytes.Count(text, []byte("@example.com")) != places {
		t.Errorf("hidden though nobody wanted it: %+v\n%s", r, text)
	}
	if r, text = k.mif("bare.mif.json", core.MIFOptions{NoGraph: true}); r.Hidden != places-1 || bytes.Contains(text, []byte("elsewhere")) {
		t.Errorf("without the graph: %+v", r)
	}
	if m := ok(k.Memory(ctx, id)); !strings.Contains(m.Record.Content, "robin@example.com") {
		t.Errorf("the vault holds %q", m.Record.Content)
	}
}

// Promise: forgetting a memory takes along what documents said of it.
func TestForgettingTakesEdgesAlong(t *testing.T) {
	k := fresh(t)
	k.take("in.mif.json", published("one"), core.ImportOptions{})
	rust := k.saying("Robin writes command line tools in Rust").ID
	ok(k.Forget(ctx, []string{rust}, nil))
	_, text := k.mif("out.mif.json", core.MIFOptions{})
	var doc struct {
		Memories []struct{ ID string }
		Graph    struct {
			Edges []struct{ Source, Target string }
		}
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	for _, e := range doc.Graph.Edges {
		if strings.Contains(e.Source+e.Target, rust) {
			t.Errorf("an edge is left: %+v", e)
		}
	}
	if len(doc.Memories) != 2 {
		t.Errorf("%+v", doc)
	}
}

// Promise: tasks are kept, changed, undone and written into the log.
func TestTodos(t *testing.T) {
	k := fresh(t)
	one := ok(k.AddTodo(ctx, core.TodoEdit{Content: to(" Water the plants "), Tags: to([]string{"home", "home", ""})}))
	k.later(time.Hour)
	two := ok(k.AddTodo(ctx, core.TodoEdit{Content: to("Call Ana"), Priority: to(memory.High), DueDate: to(dayOne)}))
	if one.Content != "Water the plants" || len(one.Tags) != 1 || one.Status != memory.ToDo {
		t.Errorf("%+v", one)
	}
	done := ok(k.EditTodo(ctx, one.ID, core.TodoEdit{Status: to(memory.Done)}))
	if done.CompletedAt.IsZero() || done.UpdatedAt.IsZero() {
		t.Errorf("%+v", done)
	}
	k.reopen()
	all := ok(k.Todos(ctx, core.TodoQuery{}))
	if len(all) != 2 || all[0].ID != two.ID || len(ok(k.Todos(ctx, core.TodoQuery{Open: true}))) != 1 {
		t.Errorf("%+v", all)
	}
	ok(k.Undo(ctx))
	if back := ok(k.Todos(ctx, core.TodoQuery{Open: true})); len(back) != 2 || !back[1].CompletedAt.IsZero() {
		t.Errorf("%+v", back)
	}
	if err := k.RemoveTodo(ctx, two.ID); err != nil {
		t.Fatal(err)
	}
	if change := ok(k.Undo(ctx)); change.Kind != "todo-remove" || len(ok(k.Todos(ctx, core.TodoQuery{}))) != 2 {
		t.Errorf("%+v", change)
	}
	log := ok(k.Log(ctx, core.LogQuery{Target: two.ID}))
	if len(log.Entries) < 2 {
		t.Errorf("%+v", log)
	}
	_, err := k.AddTodo(ctx, core.TodoEdit{})
	wantFault(t, err, fault.Invalid, "todo-empty")
	_, err = k.EditTodo(ctx, "gone", core.TodoEdit{})
	wantFault(t, err, fault.NotFound, "no-todo")
	_, err = k.EditTodo(ctx, two.ID, core.TodoEdit{Status: to(memory.TodoStatus("odd"))})
	wantFault(t, err, fault.Invalid, "todo-status")
	_, err = k.EditTodo(ctx, two.ID, core.TodoEdit{Priority: to(memory.Priority("odd"))})
	wantFault(t, err, fault.Invalid, "todo-priority")
	_, err = k.EditTodo(ctx, two.ID, core.TodoEdit{Content: to(strings.Repeat("x", 10_001))})
	wantFault(t, err, fault.TooLarge, "todo-too-long")
}

// TestMoreRelationsThanABatchHolds: they are stored in several transactions, and
// are one import all the same.
func TestMoreRelationsThanABatchHolds(t *testing.T) {
	var text bytes.Buffer
	if err := gen.LargeMIF(&text, 1, 1500, false); err != nil {
		t.Fatal(err)
	}
	k := fresh(t)
	first := k.take("a.mif.json", text.Bytes(), core.ImportOptions{})
	if first.Relations.New <= 4000 || first.State != "done" {
		t.Fatalf("%s with %d relations", first.State, first.Relations.New)
	}
	if held := k.state().Relations; held != first.Relations.New {
		t.Errorf("%d relations of %d are here", held, first.Relations.New)
	}
	text.WriteByte('\n') // another file
	if again := k.take("b.mif.json", text.Bytes(), core.ImportOptions{}); again.Relations.New != 0 {
		t.Errorf("read again, %d relations are new", again.Relations.New)
	}
	ok(k.UndoImport(ctx, first.ImportID))
	if held := k.state(); held.Relations != 0 || held.Memories != 0 {
		t.Errorf("undone, %d relations and %d memories stay", held.Relations, held.Memories)
	}
}
