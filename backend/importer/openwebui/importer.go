package openwebui

import (
	"context"

	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

const platform = "open-webui"

// Importer reads chats of Open WebUI. The zero value is ready.
type Importer struct{}

// Info names the reader.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "open-webui", Name: "Open WebUI", Platform: platform, Version: "open-webui/2026.12"}
}

// Sniff recognises a chat by its history.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	var account string
	m, err := importer.MatchFirst(ctx, tree, []string{".json"}, func(_ intake.File, s importer.Shape, _ []byte) string {
		switch {
		case !isChat(s):
			return ""
		case s.ItemHas("chat"):
			account = s.ItemText("user_id")
			return "chats"
		}
		return "inner"
	})
	if account != "" {
		m.Accounts = []string{account}
	}
	return m, err
}

func isChat(s importer.Shape) bool {
	return s.ItemHas("chat.history.messages") || s.ItemHas("chat.history.currentId") || s.ItemHas("history.messages") && s.ItemHas("history.currentId")
}
