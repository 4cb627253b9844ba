package core

import (
	"context"

	"keepsake/backend/core/library"
	"keepsake/backend/core/meaning"
	"keepsake/backend/core/rows"
	"keepsake/backend/search"
	"keepsake/backend/vault"
)

// Limits of ForgetPlan.Near.
const (
	mostNear     = 20  // records
	mostCompared = 50  // selected memories, the first, that others are compared with
	nearFrom     = 0.8 // similarity, from which few are about something else
)

// planNear adds to p.Near the memories and conversations that are close in meaning to the words
// of a query or to what they select, and that are not selected. Without a language model there
// are none.
func (s *Service) planNear(ctx context.Context, q ForgetQuery, p *ForgetPlan) error {
	texts := q.Texts
	if q.Library != nil && q.Library.Text != "" {
		texts = []string{q.Library.Text}
	}
	if len(texts) == 0 {
		return nil
	}
	return s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) error {
		chosen := p.Memories[:min(len(p.Memories), mostCompared)]
		near, err := meaning.Of(v).CloseTo(ctx, tx, questionsOf(texts), chosen, mostNear, nearFrom)
		if meaning.IsUnavailable(err) {
			return nil
		}
		for _, record := range near {
			if p.selected[record.ID] || len(p.Near) == mostNear {
				continue
			}
			entry, err := forgottenOf(tx, record)
			if err != nil {
				return err
			}
			p.Near = append(p.Near, entry)
		}
		return err
	})
}

// questionsOf returns the questions that queries ask in words. One word is not
// compared; what it selects is.
func questionsOf(texts []string) (questions []string) {
	for _, text := range texts {
		parsed, err := search.Parse(text)
		if question := parsed.Question(); err == nil && !meaning.IsOneWord(question) {
			questions = append(questions, question)
		}
	}
	return questions
}

func forgottenOf(tx *vault.Tx, record meaning.CloseRecord) (library.Forgotten, error) {
	if record.Kind == search.Memory {
		m, err := rows.NeedMemory(tx, record.ID)
		return library.Forgotten{Kind: library.FoundMemory, ID: record.ID, Text: library.Beginning(m.Content)}, err
	}
	head, err := tx.ConversationHead(record.ID)
	return library.Forgotten{Kind: library.FoundConversation, ID: record.ID, Text: library.Beginning(head.Title)}, err
}
