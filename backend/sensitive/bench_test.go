package sensitive

import (
	"os"
	"strings"
	"testing"

	"keepsake/backend/language"
)

// BenchmarkFind is one line of testdata/tune.en.txt by its words.
func BenchmarkFind(b *testing.B) {
	f, err := New(language.New())
	if err != nil {
		b.Fatal(err)
	}
	text, err := os.ReadFile("testdata/tune.en.txt")
	if err != nil {
		b.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	vector := make([]float32, vectorSize)
	for i := 0; b.Loop(); i++ {
		f.Find(lines[i%len(lines)], vector)
	}
}
