package basicmemory

import (
	"context"

	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

const platform = "basic-memory"

// Importer reads notes of basic-memory. The zero value is ready.
type Importer struct{}

// Info names the reader.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "basic-memory", Name: "Basic Memory", Platform: platform, Version: "basic-memory/2026.09"}
}

var endings = []string{".md", ".markdown"}

// Sniff recognises a note by the head that basic-memory gives each, or by its
// observations.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	return importer.MatchFirst(ctx, tree, endings, func(_ intake.File, _ importer.Shape, head []byte) string {
		if text, _ := importer.PlainText(head); isNote(text) {
			return "notes"
		}
		return ""
	})
}

// isNote wants a head with a permalink, or with a title over observations.
func isNote(text string) bool {
	head, body := importer.FrontMatter(text)
	if head == nil {
		return false
	}
	if importer.TextIn(head, "permalink") != "" && importer.TextIn(head, "title") != "" {
		return true
	}
	return importer.TextIn(head, "title") != "" && importer.TextIn(head, "type") != "" && observation.MatchString(body)
}
