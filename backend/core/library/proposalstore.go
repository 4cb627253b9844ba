package library

import (
	"fmt"

	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/format/personal"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Proposal is a sentence that may become a memory: the user wrote it in a conversation, or an
// agent proposes it. With a Change it is no sentence, but what an agent would do with memories. It is
// only in the Inbox, not in lists, searches or exports.
type Proposal struct {
	ID             string      `json:"id"`
	Type           memory.Type `json:"type"`
	Content        string      `json:"content"`
	Rule           string      `json:"rule"` // that found it, such as "en/allergy"
	Language       string      `json:"language"`
	Confidence     float64     `json:"confidence"`
	Platform       string      `json:"platform"`
	ConversationID string      `json:"conversation_id"`
	MessageID      string      `json:"message_id"`
	SaidAt         memory.Time `json:"said_at"`
	FoundAt        memory.Time `json:"found_at"`

	// By is the agent that proposed it, with the tags and the reason that it gave; "" for a
	// sentence of the user.
	By     string   `json:"by,omitempty"`
	Tags   []string `json:"tags,omitempty"`
	Reason string   `json:"reason,omitempty"`
	// Instructs says that the text tells an assistant what to do.
	Instructs bool `json:"instructs,omitempty"`
	// Stored is what an agent said of it that speaks of records of the Personal Memory Specification.
	Stored *StoredAs `json:"stored,omitempty"`
	// Change is what an agent proposes to do with memories that are there; Content is empty then.
	Change *ProposedChange `json:"change,omitempty"`
}

// ProposedChange is a change of memories that an agent proposes. It holds no text of them.
type ProposedChange struct {
	Kind     ChangeKind          `json:"kind"`
	Memories []string            `json:"memories"` // ids; of Relate from and to, else of the one that would change
	Basis    [][]byte            `json:"basis"`    // of each: hash of what the change was proposed for
	Content  *string             `json:"content,omitempty"`
	Type     *memory.Type        `json:"type,omitempty"`
	Tags     *[]string           `json:"tags,omitempty"`
	Relation memory.RelationType `json:"relation,omitempty"`
}

// ChangeKind is what a ProposedChange does.
type ChangeKind string

// Kinds of a ProposedChange.
const (
	ToUpdate  ChangeKind = "update"
	ToRetract ChangeKind = "retract"
	ToRelate  ChangeKind = "relate"
)

// Key is the lookup name of a proposal by what it says. It stays once that was decided.
func (p Proposal) Key() string {
	if p.Change == nil {
		return rows.ByContent(memory.ContentHash(p.Content))
	}
	text, _ := rows.EncodeJSON(p.Change) // of strings and hashes
	return fmt.Sprintf("change:%x", rows.Sum(text))
}

// StoredAs describes a record of the Personal Memory Specification (store_memory).
type StoredAs struct {
	Category    Category             `json:"category"`
	ContentType personal.ContentType `json:"content_type"`
	Channel     string               `json:"channel,omitempty"`
	Session     string               `json:"session_id,omitempty"`
	Message     string               `json:"message_id,omitempty"`
	Importance  *float64             `json:"importance,omitempty"` // 0 to 1
}

// Proposals reads the proposals in the Inbox, oldest first.
func Proposals(tx *vault.Tx) ([]Proposal, error) {
	return Collect(rows.EachJSON[Proposal](tx, vault.Proposals, "proposal"))
}

// NeedProposal reads the proposal that the user named; it is an error if there is none.
func NeedProposal(tx *vault.Tx, id string) (p Proposal, err error) {
	found, err := rows.FindJSON(tx, vault.Proposals, id, "proposal", &p)
	if err == nil && !found {
		err = fault.New(fault.NotFound, "no-proposal", "There is no proposal with the id {id}.").With("id", rows.ShortID(id))
	}
	return p, err
}

// restoreProposal undoes a decision about a proposal: it puts the proposal back into the
// Inbox. In a redo, where Before is nil, it removes the proposal from the Inbox again.
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
	p, err := rows.DecodeJSON[Proposal](im.Before, "proposal")
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
	return e.VaultTx.Link(vault.Proposals, p.Key(), p.ID)
}

// DropProposals deletes the proposals for which gone returns true, with their lookup keys.
func (e *Tx) DropProposals(gone func(Proposal) bool) error {
	all, err := Proposals(e.VaultTx)
	if err != nil {
		return err
	}
	for _, p := range all {
		if !gone(p) {
			continue
		}
		if err := e.VaultTx.Unlink(vault.Proposals, p.Key()); err != nil {
			return fmt.Errorf("unlink proposal: %w", err)
		}
		if err := e.VaultTx.Delete(vault.Proposals, p.ID); err != nil {
			return fmt.Errorf("delete proposal: %w", err)
		}
	}
	return nil
}

// Decide removes a proposal from the Inbox. The hash of what it says stays in the vault, as a
// lookup name without an id, so that the same is not proposed again.
func (e *Tx) Decide(p Proposal) error {
	if _, err := e.rememberRecord(OfProposal, p.ID); err != nil {
		return err
	}
	if err := e.VaultTx.Delete(vault.Proposals, p.ID); err != nil {
		return fmt.Errorf("delete proposal: %w", err)
	}
	return e.VaultTx.Link(vault.Proposals, p.Key(), "")
}

// Kinds of change that decide proposals.
const (
	AcceptKind  = "accept"
	LogRejected = "reject"
)

// RejectedTexts returns the texts of proposals that were rejected, the latest first, at most
// most. Only those are known whose rejection Undo can still undo: of older ones the
// vault keeps a hash.
func RejectedTexts(tx *vault.Tx, most int) (texts []string, err error) {
	st, err := readStack(tx)
	if err != nil {
		return nil, err
	}
	for seq := st.Last; seq >= max(st.First, 1) && len(texts) < most; seq-- {
		if h, err := readHead[brief](tx, seq); err != nil {
			return nil, err
		} else if h == nil || h.Kind != LogRejected {
			continue
		}
		h, err := readHead[ChangeHead](tx, seq)
		if err != nil {
			return nil, err
		}
		rejected, err := ProposalsBefore(tx, h)
		if err != nil {
			return nil, err
		}
		for _, p := range rejected {
			if p.Change == nil {
				texts = append(texts, p.Content)
			}
		}
	}
	return texts[:min(len(texts), most)], nil
}

// ProposalsBefore reads the proposals that a change removed.
func ProposalsBefore(tx *vault.Tx, h *ChangeHead) (all []Proposal, err error) {
	images := h.Images
	for part := 1; part <= h.Parts; part++ {
		more, err := ReadPart(tx, h.Seq, part)
		if err != nil {
			return nil, err
		}
		images = append(images, more...)
	}
	for _, im := range images {
		if im.Kind != OfProposal || im.Before == nil {
			continue
		}
		p, err := rows.DecodeJSON[Proposal](im.Before, "proposal")
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}
