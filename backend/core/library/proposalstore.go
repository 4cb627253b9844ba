package library

import (
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

// Proposals reads what waits in the Inbox.
func Proposals(tx *vault.Tx) ([]Proposal, error) {
	return collect(decoded(tx, vault.Proposals, DecodeProposal))
}

// DecodeProposal reads a proposal as it is stored.
func DecodeProposal(text []byte) (p Proposal, err error) {
	err = rows.DecodeJSON(text, "proposal", &p)
	return p, err
}

// NeedProposal reads a proposal that a person named.
func NeedProposal(tx *vault.Tx, id string) (p Proposal, err error) {
	found, err := rows.FindJSON(tx, vault.Proposals, id, "proposal", &p)
	if err == nil && !found {
		err = fault.New(fault.NotFound, "no-proposal", "There is no proposal with the id {id}.").With("id", rows.ShortID(id))
	}
	return p, err
}

// restoreProposal puts a proposal that was decided back into the Inbox; where that
// was undone, it decides it again.
func (u *undoRun) restoreProposal(im *Image) error {
	if im.Before == nil {
		p, err := NeedProposal(u.VaultTx, im.ID)
		if err != nil {
			return err
		}
		return u.Decide(p)
	}
	if _, err := u.Remember(OfProposal, im.ID, nil); err != nil {
		return err
	}
	p, err := DecodeProposal(im.Before)
	if err != nil {
		return err
	}
	return u.PutProposal(p)
}

// PutProposal puts a proposal into the Inbox.
func (e *Tx) PutProposal(p Proposal) error {
	if err := e.put(vault.Proposals, p.ID, p.FoundAt, p); err != nil {
		return fmt.Errorf("store proposal: %w", err)
	}
	return e.VaultTx.Link(vault.Proposals, rows.ByContent(memory.ContentHash(p.Content)), p.ID)
}

// DropProposals takes out of the Inbox what is not to be decided any more.
func (e *Tx) DropProposals(gone func(Proposal) bool) error {
	all, err := Proposals(e.VaultTx)
	if err != nil {
		return err
	}
	for _, p := range all {
		if !gone(p) {
			continue
		}
		if err := e.VaultTx.Unlink(vault.Proposals, rows.ByContent(memory.ContentHash(p.Content))); err != nil {
			return fmt.Errorf("unlink proposal: %w", err)
		}
		if err := e.VaultTx.Delete(vault.Proposals, p.ID); err != nil {
			return fmt.Errorf("delete proposal: %w", err)
		}
	}
	return nil
}

// Decide takes a proposal out of the Inbox. The name of its content stays and
// leads nowhere, so that it is not proposed again.
func (e *Tx) Decide(p Proposal) error {
	if _, err := e.rememberRecord(OfProposal, p.ID); err != nil {
		return err
	}
	if err := e.VaultTx.Delete(vault.Proposals, p.ID); err != nil {
		return fmt.Errorf("delete proposal: %w", err)
	}
	return e.VaultTx.Link(vault.Proposals, rows.ByContent(memory.ContentHash(p.Content)), "")
}
