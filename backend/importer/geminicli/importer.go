package geminicli

import (
	"context"

	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

const platform = "gemini-cli"

// Importer reads sessions of Gemini CLI. The zero value is ready.
type Importer struct {
	most int64 // bytes that are held of a session; 0 is as many as of any conversation
}

var _ importer.Importer = Importer{}

// Info names the reader.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "gemini-cli", Name: "Gemini CLI", Platform: platform, Version: "gemini-cli/2026.12"}
}

var endings = []string{".jsonl", ".json"}

// Sniff recognises a session by its project.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	f, ok, err := importer.FirstLike(ctx, tree, endings, func(_ intake.File, s importer.Shape, _ []byte) bool { return isSession(s) })
	if err != nil || !ok {
		return importer.Match{}, err
	}
	shape, _, err := importer.LookAt(ctx, tree, f)
	if shape.Has("messages") && !shape.Has("$set") && !importer.HasEnding(f, ".jsonl") {
		return importer.Match{Certainty: importer.Certain, Format: "object"}, err
	}
	return importer.Match{Certainty: importer.Certain, Format: "log"}, err
}

func isSession(s importer.Shape) bool {
	return s.Kind == '{' && s.Has("sessionId") && (s.Has("projectHash") || s.Has("startTime") && (s.Has("messages.type") || s.Has("type")))
}
