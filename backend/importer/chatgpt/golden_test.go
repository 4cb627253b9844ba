package chatgpt_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"keepsake/backend/importer"
	"keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
)

// record is everything one reading gave, in a form to be read by people.
type record struct {
	Conversations []importer.ConversationDraft
	Leaves        []string
	Memories      []importer.MemoryDraft
	Retractions   []importer.RetractionDraft
	Files         map[string]string // ref → name and type
	Missing       []string
	Skipped       map[string]int
	Unknown       map[string]int
}

// TestGolden holds the whole output of one small export of each kind of node:
// a change of the reader shows as a change of a file that somebody looks at.
func TestGolden(t *testing.T) {
	for _, era := range []gen.Era{gen.Single, gen.Slim} {
		t.Run(string(era), func(t *testing.T) {
			data, _ := gen.ChatGPT(gen.ChatGPTOptions{Seed: 1, Era: era, Conversations: 3, Turns: 3})
			c := read(t, "export.zip", data)
			r := record{
				Conversations: c.conversations, Memories: c.memories, Retractions: c.retractions,
				Missing: c.missing, Skipped: c.skipped, Unknown: c.unknown, Files: map[string]string{},
			}
			for i := range r.Conversations {
				r.Leaves = append(r.Leaves, r.Conversations[i].Leaf)
			}
			for ref, a := range c.drafts {
				r.Files[ref] = a.Name + " " + a.MIMEType
			}
			got, err := json.MarshalIndent(r, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			compare(t, filepath.Join("testdata", "golden-"+string(era)+".json"), append(got, '\n'))
		})
	}
}

func compare(t *testing.T, path string, got []byte) {
	t.Helper()
	if *importertest.Update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (run with -update, then look at it):\n%s", path, cmp.Diff(string(want), string(got)))
	}
}
