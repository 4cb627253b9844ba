package cline

import (
	"context"
	"strings"

	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

const platform = "cline"

// Importer reads tasks of Cline, Roo Code and Kilo Code. The zero value is ready.
type Importer struct {
	most int64 // bytes that are held of a task; 0 is as many as of any conversation
}

// Info names the reader.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "cline", Name: "Cline, Roo Code, Kilo Code", Platform: platform, Version: "cline/2026.12"}
}

// Sniff recognises what the window showed, or what the model was sent.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	return importer.MatchFirst(ctx, tree, []string{".json"}, func(f intake.File, s importer.Shape, _ []byte) string {
		switch kindOf(f, s) {
		case shown, sent:
			return "tasks"
		}
		return ""
	})
}

// Kinds of files.
const (
	shown = "shown"
	sent  = "sent"
	known = "known"
)

// kindOf says what a file is, "" for one that is none of theirs.
func kindOf(f intake.File, s importer.Shape) string {
	begins := s.ItemText("content.text") + s.ItemText("content")
	switch {
	case s.ItemHas("ts") && s.ItemHas("type") && (s.ItemHas("say") || s.ItemHas("ask")):
		return shown
	case s.Kind != '[' && s.Kind != '{':
	case s.Kind == '[' && s.ItemHas("role") && s.ItemHas("content") && (f.Base() == "api_conversation_history.json" || isTask(begins)):
		return sent
	case s.ItemHas("id") && s.ItemHas("ts") && s.ItemHas("task"):
		return known
	}
	return ""
}

// isTask reports a text in which the program sends the model what the person asked for.
func isTask(text string) bool {
	return strings.HasPrefix(text, "<task>") || strings.HasPrefix(text, "<user_message>")
}
