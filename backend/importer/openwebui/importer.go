package openwebui

import (
	"context"

	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

const platform = "open-webui"

// Importer reads chats of Open WebUI. The zero value is ready.
type Importer struct{}

var _ importer.Importer = Importer{}

// Info names the reader.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "open-webui", Name: "Open WebUI", Platform: platform, Version: "open-webui/2026.12"}
}

// Sniff recognises a chat by its history.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	f, ok, err := importer.FirstLike(ctx, tree, []string{".json"}, func(_ intake.File, s importer.Shape, _ []byte) bool { return isChat(s) })
	if err != nil || !ok {
		return importer.Match{}, err
	}
	shape, _, err := importer.LookAt(ctx, tree, f)
	if shape.ItemHas("chat") {
		m := importer.Match{Certainty: importer.Certain, Format: "chats"}
		if id := shape.ItemText("user_id"); id != "" {
			m.Accounts = []string{id}
		}
		return m, err
	}
	return importer.Match{Certainty: importer.Certain, Format: "inner"}, err
}

func isChat(s importer.Shape) bool {
	return s.ItemHas("chat.history.messages") || s.ItemHas("chat.history.currentId") || s.ItemHas("history.messages") && s.ItemHas("history.currentId")
}
