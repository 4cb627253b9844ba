package extract

import (
	"bufio"
	"fmt"
	"maps"
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

// TestPrecisionAndRecall holds every language and type of the labelled set to
// the bars: 0.9 of what is found is right, and half of what is there is found.
func TestPrecisionAndRecall(t *testing.T) {
	enough(t, report(t, "labelled", labelledSet(t, "labelled"), 0.9, 0.5))
}

// enough holds that every cell has so many messages that its figures say something.
func enough(t *testing.T, cells map[string]*cell) {
	t.Helper()
	if want := len(languages) + 10; len(cells) != want {
		t.Errorf("%d cells, want %d: one for each language and for each of ten types", len(cells), want)
	}
	for which, c := range cells {
		if c.messages < reported {
			t.Errorf("%s has %d messages, and needs %d", which, c.messages, reported)
		}
	}
}

// reported is of how many messages on a cell is held to the bars.
const reported = 50

// TestHeldOut measures on messages of somebody who had not seen the rules. Of
// that set the odd lines were looked at first, to write more rules, and later
// the even ones too: TestUnseen says what the rules are worth. The floors keep
// what was reached.
func TestHeldOut(t *testing.T) {
	var odd, even []labelled
	nth := map[string]int{}
	for _, l := range labelledSet(t, "held-out") {
		if nth[l.language]%2 == 1 {
			odd = append(odd, l)
		} else {
			even = append(even, l)
		}
		nth[l.language]++
	}
	report(t, "held out, odd lines", odd, 0.9, 0.8)
	report(t, "held out, even lines", even, 0.9, 0.8)
}

// TestUnseen measures on the second held-out set, which was written before the
// rules were last changed and not looked at while they were. Its author wrote
// those rules as well, so its figures may flatter. The lines are not told, so
// that nobody tunes the rules to them. The floors keep what was reached.
func TestUnseen(t *testing.T) {
	enough(t, reportTo(t, "unseen", labelledSet(t, "unseen"), 0.88, 0.45, func(string) {}))
}

// report prints every cell of a set and holds it to floors. Cells of fewer than
// fifty messages are printed only.
func report(t *testing.T, name string, set []labelled, precision, recall float64) map[string]*cell {
	t.Helper()
	return reportTo(t, name, set, precision, recall, func(s string) { t.Log(s) })
}

// reportTo is report, which tells every miss and every mistake to tell.
func reportTo(t *testing.T, name string, set []labelled, precision, recall float64, tell func(string)) map[string]*cell {
	t.Helper()
	var all cell
	cells := score(reader(t), set, tell)
	for _, which := range slices.Sorted(maps.Keys(cells)) {
		c := cells[which]
		if len(which) == 2 { // a language; types count the same findings again
			all = cell{all.messages + c.messages, all.right + c.right, all.wrong + c.wrong, all.missed + c.missed}
		}
		fmt.Printf("%s: %-12s %4d messages, precision %.2f, recall %.2f\n", name, which, c.messages, c.precision(), c.recall())
		if c.messages >= reported && (c.precision() < precision || c.recall() < recall) {
			t.Errorf("%s: %s is at precision %.2f and recall %.2f", name, which, c.precision(), c.recall())
		}
	}
	fmt.Printf("%s: %-12s %4d messages, precision %.2f, recall %.2f\n", name, "all", all.messages, all.precision(), all.recall())
	return cells
}

// TestCommandsAreFlagged: what tries to command an assistant is flagged, in
// every language, and nothing else of the labelled set is.
func TestCommandsAreFlagged(t *testing.T) {
	commands := regexp.MustCompile(`(?i)DAN\b|prompt|http://|Assistant:`)
	r := reader(t)
	for _, l := range labelledSet(t, "labelled") {
		_, flags := r.Read(l.text)
		if command := len(l.want) == 0 && commands.MatchString(l.text); command != (len(flags) > 0) {
			t.Errorf("%q: flagged %+v", l.text, flags)
		}
	}
}

// BenchmarkRead reads one message a round.
func BenchmarkRead(b *testing.B) {
	r, set := reader(b), append(labelledSet(b, "labelled"), labelledSet(b, "held-out")...)
	size := 0
	for i := 0; b.Loop(); i++ {
		text := set[i%len(set)].text
		size += len(text)
		r.Read(text)
	}
	b.SetBytes(int64(size / b.N))
}
