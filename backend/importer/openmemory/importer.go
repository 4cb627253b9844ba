package openmemory

import (
	"compress/gzip"
	"context"
	"strings"

	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

const platform = "openmemory"

// Importer reads backups of OpenMemory. The zero value is ready.
type Importer struct {
	most int64 // bytes that packed lines may unfold to; 0 is a gibibyte
}

// Info names the reader.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "openmemory", Name: "OpenMemory", Platform: platform, Version: "openmemory/2026.09"}
}

// Sniff recognises the whole backup, or its lines alone.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	m, err := importer.MatchFirst(ctx, tree, []string{".json"}, formOf)
	if err != nil || m.Format != "" {
		return m, err
	}
	for _, f := range tree.Files() {
		if isLines(f) && holdsMemories(ctx, tree, f) {
			return importer.Match{Certainty: importer.Certain, Format: "lines"}, nil
		}
	}
	return importer.Match{}, ctx.Err()
}

// holdsMemories looks at the first packed line.
func holdsMemories(ctx context.Context, tree *intake.Tree, f intake.File) bool {
	body, err := tree.Open(ctx, f)
	if err != nil {
		return false
	}
	defer body.Close()
	unpacked, err := gzip.NewReader(body)
	if err != nil {
		return false
	}
	shape, _ := importer.Peek(unpacked) // what is broken further on has the shape of what came before
	return shape.Has("content") && shape.Has("state")
}

func formOf(_ intake.File, s importer.Shape, _ []byte) string {
	if s.Has("memories") && s.Has("apps") && (s.Has("export_meta") || s.Has("memory_categories") || s.Has("categories") && s.Has("user")) {
		return "backup"
	}
	return ""
}

func isLines(f intake.File) bool {
	return strings.HasSuffix(strings.ToLower(f.Base()), "memories.jsonl.gz")
}
