package all_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"

	"keepsake/backend/fault"
	"keepsake/backend/importer/all"
	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
)

// TestWhatStandsBeforeTheDamageOfAPackedFileIsRead holds what the faults of packed files
// of lines say. Thousands of lines that pack badly are many blocks of the packing.
func TestWhatStandsBeforeTheDamageOfAPackedFileIsRead(t *testing.T) {
	const lines = 6000
	random := rand.NewChaCha8([32]byte{5})
	var text bytes.Buffer
	for i := range lines {
		noise := make([]byte, 120)
		_, _ = random.Read(noise)
		fmt.Fprintln(&text, janLine(fmt.Sprintf("m%d %x", i, noise)))
	}
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	packed := w.EncodeAll(text.Bytes(), nil)
	damaged := slices.Clone(packed)
	copy(damaged[len(damaged)*2/3:], make([]byte, 1000))
	jan, _ := all.Importers().ByID("jan")
	for reason, data := range map[string][]byte{"zst-truncated": packed[:len(packed)*2/3], "zst-damaged": damaged} {
		r := &Recording{}
		err := jan.Read(t.Context(), Fixture{Files: []gen.File{{Name: "messages.jsonl.zst", Data: data}}}.Tree(t), r.Sink())
		told := fault.From(err) != nil && fault.From(err).Reason == reason || slices.ContainsFunc(r.Problems, func(p Problem) bool { return p.Reason == reason })
		if n := len(r.Conversations); !told || n != 1 || len(r.Conversations[0].Messages) < lines/3 || len(r.Conversations[0].Messages) >= lines {
			t.Errorf("%s: %v, %+v, %d conversations", reason, err, r.Problems, n)
		}
	}
}
