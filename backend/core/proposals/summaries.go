package proposals

import (
	"context"

	"keepsake/backend/core/library"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Constants of summaries that the Personal Memory Specification fixes.
const (
	rawMessages  = 20 // newest messages of a conversation, which are not summarized
	summaryLines = 5  // maximum number of sentences in a summary
)

// Summarize returns proposed memories for each conversation: a summary made of the user's
// own sentences, and the statements that the rules of package extract find in it.
func Summarize(ctx context.Context, s *Service, conversations []string) ([]library.Proposal, error) {
	v, ctx, release, err := s.lib.Hold(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	rules, err := s.extractor()
	if err != nil {
		return nil, err
	}
	l := extractionJob{lib: s.lib, session: v, rules: rules}
	for _, id := range conversations {
		if err := ctx.Err(); err != nil {
			return nil, errLookStopped()
		}
		if err := l.summarize(id); err != nil {
			return nil, err
		}
	}
	return l.found, nil
}

func (l *extractionJob) summarize(id string) error {
	return l.session.View(func(tx *vault.Tx) error {
		h, err := tx.ConversationHead(id)
		if err != nil {
			return err
		}
		var texts []string
		var last memory.Message
		at, recent := 0, h.MessageCount-rawMessages
		for m, err := range tx.Messages(id) {
			if err != nil {
				return err
			}
			at++
			if m.Role != memory.User || m.IsThought {
				continue
			}
			l.message(h, &m)
			text := spoken(&m)
			if _, flags := l.rules.Read(text); at > recent || len(text) > longestSpeech || len(flags) > 0 {
				continue
			}
			texts, last = append(texts, text), m
		}
		if summary, language := l.rules.Summary(texts, summaryLines); summary != "" {
			l.found = append(l.found, library.Proposal{
				Type: memory.Context, Content: summary, Rule: language + "/summary", Language: language, Confidence: summaryConfidence,
				Platform: h.Provider.Name, ConversationID: id, MessageID: last.ID, SaidAt: memory.At(last.CreatedAt.Time),
			})
		}
		return nil
	})
}

// summaryConfidence is lower than the confidence of every rule that proposes a sentence
// (such as "en/allergy"): word counts alone choose the sentences of a summary.
const summaryConfidence = 0.5
