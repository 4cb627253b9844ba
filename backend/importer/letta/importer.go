package letta

import (
	"context"
	"regexp"

	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

const platform = "letta"

// Importer reads agent files. The zero value is ready.
type Importer struct{}

var _ importer.Importer = Importer{}

// Info names the reader.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "letta", Name: "Letta", Platform: platform, Version: "letta/2026.12"}
}

var endings = []string{".af", ".json"}

// Sniff recognises agents with their blocks, or the first form.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	f, ok, err := importer.FirstLike(ctx, tree, endings, isAgentFile)
	if err != nil || !ok {
		return importer.Match{}, err
	}
	shape, _, err := importer.LookAt(ctx, tree, f)
	if shape.Has("core_memory") {
		return importer.Match{Certainty: importer.Certain, Format: "v0"}, err
	}
	return importer.Match{Certainty: importer.Certain, Format: "agents"}, err
}

// agentInText is how an agent file begins that is one JSON string: some programs encode it
// a second time.
var agentInText = regexp.MustCompile(`^\s*"\s*(?:\\[nrt]|\s)*\{(?:\\[nrt]|\s)*\\"agents\\":`)

func isAgentFile(_ intake.File, s importer.Shape, head []byte) bool {
	if agentInText.Match(head) {
		return true
	}
	current := s.Has("agents") && (s.Has("blocks") || s.Has("agents.block_ids") || s.Has("agents.in_context_message_ids"))
	return current || s.Has("core_memory.label") || s.Has("core_memory") && s.Has("messages") && s.Has("system")
}
