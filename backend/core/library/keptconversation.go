package library

import (
	"errors"
	"fmt"
	"iter"

	"keepsake/backend/core/rows"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// keptConversation is a conversation as it was before a change, kept for undo: in its
// stored form (as), or in the JSON form of older vaults (whole).
type keptConversation struct {
	tx    *vault.Tx
	id    string
	Head  vault.ConversationHead
	as    vault.Kept
	whole *memory.Conversation // decoded JSON form of older vaults; nil if as holds the conversation
}

// ReadKept reads the old version of a conversation from its records (see PieceID).
func ReadKept(tx *vault.Tx, seq uint64, part int, im *Image) (k *keptConversation, err error) {
	k = &keptConversation{tx: tx, id: im.ID}
	var text []byte
	for piece := range im.Pieces {
		more, err := tx.Get(vault.Changes, PieceID(seq, part, im.ID, piece))
		if err != nil {
			return nil, err
		}
		if !im.Packed {
			text = append(text, more...)
		} else if err := k.as.Join(more); err != nil {
			return nil, err
		}
	}
	if !im.Packed {
		return k, k.readGraph(text)
	}
	k.Head, err = tx.KeptHead(im.ID, k.as)
	return k, err
}

// KeptGraph is the JSON form in which older vaults kept a conversation for undo.
type KeptGraph struct {
	Conversation *memory.Conversation `json:"conversation"`
	Leaf         string               `json:"leaf"`
	Sum          []byte               `json:"sum"`
	Start        uint32               `json:"start,omitempty"`
	Size         int                  `json:"size,omitempty"`
	ImportID     string               `json:"import_id"`
	File         string               `json:"file"`
	TimeSource   string               `json:"time_source"`
}

func (k *keptConversation) readGraph(text []byte) error {
	g, err := rows.DecodeJSON[KeptGraph](text, "kept conversation")
	if err != nil {
		return err
	}
	if len(g.Sum) != 32 || g.Conversation == nil {
		return errors.New("read kept conversation: incomplete")
	}
	k.whole = g.Conversation
	k.whole.Leaf = g.Leaf
	k.Head = vault.ConversationHead{Sum: [32]byte(g.Sum), Start: g.Start, Size: g.Size, ImportID: g.ImportID, File: g.File, TimeSource: g.TimeSource}
	return nil
}

// Messages yields the messages of the conversation, with one chunk in memory at a time.
func (k *keptConversation) Messages() iter.Seq2[memory.Message, error] {
	if k.whole == nil {
		return k.tx.KeptMessages(k.as)
	}
	return k.whole.Each()
}

// ids returns the ids of the kept conversation's messages.
func (k *keptConversation) ids() (map[string]bool, error) {
	ids := map[string]bool{}
	err := ForEach(k.Messages(), func(m memory.Message) { ids[m.ID] = true })
	return ids, err
}

// putBack stores the kept conversation in the vault again.
func (k *keptConversation) putBack(e *Tx) error {
	if k.whole != nil {
		return e.StoreConversation(k.Head, k.whole)
	}
	stored, err := e.VaultTx.PutKept(k.id, k.as)
	if err != nil {
		return fmt.Errorf("put conversation back: %w", err)
	}
	return e.listConversation(stored, nil)
}
