package lmstudio

import (
	"context"

	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

const platform = "lm-studio"

// Importer reads conversations of LM Studio. The zero value is ready.
type Importer struct{}

// Info names the reader.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "lm-studio", Name: "LM Studio", Platform: platform, Version: "lm-studio/2026.09"}
}

// Sniff recognises messages with versions.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	return importer.MatchFirst(ctx, tree, []string{".json"}, func(_ intake.File, s importer.Shape, _ []byte) string {
		if s.Has("messages.versions") && s.Has("messages.currentlySelected") {
			return "conversations"
		}
		return ""
	})
}
