package codex

import (
	"context"
	"slices"

	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

const platform = "codex"

// Importer reads sessions of Codex. The zero value is ready.
type Importer struct {
	most int64 // bytes that are held of a session; 0 is as many as of any conversation
}

// Info names the reader.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "codex", Name: "Codex", Platform: platform, Version: "codex/2026.12", Forks: true}
}

// Sniff recognises a session of any generation.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	return importer.MatchFirst(ctx, tree, endings, func(_ intake.File, s importer.Shape, _ []byte) string { return formOf(s) })
}

var endings = []string{".jsonl", ".json"}

// formOf names the generation, "" for a file that is none.
func formOf(s importer.Shape) string {
	if s.Kind != '{' {
		return ""
	}
	kind := s.ItemText("type")
	switch {
	case s.Has("payload") && (slices.Contains(kinds, kind) || s.Has("payload.type") && s.Has("payload.content.type")):
		return "rollout"
	case s.Has("session.id") && s.Has("items.type"):
		return "object"
	case s.Has("id") && s.Has("timestamp") && !s.Has("uuid") && (s.Has("record_type") || isItem(s) || s.Has("instructions") && s.Has("git")):
		return "bare"
	case isItem(s) && s.Has("role") && s.Has("type") && !s.Has("uuid"):
		return "bare"
	}
	return ""
}

// kinds are those of the lines of a rollout.
var kinds = []string{"session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state", "ghost_snapshot"}

// isItem knows what was said without an envelope.
func isItem(s importer.Shape) bool {
	kind := s.ItemText("content.type")
	return kind == "input_text" || kind == "output_text"
}
