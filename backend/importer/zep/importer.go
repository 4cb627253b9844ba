package zep

import (
	"context"

	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

const platform = "zep"

// Importer reads dumps of Zep and Graphiti. The zero value is ready.
type Importer struct {
	most int64 // bytes that are held of the episodes of a file; 0 is as many as of any conversation
}

// Info names the reader.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "zep", Name: "Zep / Graphiti", Platform: platform, Version: "zep/2026.12"}
}

// Sniff recognises edges with their facts, and nodes and episodes that lie
// beside them.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	return importer.MatchFirst(ctx, tree, []string{".json"}, formOf)
}

// formOf names the form of a dump, "" for another file.
func formOf(_ intake.File, s importer.Shape, _ []byte) string {
	edge := func(has func(string) bool, at string) bool {
		return has(at+"uuid") && has(at+"fact") && (has(at+"source_node_uuid") || has(at+"valid_at") || has(at+"episodes"))
	}
	node := func(has func(string) bool, at string) bool {
		return has(at+"uuid") && has(at+"summary") && has(at+"labels")
	}
	switch {
	case s.Kind == '[':
		if edge(s.ItemHas, "") || node(s.ItemHas, "") {
			return "list"
		}
	case edge(s.Has, "edges."), edge(s.Has, "entity_edges."), edge(s.Has, "facts."), node(s.Has, "nodes."), node(s.Has, "entity_nodes."):
		return "graph"
	}
	return ""
}
