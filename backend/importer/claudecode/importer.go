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

var _ importer.Importer = Importer{}

// Info names the reader.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "claude-code", Name: "Claude Code", Platform: platform, Version: "claude-code/2026.12", Forks: true}
}

// Sniff recognises lines of a session.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	_, ok, err := importer.FirstLike(ctx, tree, []string{".jsonl"}, func(_ intake.File, s importer.Shape, _ []byte) bool {
		return s.Kind == '{' && s.Has("sessionId") && s.Has("uuid") && s.Has("parentUuid") && s.Has("type")
	})
	if err != nil || !ok {
		return importer.Match{}, err
	}
	return importer.Match{Certainty: importer.Certain, Format: "sessions"}, nil
}
