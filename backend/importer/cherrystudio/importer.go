package cherrystudio

import (
	"context"

	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

const platform = "cherry-studio"

// Importer reads backups and topics of Cherry Studio. The zero value is ready.
type Importer struct{}

// Info names the reader.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "cherry-studio", Name: "Cherry Studio", Platform: platform, Version: "cherry-studio/2026.12"}
}

// Sniff recognises a backup by its tables and a topic by what it calls itself.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	return importer.MatchFirst(ctx, tree, []string{".json"}, func(_ intake.File, s importer.Shape, _ []byte) string { return formOf(s) })
}

// formOf is "backup" or "topic", "" for another file.
func formOf(s importer.Shape) string {
	switch {
	case s.ItemText("kind") == "cherry-studio.topic":
		return "topic"
	case s.Has("localStorage.persist:cherry-studio"), s.Has("indexedDB.message_blocks"):
		return "backup"
	}
	return ""
}
