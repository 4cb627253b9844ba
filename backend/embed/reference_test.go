package embed

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"flag"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/viterin/vek/vek32"

	"keepsake/backend/fault"
)

var update = flag.Bool("update", false, "write testdata/vectors.json from the wheel's own code")

// least is how close a vector must be to the reference's, as a cosine.
const least = 0.999

// committed is one text with what the wheel's own code makes of it; the vector's numbers are
// rounded to 8 bits, which costs less than 0.0001 of the cosine.
type committed struct {
	Language string  `json:"language"`
	Text     string  `json:"text"`
	IDs      []int32 `json:"ids"`
	Vector   []byte  `json:"vector"` // 512 signed bytes
}

// answer is what testdata/reference.py says of a text.
type answer struct {
	IDs    []int32 `json:"ids"`
	Vector string  `json:"vector"`
}

func (a answer) vector(t *testing.T) []float32 {
	t.Helper()
	bits, err := base64.StdEncoding.DecodeString(a.Vector)
	if err != nil || len(bits) != 4*Dimensions {
		t.Fatalf("vector of %d bytes: %v", len(bits), err)
	}
	out := make([]float32, Dimensions)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(bits[4*i:]))
	}
	return out
}

// reason is the fault's, "" of no error.
func reason(err error) string {
	if err == nil {
		return ""
	}
	return fault.From(err).Reason
}

func loaded(t testing.TB) *Model {
	t.Helper()
	m, err := Load()
	// Keepsake builds without the model where there is no network, and so do its tests; CI
	// fetches it first, and fails without it.
	if reason(err) == "no-model" && os.Getenv("CI") == "" {
		t.Skip("scripts/model.sh has not fetched the model: NOT tested")
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// sentences are those of testdata/texts.txt by language, in the order of the file.
func sentences(t *testing.T) (languages []string, of map[string][]string) {
	t.Helper()
	all, err := os.ReadFile("testdata/texts.txt")
	if err != nil {
		t.Fatal(err)
	}
	of = map[string][]string{}
	for line := range strings.Lines(string(all)) {
		language, text, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if of[language] == nil {
			languages = append(languages, language)
		}
		of[language] = append(of[language], text)
	}
	if len(languages) != 16 {
		t.Fatalf("%d languages", len(languages))
	}
	return languages, of
}

func TestCommittedVectors(t *testing.T) {
	m := loaded(t)
	if *update {
		writeVectors(t)
	}
	text, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []committed
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	if len(all) < 200 {
		t.Fatalf("%d vectors", len(all))
	}
	for _, one := range all {
		if ids := m.tokens.encode(one.Text); !slices.Equal(ids, one.IDs) {
			t.Errorf("%s %q: pieces %v, the reference has %v", one.Language, one.Text, ids, one.IDs)
		}
		want := make([]float32, Dimensions)
		for i, b := range one.Vector {
			want[i] = float32(int8(b))
		}
		if got := vek32.CosineSimilarity(m.Embed(one.Text)[0], want); got < least {
			t.Errorf("%s %q: cosine %.5f to the reference", one.Language, one.Text, got)
		}
	}
}

func writeVectors(t *testing.T) {
	languages, of := sentences(t)
	var all []committed
	for _, language := range languages {
		for _, text := range of[language] {
			all = append(all, committed{Language: language, Text: text})
		}
	}
	texts := make([]string, len(all))
	for i := range all {
		texts[i] = all[i].Text
	}
	for i, a := range reference(t, texts) {
		vector := a.vector(t)
		most := max(vek32.Max(vector), -vek32.Min(vector))
		all[i].IDs = a.IDs
		for _, v := range vector {
			all[i].Vector = append(all[i].Vector, byte(int8(math.Round(float64(v/most*127)))))
		}
	}
	out, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("testdata/vectors.json", append(out, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Two sentences of a language behind each other, in every order: 2,496 texts.
func TestVectorsOfTheReference(t *testing.T) {
	m := loaded(t)
	languages, of := sentences(t)
	var texts, spoken []string
	for _, language := range languages {
		for i, a := range of[language] {
			for j, b := range of[language] {
				if i != j {
					texts, spoken = append(texts, a+". "+b), append(spoken, language)
				}
			}
		}
	}
	got := m.Embed(texts...)
	lowest := map[string]float32{}
	for i, a := range reference(t, texts) {
		if ids := m.tokens.encode(texts[i]); !slices.Equal(ids, a.IDs) {
			t.Errorf("%q: pieces %v, the reference has %v", texts[i], ids, a.IDs)
		}
		cosine := vek32.CosineSimilarity(got[i], a.vector(t))
		if low, ok := lowest[spoken[i]]; !ok || cosine < low {
			lowest[spoken[i]] = cosine
		}
	}
	for _, language := range languages {
		t.Logf("%s: lowest cosine to the reference %.6f", language, lowest[language])
		if lowest[language] < least {
			t.Errorf("%s: %.6f", language, lowest[language])
		}
	}
}

// The tokenizer gives the ids of the reference for 100,000 random strings (see hostile).
func TestPiecesOfTheReference(t *testing.T) {
	m := loaded(t)
	texts := hostile(m, 100_000)
	for i, a := range reference(t, texts, "--ids") {
		if ids := m.tokens.encode(texts[i]); !slices.Equal(ids, a.IDs) {
			t.Fatalf("%q: pieces %v, the reference has %v", texts[i], ids, a.IDs)
		}
	}
}

// hostile makes n random strings of pieces of the vocabulary, of characters of the first three
// planes of Unicode, and of characters that the normalizer replaces, joins or removes.
func hostile(m *Model, n int) []string {
	random := rand.New(rand.NewPCG(40, 1))
	odd := []string{" ", "  ", "\t", "\n", "\r\n", "\u00a0", "\u3000", "\u2009", "\u200b", "\u200d", "\u202e", "\ufeff", "\ufffd", "\u2581", "\x00", "\x7f", "ﬁ", "½", "①", "㎏", "ｱﾞ", "e\u0301", "\u0301", "ᄀ", "ᅡ", "ᆨ", "👩\u200d👩\u200d👧", "🇧🇷", "x", "0", "<s>", "</s>", "<unk>", "…", "ß", "İ", "Ǆ", "ﷺ"}
	texts := make([]string, n)
	for i := range texts {
		var b strings.Builder
		for range random.IntN(8) {
			switch random.IntN(4) {
			case 0:
				b.WriteString(m.tokens.pieces[random.IntN(len(m.tokens.pieces))].text)
			case 1:
				b.WriteRune(rune(random.IntN(0x30000))) // a surrogate becomes U+FFFD
			case 2:
				b.WriteRune(rune(random.IntN(0x3000)))
			default:
				b.WriteString(strings.Repeat(odd[random.IntN(len(odd))], 1+random.IntN(3)))
			}
		}
		texts[i] = b.String()
	}
	return texts
}

// reference asks the wheel's own code what it makes of texts.
func reference(t *testing.T, texts []string, args ...string) []answer {
	t.Helper()
	var in, out bytes.Buffer
	for _, text := range texts {
		if err := json.NewEncoder(&in).Encode(text); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(peer(t), append([]string{"testdata/reference.py"}, args...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &in, &out, os.Stderr
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	var answers []answer
	for decoder := json.NewDecoder(&out); ; {
		var a answer
		if err := decoder.Decode(&a); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, a)
	}
	if len(answers) != len(texts) {
		t.Fatalf("%d answers to %d texts", len(answers), len(texts))
	}
	return answers
}

// peer is a Python that has the wheel and NumPy, in a virtual environment below build/test
// that is made once. Where there is no Python or no PyPI the test is skipped: neither is
// needed to build Keepsake, and TestCommittedVectors compares without them.
func peer(t *testing.T) string {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not on this machine: NOT compared with the reference")
	}
	home, err := filepath.Abs("../../build/test/encoder")
	if err != nil {
		t.Fatal(err)
	}
	inside, done := filepath.Join(home, "bin", "python3"), filepath.Join(home, "complete")
	if _, err := os.Stat(done); err == nil {
		return inside
	}
	wheels, err := filepath.Glob("model/*.whl")
	if err != nil || len(wheels) != 1 {
		t.Fatalf("%d wheels: %v", len(wheels), err)
	}
	for _, command := range [][]string{
		{python, "-m", "venv", "--clear", home},
		{inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "numpy==2.4.0", wheels[0]},
	} {
		if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Skipf("NumPy cannot be had from PyPI: NOT compared with the reference: %v\n%s", err, out)
		}
	}
	if err := os.WriteFile(done, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return inside
}
