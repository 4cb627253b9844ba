package pasted_test

import (
	"slices"
	"strings"
	"testing"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/importer/pasted"
)

// TestSuite holds the reader to what all readers promise. Lists without dates
// and prose are read only when somebody says that they were pasted.
func TestSuite(t *testing.T) {
	var own []Fixture
	for _, shape := range gen.PasteShapes() {
		if shape == gen.PasteSettings || shape == gen.PasteProse {
			continue
		}
		own = append(own, fixture(shape))
	}
	Run(t, pasted.Importer{}, own, Strangers("pasted"))
}

func fixture(shape gen.PasteShape) Fixture {
	text, truth, words := gen.Pasted(shape)
	f := Loose("answer.txt", text)
	f.Name, f.Cut, f.Golden, f.Records = string(shape), CutText, true, len(truth.Memories)+words
	return f
}

// TestPlanted holds that every shape gives exactly what was planted.
func TestPlanted(t *testing.T) {
	for _, shape := range gen.PasteShapes() {
		_, truth, _ := gen.Pasted(shape)
		r := Read(t, pasted.Importer{}, fixture(shape).Tree(t))
		if got, want := r.Contents(), truth.Contents(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", shape, got, want)
		}
	}
}

func read(t *testing.T, text string) *Recording {
	t.Helper()
	return Read(t, pasted.Importer{}, Loose("pasted.txt", text).Tree(t))
}

// TestLongEntry: what an entry goes on with is put together once.
func TestLongEntry(t *testing.T) {
	const all = 150_000 // quadratic work would take minutes
	r := read(t, "[2026-01-02] - Likes tea\n[2026-01-03] - Wrote this:"+strings.Repeat("\n    the river goes on and on and on\n    - and on and on and on", all))
	want := "Wrote this:" + strings.Repeat("\nthe river goes on and on and on\n- and on and on and on", all)
	if got := r.Contents(); len(got) != 2 || got[0] != "Likes tea" || got[1] != want {
		t.Errorf("%d entries: %.80q", len(got), got)
	}
}

// TestCase45PastedAnswers is §13.45: no memories, half of it outside the block, more remain,
// evidence that is no memory.
func TestCase45PastedAnswers(t *testing.T) {
	for _, none := range []string{"I don't have any saved memories.", "I don't currently have any memories stored about you.", "There are no memories saved yet.",
		"Não tenho nenhuma memória salva sobre você.", "No tengo recuerdos guardados sobre ti.", "Ich habe keine Erinnerungen gespeichert.", "```\nI have no saved memories.\n```"} {
		if r := read(t, none); len(r.Memories) != 0 {
			t.Errorf("%q is remembered as %q", none, r.Contents())
		}
		m, err := pasted.Importer{}.Sniff(t.Context(), Loose("pasted.txt", none).Tree(t))
		if err != nil || m.Advice == nil || m.Advice.Reason != "paste-no-memories" {
			t.Errorf("%q: %+v, %v", none, m, err)
		}
	}
	half := "Here is what I know:\n\n[2026-01-02] - Likes tea\n\n```\n[2026-01-03] - Has a dog\n```\n\n[2026-01-04] - Sings"
	if r := read(t, half); !slices.Equal(r.Contents(), []string{"Likes tea", "Has a dog", "Sings"}) {
		t.Errorf("half outside the block: %q", r.Contents())
	}
	r := Read(t, pasted.Importer{}, fixture(gen.PasteMore).Tree(t))
	if len(r.Memories) != 2 || len(r.Problems) != 1 || r.Problems[0].Reason != "paste-more-remain" {
		t.Errorf("more remain: %q, %+v", r.Contents(), r.Problems)
	}
	for _, whole := range []string{"That is the complete set; no more remain.", "This is everything, nothing else remains."} {
		if r := read(t, "[2026-01-02] - Likes tea\n\n"+whole); len(r.Problems) != 0 || len(r.Memories) != 1 {
			t.Errorf("%q: %+v, %q", whole, r.Problems, r.Contents())
		}
	}
	r = Read(t, pasted.Importer{}, fixture(gen.PasteGemini).Tree(t))
	if e, _ := r.Memories[0].Metadata["evidence"].([]string); len(e) != 1 || r.Memories[0].CreatedAt.String() != "2026-01-01T00:00:00Z" {
		t.Errorf("evidence %q, %v", e, r.Memories[0].CreatedAt)
	}
}

// TestDates holds how exact a date is known, and that no date is none.
func TestDates(t *testing.T) {
	for written, want := range map[string]string{
		"2026-01-02": "2026-01-02T00:00:00Z day", "2026-01": "2026-01-01T00:00:00Z month", "2026": "2026-01-01T00:00:00Z year",
		"Jan 2, 2026": "2026-01-02T00:00:00Z day", "Sept 2, 2025": "2025-09-02T00:00:00Z day", "unknown": " ", "date unknown": " ", "no date": " ", "desconhecida": " ", "2026-13-45": "whole",
		"1970-01-01": " ", "Jan\u202f2, 2026": "2026-01-02T00:00:00Z day",
	} {
		r := read(t, "[2025-05-05] - Other\n["+written+"] - Likes tea")
		if want == "whole" {
			if slices.Contains(r.Contents(), "Likes tea") {
				t.Errorf("%s is taken for a date", written)
			}
			continue
		}
		m := r.Memories[len(r.Memories)-1]
		precision, _ := m.Metadata["keepsake_created_at"].(string)
		if got := m.CreatedAt.String() + " " + precision; got != want || m.Content != "Likes tea" {
			t.Errorf("[%s]: %q %q, want %q", written, got, m.Content, want)
		}
	}
}

// TestLines are the rules one by one.
func TestLines(t *testing.T) {
	for text, want := range map[string][]string{
		"- [2026-01-02] - One\n  goes on here\n- [2026-01-03] - Two":                          {"One\ngoes on here", "Two"},
		"[2026-01-02] - One\n[2026-01-02] - One":                                              {"One"},
		"1. [2024-05-01]. Lives in Lisbon.\n\n2. [2024-05-02]. Has a cat.":                    {"Lives in Lisbon.", "Has a cat."},
		"3. Career:\n- [unknown] - Carpenter":                                                 {"Carpenter"},
		"2026-01-02: Likes tea\n2026-01-03: Likes cake":                                       {"Likes tea", "Likes cake"},
		"\uFEFF[2026-01-02]\u00A0-\u202fLikes tea\r\n[unknown] - Has a dog\r\n":               {"Likes tea", "Has a dog"},
		"Sure!\n\n* Name is Alex\n* Likes tea\n\nLet me know if you want more detail.":        {"Name is Alex", "Likes tea"},
		"Instructions\n[2026-01-02] - Be brief\n\nPersonal details\n[unknown] - Has a dog":    {"Be brief", "Has a dog"},
		"Based on our talks, this is what I know about you now:\n\n- Name: Ana\n- Job: nurse": {"Name: Ana", "Job: nurse"},
		"1. Likes tea\n2. Likes cake":                                                         {"Likes tea", "Likes cake"},
	} {
		if got := read(t, text).Contents(); !slices.Equal(got, want) {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, shape := range gen.PasteShapes() {
		text, _, _ := gen.Pasted(shape)
		f.Add([]byte(text))
	}
	FuzzReader(f, pasted.Importer{}, "pasted.txt")
}

var _ importer.Importer = pasted.Importer{}

// TestField28AnswersInAStructure: JSON and tables are taken by the names of their members
// and columns; a bracket, a rule or a line of a table is never a memory.
func TestField28AnswersInAStructure(t *testing.T) {
	for text, want := range map[string]string{
		"Here are all the memories I have saved about you:\n\n```json\n[\n  {\"date\": \"2025-03-01\", \"memory\": \"Lives in Leeds\"},\n  {\"date\": null, \"memory\": \"Prefers short answers\"}\n]\n```\n\nThat is the complete set.\n": "Lives in Leeds @2025-03-01T00:00:00Z ; Prefers short answers @ ",
		"Sure:\n{\n \"food\": [\"Is vegetarian\"],\n \"home\": [{\"fact\": \"Lives in Leeds\", \"saved\": \"2025-03\"}]\n}\n":                                                                                                              "Is vegetarian @ food; Lives in Leeds @2025-03-01T00:00:00Z home",
		"Your memories:\n\n| Date | Memory | Category |\n|------|:------:|---|\n| 2025-03-01 | Lives in Leeds | home |\n| – | Likes a \\| b | |\n\n---\n":                                                                                  "Lives in Leeds @2025-03-01T00:00:00Z home; Likes a | b @ ",
		"[{\"memory\":\"Lives in Leeds\"},{\"memory\":\"cut o": "Lives in Leeds @ ",
	} {
		r := Read(t, pasted.Importer{}, Loose("pasted.txt", text).Tree(t))
		var got []string
		for _, m := range r.Memories {
			section, _ := m.Metadata["section"].(string)
			got = append(got, m.Content+" @"+m.CreatedAt.String()+" "+section)
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%q:\n%q, not\n%q", text, strings.Join(got, "; "), want)
		}
		if m, err := (pasted.Importer{}).Sniff(t.Context(), Loose("pasted.txt", text).Tree(t)); err != nil || m.Format != "structure" {
			t.Errorf("%q: %+v, %v", text, m, err)
		}
	}
}

// TestField45AnnouncedLists: a list of plain bullets in a file is an answer where a
// sentence before it says so; any other list may be anybody's.
func TestField45AnnouncedLists(t *testing.T) {
	const bullets = "\n\n- Lives in Leeds\n- Is vegetarian\n\nLet me know if you would like me to change anything!\n"
	for before, want := range map[string]importer.Certainty{
		"Sure! Here is everything I remember about you:":      importer.Certain,
		"Here are the memories I have saved about you:":       importer.Certain,
		"Claro! Isto é o que lembro sobre você:":              importer.Certain,
		"Das weiß ich über dich:":                             importer.Certain,
		"Here is what to buy:":                                importer.None,
		"Things to do before the trip, as you asked about it": importer.None,
		"": importer.None,
	} {
		f := Loose("note.txt", before+bullets)
		m, err := (pasted.Importer{}).Sniff(t.Context(), f.Tree(t))
		if err != nil || m.Certainty != want {
			t.Errorf("%q: %+v, %v", before, m, err)
		}
		if r := Read(t, pasted.Importer{}, f.Tree(t)); want == importer.Certain && !slices.Equal(r.Contents(), []string{"Is vegetarian", "Lives in Leeds"}) && !slices.Equal(r.Contents(), []string{"Lives in Leeds", "Is vegetarian"}) {
			t.Errorf("%q: %q", before, r.Contents())
		}
	}
}

// Promise: JSON that is no answer of an assistant is refused by its name, in every form
// that it comes in, and never becomes a memory. What merely begins like JSON is text.
func TestJSONOfAProgramIsRefused(t *testing.T) {
	utf16 := func(s string) string {
		out := "\xFF\xFE"
		for _, c := range []byte(s) {
			out += string([]byte{c, 0})
		}
		return out
	}
	for _, text := range []string{
		`{"foo":[1,2,3]}`, `[1,2,3]`, `{"foo":"bar"}`, `{"foo":["a","b"]}`, `["a","b"]`, `"a text in quotes"`, "[[],[]]", "{\n  \"foo\": {\n    \"bar\": true\n  }\n}\n",
		" \n\t{\"foo\":1}\r\n", "\uFEFF{\"foo\":1}", utf16(`{"foo":1}`), `{"foo":1}{"foo":2}`, "{\"foo\":1}\n{\"foo\":2}\n", "[1]\n[2]", `{"foo":[1,2`, `[{"foo":1},{"fo`,
		`{"session_id":"x","transcript_path":"/home/x/t.jsonl","cwd":"/home/x","hook_event_name":"PreCompact","trigger":"manual"}`,
		`{"session_id":"x","hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"/x","content":"Lives in Leeds"}}`,
		`{"model":"m","text":"Lives in Leeds","usage":{"tokens":5}}`, `{"foo":"` + strings.Repeat("long ", 8000) + `"}`,
	} {
		f := Loose("pasted.txt", text)
		if len(text) < 10_000 {
			m, err := (pasted.Importer{}).Sniff(t.Context(), f.Tree(t))
			if err != nil || m.Certainty != importer.None || m.Advice == nil || m.Advice.Reason != "unread-json" || m.Advice.Args["name"] != "pasted.txt" {
				t.Errorf("%.80q: %+v, %v", text, m, err)
			}
		}
		r := &Recording{}
		err := pasted.Importer{}.Read(t.Context(), f.Tree(t), r.Sink())
		if why := fault.From(err); why == nil || why.Reason != "unread-json" || len(r.Memories) > 0 {
			t.Errorf("%.80q: %q, %v", text, r.Contents(), err)
		}
	}
	for text, want := range map[string][]string{
		"[todo] call Ana":                         {"[todo] call Ana"},
		"{name} likes tea":                        {"{name} likes tea"},
		"[1] as in the book: likes tea":           {"[1] as in the book: likes tea"},
		"\"Sings\" is what Ana does":              {"\"Sings\" is what Ana does"},
		"\"Likes tea\"\n\"Has a dog\"":            {"\"Likes tea\"", "\"Has a dog\""},
		"Likes tea\n{\"a\":\n [1, 2]}\nHas a dog": {"Likes tea", "Has a dog"},
		"42":                                 {"42"},
		`["Lives in Leeds","Is vegetarian"]`: {"Lives in Leeds", "Is vegetarian"},
		`{"food":["Is vegetarian"],"home":[{"fact":"Lives in Leeds"}]}`:                     {"Is vegetarian", "Lives in Leeds"},
		`[{"id":1,"memory":"Lives in Leeds"},{"id":2,"memory":"Is vegetarian"}]`:            {"Lives in Leeds", "Is vegetarian"},
		"{\"memory\":\"Lives in Leeds\"}\n{\"memory\":\"Is vegetarian\",\"date\":\"2026\"}": {"Lives in Leeds", "Is vegetarian"},
	} {
		if got := read(t, text).Contents(); !slices.Equal(got, want) {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}
