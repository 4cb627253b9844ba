package core

import (
	"encoding/json"
	"fmt"

	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Proposal is a sentence of the person's own that may become a memory. It waits
// in the Inbox and is part of nothing else: no list, no search, no export.
type Proposal struct {
	ID             string      `json:"id"`
	Type           memory.Type `json:"type"`
	Content        string      `json:"content"`
	Rule           string      `json:"rule"` // "en/allergy"
	Language       string      `json:"language"`
	Confidence     float64     `json:"confidence"`
	Platform       string      `json:"platform"`
	ConversationID string      `json:"conversation_id"`
	MessageID      string      `json:"message_id"`
	SaidAt         memory.Time `json:"said_at"`
	FoundAt        memory.Time `json:"found_at"`
}

func proposals(tx *vault.Tx) ([]Proposal, error) {
	var all []Proposal
	for e, err := range tx.Each(vault.Proposals) {
		if err != nil {
			return nil, err
		}
		p, err := decodeProposal(e.Plain)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

func decodeProposal(text []byte) (p Proposal, err error) {
	if err := json.Unmarshal(text, &p); err != nil {
		return p, fmt.Errorf("read proposal: %w", err)
	}
	return p, nil
}

func needProposal(tx *vault.Tx, id string) (Proposal, error) {
	text, err := tx.Find(vault.Proposals, id)
	if err != nil {
		return Proposal{}, err
	}
	if text == nil {
		return Proposal{}, fault.New(fault.NotFound, "no-proposal", "There is no proposal with the id {id}.").With("id", rows.ShortID(id))
	}
	return decodeProposal(text)
}

// restoreProposal puts a proposal that was decided back into the Inbox; where that
// was undone, it decides it again.
func (u *undoing) restoreProposal(im *image) error {
	if im.Before == nil {
		p, err := needProposal(u.tx, im.ID)
		if err != nil {
			return err
		}
		return u.decide(p)
	}
	if _, err := u.remember(ofProposal, im.ID, nil); err != nil {
		return err
	}
	p, err := decodeProposal(im.Before)
	if err != nil {
		return err
	}
	return u.putProposal(p)
}

func (e *edit) putProposal(p Proposal) error {
	text, err := rows.EncodeJSON(p)
	if err != nil {
		return err
	}
	if err := e.tx.Put(vault.Proposals, p.ID, p.FoundAt.Time, text); err != nil {
		return fmt.Errorf("store proposal: %w", err)
	}
	return e.tx.Link(vault.Proposals, rows.ByContent(memory.ContentHash(p.Content)), p.ID)
}

// dropProposals takes out of the Inbox what is not to be decided any more.
func (e *edit) dropProposals(gone func(Proposal) bool) error {
	all, err := proposals(e.tx)
	if err != nil {
		return err
	}
	for _, p := range all {
		if !gone(p) {
			continue
		}
		if err := e.tx.Unlink(vault.Proposals, rows.ByContent(memory.ContentHash(p.Content))); err != nil {
			return fmt.Errorf("unlink proposal: %w", err)
		}
		if err := e.tx.Delete(vault.Proposals, p.ID); err != nil {
			return fmt.Errorf("delete proposal: %w", err)
		}
	}
	return nil
}

// decide takes a proposal out of the Inbox. The name of its content stays and
// leads nowhere, so that it is not proposed again.
func (e *edit) decide(p Proposal) error {
	_, err := e.remember(ofProposal, p.ID, func(im *image) error {
		before, err := e.tx.Find(vault.Proposals, p.ID)
		im.Before = before
		return err
	})
	if err != nil {
		return err
	}
	if err := e.tx.Delete(vault.Proposals, p.ID); err != nil {
		return fmt.Errorf("delete proposal: %w", err)
	}
	return e.tx.Link(vault.Proposals, rows.ByContent(memory.ContentHash(p.Content)), "")
}
