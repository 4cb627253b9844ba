package mcpmemory

import (
	"context"

	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

const platform = "mcp-memory"

// Importer reads the graph of the MCP memory server. The zero value is ready.
type Importer struct{}

var _ importer.Importer = Importer{}

// Info names the reader.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "mcp-memory", Name: "MCP memory server", Platform: platform, Version: "mcp-memory/2026.09"}
}

// Sniff recognises entities and relations, by line or in lists.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	f, ok, err := importer.FirstLike(ctx, tree, endings, isGraph)
	if err != nil || !ok {
		return importer.Match{}, err
	}
	shape, _, err := importer.LookAt(ctx, tree, f)
	if shape.Has("entities") {
		return importer.Match{Certainty: importer.Certain, Format: "graph"}, err
	}
	return importer.Match{Certainty: importer.Certain, Format: "lines"}, err
}

var endings = []string{".jsonl", ".json"}

func isGraph(_ intake.File, s importer.Shape, _ []byte) bool {
	kind := s.ItemText("type")
	lines := s.Kind == '{' && (kind == "entity" && s.Has("entityType") || kind == "relation" && s.Has("relationType"))
	graph := s.Has("entities.entityType") || s.Has("entities") && s.Has("relations.relationType")
	return lines || graph
}
