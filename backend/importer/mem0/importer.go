package mem0

import (
	"context"
	"slices"
	"strings"

	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

const platform = "mem0"

// Importer reads dumps of mem0. The zero value is ready.
type Importer struct{}

// Info names the reader.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "mem0", Name: "mem0", Platform: platform, Version: "mem0/2026.12"}
}

var endings = []string{".json", ".jsonl"}

// Sniff recognises memories that carry what mem0 notes about each.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	return importer.MatchFirst(ctx, tree, endings, formOf)
}

// formOf names the form of a dump, "" for another file.
func formOf(_ intake.File, s importer.Shape, _ []byte) string {
	switch {
	case !isDump(s):
		return ""
	case listOf(s) == "memories":
		return "export"
	case strings.HasSuffix(listOf(s), "points"), pointsIn(s, ""):
		return "vector store"
	case s.Has("count"), s.Has("next"):
		return "platform"
	case s.Kind == '[':
		return "array"
	}
	return "library"
}

func isDump(s importer.Shape) bool {
	under := func(prefix string, has func(string) bool) bool {
		return has(prefix+"memory") && has(prefix+"id") &&
			(has(prefix+"hash") || has(prefix+"user_id") || has(prefix+"agent_id") || has(prefix+"run_id") || has(prefix+"app_id"))
	}
	inList := func(list string) bool { return under(list+".", s.Has) || pointsIn(s, list+".") }
	return slices.ContainsFunc(lists, inList) || s.Kind == '[' && under("", s.ItemHas) || pointsIn(s, "")
}

// lists are where a dump has its memories, or the points of its vector store.
var lists = []string{"results", "memories", "points", "result.points"}

// listOf is the one that a dump has, "" for none.
func listOf(s importer.Shape) string {
	for _, list := range lists {
		if s.Has(list) {
			return list
		}
	}
	return ""
}

// pointsIn reports points of a vector store, which hold a memory as their payload.
func pointsIn(s importer.Shape, prefix string) bool {
	has := s.Has
	if prefix == "" {
		has = s.ItemHas
	}
	return has(prefix+"id") && has(prefix+"payload.data") && (has(prefix+"payload.hash") || has(prefix+"payload.user_id"))
}
