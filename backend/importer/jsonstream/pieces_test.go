package jsonstream

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
)

// heard is all that a loop over a stream is told, as lines, and how many of the elements
// came in pieces.
type heard struct {
	lines []string
	cut   int
}

// hear reads a text. Elements over most bytes are taken apart, none where that is 0,
// and what came in pieces is put together again.
func hear(text string, most int, slow bool, known Known) (h heard) {
	var r io.Reader = strings.NewReader(text)
	if slow {
		r = iotest.OneByteReader(r)
	}
	s := NewStream("x.json", r)
	s.Known = known
	if most > 0 {
		s.Apart, s.scan.most = []string{"mapping", "messages"}, most
	}
	replaced := 0
	for v, err := range s.All(context.Background()) {
		line, sum := string(v), s.Sum()
		if err != nil && !errors.Is(err, ErrKnown) {
			f := fault.From(err)
			line, sum = fmt.Sprint(f.Reason, f.Args), [32]byte{}
		} else if pieces := s.Pieces(); err == nil && len(pieces.List) > 0 {
			h.cut++
			line = together(v, pieces)
		}
		another := err == nil && sum != sha256.Sum256([]byte(line))
		if s.Replaced() > replaced { // then white space may be left out
			plain, _ := unique(jsontext.Value(line))
			line, sum = string(plain), [32]byte{}
		}
		if replaced = s.Replaced(); another {
			line += " with the sum of another"
		}
		h.lines = append(h.lines, fmt.Sprintf("%d: %s %v %x, %d replaced, %d doubled", s.Index(), line, err != nil, sum, s.Replaced(), s.Doubled()))
	}
	h.lines = append(h.lines, fmt.Sprintf("%d replaced, %d doubled, at %d", s.Replaced(), s.Doubled(), s.Offset()))
	return h
}

// together is the element that pieces and rest are of.
func together(rest jsontext.Value, pieces Pieces) string {
	first := Member(rest, pieces.Of)
	end := cap(rest) - cap(first) + len(first) - 1
	var out bytes.Buffer
	out.Write(rest[:end])
	for _, piece := range pieces.List {
		if !piece.IsValid() || piece[0] != first[0] {
			return "no piece: " + string(piece)
		}
		out.WriteString("," + string(piece[1:len(piece)-1]))
	}
	out.Write(rest[end:])
	if out.Len() != len(rest)+pieces.Size {
		return fmt.Sprintf("%d bytes more are said to be in pieces of %s", pieces.Size, out.String())
	}
	return out.String()
}

// asWhole holds that nobody can tell from what is read that an element came in pieces.
func asWhole(t *testing.T, text string, most int) (cut int) {
	t.Helper()
	want := hear(text, 0, false, nil)
	for _, slow := range []bool{false, true} {
		got := hear(text, most, slow, nil)
		if !slices.Equal(got.lines, want.lines) {
			t.Fatalf("over %d bytes, slow %v: %q\ngot  %q\nwant %q", most, slow, text, got.lines, want.lines)
		}
		cut = got.cut
	}
	return cut
}

// long is a list of members or items with that in the place of one in the middle.
func long(open, middle, end string) string {
	item := func(i int) string {
		if open == "{" {
			return fmt.Sprintf(`"node \" %d" : {"id":[%d, {}],"text":"said, \\\"{[\\"}`, i, i)
		}
		return fmt.Sprintf(`{"id":[%d, {}],"text":"said, \\\"{[\\"}`, i)
	}
	var all []string
	for i := range 40 {
		all = append(all, item(i))
	}
	all[20] += middle
	return open + " " + strings.Join(all, " ,\n") + " " + end
}

// TestPiecesAreTheElement: whatever stands in a long element, together its pieces are
// what it is in one piece, and what is wrong with it is told in the same words.
func TestPiecesAreTheElement(t *testing.T) {
	mapping, messages := long("{", "", "}"), long("[", "", "]")
	for _, c := range []struct {
		name, text string
		cut        int
	}{
		{"an object", `{"id":1,"mapping":` + mapping + `,"more":[1]}`, 1},
		{"an array", `{"messages":` + messages + `}`, 1},
		{"white space everywhere", "\n{ \"id\"\t: 1 ,\r\n \"mapping\" \n:\t" + mapping + " \n, \"more\" : [ ] } ", 1},
		{"both: the first", `{"mapping":` + mapping + `,"messages":` + messages + `}`, 1},
		{"a long member of another name before", `{"other":` + messages + `,"messages":` + messages + `}`, 1},
		{"no such member", `{"other":` + messages + `}`, 0},
		{"a name that ends so", `{"x\"mapping":` + mapping + `}`, 0},
		{"a name that is written otherwise", `{"mapp\u0069ng":` + mapping + `}`, 0},
		{"the name inside a text", `{"a":"\"mapping\":","b":` + mapping + `}`, 0},
		{"the name further in", `{"a":{"mapping":` + mapping + `}}`, 0},
		{"an empty member", `{"mapping":{},"other":` + messages + `}`, 0},
		{"a text", `{"mapping":"` + strings.Repeat("x,", 3000) + `"}`, 0},
		{"null", `{"other":` + messages + `,"mapping":null}`, 0},
		{"a list of lists", `[` + mapping + `,` + messages + `]`, 0},
		{"no object at all", `"` + strings.Repeat(`mapping\n`, 500) + `"`, 0},
		{"no Unicode in a piece", `{"mapping":` + long("{", `,"`+"\xff"+`":"\ud83d"`, "}") + `,"a":1}`, 1},
		{"no Unicode around the pieces", `{"a":"` + "\xff\n" + `","mapping":` + mapping + `,"b":"\ude00"}`, 1},
		{"no JSON in a piece", `{"mapping":` + long("{", `,"a":tru`, "}") + `}`, 0},
		{"nothing between commas", `{"messages":` + long("[", strings.Repeat(" ,", 40), "]") + `}`, 0},
		{"a comma before the end", `{"messages":` + long("[", "", ",]") + `}`, 0},
		{"a comma at the beginning", `{"messages":[` + strings.Repeat(" ", 50) + "," + messages[1:] + `}`, 0},
		{"no comma", `{"messages":` + long("[", " 1", "]") + `}`, 0},
		{"another bracket at the end", `{"messages":` + long("[", "", "}") + `}`, 0},
		{"members in an array", `{"messages":` + long("[", `,"a":1`, "]") + `}`, 0},
		{"no JSON around the pieces", `{"mapping":` + mapping + `,"a":tru}`, 0},
		{"no JSON at the end", `{"mapping":` + mapping + `,}`, 0},
		{"a name that stands twice in a member", `{"messages":` + long("[", `,{"a":1,"a":2}`, "]") + `}`, 0},
		{"a name that stands twice in one piece or two", `{"mapping":` + long("{", `,"a":1,"a":2,"node \" 30":3`, "}") + `}`, 0},
		{"a name that stands twice, written otherwise", `{"mapping":` + long("{", `,"nod\u0065 \" 39":3`, "}") + `}`, 0},
		{"the list twice", `{"mapping":` + mapping + `,"mapping":{}}`, 0},
		{"the list twice, the other way round", `{"mapping":0,"mapping":` + mapping + `}`, 0},
		{"a name that stands twice around the pieces", `{"a":1,"mapping":` + mapping + `,"a":2}`, 0},
		{"one that breaks off, with another behind it", `{"id":7,"mapping":` + mapping[:len(mapping)-200] + `,{"id":8,"mapping":` + mapping + `}`, 1},
		{"one that lacks a bracket", `{"id":7,"mapping":` + mapping + `,{"id":8,"mapping":` + mapping + `}`, 1},
		{"one that does not end", `{"id":7,"mapping":` + mapping[:len(mapping)-100], 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, most := range []int{64, 100, 300, 640} {
				text := `[{"id":0},` + c.text + `,{"id":9,"messages":` + messages + `}]`
				if cut := asWhole(t, text, most); most < 300 && cut != c.cut+1 && !strings.Contains(c.name, "does not end") {
					t.Errorf("over %d bytes %d elements came in pieces, not %d", most, cut, c.cut+1)
				}
				asWhole(t, `{"conversations":`+text+`,"a":[`+c.text+`]}`, most)
				asWhole(t, c.text, most)
			}
		})
	}
}

// TestPiecesLargerThanTheWindow: what was read of an element stays as it is while the
// rest of it is read.
func TestPiecesLargerThanTheWindow(t *testing.T) {
	var all []string
	for i := range 40_000 {
		all = append(all, fmt.Sprintf(`{"id":"%d","said":"some words"}`, i))
	}
	element := `{"messages":[` + strings.Join(all, ",") + `],"id":1}`
	for _, most := range []int{1000, window, window * 2, 1 << 20} {
		want := hear("["+element+","+element+"]", 0, false, nil)
		if got := hear("["+element+","+element+"]", most, false, nil); got.cut != 2 || !slices.Equal(got.lines, want.lines) {
			t.Errorf("over %d bytes: %d in pieces, and not what was read whole", most, got.cut)
		}
	}
}

// TestOnlyLargerElementsComeInPieces: one that is as long as it may be is given whole.
func TestOnlyLargerElementsComeInPieces(t *testing.T) {
	element := `{"mapping":` + long("{", "", "}") + `}`
	for _, c := range []struct{ most, cut int }{{len(element), 0}, {len(element) - 1, 1}} {
		if cut := asWhole(t, "["+element+"]", c.most); cut != c.cut {
			t.Errorf("of %d bytes over %d: %d came in pieces", len(element), c.most, cut)
		}
	}
	s := NewStream("x", strings.NewReader("["+element+"]"))
	s.Apart, s.scan.most = []string{"mapping"}, 6400
	s.scan.most = len(element) / 2
	for v, err := range s.All(t.Context()) {
		pieces := s.Pieces()
		if err != nil || pieces.Of != "mapping" || len(pieces.List) < 4 {
			t.Fatalf("%d pieces of %q, %v", len(pieces.List), pieces.Of, err)
		}
		least := s.scan.most / 64
		for _, piece := range append(pieces.List[:len(pieces.List)-1:len(pieces.List)-1], Member(v, "mapping")) {
			if len(piece) < least || len(piece) > least+100 {
				t.Errorf("a piece of %d bytes, and %d are enough: %s", len(piece), least, piece)
			}
		}
		for piece := range pieces.Taken() {
			if slices.ContainsFunc(pieces.List, func(v jsontext.Value) bool { return len(v) > 0 && &v[0] == &piece[0] }) {
				t.Error("a piece that was taken is kept")
			}
		}
	}
}

// TestPiecesOfEveryTruncation: a text that is cut ends as it does where elements are
// given whole.
func TestPiecesOfEveryTruncation(t *testing.T) {
	text := `[{"id":1,"mapping":` + long("{", "", "}")[:900] + `}}, {"id":2,"mapping":{"a":"b"}}]`
	for n := range len(text) {
		want := hear(text[:n], 0, false, nil)
		if got := hear(text[:n], 200, n%2 == 0, nil); !slices.Equal(got.lines, want.lines) {
			t.Fatalf("%q\ngot  %q\nwant %q", text[:n], got.lines, want.lines)
		}
	}
}

// TestKnownInPieces: an element is asked for by its text in one piece, and where it is
// known it is not taken apart.
func TestKnownInPieces(t *testing.T) {
	one, other := `{"mapping":`+long("{", "", "}")+`}`, `{"mapping":`+long("{", ` ,"a":"`+"\xff"+`"`, "}")+`}`
	k := &knows{sum: sha256.Sum256([]byte(one))}
	got := hear("["+one+","+other+","+one+"]", 100, true, k)
	if got.cut != 1 || len(got.lines) != 4 || !strings.Contains(got.lines[0], "true") || !strings.Contains(got.lines[2], "true") {
		t.Errorf("%d came in pieces: %q", got.cut, got.lines)
	}
	if want := [][32]byte{sha256.Sum256([]byte(one)), sha256.Sum256([]byte(other)), sha256.Sum256([]byte(one))}; !slices.Equal(k.asked, want) {
		t.Errorf("asked for %x, want %x", k.asked, want)
	}
}

type knows struct {
	sum   [32]byte
	asked [][32]byte
}

func (k *knows) Known(sum [32]byte) bool { k.asked = append(k.asked, sum); return sum == k.sum }
func (k *knows) Foreseen(uint32) int     { return 0 }

// TestPiecesOfGeneratedElements: the same of very many, sound and damaged.
func TestPiecesOfGeneratedElements(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	cut := 0
	for range 700 {
		g := generator{Rand: random}
		text := []byte(g.elements())
		for range random.IntN(3) * random.IntN(2) {
			text[random.IntN(len(text))] = "\"\\{}[],:u0e\x00\xff "[random.IntN(14)]
		}
		cut += asWhole(t, string(text), 64+random.IntN(300))
	}
	if cut < 400 {
		t.Errorf("only %d came in pieces", cut)
	}
}

// generator writes elements, with white space and all kinds of values.
type generator struct{ *rand.Rand }

func (g generator) elements() string {
	var all []string
	for i := range 1 + g.IntN(4) {
		all = append(all, fmt.Sprintf(`{"id":%d%s,%s"%s"%s:%s%s}`, i, g.space(), g.space(), []string{"mapping", "messages", "other"}[g.IntN(3)],
			g.space(), g.value(g.IntN(2)), []string{"", `,"more":` + g.value(2), `,"messages":` + g.value(1)}[g.IntN(3)]))
	}
	return "[" + strings.Join(all, ",") + "]"
}

func (g generator) space() string { return strings.Repeat(" \n", g.IntN(8)/6) }

func (g generator) value(depth int) string {
	var all []string
	switch kind := g.IntN(6); {
	case depth > 4 || depth > 1 && kind < 2:
		return []string{"0", "-1.5e3", "true", `"a\\\"\u00e9,{"`, `"漢"`, "[]", "{}", `"` + strings.Repeat("long ", 30) + `"`}[g.IntN(8)]
	case kind < 4:
		for i := range g.IntN(1 + 60>>(2*depth)) {
			all = append(all, fmt.Sprintf(`%s"name %d"%s:%s`, g.space(), i, g.space(), g.value(depth+1)))
		}
		return "{" + strings.Join(all, g.space()+",") + g.space() + "}"
	}
	for range g.IntN(1 + 60>>(2*depth)) {
		all = append(all, g.space()+g.value(depth+1))
	}
	return "[" + strings.Join(all, g.space()+",") + g.space() + "]"
}

func FuzzPieces(f *testing.F) {
	g := generator{Rand: rand.New(rand.NewPCG(1, 1))}
	for range 20 {
		f.Add([]byte(g.elements()), uint8(g.IntN(256)))
	}
	f.Fuzz(func(t *testing.T, text []byte, most uint8) {
		asWhole(t, string(text), 1+int(most))
	})
}

// counted counts what is read of a text.
type counted struct {
	r io.Reader
	n atomic.Int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// Promise: while somebody has a large element in hand, the one behind it is not read.
func TestOneLargeElementAtATime(t *testing.T) {
	synctest.Test(t, oneLargeAtATime)
}

func oneLargeAtATime(t *testing.T) {
	const size = keepBuffer + 1<<20
	one := `{"text":"` + strings.Repeat("x", size) + `"}`
	from := &counted{r: strings.NewReader("[" + one + "," + one + "," + one + "]")}
	given := 0
	for v, err := range Elements(t.Context(), from, 0) {
		if err != nil || len(v) != len(one) {
			t.Fatalf("%d bytes, %v", len(v), err)
		}
		given++
		synctest.Wait() // until what reads ahead can go no further
		if ahead := from.n.Load() - int64(given*len(one)); ahead > 8<<20 {
			t.Errorf("with element %d in hand %d bytes behind it were read", given, ahead)
		}
	}
	if given != 3 {
		t.Errorf("%d elements", given)
	}
}
