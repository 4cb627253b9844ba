package chatbox

import (
	"bytes"
	"context"

	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

const platform = "chatbox"

// Importer reads chats of Chatbox. The zero value is ready.
type Importer struct{}

// Info names the reader.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "chatbox", Name: "Chatbox", Platform: platform, Version: "chatbox/2026.12"}
}

// Sniff recognises an export by what Chatbox calls what it stores.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	return importer.MatchFirst(ctx, tree, []string{".json"}, func(_ intake.File, s importer.Shape, head []byte) string { return formOf(s, head) })
}

// formOf is "sessions", or "list" for older files; "" for others.
func formOf(s importer.Shape, head []byte) string {
	switch {
	case s.Has("chat-sessions"):
		return "list"
	case s.Has("chat-sessions-list"), s.Has("__exported_items"), s.Kind == '{' && bytes.Contains(head, []byte(`"session:`)) && bytes.Contains(head, []byte(`"messages"`)):
		return "sessions"
	}
	return ""
}
