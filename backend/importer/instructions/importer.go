package instructions

import (
	"context"

	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

const platform = "instruction-file"

// Importer reads instruction files. The zero value is ready.
type Importer struct{}

// Info names the reader.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "instruction-file", Name: "Instruction files", Platform: platform, Version: "instruction-file/2026.12"}
}

// sniffLooks bounds how many files are looked into for their heads alone, to find out
// whether a tree holds any of the reader's.
const sniffLooks = 48

// Sniff recognises a file by its place, its neighbours or its head, and by being text.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	w, err := survey(ctx, tree, sniffLooks)
	if err != nil {
		return importer.Match{}, err
	}
	for _, f := range tree.Files() {
		if k := w.kinds[w.keyOf(f)]; k.tool == "" || k.by == ofAgent {
			continue
		}
		if _, head, err := importer.LookAt(ctx, tree, f); err != nil {
			return importer.Match{}, err
		} else if importer.LooksLikeText(head) {
			return importer.Match{Certainty: importer.Certain, Format: "markdown"}, nil
		}
	}
	return importer.Match{}, nil
}
