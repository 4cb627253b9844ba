package library

import (
	"keepsake/backend/core/rows"
	"keepsake/backend/vault"
)

// Head returns the head (the fields without messages) of a conversation, nil if the
// transaction does not see it. The caller must not hold the lock of v.Rows.
func (v *Session) Head(tx *vault.Tx, id string) (*rows.ConversationHead, error) {
	row, err := v.Row(tx, id)
	if row == nil {
		return nil, err
	}
	return &row.ConversationHead, err
}

// Row reads the row (list entry) of a conversation from the vault, nil if there is none.
// It sets DerivedCount (number of its memories) and Removed (it is gone at the provider).
func (v *Session) Row(tx *vault.Tx, id string) (*rows.Conversation, error) {
	r := v.Rows
	r.RLock()
	entry := r.Conversation(id)
	r.RUnlock()
	if entry == nil {
		return nil, nil
	}
	row, ok, err := entry.Row(tx)
	if !ok || err != nil {
		return nil, err
	}
	gone, err := v.Removed(tx)
	row.DerivedCount, row.Removed = r.CountDerived(row.ID), gone.Conversations.Has(row.Seq)
	return &row, err
}
