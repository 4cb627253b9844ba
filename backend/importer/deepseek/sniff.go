package deepseek

import (
	"context"
	"fmt"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

// Kinds of files.
const (
	talks = "conversations"
	user  = "user"
)

// Sniff recognises conversations with a mapping and inserted_at.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	s, err := importer.SurveyTree(ctx, tree, importer.Looks, kindOf)
	if err != nil {
		return importer.Match{}, fmt.Errorf("look at files: %w", err)
	}
	m := importer.Match{Certainty: importer.Certain, Format: "export", Accounts: s.Accounts, Names: s.Names}
	switch {
	case s.Has(talks):
		m.Whole.Conversations = s.Has(user) && len(s.Cut) == 0 && len(tree.Sources()) == 1
		return m, nil
	case s.Has(user) && len(s.Cut) == 0:
		m.Advice = fault.New(fault.Invalid, "deepseek-empty", "{name} is a DeepSeek export without any conversation.").
			With("name", tree.Name()).Advise("If there should be some, ask DeepSeek for a new export.")
		return m, nil
	}
	return importer.Match{}, nil
}

func kindOf(found *importer.Survey, f intake.File, s importer.Shape) string {
	switch {
	case s.ItemHas("mapping") && s.ItemHas("inserted_at") && !s.ItemHas("create_time"):
		return talks
	case f.Base() == "user.json" && (s.Has("mobile_number") || s.Has("mobile.mobile_number")):
		for _, name := range []string{"user_id", "id"} {
			found.Account(s.ItemText(name))
			found.Call(s.ItemText(name), "", s.ItemText("email"))
		}
		return user
	}
	return ""
}
