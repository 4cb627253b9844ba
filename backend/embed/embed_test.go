package embed

import (
	"io/fs"
	"math"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/viterin/vek/vek32"
)

func TestLoadRefusesAnotherModel(t *testing.T) {
	if _, err := load(fstest.MapFS{"model/requirements.txt": {}}); reason(err) != "no-model" {
		t.Errorf("without a wheel: %v", err)
	}
	loaded(t)
	wheel := append([]byte(nil), wheelOf(t)...)
	for _, at := range []int{0, len(wheel) / 2, len(wheel) - 1} {
		wheel[at] ^= 1
		if _, err := read(wheel); reason(err) != "model-damaged" {
			t.Errorf("byte %d changed: %v", at, err)
		}
		wheel[at] ^= 1
	}
	if _, err := read(wheel[:len(wheel)-1]); reason(err) != "model-damaged" {
		t.Errorf("cut: %v", err)
	}
}

func TestTheHashIsThatOfPip(t *testing.T) {
	wanted, err := built.ReadFile("model/requirements.txt")
	if err != nil || !strings.Contains(string(wanted), "--hash=sha256:"+wheelSum+"\n") {
		t.Errorf("model/requirements.txt has another hash: %v\n%s", err, wanted)
	}
}

// Whatever a text is, its vector has 512 numbers and length 1.
func TestVectorsOfAnyText(t *testing.T) {
	m := loaded(t)
	texts := map[string]string{
		"empty": "", "spaces": " \t\n\u3000", "one character": "a", "zero bytes": strings.Repeat("\x00", 300),
		"1 MB": strings.Repeat("The cello lessons are on Tuesdays. ", 30_000), "1 MB of one character": strings.Repeat("a", 1<<20),
		"1 MB without a space": strings.Repeat("大提琴", 1<<20/9), "emoji": strings.Repeat("👩\u200d👩\u200d👧🇧🇷", 50),
		"right to left": "\u202eلديّ قطتان \u202c(Miso)", "combining": strings.Repeat("e\u0301\u0316", 2000), "broken UTF-8": "a\xff\xc3\xed\xa0\x80z\xf0\x9f",
		"cut within a character": strings.Repeat("a", maxBytes-1) + "é", "continuation bytes": strings.Repeat("\x80", 2*maxBytes),
		"sixteen scripts": "Latin Ελλ Кир Հայ עבר عرب देव বাং ਗੁਰ ગુજ தமி తెల ไทย 한국 かな 漢字",
	}
	var all []string
	for name, text := range texts {
		vector := m.Embed(text)[0]
		if length := vek32.Norm(vector); len(vector) != Dimensions || math.Abs(float64(length)-1) > 1e-4 {
			t.Errorf("%s: %d numbers, length %g", name, len(vector), length)
		}
		if ids := m.pieces(text); len(ids) > maxPieces+2 || ids[0] != beginSeq || ids[len(ids)-1] != endSeq {
			t.Errorf("%s: %d pieces", name, len(ids))
		}
		all = append(all, text)
	}
	// In one call and in many: neighbours change nothing.
	for i, vector := range m.Embed(all...) {
		if cosine := vek32.CosineSimilarity(vector, m.Embed(all[i])[0]); cosine < 0.99999 {
			t.Errorf("%.20q: cosine %g to itself alone", all[i], cosine)
		}
	}
	if got := m.Embed(); len(got) != 0 {
		t.Errorf("of nothing: %d vectors", len(got))
	}
}

func TestMeaningIsCloserThanWords(t *testing.T) {
	m := loaded(t)
	v := m.Embed("I have two cats called Miso and Tofu", "Tenho dois gatos chamados Miso e Tofu", "I have two cars parked in the garage")
	if same, other := vek32.Dot(v[0], v[1]), vek32.Dot(v[0], v[2]); same < other+0.2 {
		t.Errorf("the same in Portuguese %.2f, something else in English %.2f", same, other)
	}
}

// A question, and memories of 26 pieces. The floor is one product of matrices as large as the
// network's largest, of as many multiply-adds as the network has for a text.
func BenchmarkEmbed(b *testing.B) {
	m := loaded(b)
	const pieceWork = 1_700_000 // multiply-adds
	memory := "The user works as a senior data engineer at a small company in Leeds and prefers to work from home on Fridays"
	for name, n := range map[string]int{"question": 1, "memories": 64} {
		texts := make([]string, n)
		for i := range texts {
			texts[i] = memory
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				m.Embed(texts...)
			}
			took := b.Elapsed().Seconds() / float64(b.N*n)
			b.ReportMetric(took*1e6, "µs/text")
			const rows, inputs = 384, 1280
			in, began := make([]float32, rows*inputs), time.Now()
			for range b.N {
				vek32.MatMul(in, m.weights.branches[2].first.matrix, inputs)
			}
			floor := time.Since(began).Seconds() / float64(b.N) / (rows * inputs * width) * pieceWork * float64(len(m.pieces(memory)))
			b.ReportMetric(took/floor, "×floor")
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	loaded(b)
	for b.Loop() {
		if _, err := Load(); err != nil {
			b.Fatal(err)
		}
	}
}

func wheelOf(t *testing.T) []byte {
	t.Helper()
	names, err := fs.Glob(built, "model/*.whl")
	if err != nil || len(names) != 1 {
		t.Fatalf("%d wheels: %v", len(names), err)
	}
	wheel, err := built.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	return wheel
}
