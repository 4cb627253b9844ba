package library

import (
	"fmt"
	"iter"

	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/search"
	"keepsake/backend/vault"
)

// StoreConversation stores a conversation. Its row (its entry in the in-memory lists) is
// updated once the transaction is durable.
func (e *Tx) StoreConversation(head vault.ConversationHead, c *memory.Conversation) error {
	put, docs := e.VaultTx.PutConversation, DraftDocs(c)
	if len(c.Messages) > longConversation {
		put, docs = e.VaultTx.TakeConversation, nil
	}
	stored, err := put(head, c)
	if err != nil {
		return fmt.Errorf("store conversation: %w", err)
	}
	return e.listConversation(stored, docs)
}

// longConversation is the number of messages above which a conversation is not held in
// memory for the search indexer; the indexer reads it from the vault instead.
const longConversation = 10_000

// listConversation stores the row (list entry) of a conversation that was just stored, and
// queues its text for the search index. If docs is nil, the index reads it from the vault.
func (e *Tx) listConversation(stored vault.ConversationHead, docs iter.Seq[search.Doc]) error {
	row := rows.HeadOf(stored)
	row.Generation = e.VaultTx.Generation()
	kept, err := e.VaultTx.PutRow(vault.Conversations, stored.ID, row.Encode())
	if err != nil {
		return fmt.Errorf("store row: %w", err)
	}
	rows.ReadConversation(kept, rows.NewTexts(), row)
	e.Stage(func(rs *rows.Rows) { rs.PutConversation(rs.EntryOf(row)) })
	unit := search.Unit{Kind: search.Conversation, Seq: row.Seq, Mark: row.Mark}
	e.texts = append(e.texts, indexChange{unit: unit, docs: docs, read: docs == nil})
	return nil
}

// DropConversation deletes a conversation from the vault, the rows (the in-memory lists)
// and the search index.
func (e *Tx) DropConversation(id string) error {
	seq, err := e.VaultTx.Seq(vault.Conversations, id)
	if err != nil {
		return fmt.Errorf("delete conversation: %w", err)
	}
	e.texts = append(e.texts, indexChange{unit: search.Unit{Kind: search.Conversation, Seq: seq}})
	if err := e.VaultTx.DeleteConversation(id); err != nil {
		return fmt.Errorf("delete conversation: %w", err)
	}
	e.Stage(func(rs *rows.Rows) { rs.DropConversation(rs.Words.Known(id)) })
	return nil
}

// ErrNoConversation returns the error for an id that no conversation has.
func ErrNoConversation(id string) error {
	return fault.New(fault.NotFound, "no-conversation", "There is no conversation with the id {id}.").With("id", rows.ShortID(id))
}
