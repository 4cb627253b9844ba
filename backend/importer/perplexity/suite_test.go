package perplexity_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/importer/perplexity"
	"keepsake/backend/intake"
)

// made are the layouts, by the name of their only file.
func made() map[string]func(seed uint64) ([]byte, gen.Truth) {
	return map[string]func(seed uint64) ([]byte, gen.Truth){
		"perplexity.xlsx":        func(seed uint64) ([]byte, gen.Truth) { return gen.Perplexity(seed, 4) },
		"perplexity_export.json": func(seed uint64) ([]byte, gen.Truth) { return gen.PerplexityExtension(seed, 3) },
		"perplexity_thread.json": gen.PerplexityThread,
	}
}

// TestSuite holds the reader to what all readers promise.
func TestSuite(t *testing.T) {
	var own []Fixture
	for name, make := range made() {
		data, truth := make(5)
		own = append(own, Fixture{Name: strings.TrimSuffix(name, filepath.Ext(name)), Files: []gen.File{{Name: name, Data: data}},
			Conversations: len(truth.Conversations), Records: truth.Records, Golden: true})
	}
	Run(t, perplexity.Importer{}, own, Strangers("perplexity"))
}

// TestPlanted holds that exactly what a generator planted is read.
func TestPlanted(t *testing.T) {
	for name, make := range made() {
		data, truth := make(9)
		CheckPlanted(t, Read(t, perplexity.Importer{}, Fixture{Files: []gen.File{{Name: name, Data: data}}}.Tree(t)), truth)
	}
}

// TestWorkbookInAFolder reads a workbook that lies beside others, still packed.
func TestWorkbookInAFolder(t *testing.T) {
	data, truth := gen.Perplexity(3, 2)
	dir := t.TempDir()
	for name, text := range map[string][]byte{"export.xlsx": data, "note.txt": []byte("x"), "other.xlsx": gen.Workbook([]string{"Sheet1"}, [][][]string{{{"A"}, {"b"}}})} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	source, err := intake.FromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := intake.Open(t.Context(), []intake.Source{source}, intake.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	r := Read(t, perplexity.Importer{}, tree)
	CheckPlanted(t, r, truth)
	if r.Skipped["other-file"] != 2 {
		t.Errorf("skipped %v", r.Skipped)
	}
}

func workbook(rows ...[]string) Fixture {
	return Fixture{Files: []gen.File{{Name: "p.xlsx", Data: gen.Workbook([]string{"Conversations"}, [][][]string{rows})}}}
}

// TestAnswers reads what may stand for an answer.
func TestAnswers(t *testing.T) {
	for output, want := range map[string]string{
		`plain words`:          "plain words",
		`{"answer":"in JSON"}`: "in JSON",
		`{"answer":"{\"answer\":\"in JSON in JSON\"}"}`:                                          "in JSON in JSON",
		`[{"step_type":"SEARCH"},{"step_type":"FINAL","content":{"answer":"of the last step"}}]`: "of the last step",
		`{"answer":"cut off in the mid`:                                                          "cut off in the mid",
		`{"answer":"cut in an escape \u2`:                                                        "cut in an escape ",
		`{"answer":"whole","web_resu`:                                                            "whole",
		`{"other":1}`:                                                                            "",
		`{broken`:                                                                                "{broken",
	} {
		r := Read(t, perplexity.Importer{}, workbook([]string{"UUID", "CREATED", "TITLE", "OUTPUT_STR"}, []string{"a", "46143.5", "T", output}).Tree(t))
		if got := r.Conversations[0].Messages[1].Content.PlainText(); got != want {
			t.Errorf("%s gives %q, want %q", output, got, want)
		}
		if at := r.Conversations[0].Temporal.CreatedAt.String(); at != "2026-05-01T12:00:00Z" {
			t.Errorf("days since 1899 are %s", at)
		}
	}
}

// TestOddRows holds that rows of one id are one conversation, and that a row
// without one is told.
func TestOddRows(t *testing.T) {
	r := Read(t, perplexity.Importer{}, workbook([]string{"UUID", "CREATED", "TITLE", "OUTPUT_STR"},
		[]string{"a", "2026-05-01T11:00:00Z", "Second", "2"}, []string{"", "x", "y", "z"}, []string{"a", "2026-05-01T10:00:00Z", "First_x000D_\nline", "1"}, []string{"b", "never", "", ""}).Tree(t))
	a := r.Conversation("a")
	if a == nil || len(a.Messages) != 4 || a.Title != "First line" || a.Messages[0].Content.Text != "First\r\nline" || a.Messages[3].Content.Text != "2" || len(r.Problems) != 1 {
		t.Errorf("%+v, %v", a, r.Problems)
	}
	if b := r.Conversation("b"); b == nil || b.TimeSource != "none" || string(b.Messages[0].RawMetadata["CREATED"]) != `"never"` {
		t.Errorf("%+v", b)
	}
}

// TestHiddenAndForgottenAreLeftOut holds that only what still stands is remembered.
func TestHiddenAndForgottenAreLeftOut(t *testing.T) {
	head := []string{"MEMORY_KEY", "MEMORY_VALUE", "IS_DELETED", "IS_FORGOTTEN", "IS_INVISIBLE"}
	data := gen.Workbook([]string{"x", "Memory"}, [][][]string{{{"x"}}, {head, {"a", "Has a red boat", "FALSE", "TRUE"}, {"b", "Has a blue boat", "", "", "TRUE"}, {"c", ""}, {"d", "Has a green boat"}}})
	r := Read(t, perplexity.Importer{}, Fixture{Files: []gen.File{{Name: "p.xlsx", Data: data}}}.Tree(t))
	if !slices.Equal(r.Contents(), []string{"Has a green boat"}) || r.Skipped["forgotten"] != 1 || r.Skipped["hidden"] != 1 || r.Skipped["empty-memory"] != 1 {
		t.Errorf("%q, %v", r.Contents(), r.Skipped)
	}
}

// TestDamagedWorkbook holds that a sheet that ends in the middle is told, and
// that its first rows are read.
func TestDamagedWorkbook(t *testing.T) {
	data, _ := gen.Perplexity(3, 3)
	files := Unpack(t, data)
	i := slices.IndexFunc(files, func(f gen.File) bool { return strings.HasSuffix(f.Name, "sheet1.xml") })
	files[i].Data = files[i].Data[:len(files[i].Data)*2/3]
	r := &Recording{}
	err := (perplexity.Importer{}).Read(t.Context(), Fixture{Files: []gen.File{{Name: "p.xlsx", Data: gen.Zip(files)}}}.Tree(t), r.Sink())
	if err == nil || len(r.Conversations) == 0 || len(r.Memories) == 0 {
		t.Errorf("%v, %d conversations, %d memories", err, len(r.Conversations), len(r.Memories))
	}
}

// TestHostileWorkbook puts entities of its own into every part of a workbook: none is
// expanded, and nothing outside of it is read.
func TestHostileWorkbook(t *testing.T) {
	const canary = "CANARY of a file outside"
	secret := filepath.Join(t.TempDir(), "secret.txt")
	if err := os.WriteFile(secret, []byte(canary), 0o600); err != nil {
		t.Fatal(err)
	}
	laughs := `<!ENTITY a0 "` + canary + `">`
	for i := range 9 {
		laughs += fmt.Sprintf(`<!ENTITY a%d "%s">`, i+1, strings.Repeat(fmt.Sprintf("&a%d;", i), 10))
	}
	data, _ := gen.Perplexity(3, 2)
	files := Unpack(t, data)
	sentence := regexp.MustCompile(`(<t[^>]*>[^<]* [^<]*)</t>`)
	tried, got, control := 0, 0, 0
	for _, doctype := range []string{
		"", laughs + `<!ENTITY x "&a9;">`, `<!ENTITY x SYSTEM "file://` + secret + `">`, `<!ENTITY x PUBLIC "-//x" "` + secret + `">`,
		`<!ENTITY % p SYSTEM "file://` + secret + `">%p;<!ENTITY x "&y;">`, `<!ENTITY x "&x;">`, `<!ENTITY x "` + canary + `">`,
	} {
		for i, file := range files {
			root := regexp.MustCompile(`<[a-zA-Z][^>]*>`).FindIndex(file.Data)
			if !strings.HasSuffix(file.Name, ".xml") {
				continue
			}
			text := string(file.Data)
			inside := sentence.ReplaceAllString(text[root[1]:], "$1&x;</t>") // names of columns stay
			again := slices.Clone(files)
			again[i].Data = []byte(text[:root[0]] + "<!DOCTYPE r [" + doctype + "]>" + text[root[0]:root[1]] + inside)
			if doctype == "" { // the control: the text itself
				again[i].Data = []byte(text[:root[1]] + strings.ReplaceAll(inside, "&x;", canary))
			}
			r := &Recording{}
			err := (perplexity.Importer{}).Read(t.Context(), Fixture{Files: []gen.File{{Name: "p.xlsx", Data: gen.Zip(again)}}}.Tree(t), r.Sink())
			read := fmt.Sprintf("%+v %+v", r.Conversations, r.Memories)
			if doctype == "" {
				control += strings.Count(read, canary)
				continue
			}
			tried++
			if strings.Contains(read, canary) || len(read) > 1<<20 {
				got++
				t.Errorf("%s with %.60s: %v, %.200s", file.Name, doctype, err, read)
			}
		}
	}
	if control == 0 {
		t.Error("the control reads nothing of what was put in")
	}
	t.Logf("%d workbooks tried, %d got through", tried, got)
}

// FuzzRead holds that no JSON file makes the reader panic, and that what it
// gives is sound.
func FuzzRead(f *testing.F) {
	for _, make := range []func(uint64) ([]byte, gen.Truth){made()["perplexity_export.json"], gen.PerplexityThread} {
		data, _ := make(1)
		f.Add(data)
	}
	f.Add([]byte(`{"conversations":[{"query":"a","answer":"b"},{"uuid":1}]}`))
	f.Add([]byte(`{"status":1,"thread_metadata":{},"entries":[{"query_str":"a","text":"{\"answer\":1}","blocks":[{"markdown_block":{"answer":"x"}}]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) { CheckAnyFile(t, perplexity.Importer{}, "x.json", text) })
}

// FuzzSheet holds the same of a sheet of a workbook, and FuzzOutput of a cell.
func FuzzSheet(f *testing.F) {
	data, _ := gen.Perplexity(1, 1)
	files := Unpack(f, data)
	i := slices.IndexFunc(files, func(f gen.File) bool { return strings.HasSuffix(f.Name, "sheet1.xml") })
	f.Add(files[i].Data)
	f.Add([]byte(`<worksheet><row><c r="ZZZZ9" t="s"><v>-1</v></c><c><v>UUID</v></c></row></worksheet>`))
	f.Fuzz(func(t *testing.T, sheet []byte) {
		again := slices.Clone(files)
		again[i].Data = sheet
		CheckAnyFile(t, perplexity.Importer{}, "x.xlsx", gen.Zip(again))
	})
}

// FuzzOutput holds that no answer makes the reader panic.
func FuzzOutput(f *testing.F) {
	f.Add(`{"answer":"a\u`)
	f.Add(`[{"content":{"answer":"x"}}]`)
	f.Fuzz(func(t *testing.T, output string) {
		data := workbook([]string{"UUID", "OUTPUT_STR"}, []string{"a", output}).Files[0].Data
		CheckAnyFile(t, perplexity.Importer{}, "x.xlsx", data)
	})
}
