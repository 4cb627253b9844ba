package chatgpt

import (
	"context"
	"slices"

	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

// Sniff recognises an export by how its conversation files begin, or by the
// names of the archives inside the answer to a data request. Those are not
// opened yet.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	s, err := surveyTree(ctx, tree)
	if err != nil {
		return importer.Match{}, err
	}
	m := importer.Match{Format: s.format(), Missing: s.missing, Accounts: s.accounts, Names: s.names}
	switch {
	case m.Format == formatPortal:
		m.Certainty = importer.Certain
	case len(s.sources) > 0 && s.unreadable == len(s.sources):
		m.Certainty = importer.Possible
	case len(s.sources) > 0:
		m.Certainty = importer.Certain
	case s.page && len(tree.Files()) == 1:
		m.Certainty, m.Advice = importer.Certain, noConversations(tree)
	case s.empty && isOurs(tree), len(s.missing) > 0:
		m.Certainty, m.Format = importer.Certain, formatSingle
	}
	if m.Certainty == importer.None {
		return importer.Match{}, nil
	}
	if !s.listed && len(s.nested) == 0 { // a part may lie in an archive inside
		m.Missing = append(m.Missing, gaps(s.shards)...)
	}
	if m.Format == formatPage {
		m.Missing = []string{"conversations.json"}
	}
	m.Whole.Conversations = s.isWhole(tree)
	return m, nil
}

// isWhole tells one export as it was downloaded: with the small files beside the
// conversations, and every shard that its manifest lists. Memories stand in the
// conversations and are in no list: what was deleted of them does not show.
func (s *survey) isWhole(tree *intake.Tree) bool {
	return len(tree.Sources()) == 1 && len(s.sources) > 0 && s.format() != formatLoose && s.format() != formatPage && len(s.nested)+len(s.missing)+s.unreadable+len(s.cut) == 0 &&
		(len(s.accounts) == 1 || isOurs(tree)) && (!s.isSharded() || len(tree.Match("export_manifest.json")) == 1)
}

// isOurs tells an export without conversations by files that only ChatGPT writes.
func isOurs(tree *intake.Tree) bool {
	names := []string{"message_feedback.json", "model_comparisons.json", "shared_conversations.json", "export_manifest.json", "chat.html"}
	return slices.ContainsFunc(names, func(name string) bool { return len(tree.Match(name)) > 0 })
}
