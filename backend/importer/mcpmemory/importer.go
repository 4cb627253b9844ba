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

// Info names the reader.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "mcp-memory", Name: "MCP memory server", Platform: platform, Version: "mcp-memory/2026.12.1"}
}

// Sniff recognises entities and relations, by line or in lists.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	return importer.MatchFirst(ctx, tree, endings, formOf)
}

var endings = []string{".jsonl", ".json"}

// formOf names the form of a graph, "" for another file.
func formOf(_ intake.File, s importer.Shape, head []byte) string {
	switch {
	case isService(s):
		return "service"
	case s.Has("entities.entityType"), s.Has("entities") && s.Has("relations.relationType"), isResult(s, head), s.Has("entities") && isLines(s):
		return "graph"
	case isLines(s):
		return "lines"
	}
	return ""
}

func isLines(s importer.Shape) bool {
	if s.Kind != '{' {
		return false
	}
	switch s.ItemText("type") {
	case "entity":
		return s.Has("entityType") || s.Has("observations")
	case "relation":
		return s.Has("relationType") || s.Has("from") && s.Has("to")
	case aim:
		return s.Has("source")
	}
	return false
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
