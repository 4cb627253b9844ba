package extract

import (
	"bufio"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/memory"
)

func reader(t testing.TB) *Reader {
	t.Helper()
	r, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRulesTakeTheirExamples: every rule has one, and takes it before any other
// rule does.
func TestRulesTakeTheirExamples(t *testing.T) {
	r := reader(t)
	for _, l := range r.languages {
		names := map[string]bool{}
		for _, rule := range l.rules {
			if len(rule.examples) == 0 {
				t.Errorf("%s has no example", rule.name)
			}
			if names[rule.name] {
				t.Errorf("%s is there twice", rule.name)
			}
			names[rule.name] = true
			for _, example := range rule.examples {
				found, flags := r.Read(example)
				if len(found) != 1 || len(flags) != 0 || found[0].Rule != rule.name {
					t.Errorf("%s does not take its example %q: %+v %+v", rule.name, example, found, flags)
				}
			}
		}
	}
}

// labelled is one message with what should be found in it.
type labelled struct {
	language, text string
	want           []span
}

type span struct {
	memory     memory.Type
	start, end int
}

var marked = regexp.MustCompile(`\{(\w+): ([^}]*)\}`)

// label reads a line of testdata/labelled.
func label(language, line string) labelled {
	line = strings.ReplaceAll(line, `\n`, "\n")
	l := labelled{language: language}
	for {
		at := marked.FindStringSubmatchIndex(line)
		if at == nil {
			l.text += line
			return l
		}
		l.text += line[:at[0]]
		said := line[at[4]:at[5]]
		l.want = append(l.want, span{memory.Type(line[at[2]:at[3]]), len(l.text), len(l.text) + len(said)})
		l.text += said
		line = line[at[1]:]
	}
}

func labelledSet(t testing.TB, folder string) []labelled {
	t.Helper()
	var all []labelled
	for _, language := range languages {
		f, err := os.Open("testdata/" + folder + "/" + language + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			if line := lines.Text(); line != "" && !strings.HasPrefix(line, "#") {
				all = append(all, label(language, line))
			}
		}
		f.Close()
	}
	return all
}

// cell counts, over the messages of one language or type.
type cell struct{ messages, right, wrong, missed int }

func (c cell) precision() float64 { return ratio(c.right, c.right+c.wrong) }
func (c cell) recall() float64    { return ratio(c.right, c.right+c.missed) }

func ratio(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// score compares what is found with what is labelled. A finding is right when
// it lies over a labelled span of its type that nothing else was found for.
func score(r *Reader, set []labelled, tell func(string)) map[string]*cell {
	cells := map[string]*cell{}
	in := func(name string) *cell {
		if cells[name] == nil {
			cells[name] = &cell{}
		}
		return cells[name]
	}
	for _, l := range set {
		in(l.language).messages++
		types := map[memory.Type]bool{}
		open := slices.Clone(l.want)
		found, _ := r.Read(l.text)
		for _, f := range found {
			types[f.Type] = true
			i := slices.IndexFunc(open, func(s span) bool { return s.memory == f.Type && f.Start < s.end && s.start < f.End })
			if i < 0 {
				in(l.language).wrong++
				in(string(f.Type)).wrong++
				tell(fmt.Sprintf("wrong %s %s: %s", f.Rule, f.Type, l.text))
				continue
			}
			in(l.language).right++
			in(string(f.Type)).right++
			open = slices.Delete(open, i, i+1)
		}
		for _, s := range open {
			in(l.language).missed++
			in(string(s.memory)).missed++
			tell(fmt.Sprintf("missed %s/%s: %s", l.language, s.memory, l.text))
		}
		for _, s := range l.want {
			types[s.memory] = true
		}
		for m := range types {
			in(string(m)).messages++
		}
	}
	return cells
}

// TestPrecisionAndRecall holds every language and type to the bars: 0.9 of what
// is found is right, and half of what is there is found.
func TestPrecisionAndRecall(t *testing.T) {
	r := reader(t)
	for _, folder := range []string{"labelled"} {
		cells := score(r, labelledSet(t, folder), func(s string) { t.Log(s) })
		for _, name := range slices.Sorted(keys(cells)) {
			c := cells[name]
			fmt.Printf("%s %-12s %4d messages: precision %.2f, recall %.2f\n", folder, name, c.messages, c.precision(), c.recall())
			if c.messages < 50 {
				t.Errorf("%s: %s has only %d messages", folder, name, c.messages)
			}
			if c.precision() < 0.9 || c.recall() < 0.5 {
				t.Errorf("%s: %s is at precision %.2f and recall %.2f", folder, name, c.precision(), c.recall())
			}
		}
	}
}

func keys(m map[string]*cell) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}
