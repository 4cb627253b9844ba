package core_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// form exports to be read; the text is nil where it is a folder.
func (k *kit) form(name string, o core.FormOptions) (core.FormResult, []byte) {
	k.t.Helper()
	r := ok(k.ExportForm(ctx, filepath.Join(k.root, name)+tail(name), o))
	text, err := os.ReadFile(r.Path)
	if err != nil {
		return r, nil
	}
	return r, text
}

// Promise: each form says all that leaves, is remembered and entered in the log.
func TestFormsSayWhatLeaves(t *testing.T) {
	k := full(t)
	ok(k.Relate(ctx, k.saying("User drinks green tea").ID, memory.Supports, k.saying("I live in Porto").ID))
	for name, o := range map[string]core.FormOptions{
		"a.csv": {Form: core.CSV}, "a.html": {Form: core.HTML}, "md.zip": {Form: core.Markdown}, "md/": {Form: core.Markdown}, "ob.zip": {Form: core.Obsidian}, "p.json": {Form: core.Personal}, "p.md": {Form: core.PersonalMarkdown},
		"all.json": {Form: core.Personal, ExportOptions: core.ExportOptions{IncludeConversations: true}},
		"all.zip":  {Form: core.CSV, ExportOptions: core.ExportOptions{IncludeConversations: true}}, "all.html": {Form: core.HTML, ExportOptions: core.ExportOptions{IncludeConversations: true}},
		"allmd/": {Form: core.Obsidian, ExportOptions: core.ExportOptions{IncludeConversations: true}},
	} {
		p := ok(k.PreviewForm(ctx, o))
		r, _ := k.form(name, o)
		all := string(bytes.Join(valuesOf(unpack(t, r.Path)), nil))
		if r.Memories != 4 || p.Memories != 4 || r.Conversations != p.Conversations || r.Bytes == 0 || !strings.HasPrefix(r.Checksum, "sha256:") || r.Excluded["not-exportable"] != p.Excluded["not-exportable"] {
			t.Errorf("%s: %+v, foreseen %+v", name, r, p)
		}
		for _, said := range []string{"User drinks green tea", "User is called Ana", "I live in Porto"} {
			if !strings.Contains(all, said) {
				t.Errorf("%s does not say %q", name, said)
			}
		}
		if o.IncludeConversations != (r.Conversations > 0) || o.IncludeConversations != strings.Contains(all, firstWords(k)) {
			t.Errorf("%s: %d conversations", name, r.Conversations)
		}
		past := ok(k.Exports(ctx))
		if i := slices.IndexFunc(past, func(e core.PastExport) bool { return e.ExportID == r.ExportID }); i < 0 || past[i].Format != string(o.Form) || past[i].Checksum != r.Checksum || past[i].Signed {
			t.Errorf("%s is remembered as %+v", name, past)
		}
	}
	page := ok(k.Log(ctx, core.LogQuery{}))
	if n := slices.IndexFunc(page.Entries, func(e core.LogEntry) bool { return e.Action == "export" }); n < 0 {
		t.Error("no export in the log")
	}
	_, err := k.ExportPAM(ctx, filepath.Join(k.root, "x.json"), core.ExportOptions{Incremental: true})
	wantFault(t, err, fault.NotFound, "export-no-base")
}

func valuesOf(files map[string][]byte) (all [][]byte) {
	for _, text := range files {
		all = append(all, text)
	}
	return all
}

// firstWords are said in a conversation and in no memory.
func firstWords(k *kit) string {
	k.t.Helper()
	list := ok(k.Conversations(ctx, core.ConversationQuery{}))
	for _, c := range list.Items {
		talk := k.conversation(c.ID)
		if len(talk.Messages) > 0 && talk.Messages[0].Content.PlainText() != "" {
			return talk.Messages[0].Content.PlainText()
		}
	}
	k.t.Fatal("no words")
	return ""
}

// Promise (PAM §9): for somebody else leaves what they may read, redacted.
func TestFormsForSomebody(t *testing.T) {
	k := full(t)
	tea := k.saying("User drinks green tea").ID
	ok(k.EditMemory(ctx, tea, core.MemoryEdit{Content: to("Write to ana@example.org"), SharedWith: &[]memory.Grant{{Entity: "doctor", Permissions: []string{"read"}}}}))
	for _, o := range []core.FormOptions{{Form: core.CSV}, {Form: core.HTML}, {Form: core.Markdown}} {
		o.For = "doctor"
		r, _ := k.form("for-"+string(o.Form)+map[core.Form]string{core.Markdown: ".zip"}[o.Form], o)
		all := string(bytes.Join(valuesOf(unpack(t, r.Path)), nil))
		if r.Memories != 1 || r.Hidden == 0 || strings.Contains(all, "ana@example.org") || strings.Contains(all, "Porto") || !strings.Contains(all, "Write to") {
			t.Errorf("%+v: %s", r, all)
		}
	}
	_, err := k.ExportForm(ctx, filepath.Join(k.root, "x.html"), core.FormOptions{Form: core.HTML, ExportOptions: core.ExportOptions{For: "doctor", IncludeConversations: true}})
	wantFault(t, err, fault.Invalid, "export-for-conversations")
}

func TestFormsRefuse(t *testing.T) {
	k := full(t)
	secret := core.ExportOptions{Passphrase: []byte("correct horse battery")}
	for name, x := range map[string]struct {
		o      core.FormOptions
		reason string
	}{
		"a.docx":    {core.FormOptions{Form: "docx"}, "form-unknown"},
		"page.zip":  {core.FormOptions{Form: core.HTML}, "form-one-file"},
		"page/":     {core.FormOptions{Form: core.HTML}, "form-one-file"},
		"notes.md":  {core.FormOptions{Form: core.Markdown}, "form-many-files"},
		"notes":     {core.FormOptions{Form: core.Markdown, ExportOptions: secret}, "export-folder-encrypted"},
		"t.csv.age": {core.FormOptions{Form: core.CSV}, "export-age-plain"},
		"t.csv":     {core.FormOptions{Form: core.CSV, ExportOptions: core.ExportOptions{IncludeConversations: true}}, "export-needs-bundle"},
		"none.csv":  {core.FormOptions{Form: core.CSV, ExportOptions: core.ExportOptions{Statuses: []memory.Status{memory.Retracted}}}, "export-selects-nothing"},
		"tag.csv":   {core.FormOptions{Form: core.CSV, ExportOptions: core.ExportOptions{Tags: []string{"nothing"}}}, "export-no-such-target"},
	} {
		_, err := k.ExportForm(ctx, filepath.Join(k.root, name)+tail(name), x.o)
		wantFault(t, err, fault.CodeOf(err), x.reason)
		if _, err := os.Lstat(filepath.Join(k.root, name)); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	r, text := k.form("a.csv.age", core.FormOptions{Form: core.CSV, ExportOptions: secret})
	if !r.Encrypted || bytes.Contains(text, []byte("Porto")) || !bytes.HasPrefix(text, []byte("age-encryption.org")) {
		t.Errorf("encrypted: %+v", r)
	}
	_, plain := k.form("a.csv", core.FormOptions{Form: core.CSV})
	if again, _ := k.form("b.csv", core.FormOptions{Form: core.CSV}); again.Checksum != r.Checksum || !bytes.Contains(plain, []byte("Porto")) {
		t.Error("the checksum is not that of what was encrypted")
	}
	left, err := filepath.Glob(filepath.Join(k.root, ".tmp-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Promise: memories stand by type, the oldest first.
func TestSuggestedName(t *testing.T) {
	k := full(t)
	k.export("base.json", core.ExportOptions{})
	day, secret := k.clock.Format(time.DateOnly), []byte("correct horse battery")
	with := core.ExportOptions{IncludeConversations: true, Passphrase: secret}
	for want, o := range map[string]core.FormatOptions{
		".pam.json":             core.ExportOptions{},
		"-incremental.pam.json": core.ExportOptions{Incremental: true},
		".pam.zip.age":          with,
		".mif.yaml":             core.MIFOptions{Format: "yaml", ExportOptions: core.ExportOptions{Passphrase: secret}},
		".mif.json":             core.MIFOptions{},
		".csv":                  core.FormOptions{Form: core.CSV},
		"-csv.zip.age":          core.FormOptions{Form: core.CSV, ExportOptions: with},
		".personal.md":          core.FormOptions{Form: core.PersonalMarkdown},
	} {
		if got := ok(k.SuggestedName(o)); got != "keepsake-"+day+want {
			t.Errorf("suggested %s, want …%s", got, want)
		}
	}
	for reason, o := range map[string]core.FormatOptions{
		"form-unknown":         core.FormOptions{Form: "docx"},
		"mif-no-form":          core.MIFOptions{Format: "xml"},
		"export-base-needless": core.ExportOptions{Base: "x"},
	} {
		_, err := k.SuggestedName(o)
		wantFault(t, err, fault.Invalid, reason)
		_, err = k.ExportFindings(ctx, o, core.FindingQuery{})
		wantFault(t, err, fault.Invalid, reason)
	}
}

func TestFormsReadInOrder(t *testing.T) {
	k := fresh(t)
	for i, kind := range []memory.Type{memory.Goal, memory.Fact, memory.Goal, memory.Fact} {
		k.later(time.Hour)
		ok(k.AddMemory(ctx, core.NewMemory{Content: fmt.Sprintf("number %d", i), Type: kind}))
	}
	_, text := k.form("a.csv", core.FormOptions{Form: core.CSV})
	rows := ok(csv.NewReader(bytes.NewReader(text[3:])).ReadAll())
	var got []string
	for _, row := range rows[1:] {
		got = append(got, row[2])
	}
	if !slices.Equal(got, []string{"number 1", "number 3", "number 0", "number 2"}) {
		t.Errorf("order: %q", got)
	}
}

// Promise: the categories of the Personal Memory Specification narrow what leaves,
// and every record is in one of them.
func TestPersonalCategories(t *testing.T) {
	k := full(t)
	ok(k.AddMemory(ctx, core.NewMemory{Content: "Reviews reports on Mondays", Type: memory.Custom, CustomType: "work_pattern"}))
	ok(k.AddMemory(ctx, core.NewMemory{Content: "Badge 7", Type: memory.Custom, CustomType: "badge"}))
	ok(k.AddMemory(ctx, core.NewMemory{Content: "Answer briefly", Type: memory.Instruction}))
	everything := core.ExportOptions{IncludeConversations: true}
	type said struct {
		Content string `json:"content"`
	}
	type list struct {
		Count   int    `json:"count"`
		Records []said `json:"records"`
	}
	read := func(text []byte) (doc struct {
		UserID string          `json:"user_id"`
		Count  int             `json:"record_count"`
		All    map[string]list `json:"categories"`
	}) {
		if err := json.Unmarshal(text, &doc); err != nil {
			t.Fatal(err)
		}
		return doc
	}
	r, text := k.form("all.json", core.FormOptions{Form: core.Personal, ExportOptions: everything})
	doc, total := read(text), 0
	for name, l := range doc.All {
		if total += l.Count; l.Count != len(l.Records) {
			t.Errorf("%s says %d and has %d", name, l.Count, len(l.Records))
		}
	}
	if total != r.Memories+r.Conversations || doc.Count != total || doc.UserID != k.state().OwnerID || len(doc.All) != 4 || doc.All["conversation"].Count != r.Conversations {
		t.Errorf("%+v of %+v", doc, r)
	}
	for category, want := range map[core.Category]string{"work_pattern": "Reviews reports on Mondays", "preference": "Answer briefly"} {
		r, text := k.form(string(category)+".json", core.FormOptions{Form: core.Personal, ExportOptions: core.ExportOptions{Categories: []core.Category{category}}})
		doc := read(text)
		l := doc.All[string(category)]
		if doc.Count != l.Count || r.Memories != l.Count || !slices.Contains(l.Records, said{want}) {
			t.Errorf("%s: %s", category, text)
		}
	}
	everything.Categories = []core.Category{"conversation"}
	if r, _ := k.form("talks.json", core.FormOptions{Form: core.Personal, ExportOptions: everything}); r.Memories != 0 || r.Conversations != 2 {
		t.Errorf("conversations alone: %+v", r)
	}
}

func TestFormsSpeakTheLanguage(t *testing.T) {
	k := full(t)
	for language, want := range map[string][]string{"pt-BR": {`lang="pt-BR"`, "Memórias", "tem relação com", "Conversas"}, "": {`lang="en"`, "Memories", "is related to", "Conversations"}} {
		_, text := k.form("page-"+language+".html", core.FormOptions{Form: core.HTML, Language: language, ExportOptions: core.ExportOptions{IncludeConversations: true}})
		for _, word := range want {
			if !bytes.Contains(text, []byte(word)) {
				t.Errorf("%q: no %q", language, word)
			}
		}
	}
}

// Promise: what a page says of a memory beside its words is so of that memory, and is
// said of no other.
func TestPageSaysOfAMemoryWhatHolds(t *testing.T) {
	k := fresh(t)
	k.imports(k.write("a.zip", sampleBook()))
	k.later(time.Hour)
	coffee, milk, sugar := k.add("Drinks coffee").ID, k.add("Drinks no coffee").ID, k.add("Takes sugar").ID
	ok(k.Relate(ctx, milk, memory.Contradicts, coffee))
	ok(k.SetStatus(ctx, sugar, memory.Retracted, ""))
	until := k.clock.AddDate(1, 0, 0)
	ok(k.EditMemory(ctx, coffee, core.MemoryEdit{ValidUntil: &until}))
	_, text := k.form("page.html", core.FormOptions{Form: core.HTML, ExportOptions: core.ExportOptions{IncludeConversations: true}})
	if said := "Written by Keepsake on " + k.clock.UTC().Format("2006-01-02") + "."; !bytes.Contains(text, []byte(said)) {
		t.Errorf("the page does not say %q", said)
	}
	articles := strings.Split(string(text), "<article ")[1:]
	if len(articles) != 6 {
		t.Fatalf("%d memories on the page", len(articles))
	}
	for said, of := range map[string]string{
		"from a conversation": "User drinks green tea|User lives in Lisbon", "valid until " + until.UTC().Format("2006-01-02"): "Drinks coffee",
		"is contradicted by <a": "Drinks coffee", "<li>contradicts <a": "Drinks no coffee", "<bdi>retracted</bdi>": "Takes sugar",
	} {
		for _, article := range articles {
			_, words, _ := strings.Cut(article, `dir="auto">`)
			words, _, _ = strings.Cut(words, "<")
			article, _, _ = strings.Cut(article, "</article>")
			if is := slices.Contains(strings.Split(of, "|"), words); strings.Contains(article, said) != is {
				t.Errorf("%q is said of %q: %v", said, words, !is)
			}
		}
	}
}

// Promise: an export of chosen conversations holds these, with what they stated,
// and nothing of the others.
func TestExportOfChosenConversations(t *testing.T) {
	k := fresh(t)
	b := sampleBook()
	b.Conversations = append(b.Conversations, talk{ID: "c3", Title: "Clocks", At: dayOne, Updated: dayOne, Lines: []line{{ID: "k1", Role: "user", Text: "Clocks tick", At: dayOne}}})
	k.imports(k.write("a.zip", b))
	lisbon, clocks := idOf(t, k, "Lisbon"), idOf(t, k, "Clocks")
	chosen := core.ExportOptions{IncludeConversations: true, Conversations: []string{lisbon, clocks}}

	p := ok(k.PreviewExport(ctx, chosen))
	if p.Memories != 1 || p.Conversations != 2 || p.Excluded["conversation"] != 2 {
		t.Errorf("foreseen: %+v", p)
	}
	r, _ := k.export("two.zip", chosen)
	k.valid(r.Path)
	_, page := k.form("two.html", core.FormOptions{Form: core.HTML, ExportOptions: chosen})
	for _, text := range []string{string(bytes.Join(valuesOf(unpack(t, r.Path)), nil)), string(page)} {
		if !strings.Contains(text, "Lovely!") || !strings.Contains(text, "Clocks tick") || !strings.Contains(text, "User lives in Lisbon") || strings.Contains(text, "green tea") {
			t.Errorf("two conversations: %s", text)
		}
	}
	// A conversation leaves also where nothing was stated in it.
	chosen.Conversations = []string{clocks}
	if _, page = k.form("one.html", core.FormOptions{Form: core.HTML, ExportOptions: chosen}); !bytes.Contains(page, []byte("Clocks tick")) || bytes.Contains(page, []byte("Lisbon")) {
		t.Errorf("one conversation: %s", page)
	}
	if past := ok(k.Exports(ctx)); len(past) != 3 || !slices.Equal(past[0].Selection.Conversations, chosen.Conversations) {
		t.Errorf("remembered: %+v", past)
	}
	chosen.Conversations = make([]string, 501)
	_, err := k.PreviewExport(ctx, chosen)
	wantFault(t, err, fault.TooLarge, "export-conversations")
}
