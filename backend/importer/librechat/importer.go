package librechat

import (
	"context"

	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

const platform = "librechat"

// Importer reads conversations of LibreChat. The zero value is ready.
type Importer struct{}

var _ importer.Importer = Importer{}

// Info names the reader.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "librechat", Name: "LibreChat", Platform: platform, Version: "librechat/2026.09"}
}

// Sniff recognises a conversation by its messages.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	f, ok, err := importer.FirstLike(ctx, tree, []string{".json"}, func(_ intake.File, s importer.Shape, _ []byte) bool { return isTalk(s) })
	if err != nil || !ok {
		return importer.Match{}, err
	}
	shape, _, err := importer.LookAt(ctx, tree, f)
	if shape.ItemHas("messages.children") || shape.ItemHas("messagesTree") {
		return importer.Match{Certainty: importer.Certain, Format: "nested"}, err
	}
	return importer.Match{Certainty: importer.Certain, Format: "flat"}, err
}

func isTalk(s importer.Shape) bool {
	has := s.ItemHas
	if !has("conversationId") {
		return false
	}
	for _, list := range nests().Under {
		if has(list+".messageId") || has(list+".isCreatedByUser") || has("exportAt") && has(list) {
			return true
		}
	}
	return false
}
