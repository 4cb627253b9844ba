package chapters

import (
	"os"
	"strings"
	"testing"

	"keepsake/backend/memory"
)

// TestPlacing prints how many sentences of each language stand in the chapter that they are
// labelled with, of the set to tune on and of the unseen one, and holds the unseen one to floors.
func TestPlacing(t *testing.T) {
	for _, set := range []string{"tune", "unseen"} {
		right, all := map[string]int{}, map[string]int{}
		text, err := os.ReadFile("testdata/" + set + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			fields := strings.SplitN(strings.TrimSpace(line), " | ", 4)
			if len(fields) != 4 {
				t.Fatalf("%s: %q", set, line)
			}
			language, kind := fields[0], memory.Type(fields[1])
			want, ok := Named(fields[2])
			if !ok {
				t.Fatalf("%s: %q", set, line)
			}
			all[language]++
			if got := Of(memory.Record{Type: kind, Content: fields[3]}); got == want {
				right[language]++
			} else {
				t.Logf("%s: %v, not %v: %s", set, got, want, fields[3])
			}
		}
		for language, n := range all {
			share := float64(right[language]) / float64(n)
			t.Logf("%s %s: %d of %d (%.2f)", set, language, right[language], n, share)
			if set == "unseen" && share < leastRight {
				t.Errorf("only %d of %d sentences of %s stand where they belong", right[language], n, language)
			}
		}
	}
}

// leastRight is the share of the unseen sentences of each language that stand right.
const leastRight = 0.75

// TestWhatDecides: the person's word wins, then the type where it is clear, then the words; a
// domain counts as two words.
func TestWhatDecides(t *testing.T) {
	for _, c := range []struct {
		record memory.Record
		want   Chapter
	}{
		{memory.Record{Type: memory.Goal, Content: "Wants to work from home", Metadata: map[string]any{memory.ChapterKey: "health"}}, Health},
		{memory.Record{Type: memory.Goal, Content: "Works on a degree"}, Goals},
		{memory.Record{Type: memory.Fact, Content: "Takes insulin"}, Health},
		{memory.Record{Type: memory.Fact, Content: "Nothing of that kind"}, You},
		{memory.Record{Type: memory.Fact, Content: "Nothing of that kind", Tags: []string{"insulin"}}, Health},
		{memory.Record{Type: memory.Fact, Content: "Has a dog", Metadata: map[string]any{"domain": "Work"}}, Work},
		{memory.Record{Type: memory.Fact, Content: "Has a dog", Metadata: map[string]any{memory.ChapterKey: "nonsense"}}, Home},
		{memory.Record{Type: memory.Preference, Content: "Prefers an aisle seat"}, Tastes},
		{memory.Record{Type: memory.Preference, Content: "Prefers concise answers"}, Answers},
	} {
		if got := Of(c.record); got != c.want {
			t.Errorf("%v: %v, want %v", c.record, got, c.want)
		}
	}
}

// TestNames: every chapter has a name that leads back to it.
func TestNames(t *testing.T) {
	for _, c := range Chapters() {
		if back, ok := Named(c.String()); !ok || back != c {
			t.Errorf("%v leads to %v", c, back)
		}
	}
	if _, ok := Named("chapter 11"); ok {
		t.Error("a chapter that is not there has a name")
	}
}

// TestWordList: every heading is a chapter, no word stands in two, and no beginning is shorter or
// longer than what is looked for.
func TestWordList(t *testing.T) {
	in, of := map[string]string{}, ""
	for line := range strings.Lines(wordList) {
		line = strings.TrimSpace(line)
		if heading, ok := strings.CutPrefix(line, "["); ok {
			if of = strings.TrimSuffix(heading, "]"); line != "["+of+"]" {
				t.Errorf("%q is no heading", line)
			}
			if _, ok := Named(of); !ok {
				t.Errorf("%q is no chapter", of)
			}
			continue
		}
		for _, word := range strings.Fields(line) {
			if other, ok := in[word]; ok && other != of {
				t.Errorf("%q stands in %s and %s", word, other, of)
			}
			in[word] = of
			if begin, open := strings.CutSuffix(word, "*"); open && (len(begin) < shortest || len(begin) > longestBegin) {
				t.Errorf("the beginning %q is never looked for", word)
			}
		}
	}
}

func BenchmarkOf(b *testing.B) {
	r := memory.Record{Type: memory.Fact, Content: "Works as a nurse in Porto and takes the tram to the hospital every morning, also in winter"}
	for b.Loop() {
		Of(r)
	}
}
