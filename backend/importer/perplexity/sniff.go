package perplexity

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

// Kinds of JSON files.
const (
	list   = "conversations" // an extension's list of questions and answers
	thread = "thread"        // one thread
)

// fewFiles is how many files a tree has at most for workbooks in it to be
// opened: an export is a workbook with little beside it, and the attachments of
// other exports are none.
const fewFiles = 16

// Sniff recognises the sheets and columns of the workbook, or what extensions
// write.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	e, err := look(ctx, tree, importer.Looks)
	if err != nil {
		return importer.Match{}, err
	}
	m := importer.Match{Certainty: importer.Certain}
	switch {
	case len(e.talks)+len(e.memories) > 0:
		m.Format = "workbook"
	case e.Has(list, thread):
		m.Format = "extension"
	default:
		return importer.Match{}, nil
	}
	return m, nil
}

// export is what a tree holds of Perplexity.
type export struct {
	*importer.Survey
	talks, memories []table
}

func look(ctx context.Context, tree *intake.Tree, limit int) (*export, error) {
	s, err := importer.SurveyTree(ctx, tree, limit, kindOf)
	if err != nil {
		return nil, fmt.Errorf("look at files: %w", err)
	}
	e := &export{Survey: s}
	taken := map[int]map[string]bool{} // roots of workbooks that were unpacked
	for _, f := range tree.Match("workbook.xml") {
		root, ok := strings.CutSuffix(f.Path, "xl/workbook.xml")
		if !ok {
			continue
		}
		found, err := e.workbook(ctx, tree, root, f.Source)
		if err != nil {
			return nil, err
		}
		if found {
			if taken[f.Source] == nil {
				taken[f.Source] = map[string]bool{}
			}
			taken[f.Source][root] = true
		}
	}
	few := len(tree.Files()) <= fewFiles
	e.Others = slices.DeleteFunc(e.Others, func(f intake.File) bool {
		for root := range taken[f.Source] {
			if strings.HasPrefix(f.Path, root) {
				return true
			}
		}
		return few && e.packed(ctx, tree, f)
	})
	return e, ctx.Err()
}

// packed reports whether a file is a workbook of Perplexity's, in a folder or
// beside others.
func (e *export) packed(ctx context.Context, tree *intake.Tree, f intake.File) bool {
	if !strings.EqualFold(path.Ext(f.Path), ".xlsx") {
		return false
	}
	inside, err := tree.Nested(ctx, f)
	if err != nil {
		return false // it is counted as a file of somebody else's
	}
	found, err := e.workbook(ctx, inside, "", 0)
	return err == nil && found
}

// workbook takes the sheets of one workbook, if it has Perplexity's.
func (e *export) workbook(ctx context.Context, tree *intake.Tree, root string, source int) (bool, error) {
	w, err := openWorkbook(ctx, tree, root, source)
	if err != nil || w == nil {
		return false, err
	}
	found := false
	for _, s := range w.sheets {
		if s.name != "Conversations" && s.name != "Memory" {
			continue
		}
		t, err := w.named(ctx, s)
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if err != nil && len(t.columns) == 0 {
			continue // what is wrong with it is of no use to somebody else
		}
		switch {
		case slices.Contains(t.columns, "UUID") && slices.Contains(t.columns, "OUTPUT_STR"):
			e.talks = append(e.talks, t)
			found = true
		case slices.Contains(t.columns, "MEMORY_VALUE"):
			e.memories = append(e.memories, t)
			found = true
		}
	}
	return found, nil
}

func kindOf(_ *importer.Survey, _ intake.File, s importer.Shape) string {
	switch {
	case s.Has("conversations.query") && s.Has("conversations.answer"):
		return list
	case s.Has("entries") && (s.Has("thread_metadata") || s.Has("entries.query_str")):
		return thread
	}
	return ""
}
