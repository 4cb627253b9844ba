package jsonstream

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/importer/importertest/gen"
)

// bothWays holds fastPath to the long way: what it takes ends where that says, is
// valid as it stands, and is found in pieces as in one.
func bothWays(t *testing.T, text []byte) (taken bool) {
	t.Helper()
	if len(text) == 0 || classes[text[0]] != opening {
		return false
	}
	var s fastPath
	s.start()
	got := s.run(text)
	var inPieces fastPath
	inPieces.start()
	now := unread
	for n := 1; n <= len(text) && now == unread; n++ {
		now = inPieces.run(text[:n])
	}
	if now != got || got == valid && inPieces.at != s.at {
		t.Fatalf("%q: %d at %d, in pieces %d at %d", text, got, s.at, now, inPieces.at)
	}
	if got != valid {
		return false
	}
	long := scanner{ctx: context.Background(), r: bytes.NewReader(text), buf: make([]byte, 16), limit: MaxElement}
	if _, err := long.byteAt(); err != nil {
		t.Fatal(err)
	}
	long.start()
	broken, err := long.value()
	v, n, bad := checked(long.out, broken)
	if err != nil || bad != nil || n != (mending{}) || !bytes.Equal(v, text[:s.at]) {
		t.Fatalf("%q: taken up to %d, and the long way says %q, %v mended, %v, %v", text, s.at, v, n, bad, err)
	}
	if want := bracketsOf(v); !slices.Equal(s.big, want) || !slices.Equal(inPieces.big, want) {
		t.Fatalf("%q: brackets at %v, in pieces at %v, want %v", text, s.big, inPieces.big, want)
	}
	return true
}

var sureTexts = []string{
	`{}`, `[]`, `{"a":1}`, ` {}`, `{"a" : [ 1 , -0.5e+10 , true,false,null , "x" ] } tail`, `[[],{},[{}]]`, `{"":{"":""}}`,
	`{"a":1,"b":2,"a":3}`, `{"a":{"a":1},"b":{"a":1}}`, `{"ab":1,"ba":2,"aab":3,"abb":4}`, `{"a":1,"\u0061":2}`, `{"\"":1}`,
	`["\u00e9\ud83d\ude00\n\"\\\/\b\f\r\t"]`, `["\ud83d"]`, `["\ud83d\u0041"]`, `["\ude00"]`, `["\ude00\ud83d"]`, `["\u12g4"]`, `["\x"]`, `["\`, `["\u12`,
	"[\"a\x00b\"]", "[\"a\nb\"]", "[\"\x7f\"]", "[\"é漢😀\"]", "[\"\xff\"]", "[\"\xe6\xbc\"]", "[\"\xed\xa0\x80\"]", "{\"\xc3\":1}", "[\xe9]",
	`[01]`, `[-]`, `[1.]`, `[.5]`, `[1e]`, `[1e+]`, `[+1]`, `[1 2]`, `[1,]`, `[,1]`, `{"a":}`, `{"a"}`, `{"a":1,}`, `{,}`, `{1:2}`, `[}`, `{]`, `[tru]`, `[nulll]`, `[true false]`,
	`[1`, `{"a`, `{"a":`, `{"a":"b`, `[-0]`, `[0.0]`, `[1e5]`, `[123456789012345678901234567890]`,
}

func TestSure(t *testing.T) {
	taken := 0
	for _, text := range sureTexts {
		if bothWays(t, []byte(text)) {
			taken++
		}
	}
	if taken < 15 {
		t.Errorf("only %d were taken", taken)
	}
	for n := 1; n < 40; n++ { // few names and many, with one twice
		var names []string
		for i := range n {
			names = append(names, fmt.Sprintf(`"name %d":[]`, i))
		}
		if !bothWays(t, []byte("{"+strings.Join(names, ",")+"}")) {
			t.Errorf("%d names were not taken", n)
		}
		if bothWays(t, []byte("{"+strings.Join(names, ",")+`,"name 0":1}`)) {
			t.Errorf("one of %d names was taken twice", n)
		}
	}
}

func TestSureLimits(t *testing.T) {
	for _, c := range []struct {
		text string
		want verdict
	}{
		{strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth), valid},
		{strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1), doubt},
		{"[" + strings.Repeat("0,", maxMembers-1) + "0]", valid},
		{"[" + strings.Repeat("0,", maxMembers) + "0]", doubt},
		{"[" + strings.Repeat("1", maxLiteral) + "]", valid},
		{"[" + strings.Repeat("1", maxLiteral+1) + "]", doubt},
	} {
		var s fastPath
		s.start()
		if got := s.run([]byte(c.text)); got != c.want {
			t.Errorf("%.40q…: %d, want %d", c.text, got, c.want)
		}
	}
}

// TestSureOfExports: what providers write never takes the long way.
func TestSureOfExports(t *testing.T) {
	files, truth := gen.ChatGPTFiles(gen.ChatGPTOptions{Seed: 3, Conversations: 20, Turns: 30})
	archive, other := gen.Claude(gen.ClaudeOptions{Seed: 3})
	files = append(files, unzipped(t, archive)...)
	elements := 0
	for _, f := range files {
		if f.Name != "conversations.json" {
			continue
		}
		s := scanner{ctx: t.Context(), r: bytes.NewReader(f.Data), buf: make([]byte, window), limit: MaxElement, most: keepBuffer}
		if _, err := s.peek(); err != nil {
			t.Fatal(err)
		}
		s.pos++
		for first := true; ; first = false {
			if more, err := s.separator(']', first); err != nil {
				t.Fatal(err)
			} else if !more {
				break
			}
			v, err := s.whole()
			if v == nil || err != nil {
				t.Fatalf("%s at %d: in doubt (%v)", f.Name, s.offset(), err)
			}
			s.lend(v)
			elements++
		}
	}
	if want := len(truth.Conversations) + len(other.Conversations); elements != want {
		t.Errorf("%d elements, want %d", elements, want)
	}
}

func unzipped(t *testing.T, archive []byte) (files []gen.File) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, gen.File{Name: f.Name, Data: data})
	}
	return files
}

func TestSureOfDamagedText(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	files, _ := gen.ChatGPTFiles(gen.ChatGPTOptions{Seed: 3, Conversations: 1, Turns: 1})
	whole := bytes.TrimLeft(files[0].Data, "[ \n")
	for range 300 {
		text := bytes.Clone(whole[:min(len(whole), 1500)])
		for range 1 + random.IntN(3) {
			text[random.IntN(len(text))] = "\"\\{}[],:u0e\x00\xff "[random.IntN(14)]
		}
		bothWays(t, append(text, `"}]}]}}`...))
	}
}

func FuzzSure(f *testing.F) {
	for _, text := range sureTexts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) { bothWays(t, text) })
}
