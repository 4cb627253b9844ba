package mcpmemory

import (
	"context"
	"regexp"

	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

const platform = "mcp-memory"

// Importer reads the graph of the MCP memory server. The zero value is ready.
type Importer struct{}

var _ importer.Importer = Importer{}

// Info names the reader.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "mcp-memory", Name: "MCP memory server", Platform: platform, Version: "mcp-memory/2026.12.1"}
}

// Sniff recognises entities and relations, by line or in lists.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	f, ok, err := importer.FirstLike(ctx, tree, endings, isGraph)
	if err != nil || !ok {
		return importer.Match{}, err
	}
	shape, head, err := importer.LookAt(ctx, tree, f)
	if isService(shape) {
		return importer.Match{Certainty: importer.Certain, Format: "service"}, err
	}
	if shape.Has("entities") || isResult(shape, head) {
		return importer.Match{Certainty: importer.Certain, Format: "graph"}, err
	}
	return importer.Match{Certainty: importer.Certain, Format: "lines"}, err
}

var endings = []string{".jsonl", ".json"}

func isGraph(_ intake.File, s importer.Shape, head []byte) bool {
	kind := s.ItemText("type")
	lines := s.Kind == '{' && (kind == "entity" && (s.Has("entityType") || s.Has("observations")) || kind == "relation" && (s.Has("relationType") || s.Has("from") && s.Has("to")) || kind == aim && s.Has("source"))
	graph := s.Has("entities.entityType") || s.Has("entities") && s.Has("relations.relationType")
	return lines || graph || isService(s) || isResult(s, head)
}

// graphInText is a graph as the text of a tool's result.
var graphInText = regexp.MustCompile(`"text"\s*:\s*"(?:\\[nrt]|\s)*\{(?:\\[nrt]|\s)*\\"(?:entities|relations)\\"`)

// isResult reports the saved result of a call to the server's tool, which holds the graph
// as a text, as a structure, or as both.
func isResult(s importer.Shape, head []byte) bool {
	return s.Has("structuredContent.entities") || s.Has("result.structuredContent.entities") || graphInText.Match(head)
}

// aim is the type of the line with which files of mcp-knowledge-graph begin.
const aim = "_aim"

// isService reports an export of mcp-memory-service, which keeps statements and no graph.
func isService(s importer.Shape) bool {
	return s.Has("export_metadata") && s.Has("memories.content") && s.Has("memories.content_hash")
}
