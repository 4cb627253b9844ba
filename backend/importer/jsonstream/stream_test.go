package jsonstream_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
)

// cut reads text in the given window and says what came: elements, bad ones as
// "!reason", and the reason the sequence ended with.
func cut(t *testing.T, r io.Reader, max int64) (elements []string, ended string) {
	t.Helper()
	s := jsonstream.NewStream("x.json", r)
	s.Max = max
	for v, err := range s.All(t.Context()) {
		var bad *jsonstream.BadElement
		switch {
		case errors.As(err, &bad):
			elements = append(elements, "!"+bad.Fault.Reason)
		case err != nil:
			ended = fault.From(err).Reason
		default:
			elements = append(elements, string(v))
		}
	}
	return elements, ended
}

func TestElementsOfEveryTopLevel(t *testing.T) {
	for _, c := range []struct{ name, text, want, ended string }{
		{"array", `[{"a":1}, [2] ,3,"x",null]`, `{"a":1}|[2]|3|"x"|null`, ""},
		{"empty array", ` [ ] `, "", ""},
		{"mark", "\xEF\xBB\xBF[1]", "1", ""},
		{"wrapper", `{"version":1,"conversations":[{"a":"]"},{"b":"\"}"}],"more":{"conversations":[9]}}`, `{"a":"]"}|{"b":"\"}"}`, ""},
		{"one object", `{"a" : [1, {"conversations":[2]}], "conversations":{"x":1}}`, `{"a":[1, {"conversations":[2]}],"conversations":{"x":1}}`, ""},
		{"duplicate names", `[{"a":1,"b":[{"c":1,"c":{}}],"a":2}]`, `{"b":[{"c":{}}],"a":2,"keepsake_doubled":[{"at":"/a","value":1},{"at":"/b/0/c","value":1}]}`, ""},
		{"carriage returns", "[\r\n1,\r\n2\r\n]\r\n", "1|2", ""},
		{"padding of NUL", "[1]\x00\x00", "1", ""},
		{"comma at the end", "[1,]", "1", ""},
		{"bad one between good ones", `[1,{"a":tru},{"b":1 2},4]`, "1|!item-not-json|!item-not-json|4", ""},
		{"nothing", "", "", "not-json"},
		{"html", "<html>", "", "not-json"},
		{"missing comma", "[1 2]", "1", "not-json"},
		{"trailing", "[1] x", "1", "json-trailing"},
		{"two texts", "[1][2]", "1", "json-trailing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(c.text), iotest.OneByteReader(strings.NewReader(c.text))} {
				got, ended := cut(t, r, 0)
				if strings.Join(got, "|") != c.want || ended != c.ended {
					t.Errorf("got %q ended %q, want %q ended %q", strings.Join(got, "|"), ended, c.want, c.ended)
				}
			}
		})
	}
}

func TestUnicodeIsMendedAndCounted(t *testing.T) {
	for _, c := range []struct {
		text, want string
		replaced   int
	}{
		{`["ok é \ud83d\ude00"]`, `"ok é \ud83d\ude00"`, 0},
		{"[\"a\xffb\"]", "\"a\uFFFDb\"", 1},
		{`["\ud83d x"]`, `"\ufffd x"`, 1},
		{`["\ude00\ud83d\ude00"]`, `"\ufffd\ud83d\ude00"`, 1},
		{"[\"a\x00b\nc\"]", `"a\u0000b\u000ac"`, 2},
		{`["\u0000"]`, `"\u0000"`, 0},
		{`["\\ud83d \""]`, `"\\ud83d \""`, 0},
	} {
		s := jsonstream.NewStream("x", strings.NewReader(c.text))
		for v, err := range s.All(t.Context()) {
			if err != nil || string(v) != c.want {
				t.Errorf("%q: got %s, %v; want %s", c.text, v, err, c.want)
			}
		}
		if s.Replaced() != c.replaced {
			t.Errorf("%q: replaced %d, want %d", c.text, s.Replaced(), c.replaced)
		}
	}
}

// TestNamesThatStandTwice: what a later member of the same name stands for is
// counted, and kept where an object can hold it.
func TestNamesThatStandTwice(t *testing.T) {
	for _, c := range []struct {
		text, want string
		doubled    int
	}{
		{`{"a":1,"b":2}`, `{"a":1,"b":2}`, 0},
		{`{"a":1,"a":2}`, `{"a":2,"keepsake_doubled":[{"at":"/a","value":1}]}`, 1},
		{`{"a":{"b/c":"x","b/c":"y"},"d":[0,{"~":1,"~":2,"~":3}]}`,
			`{"a":{"b/c":"y"},"d":[0,{"~":3}],"keepsake_doubled":[{"at":"/a/b~1c","value":"x"},{"at":"/d/1/~0","value":1},{"at":"/d/1/~0","value":2}]}`, 3},
		{`{"a":{"b":1,"b":2},"a":3}`, `{"a":3,"keepsake_doubled":[{"at":"/a","value":{"b":2,"keepsake_doubled":[{"at":"/b","value":1}]}}]}`, 2},
		{`{"keepsake_doubled":1,"a":1,"a":2}`, `{"keepsake_doubled":1,"a":2,"keepsake_doubled_":[{"at":"/a","value":1}]}`, 1},
		{`[{"a":1,"a":2}]`, `[{"a":2}]`, 1},
	} {
		s := jsonstream.NewStream("x", strings.NewReader("["+c.text+"]"))
		for v, err := range s.All(t.Context()) {
			if err != nil || string(v) != c.want {
				t.Errorf("%s: got %s, %v; want %s", c.text, v, err, c.want)
			}
		}
		l := jsonstream.NewLines("x", strings.NewReader(c.text+"\n"))
		for v, err := range l.All(t.Context()) {
			if err != nil || string(v) != c.want {
				t.Errorf("line %s: got %s, %v; want %s", c.text, v, err, c.want)
			}
		}
		if s.Doubled() != c.doubled || l.Doubled() != c.doubled || s.Replaced() != 0 {
			t.Errorf("%s: %d doubled, %d in lines, want %d", c.text, s.Doubled(), l.Doubled(), c.doubled)
		}
	}
}

func TestLimitsLeaveOneElementOut(t *testing.T) {
	for _, c := range []struct {
		name, bad, reason string
		max               int64
	}{
		{"depth", strings.Repeat("[", 129) + strings.Repeat("]", 129), "item-too-deep", 0},
		{"size", `"` + strings.Repeat("x", 2000) + `"`, "item-too-large", 1000},
		{"width", "[" + strings.Repeat("0,", 500_000) + "0]", "item-too-wide", 0},
		{"number", strings.Repeat("1", 16<<10+1), "number-too-long", 0},
		{"text", `"` + strings.Repeat("x", 64<<20+1) + `"`, "text-too-long", 0},
	} {
		got, ended := cut(t, strings.NewReader(`["before",`+c.bad+`,"after"]`), c.max)
		if want := `"before"|!` + c.reason + `|"after"`; strings.Join(got, "|") != want || ended != "" {
			t.Errorf("%s: got %.80q ended %q, want %q", c.name, strings.Join(got, "|"), ended, want)
		}
	}
	long := `{"id":"a","n":` + strings.Repeat("9", 16<<10) + `}`
	if got, _ := cut(t, strings.NewReader("["+long+"]"), 0); len(got) != 1 || got[0] != long {
		t.Errorf("a long number that nobody needs: got %.80q", got)
	}
	at128 := strings.Repeat("[", 128) + strings.Repeat("]", 128)
	if got, _ := cut(t, strings.NewReader("["+at128+"]"), 0); len(got) != 1 || got[0] != at128 {
		t.Errorf("depth 128 should be taken, got %.80q", got)
	}
}

// TestReadingGoesOnBehindAnElementThatBreaksOff: one that lacks its end swallows no
// other, and a text that ends well is not called cut.
func TestReadingGoesOnBehindAnElementThatBreaksOff(t *testing.T) {
	talk := func(n int) string {
		return fmt.Sprintf(`{"title": "Talk %d", "mapping": {"a": {"words": "said, {%d}", "list": [1, 2]}}, "id": %[1]d}`, n, n)
	}
	whole := []string{talk(1), talk(2), talk(3), talk(4)}
	for cutAt := len(`{"title": "Talk 2", "mapping"`) + 1; cutAt < len(talk(2)); cutAt++ {
		text := "[" + talk(1) + ",\n" + talk(2)[:cutAt] + ", " + talk(3) + "," + talk(4) + "]"
		for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
			got, ended := cut(t, r, 0)
			if len(got) != 4 || got[0] != whole[0] || got[1] != "!item-breaks" || got[2] != whole[2] || got[3] != whole[3] || ended != "" {
				t.Errorf("%s: got %q ended %q", talk(2)[:cutAt], got, ended)
			}
		}
	}
	text := "[" + talk(1) + ",5x," + talk(2) + `,{"title":"t","mapping":{"x":{,"y":1},"more":[`
	s := jsonstream.NewStream("x.json", strings.NewReader(text))
	var last error
	for _, err := range s.All(t.Context()) {
		last = err
	}
	if f := fault.From(last); f.Reason != "json-breaks" || f.Args["count"] != "2" || f.Args["byte"] != strconv.Itoa(strings.Index(text, "{,")+1) {
		t.Errorf("nothing behind it: %v, %v", last, f.Args)
	}
}

// TestASourceThatIsDamagedSaysSo: what is wrong with a text comes second.
func TestASourceThatIsDamagedSaysSo(t *testing.T) {
	damaged := fault.New(fault.Invalid, "entry-damaged", "damaged").Because(io.ErrUnexpectedEOF)
	for _, text := range []string{`[1] x`, `[1 2]`, `{"a":[`, `[1]`} {
		got, ended := cut(t, io.MultiReader(strings.NewReader(text), strings.NewReader(strings.Repeat(" ", 1<<20)), iotest.ErrReader(damaged)), 0)
		if ended != "entry-damaged" {
			t.Errorf("%s: got %q ended %q", text, got, ended)
		}
	}
}

// Any cut of a text keeps whole elements and ends with an error.
func TestEveryTruncationIsAnError(t *testing.T) {
	for _, text := range []string{`[{"a":"x\"y"},{"b":[1,2]},3]`, `{"conversations":[{"a":1},{"b":2}]}`, `{"a":{"b":[1]}}`} {
		whole, _ := cut(t, strings.NewReader(text), 0)
		for n := range len(text) {
			got, ended := cut(t, strings.NewReader(text[:n]), 0)
			if ended == "" {
				t.Errorf("%q ended well", text[:n])
			}
			for i, v := range got {
				if v != whole[i] {
					t.Errorf("%q gave %s, the whole has %s", text[:n], v, whole[i])
				}
			}
		}
	}
}

func TestCancelAndLeavingTheLoop(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	text := "[" + strings.Repeat(`"x",`, 100_000) + "0]"
	count := 0
	var last error
	for _, err := range jsonstream.Elements(ctx, strings.NewReader(text), 0) {
		if count++; count == 10 {
			cancel()
		}
		last = err
	}
	if !errors.Is(last, context.Canceled) || count > 70_000 {
		t.Errorf("after %d elements: %v", count, last)
	}
	for range jsonstream.Elements(t.Context(), strings.NewReader(text), 0) {
		break
	}
}

func TestWalkingValues(t *testing.T) {
	v := []byte(`{"a" : "x\\\"}" ,"b":[1 , {"c":[]},"]"], "é\n":null,"a":true}`)
	var got []string
	for name, value := range jsonstream.Members(v) {
		got = append(got, name+"="+string(value))
	}
	want := []string{`a="x\\\"}"`, `b=[1 , {"c":[]},"]"]`, "é\n=null", "a=true"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("members %q, want %q", got, want)
	}
	got = nil
	for i, value := range jsonstream.Items(jsonstream.Member(v, "b")) {
		got = append(got, fmt.Sprintf("%d %s", i, value))
	}
	if want := []string{`0 1`, `1 {"c":[]}`, `2 "]"`}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("items %q, want %q", got, want)
	}
	if rest := string(jsonstream.Without(v, "a", "b")); rest != `{"é\n":null}` {
		t.Errorf("without: %s", rest)
	}
	if rest := jsonstream.Without([]byte(`{"a":1}`), "a"); rest != nil {
		t.Errorf("nothing should be left: %s", rest)
	}
}

func FuzzStream(f *testing.F) {
	for _, seed := range []string{`[1,{"a":"\ud83d"}]`, `{"conversations":[[]]}`, "\xEF\xBB", `["\`, `{"a"`, "[\"\xff\"]", "[[[[", `{"":{}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for v, err := range jsonstream.Elements(t.Context(), iotest.HalfReader(strings.NewReader(string(text))), 1<<16) {
			if err != nil {
				continue
			}
			walkAll(t, v, 0)
		}
		if _, err := importer.Peek(strings.NewReader(string(text))); err != nil {
			t.Fatal(err)
		}
	})
}

// walkAll visits every value and holds that each lies inside its parent.
func walkAll(t *testing.T, v []byte, depth int) {
	if depth > 128 {
		t.Fatalf("deeper than allowed")
	}
	for _, item := range jsonstream.Items(v) {
		walkAll(t, item, depth+1)
	}
	for _, member := range jsonstream.Members(v) {
		walkAll(t, member, depth+1)
	}
}

func BenchmarkStream(b *testing.B) {
	text := "[" + strings.Repeat(`{"uuid":"0191","text":"`+strings.Repeat(`Some words with \"quotes\"\n`, 40)+`","n":[1,2,3]},`, 2000) + "0]"
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		for _, err := range jsonstream.Elements(b.Context(), strings.NewReader(text), 0) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
