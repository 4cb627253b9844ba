package core

import (
	"slices"
	"strings"

	"keepsake/backend/core/browse"
	"keepsake/backend/core/library"
	"keepsake/backend/vault"
)

// maxLeftTexts is the number of selected memories up to which planLeft also finds texts
// that contain a memory's content. With more, it finds only texts that equal such content.
const maxLeftTexts = 500

// planLeft adds to p.Left the tasks, saved views and drafts of new memories whose text
// equals or contains that of a selected memory. They stay, because the person wrote them.
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
