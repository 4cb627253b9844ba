package mem0

import (
	"context"

	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

const platform = "mem0"

// Importer reads dumps of mem0. The zero value is ready.
type Importer struct{}

var _ importer.Importer = Importer{}

// Info names the reader.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "mem0", Name: "mem0", Platform: platform, Version: "mem0/2026.09"}
}

// Sniff recognises memories that carry what mem0 notes about each.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	f, ok, err := importer.FirstLike(ctx, tree, []string{".json"}, isDump)
	if err != nil || !ok {
		return importer.Match{}, err
	}
	shape, _, err := importer.LookAt(ctx, tree, f)
	m := importer.Match{Certainty: importer.Certain, Format: "library"}
	switch {
	case shape.Has("count"), shape.Has("next"):
		m.Format = "platform"
	case shape.Kind == '[':
		m.Format = "array"
	}
	return m, err
}

func isDump(_ intake.File, s importer.Shape, _ []byte) bool {
	under := func(prefix string, has func(string) bool) bool {
		return has(prefix+"memory") && has(prefix+"id") &&
			(has(prefix+"hash") || has(prefix+"user_id") || has(prefix+"agent_id") || has(prefix+"run_id") || has(prefix+"app_id"))
	}
	return s.Kind == '[' && under("", s.ItemHas) || under("results.", s.Has)
}
