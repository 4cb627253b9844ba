package core

import (
	"slices"
	"strings"

	"keepsake/backend/core/browse"
	"keepsake/backend/core/library"
	"keepsake/backend/vault"
)

// maxLeftTexts bounds the substring search of planLeft. With more selected memories, only
// texts that equal the content of a memory are found, not texts that contain it.
const maxLeftTexts = 500

// planLeft adds to p.Left the texts that stay although they say the same as a selected
// memory, because the person wrote them: tasks, saved views, and drafts of new memories.
func planLeft(v *library.Session, tx *vault.Tx, p *ForgetPlan) error {
	says := func(texts ...string) bool {
		own := library.WordsKey(strings.Join(texts, " "))
		return slices.ContainsFunc(p.says, func(said string) bool {
			return own == said || len(p.says) <= maxLeftTexts && len(said) >= library.MinWithin && strings.Contains(own, said)
		})
	}
	todos, err := library.ReadTodos(tx)
	if err != nil {
		return err
	}
	for _, t := range todos {
		if says(t.Content, t.Notes) || says(t.Content) {
			p.Left = append(p.Left, library.Forgotten{Kind: "task", ID: t.ID, Text: library.Beginning(t.Content)})
		}
	}
	views, err := browse.SavedViews(tx)
	if err != nil {
		return err
	}
	for _, view := range views {
		if says(view.Name) || says(view.Query.Text) {
			p.Left = append(p.Left, library.Forgotten{Kind: "view", ID: view.Name, Text: library.Beginning(view.Name)})
		}
	}
	for _, d := range v.Drafts.List() {
		if d.MemoryID == "" && says(d.Content) {
			p.Left = append(p.Left, library.Forgotten{Kind: "draft", ID: "", Text: library.Beginning(d.Content)})
		}
	}
	return nil
}
