package claudecode

import (
	"context"

	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

const platform = "claude-code"

// Importer reads sessions of Claude Code. The zero value is ready.
type Importer struct {
	most int64 // bytes that are held of a session; 0 is as many as of any conversation
}

// Info names the reader.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "claude-code", Name: "Claude Code", Platform: platform, Version: "claude-code/2026.12", Forks: true}
}

// Sniff recognises lines of a session.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	return importer.MatchFirst(ctx, tree, []string{".jsonl", ".json"}, func(f intake.File, s importer.Shape, _ []byte) string {
		switch {
		case isWeb(s):
			return "web"
		case isLines(s) && (!importer.HasEnding(f, ".json") || len(tree.Files()) == 1):
			return "sessions"
		}
		return ""
	})
}

// isLines knows the lines of a session by what is asked of them when they are read.
func isLines(s importer.Shape) bool {
	return s.Kind == '{' && s.Has("type") && (s.Has("message.role") || s.Has("parentUuid")) &&
		(s.Has("sessionId") || s.Has("session_id") || s.Has("uuid") && (s.Has("parentUuid") || s.Has("isSidechain")))
}

// isWeb knows a session of Claude Code for the web: one object with the lines in a list.
func isWeb(s importer.Shape) bool { return s.Has("loglines.type") && s.Has("loglines.message") }
