package embed

import (
	"math"
	"slices"
	"testing"

	"github.com/viterin/vek/vek32"
)

// Otherwise a cosine of reduced vectors would not be near that of the whole ones.
func TestProjectionIsOrthonormal(t *testing.T) {
	if len(projectionRows) != 2*Reduced*Dimensions {
		t.Fatalf("%d bytes", len(projectionRows))
	}
	rows := slices.Collect(slices.Chunk(readProjection(), Dimensions))
	for i, a := range rows {
		for j, b := range rows {
			want := 0.0
			if i == j {
				want = 1
			}
			if got := float64(vek32.Dot(a, b)); math.Abs(got-want) > 0.001 {
				t.Errorf("rows %d and %d: %.4f", i, j, got)
			}
		}
	}
}

// Of the 208 sentences of testdata/texts.txt, each with each.
func TestReducedCosinesAreNearWholeOnes(t *testing.T) {
	m := loaded(t)
	languages, of := sentences(t)
	var texts []string
	for _, language := range languages {
		texts = append(texts, of[language]...)
	}
	whole, most, sum, n := m.Embed(texts...), 0.0, 0.0, 0.0
	var reduced [][]float32
	for _, vector := range whole {
		reduced = append(reduced, m.Reduce(vector))
	}
	for i := range whole {
		if length := vek32.Norm(reduced[i]); len(reduced[i]) != Reduced || math.Abs(float64(length)-1) > 1e-5 {
			t.Errorf("%q: %d numbers, length %g", texts[i], len(reduced[i]), length)
		}
		for j := range i {
			moved := math.Abs(float64(vek32.Dot(whole[i], whole[j]) - vek32.Dot(reduced[i], reduced[j])))
			most, sum, n = max(most, moved), sum+moved, n+1
		}
	}
	t.Logf("%.0f cosines move by %.3f on average, by %.3f at most", n, sum/n, most)
	if sum/n > 0.04 || most > 0.2 {
		t.Error("that is more than it was")
	}
}

// A question is closer to the mean of questions than a statement is.
func TestMeansAreOfTextsAndQuestions(t *testing.T) {
	if len(meanRows) != 2*4*Reduced {
		t.Fatalf("%d bytes", len(meanRows))
	}
	m := loaded(t)
	v := m.Embed("Where do I live?", "I live in Leeds.", "Quantos gatos tenho?", "Tenho dois gatos.")
	for i := 0; i < len(v); i += 2 {
		asked, said := vek32.Dot(m.Reduce(v[i]), readMean(questionMean)), vek32.Dot(m.Reduce(v[i+1]), readMean(questionMean))
		if asked <= said {
			t.Errorf("question %.3f, statement %.3f", asked, said)
		}
	}
	for _, row := range []int{textMean, questionMean} {
		if length := vek32.Norm(readMean(row)); !(length > 0.1 && length < 0.5) {
			t.Errorf("length %g", length)
		}
	}
}

func TestReduceRefusesWhatIsNoVector(t *testing.T) {
	m := &Model{projection: readProjection()}
	nan, infinite := make([]float32, Dimensions), make([]float32, Dimensions)
	nan[7], infinite[7] = float32(math.NaN()), float32(math.Inf(1))
	for name, vector := range map[string][]float32{
		"none": nil, "short": make([]float32, Dimensions-1), "long": make([]float32, Dimensions+1),
		"reduced already": make([]float32, Reduced), "zeros": make([]float32, Dimensions), "NaN": nan, "infinite": infinite,
	} {
		if got := m.Reduce(vector); got != nil {
			t.Errorf("%s: %d numbers", name, len(got))
		}
	}
}

func TestFirstPerson(t *testing.T) {
	for memory, want := range map[string]string{
		"User likes tea.": "I likes tea.", "The user's cat is ill.": "My cat is ill.", "Users like tea.": "Users like tea.",
		"A usuária mora em Recife.": "Eu mora em Recife.", "La usuaria vive en Quito.": "Yo vive en Quito.",
		"Der Nutzer hat Gicht.": "Ich hat Gicht.", "L’utilisatrice vit à Lyon.": "Je vit à Lyon.", "": "", "User": "User", "I like tea.": "I like tea.",
	} {
		if got := FirstPerson(memory); got != want {
			t.Errorf("%q became %q", memory, got)
		}
	}
}

func BenchmarkReduce(b *testing.B) {
	m := loaded(b)
	vector := m.Embed("The user works as a senior data engineer")[0]
	for b.Loop() {
		m.Reduce(vector)
	}
}
