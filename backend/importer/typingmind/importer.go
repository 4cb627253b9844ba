package typingmind

import (
	"context"

	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

const platform = "typingmind"

// Importer reads chats of TypingMind. The zero value is ready.
type Importer struct{}

// Info names the reader.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "typingmind", Name: "TypingMind", Platform: platform, Version: "typingmind/2026.12"}
}

// Sniff recognises chats by how they call their title and id.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	return importer.MatchFirst(ctx, tree, []string{".json"}, func(_ intake.File, s importer.Shape, _ []byte) string {
		if isExport(s) {
			return "chats"
		}
		return ""
	})
}

func isExport(s importer.Shape) bool {
	return s.Has("data.chats.chatTitle") || s.Has("data.chats.chatID")
}
