package compare

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/viterin/vek/vek32"

	"keepsake/backend/embed"
)

// TestFigures prints how right Compare is on the set its limits were chosen on and on the
// other, and holds it to floors a little under what was measured.
func TestFigures(t *testing.T) {
	e := newEncoder(t)
	for name, floors := range map[string]map[Relation]figure{
		"pairs-tune.jsonl":   {Repeats: {0.90, 0.53}, Contradicts: {0.93, 0.56}, Related: {0.29, 0.42}, Different: {0.33, 0.68}},
		"pairs-unseen.jsonl": {Repeats: {0.77, 0.37}, Contradicts: {0.80, 0.48}, Related: {0.24, 0.33}, Different: {0.30, 0.74}},
	} {
		pairs := e.labelled(t, name)
		for _, relation := range []Relation{Repeats, Contradicts, Related, Different} {
			got, least := figureOf(pairs, relation), floors[relation]
			t.Logf("%s, %s: precision %.2f, recall %.2f", name, relation, got.precision, got.recall)
			if got.precision < least.precision || got.recall < least.recall {
				t.Errorf("that is less than %.2f and %.2f", least.precision, least.recall)
			}
			logLanguages(t, pairs, relation)
			logKinds(t, pairs, relation)
		}
		alone := slices.Clone(pairs)
		for i := range alone {
			alone[i].verdict = Verdict{Relation: Different}
			if alone[i].cosine >= 0.60 { // where the pairs of the set to tune on that do not contradict have a precision of 0.9
				alone[i].verdict.Relation = Repeats
			}
		}
		cosine := figureOf(alone, Repeats)
		t.Logf("%s, repeat, by the cosine alone: precision %.2f, recall %.2f", name, cosine.precision, cosine.recall)
		e.logOthers(t, name, pairs)
		said := where(pairs, func(p pair) bool { return p.verdict.Relation == Related })
		onTopic := where(said, func(p pair) bool { return p.Label != Different })
		t.Logf("%s: of %d called related, %d are not labelled different", name, len(said), len(onTopic))
		reasons := where(pairs, func(p pair) bool { return p.Label == Contradicts && p.verdict.Relation == Contradicts })
		right := where(reasons, func(p pair) bool { return p.Kind == string(p.verdict.Reason) })
		t.Logf("%s: of %d found contradictions, %d have the labelled reason", name, len(reasons), len(right))
	}
	t.Run("the same job told twice", e.sameJob)
}

// sameJob is what two assistants kept of a person, and one of them in German.
func (e encoder) sameJob(t *testing.T) {
	job := "Works as a senior data engineer at a logistics company in Rotterdam."
	for _, again := range []string{
		"User is a senior data engineer who works for a logistics firm.",
		"Der Nutzer ist Senior Data Engineer und arbeitet für ein Logistikunternehmen.",
	} {
		cosine := e.cosines(job, again)[0]
		if got := Compare(job, again, cosine); got.Relation != Repeats {
			t.Errorf("%v at %.2f: %q", got, cosine, again)
		}
	}
}

// logOthers prints what is said of two statements of different pairs, nearly all of which have
// nothing to do with each other: in a vault these are most.
func (e encoder) logOthers(t *testing.T, name string, pairs []pair) {
	var texts []string
	for _, p := range pairs {
		texts = append(texts, p.A, p.B)
	}
	said, vectors := map[Relation]int{}, e.centred(texts)
	for i, a := range vectors {
		for j, b := range vectors[:i/2*2] {
			if cosine := float64(vek32.CosineSimilarity(a, b)); cosine >= closeValue {
				said[Compare(texts[i], texts[j], cosine).Relation]++
			}
		}
	}
	t.Logf("%s, of %d statements of different pairs, two at a time: %d are called repeat, %d contradict, %d related", name, len(texts), said[Repeats], said[Contradicts], said[Related])
}

func logLanguages(t *testing.T, pairs []pair, relation Relation) {
	for _, language := range []string{"en", "pt", "es", "de", "fr", "across"} {
		some := where(pairs, func(p pair) bool {
			if p.Languages[0] != p.Languages[1] {
				return language == "across"
			}
			return p.Languages[0] == language
		})
		if n := len(where(some, func(p pair) bool { return p.Label == relation })); n > 0 {
			f := figureOf(some, relation)
			t.Logf("    %-12s precision %.2f, recall %.2f of %d", language, f.precision, f.recall, n)
		}
	}
}

// logKinds prints recall alone: what is wrongly said to be of a relation has no kind of it.
func logKinds(t *testing.T, pairs []pair, relation Relation) {
	kinds := map[string][]pair{}
	for _, p := range pairs {
		if p.Label == relation {
			kinds[p.Kind] = append(kinds[p.Kind], p)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		t.Logf("    %-12s recall %.2f of %d", kind, figureOf(kinds[kind], relation).recall, len(kinds[kind]))
	}
}

type figure struct{ precision, recall float64 }

// figureOf is how many of the pairs that are said to be of a relation are labelled so, and how
// many of those labelled so are said to be.
func figureOf(pairs []pair, relation Relation) figure {
	said := where(pairs, func(p pair) bool { return p.verdict.Relation == relation })
	labelled := where(pairs, func(p pair) bool { return p.Label == relation })
	right := where(said, func(p pair) bool { return p.Label == relation })
	return figure{float64(len(right)) / float64(max(len(said), 1)), float64(len(right)) / float64(len(labelled))}
}

func where(pairs []pair, holds func(pair) bool) (some []pair) {
	for _, p := range pairs {
		if holds(p) {
			some = append(some, p)
		}
	}
	return some
}

// pair is a line of a labelled set.
type pair struct {
	A, B      string
	Languages []string
	Label     Relation
	Kind      string
	cosine    float64
	verdict   Verdict
}

// encoder makes vectors. The mean it takes off them is that of the texts it is given and of
// 1,146 natural sentences, every twelfth of backend/embed/testdata/natural.tsv.gz, together.
type encoder struct {
	model   *embed.Model
	natural [][]float32
}

func newEncoder(t *testing.T) encoder {
	t.Helper()
	model, err := embed.Load()
	if err != nil {
		t.Skip("sh scripts/model.sh fetches the language model: ", err)
	}
	e := encoder{model: model}
	e.natural = e.vectors(natural(t))
	return e
}

func (e encoder) vectors(texts []string) (vectors [][]float32) {
	spoken := make([]string, len(texts))
	for i, text := range texts {
		spoken[i] = embed.FirstPerson(text)
	}
	for _, vector := range e.model.Embed(spoken...) {
		vectors = append(vectors, e.model.Reduce(vector))
	}
	return vectors
}

// centred are the vectors of texts less the mean.
func (e encoder) centred(texts []string) [][]float32 {
	vectors := e.vectors(texts)
	mean, all := make([]float32, embed.Reduced), slices.Concat(vectors, e.natural)
	for _, vector := range all {
		vek32.Add_Inplace(mean, vector)
	}
	vek32.DivNumber_Inplace(mean, float32(len(all)))
	for _, vector := range vectors {
		vek32.Sub_Inplace(vector, mean)
	}
	return vectors
}

// cosines are those of the first and the second text, the third and the fourth, and so on.
func (e encoder) cosines(texts ...string) (cosines []float64) {
	for pair := range slices.Chunk(e.centred(texts), 2) {
		cosines = append(cosines, float64(vek32.CosineSimilarity(pair[0], pair[1])))
	}
	return cosines
}

// labelled reads a set with what Compare says of its pairs.
func (e encoder) labelled(t *testing.T, name string) (pairs []pair) {
	t.Helper()
	file, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for line := range bytes.Lines(file) {
		var p pair
		if err := json.Unmarshal(line, &p); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		pairs, texts = append(pairs, p), append(texts, p.A, p.B)
	}
	for i, cosine := range e.cosines(texts...) {
		pairs[i].cosine, pairs[i].verdict = cosine, Compare(pairs[i].A, pairs[i].B, cosine)
	}
	return pairs
}

func natural(t *testing.T) (sentences []string) {
	t.Helper()
	packed, err := os.ReadFile("../embed/testdata/natural.tsv.gz")
	if err != nil {
		t.Fatal(err)
	}
	in, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(in)
	for i := 0; lines.Scan(); i++ {
		if i%12 == 0 {
			sentences = append(sentences, strings.Split(lines.Text(), "\t")[2])
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return sentences
}
