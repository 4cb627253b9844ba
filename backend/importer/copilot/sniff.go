package copilot

import (
	"bytes"
	"context"
	"path"
	"strings"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
)

// Sniff recognises the names of the columns.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	_, format, err := tables(ctx, tree)
	if err != nil || format == "" {
		return importer.Match{}, err
	}
	return importer.Match{Certainty: importer.Certain, Format: format}, nil
}

// tables are Copilot's tables in a tree, and the format of the first.
func tables(ctx context.Context, tree *intake.Tree) (files []intake.File, format string, err error) {
	looks := 0
	for _, f := range tree.Files() {
		if !strings.EqualFold(path.Ext(f.Path), ".csv") && len(tree.Files()) > 1 || looks >= importer.Looks {
			continue
		}
		looks++
		found, err := formatOf(ctx, tree, f)
		if err != nil {
			return nil, "", err
		}
		if found != "" {
			files = append(files, f)
		}
		if format == "" {
			format = found
		}
	}
	return files, format, nil
}

// headBytes hold the names of the columns.
const headBytes = 4 << 10

// formatOf is the format of one file, "" for none of Copilot's.
func formatOf(ctx context.Context, tree *intake.Tree, f intake.File) (string, error) {
	head, err := importer.Head(ctx, tree, f, headBytes)
	if err != nil {
		return "", ctx.Err()
	}
	t, ok := newTable(bytes.NewReader(head), true, jsonstream.MaxElement)
	if !ok {
		return "", nil
	}
	return t.format, nil
}
