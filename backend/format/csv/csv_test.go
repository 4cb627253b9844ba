package csv_test

import (
	"bytes"
	stdcsv "encoding/csv"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/format/csv"
	"keepsake/backend/memory"
)

func sequence[T any](all ...T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, x := range all {
			if !yield(x, nil) {
				return
			}
		}
	}
}

// table reads a table as a spreadsheet would.
func table(t testing.TB, text []byte) [][]string {
	t.Helper()
	bare, marked := bytes.CutPrefix(text, []byte("\ufeff"))
	if !marked {
		t.Error("no byte order mark")
	}
	rows, err := stdcsv.NewReader(bytes.NewReader(bare)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// hostile are texts that a table could break at, or a spreadsheet run.
var hostile = []string{
	"plain", "", `"`, `""`, "a,b", "a\nb", "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "'quoted'", "＝1", "=cmd|' /C calc'!A0", "ends with \"", "\u202eolleh", "a;=1", "\x00",
	"=HYPERLINK(\"http://x\",\"y\")",
}

// Promise: no cell begins as a formula does, and taking the apostrophe away gives
// the text back.
func TestNoCellIsAFormula(t *testing.T) {
	var records []memory.Record
	for _, text := range hostile {
		records = append(records, memory.Record{ID: "m", Type: memory.Fact, Content: text, Summary: text, Tags: []string{"a", "b"}})
	}
	var out bytes.Buffer
	if err := csv.WriteMemories(&out, sequence(records...)); err != nil {
		t.Fatal(err)
	}
	rows := table(t, out.Bytes())
	content := slices.Index(rows[0], "content")
	for i, text := range hostile {
		checkCell(t, rows[i+1][content], text)
	}
}

func checkCell(t *testing.T, cell, text string) {
	t.Helper()
	if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) || strings.HasPrefix(cell, "＝") {
		t.Errorf("%q would be run", cell)
	}
	if strings.TrimPrefix(cell, "'") != text {
		t.Errorf("%q came out as %q", text, cell)
	}
	if cell == text && strings.HasPrefix(text, "'") {
		t.Errorf("%q lost its apostrophe", text)
	}
}

func TestWholeTables(t *testing.T) {
	half := 0.5
	c := memory.Collection{
		Memories:  sequence(memory.Record{ID: "m1", Type: memory.Custom, CustomType: "recipe", Content: "x"}),
		Relations: []memory.Relation{{ID: "r1", From: "m1", To: "m2", Type: memory.Extends, Confidence: &half}},
		Conversations: sequence(&memory.Conversation{ID: "c1", Title: "=title", Messages: []memory.Message{
			{ID: "a", Role: memory.User, Content: &memory.Content{Type: "text", Text: "hello"}}, {ID: "b", ParentID: "a", Role: memory.Assistant},
		}}),
	}
	files := map[string]*bytes.Buffer{}
	err := csv.Write(c, func(name string) (io.Writer, error) {
		files[name] = &bytes.Buffer{}
		return files[name], nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		csv.MemoriesName: {"m1", "recipe", "x"}, csv.RelationsName: {"r1", "m1", "extends", "m2", "0.5"}, csv.MessagesName: {"c1", "'=title", "", "a", "", "user"},
	} {
		rows := table(t, files[name].Bytes())
		if got := rows[1][:len(want)]; !slices.Equal(got, want) {
			t.Errorf("%s: %q", name, got)
		}
	}
	if rows := table(t, files[csv.MessagesName].Bytes()); len(rows) != 3 || rows[2][4] != "a" {
		t.Errorf("messages: %q", rows)
	}
}

func FuzzGuard(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "\r") { // encoding/csv reads \r\n as \n
			t.Skip()
		}
		var out bytes.Buffer
		if err := csv.WriteMemories(&out, sequence(memory.Record{Content: text})); err != nil {
			t.Fatal(err)
		}
		rows := table(t, out.Bytes())
		if len(rows) != 2 {
			t.Fatalf("%d rows", len(rows))
		}
		checkCell(t, rows[1][slices.Index(rows[0], "content")], text)
	})
}
