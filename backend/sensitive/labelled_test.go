package sensitive

import (
	"bufio"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/embed"
	"keepsake/backend/language"
)

var featuresFile = flag.String("features", "", "write the features of the lines to tune on into this file, for scripts/sensitive.py")

// labelledLine is a line of testdata.
type labelledLine struct {
	text   string
	labels Set
	vector []float32
}

// labelled reads the lines of a set in one language, with their vectors if the program has its
// language model.
func labelled(t *testing.T, e *embed.Encoder, file string) (lines []labelledLine) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for line := range strings.Lines(string(text)) {
		labels, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " | ")
		if !ok {
			t.Fatalf("%s: %q", file, line)
		}
		var set Set
		for _, label := range strings.Fields(labels) {
			one := SetOf(Topic(label))
			if one == 0 && label != "-" {
				t.Fatalf("%s: unknown label %q", file, label)
			}
			set |= one
		}
		lines, texts = append(lines, labelledLine{text: text, labels: set}), append(texts, text)
	}
	vectors, err := e.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i := range lines {
		lines[i].vector = vectors[i]
	}
	return lines
}

// figure counts the decisions on one topic.
type figure struct{ right, wrong, missed int }

func (f *figure) add(found, there bool) {
	switch {
	case found && there:
		f.right++
	case found:
		f.wrong++
	case there:
		f.missed++
	}
}

func (f figure) precision() float64 { return float64(f.right) / float64(max(1, f.right+f.wrong)) }
func (f figure) recall() float64    { return float64(f.right) / float64(max(1, f.right+f.missed)) }

// TestFigures prints precision and recall of each topic in each language, by words and meaning
// and by words alone, and holds the unseen lines to floors that a change for the worse breaks.
func TestFigures(t *testing.T) {
	f, err := New(language.New())
	if err != nil {
		t.Fatal(err)
	}
	e := &embed.Encoder{}
	if *featuresFile != "" {
		writeFeatures(t, f, e)
	}
	for _, set := range []string{"tune", "unseen"} {
		figures := map[string]map[string][]figure{}
		for _, by := range []string{byMeaning, byWords} {
			figures[by] = map[string][]figure{all: make([]figure, len(Topics()))}
		}
		for _, tag := range Languages() {
			for _, by := range []string{byMeaning, byWords} {
				figures[by][tag] = make([]figure, len(Topics()))
			}
			for _, line := range labelled(t, e, "testdata/"+set+"."+tag+".txt") {
				counts := f.lexical(line.text)
				found := map[string]Set{
					byWords: f.words.topics(counts[:]), byMeaning: f.meaning.topics(append(counts[:], line.vector...)),
				}
				for by, found := range found {
					for i, topic := range Topics() {
						figures[by][tag][i].add(found.Has(topic), line.labels.Has(topic))
						figures[by][all][i].add(found.Has(topic), line.labels.Has(topic))
					}
				}
			}
		}
		for _, by := range []string{byMeaning, byWords} {
			report(t, set, by, figures[by])
		}
	}
}

const (
	byMeaning = "words and meaning"
	byWords   = "words"
	all       = "all" // languages
)

// floors are the least precision and recall of a topic on the unseen lines of all languages, less
// 0.02.
var floors = map[string][2]float64{byMeaning: {0.81, 0.78}, byWords: {0.68, 0.66}}

func report(t *testing.T, set, by string, figures map[string][]figure) {
	t.Helper()
	for i, topic := range Topics() {
		var b strings.Builder
		for _, tag := range append(Languages(), all) {
			one := figures[tag][i]
			fmt.Fprintf(&b, "  %s %.2f/%.2f", tag, one.precision(), one.recall())
		}
		t.Logf("%s by %s, %-9s precision/recall:%s", set, by, topic, b.String())
		one := figures[all][i]
		if floor := floors[by]; set == "unseen" && (one.precision() < floor[0] || one.recall() < floor[1]) {
			t.Errorf("%s by %s: %.3f and %.3f are below %v", topic, by, one.precision(), one.recall(), floor)
		}
	}
}

func writeFeatures(t *testing.T, f *Finder, e *embed.Encoder) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(*featuresFile)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	w := bufio.NewWriter(out)
	for _, file := range slices.Sorted(slices.Values(files)) {
		if strings.Contains(file, "unseen") {
			continue
		}
		for _, line := range labelled(t, e, file) {
			counts := f.lexical(line.text)
			if err := binary.Write(w, binary.LittleEndian, append(counts[:], line.vector...)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
}
