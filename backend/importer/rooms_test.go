package importer_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

// TestCase12TimesOfTools is §13.12 for tools: no time, zero, 1970, any unit, any form.
func TestCase12TimesOfTools(t *testing.T) {
	for raw, want := range map[string]string{
		`null`: "", `0`: "", `""`: "", `-1`: "", `1e300`: "", `"soon"`: "", `"1970-01-01T00:00:00Z"`: "", `3600`: "",
		`1744577557`: "2025-04-13T20:52:37Z", `1744577557127`: "2025-04-13T20:52:37.127000Z", `1744577557127000`: "2025-04-13T20:52:37.127000Z",
		`1744577557127000064`: "2025-04-13T20:52:37.127000Z", `"1744577557"`: "2025-04-13T20:52:37Z", `"2026-01-02"`: "2026-01-02T00:00:00Z",
		`"2026-01-02 03:04:05.5+02:00"`: "2026-01-02T01:04:05.500000Z", `"2026-01-02T03:04:05.123456789"`: "2026-01-02T03:04:05.123456Z", `"2026-01-02T03:04"`: "2026-01-02T03:04:00Z",
	} {
		if got := importer.AnyTime(jsontext.Value(raw)).String(); got != want {
			t.Errorf("%s is %s, want %s", raw, got, want)
		}
	}
}

// TestCase41LinesAndTexts is §13.41 for lines and texts: a byte order mark, lone surrogates,
// NUL, control characters, UTF-16.
func TestCase41LinesAndTexts(t *testing.T) {
	l := jsonstream.NewLines("x", strings.NewReader("\uFEFF{\"a\":\"\\ud800b\"}\r\n\r\n{\"a\":\"c\x01\x00\"}\n[1"))
	var got []string
	bad := 0
	for v, err := range l.All(t.Context()) {
		var e *jsonstream.BadElement
		if errors.As(err, &e) {
			bad++
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		got = append(got, importer.TextIn(v, "a")+"@"+strconv.Itoa(l.Index()))
	}
	if !slices.Equal(got, []string{"\uFFFDb@1", "c\x01\x00@3"}) || bad != 1 || l.Replaced() != 3 {
		t.Errorf("%q, %d bad, %d replaced", got, bad, l.Replaced())
	}
	for data, want := range map[string]string{
		"\xEF\xBB\xBFa\r\nb\rc": "a\nb\nc", "\xFF\xFEa\x00\x3D\xD8\x00\xDE": "a😀", "\xFE\xFF\x00a": "a", "a\x00b\xFF": "ab\uFFFD",
	} {
		if got, _ := importer.PlainText([]byte(data)); got != want {
			t.Errorf("%q reads %q, want %q", data, got, want)
		}
	}
}

func TestALongLineIsPassedOver(t *testing.T) {
	long := `{"a":"` + strings.Repeat("x", jsonstream.MaxLine) + "\"}\n{\"a\":\"b\"}\n"
	n, bad := 0, 0
	for _, err := range jsonstream.NewLines("x", strings.NewReader(long)).All(t.Context()) {
		if err != nil {
			bad++
		} else {
			n++
		}
	}
	if n != 1 || bad != 1 {
		t.Errorf("%d lines, %d bad", n, bad)
	}
}

// TestJoin mends what is no tree; the work grows with the messages only.
func TestJoin(t *testing.T) {
	c := memory.Conversation{Messages: []memory.Message{
		{ID: "a", ParentID: "b"}, {ID: "b", ParentID: "a"}, {ID: "b", ParentID: "self"}, {ParentID: "a"}, {ID: "d", ParentID: "d"},
	}}
	importer.Join(&c, "gone", "parent")
	seen := map[string]bool{}
	roots := 0
	for _, m := range c.Messages {
		if m.ID == "" || seen[m.ID] {
			t.Errorf("id %q", m.ID)
		}
		seen[m.ID] = true
		if m.ParentID == "" {
			roots++
			if m.RawMetadata["parent"] == nil {
				t.Errorf("%s has lost what it named", m.ID)
			}
		}
	}
	if roots != 3 || c.Leaf != "d" {
		t.Errorf("%d roots, leaf %s: %+v", roots, c.Leaf, c.Messages)
	}
	var long memory.Conversation
	for i := range 200_000 { // quadratic work would take minutes
		long.Messages = append(long.Messages, memory.Message{ID: strconv.Itoa(i)})
	}
	importer.JoinInOrder(&long)
	if long.ActiveLength() != 200_000 {
		t.Errorf("%d on the path", long.ActiveLength())
	}
}

// TestThreadNumbers: messages whose ids are alike are numbered, however many they are.
func TestThreadNumbers(t *testing.T) {
	d := importer.ConversationDraft{}
	thread := importer.NewThread(&d)
	thread.Add(memory.Message{ID: "a~3"})
	var got []string
	for range 4 {
		got = append(got, thread.Add(memory.Message{ID: "a"}))
	}
	if want := []string{"a", "a~2", "a~4", "a~5"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for range 200_000 { // quadratic work would take minutes
		thread.Add(memory.Message{ID: "b"})
	}
	if thread.Last() != "b~200000" {
		t.Errorf("the last of them is %s", thread.Last())
	}
}

func TestFrontMatter(t *testing.T) {
	for text, want := range map[string][2]string{
		"---\ntitle: A\ntags: [x, y]\n---\nbody":                     {`A`, "body"},
		"---\ntitle: Who: me\n---\nbody":                             {`Who: me`, "body"},
		"---\ntitle: &a A\nb: *a\n---\nbody":                         {`&a A`, "body"},
		"---\nno end\n":                                              {"", "---\nno end\n"},
		"text\n---\ntitle: A\n---\n":                                 {"", "text\n---\ntitle: A\n---\n"},
		"---\ntitle: A\n----\nbody":                                  {"", "---\ntitle: A\n----\nbody"},
		"---\ntitle: " + strings.Repeat("x", 70<<10) + "\n---\nbody": {"", "---\ntitle: " + strings.Repeat("x", 70<<10) + "\n---\nbody"},
	} {
		head, body := importer.FrontMatter(text)
		if title := importer.TextIn(head, "title"); title != want[0] || body != want[1] {
			t.Errorf("%.40q: %q, %.40q", text, title, body)
		}
	}
}

func TestParagraphs(t *testing.T) {
	text := "# One\n\nA line\nthat goes on.\n\n## Two\n- first\n  - inner\n  more\n* second\n\n**Three**\n1. third\n\n```go\n# no head\n\n- no bullet\n```\n<!-- a\nremark -->\n---\nlast"
	var got []string
	for _, p := range importer.Paragraphs(text) {
		got = append(got, p.Section+"|"+p.Text)
	}
	want := []string{"One|A line\nthat goes on.", "One / Two|first\n  - inner\nmore", "One / Two|second", "One / Two / Three|third",
		"One / Two / Three|```go\n# no head\n\n- no bullet\n```", "One / Two / Three|last"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestDataURL(t *testing.T) {
	if mime, data, ok := importer.DataURL("data:image/png;base64,aGk="); !ok || mime != "image/png" || string(data) != "hi" {
		t.Errorf("%q %q %v", mime, data, ok)
	}
	for _, s := range []string{"https://example.org/a.png", "data:image/png,hi", "data:image/png;base64,***", "data:", ""} {
		if _, _, ok := importer.DataURL(s); ok {
			t.Errorf("%q is taken", s)
		}
	}
}
