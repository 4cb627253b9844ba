package librechat

import (
	"context"
	"slices"

	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

const platform = "librechat"

// Importer reads conversations of LibreChat. The zero value is ready.
type Importer struct{}

// Info names the reader.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "librechat", Name: "LibreChat", Platform: platform, Version: "librechat/2026.09"}
}

// Sniff recognises a conversation by its messages.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	return importer.MatchFirst(ctx, tree, []string{".json"}, formOf)
}

// formOf names the form of a conversation, "" for another file.
func formOf(_ intake.File, s importer.Shape, _ []byte) string {
	holds := func(list string) bool {
		return s.ItemHas(list+".messageId") || s.ItemHas(list+".isCreatedByUser") || s.ItemHas("exportAt") && s.ItemHas(list)
	}
	switch {
	case !s.ItemHas("conversationId") || !slices.ContainsFunc(nests().Under, holds):
		return ""
	case s.ItemHas("messages.children"), s.ItemHas("messagesTree"):
		return "nested"
	}
	return "flat"
}
