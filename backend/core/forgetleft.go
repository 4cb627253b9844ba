package core

import (
	"slices"
	"strings"

	"keepsake/backend/core/browse"
	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// maxLeftTexts bounds for how many selected memories the person's own texts are
// searched; of more, only those that say nothing else are found.
const maxLeftTexts = 500

// wordsKey is a statement as it is compared with what was forgotten: what is left of it
// without case, accents, kinds of spaces and quotation marks, and punctuation around it.
func wordsKey(text string) string {
	text = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`, "‘", "'", "’", "'").Replace(library.Fold(text))
	return strings.Trim(strings.Join(strings.Fields(text), " "), " .,;:!?…\"'-–—•*")
}

// byWords is the name by which a forgotten statement is known again in nearly the same
// words; "" for one without any.
func byWords(content string) string {
	if key := wordsKey(content); key != "" {
		return "words:" + memory.ContentHash(key)
	}
	return ""
}

// isForgottenText reports that a statement was forgotten here, in these or nearly the
// same words.
func isForgottenText(e *library.Tx, content string) bool {
	if !e.VaultTx.HasLinks(vault.Receipts) {
		return false
	}
	words := byWords(content)
	return barred(e, rows.ByContent(memory.ContentHash(content))) || words != "" && barred(e, words)
}

// planLeft names what is the person's own, says the same as what is selected, and stays:
// tasks, saved views, and drafts of memories that are not written yet.
func planLeft(v *library.Session, tx *vault.Tx, p *ForgetPlan) error {
	says := func(texts ...string) bool {
		own := wordsKey(strings.Join(texts, " "))
		return slices.ContainsFunc(p.says, func(said string) bool {
			return own == said || len(p.says) <= maxLeftTexts && len(said) >= wholeName && strings.Contains(own, said)
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
