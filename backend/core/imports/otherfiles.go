package imports

import (
	"context"
	"slices"

	"keepsake/backend/core/library"
	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

// Limits for the files from which no reader read anything: how many the report names, and
// how many are opened to find out what they could be.
const (
	maxOtherFiles = 5
	maxOtherLooks = 48
)

// hasLeft restricts the tree of g to the files that earlier readers of the tree did not
// use, and reports whether the reader of g still recognises its format in them. If not,
// the next reader gets the files, and the report says that g was not read.
func (g *group) hasLeft(ctx context.Context, all *ledger) (reads bool) {
	if g.after == nil {
		return true
	}
	left := map[intake.File]bool{}
	for _, f := range g.after.ledger.left {
		left[f] = true
	}
	g.tree = g.tree.Only(func(f intake.File) bool { return left[f] })
	match, err := sniffed(ctx, g.found.Importer, g.tree)
	if err == nil && match.Certainty == importer.Certain {
		g.found.Match = match
		return true
	}
	g.ledger.left = g.tree.Files()
	all.problemOf(g.ledger, g.unread(g.found.Importer))
	return false
}

func sniffed(ctx context.Context, im importer.Importer, tree *intake.Tree) (m importer.Match, err error) {
	defer recovered(&err)
	return im.Sniff(ctx, tree)
}

// leave counts and names, for the report, the files that the group's reader took nothing
// from. It leaves out the files that the next reader of the same tree gets (g.next).
func (g *group) leave(ctx context.Context, all *ledger, readers importer.Registry) error {
	left := g.ledger.left
	if g.next != nil {
		own := map[intake.File]bool{}
		for _, f := range g.tree.Files() {
			own[f] = true
		}
		left = slices.DeleteFunc(slices.Clone(left), func(f intake.File) bool { return own[f] })
	}
	if g.tree != nil {
		all.nameFiles(ctx, readers, g.ledger, g.tree, left)
	}
	for _, t := range g.beside {
		all.nameFiles(ctx, readers, g.ledger, t, t.Files())
	}
	return ctx.Err()
}

// nameFiles counts files from which nothing was read, and names the first of them in the
// report. Files of a recognised kind (LooksLike) come before the others.
func (b *ledger) nameFiles(ctx context.Context, readers importer.Registry, book *groupLedger, tree *intake.Tree, files []intake.File) {
	var known, rest []library.OtherFile
	for i, f := range files {
		other := library.OtherFile{Path: f.Path, Size: f.Size}
		if i < maxOtherLooks {
			other.LooksLike = readers.LooksLike(ctx, tree, f)
		}
		if other.LooksLike != "" {
			known = append(known, other)
		} else if len(rest) < maxOtherFiles {
			rest = append(rest, other)
		}
	}
	b.leave(book, len(files), append(known, rest...))
}

// leave counts files from which nothing was read, and adds files to those that the report
// names, up to maxOtherFiles.
func (b *ledger) leave(book *groupLedger, count int, files []library.OtherFile) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for range count {
		book.counts.seen++
		book.counts.skip("other-file")
	}
	b.otherFiles = append(b.otherFiles, files...)
	slices.SortStableFunc(b.otherFiles, func(x, y library.OtherFile) int { return rank(x) - rank(y) })
	b.otherFiles = b.otherFiles[:min(len(b.otherFiles), maxOtherFiles)]
}

// rank is the sort key that puts files of a recognised format (LooksLike) first.
func rank(f library.OtherFile) int {
	if f.LooksLike != "" {
		return 0
	}
	return 1
}
