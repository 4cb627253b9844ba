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

// Info names the reader.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "letta", Name: "Letta", Platform: platform, Version: "letta/2026.12"}
}

var endings = []string{".af", ".json"}

// Sniff recognises agents with their blocks, or the first form.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	return importer.MatchFirst(ctx, tree, endings, formOf)
}

// agentInText is how an agent file begins that is one JSON string: some programs encode it
// a second time.
var agentInText = regexp.MustCompile(`^\s*"\s*(?:\\[nrt]|\s)*\{(?:\\[nrt]|\s)*\\"agents\\":`)

// formOf names the form of an agent file, "" for another file.
func formOf(_ intake.File, s importer.Shape, head []byte) string {
	current := s.Has("agents") && (s.Has("blocks") || s.Has("agents.block_ids") || s.Has("agents.in_context_message_ids"))
	first := s.Has("core_memory.label") || s.Has("core_memory") && s.Has("messages") && s.Has("system")
	switch {
	case !current && !first && !agentInText.Match(head):
		return ""
	case s.Has("core_memory"):
		return "v0"
	}
	return "agents"
}
