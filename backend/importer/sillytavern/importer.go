package sillytavern

import (
	"context"

	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

const platform = "sillytavern"

// Importer reads chats of SillyTavern. The zero value is ready.
type Importer struct {
	most int64 // bytes that are held of a chat; 0 is as many as of any conversation
}

// Info names the reader.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "sillytavern", Name: "SillyTavern", Platform: platform, Version: "sillytavern/2026.12"}
}

// Sniff recognises a message, or the line about the chat.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	return importer.MatchFirst(ctx, tree, []string{".jsonl"}, func(_ intake.File, s importer.Shape, _ []byte) string {
		if isChat(s) {
			return "chats"
		}
		return ""
	})
}

func isChat(s importer.Shape) bool {
	return s.Has("mes") && s.Has("is_user") || s.Has("user_name") && s.Has("character_name")
}
