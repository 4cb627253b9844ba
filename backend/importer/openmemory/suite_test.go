package openmemory_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"strings"
	"testing"

	"keepsake/backend/fault"

	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/importer/openmemory"
)

// TestSuite holds the reader to what all readers promise.
func TestSuite(t *testing.T) { RunLayers(t, openmemory.Importer{}, CutJSON, gen.OpenMemory()) }

// TestTooManyLines: packed lines that unfold to more than is read are read so far, and a
// sentence says that there were more.
func TestTooManyLines(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	for i := range 10_000 {
		fmt.Fprintf(z, "{\"id\":\"m%d\",\"content\":\"Likes tea %d\",\"state\":\"active\"}\n", i, i)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	backup := gen.Zip([]gen.File{{Name: "memories.jsonl.gz", Data: packed.Bytes()}})
	var r Recording
	err := openmemory.Holding(10_000).Read(t.Context(), Loose("backup.zip", string(backup)).Tree(t), r.Sink())
	var f *fault.Error
	if !errors.As(err, &f) || f.Reason != "packed-lines-too-large" || len(r.Memories) < 100 || len(r.Memories) == 10_000 || !strings.HasPrefix(r.Memories[99].Content, "Likes tea 99") {
		t.Errorf("%v, %d memories", err, len(r.Memories))
	}
}

func FuzzRead(f *testing.F) {
	for _, l := range gen.OpenMemory() {
		f.Add(l.Files[0].Data)
	}
	FuzzReader(f, openmemory.Importer{}, "memories.json")
}
