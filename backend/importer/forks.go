package importer

import (
	"cmp"
	"context"
	"encoding/json"
	"regexp"
	"slices"

	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// HistoryMember is the member of a conversation's raw_metadata for the names of the
// history that it begins with: ids of sessions that it was forked off, or of the message
// that all of them begin with.
const HistoryMember = "keepsake_history"

// ExcerptMember is the member of a message's raw_metadata that says that its text is the
// beginning of what lies in a file, which was not there.
const ExcerptMember = "keepsake_excerpt"

// ForkMember is the member of a conversation's raw_metadata that says that it was forked
// off another, where its history does not name that.
const ForkMember = "keepsake_fork"

// KeepHistory notes the names of the history that a session begins with; "" is none.
func KeepHistory(raw *memory.RawMetadata, names ...string) {
	var all []string
	for _, name := range names {
		if name != "" && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	if text, err := json.Marshal(all); err == nil && len(all) > 0 {
		KeepRaw(raw, HistoryMember, text)
	}
}

// ForksLast are the files of a tree in their order, with those behind that begin as a
// fork does: what they hold a copy of is read first.
func ForksLast(ctx context.Context, tree *intake.Tree, isFork *regexp.Regexp) ([]intake.File, error) {
	forks := map[intake.File]int{}
	for _, f := range tree.Files() {
		if !HasEnding(f, ".jsonl", ".json") {
			continue
		}
		_, head, err := LookAt(ctx, tree, f)
		if err != nil {
			return nil, err
		}
		if isFork.Match(head) {
			forks[f] = 1
		}
	}
	files := slices.Clone(tree.Files())
	slices.SortStableFunc(files, func(a, b intake.File) int { return cmp.Compare(forks[a], forks[b]) })
	return files, nil
}
