package library

import (
	"context"
	"fmt"

	"keepsake/backend/core/rows"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// LastForgotten is the time of the newest receipt (the record of a forget, without
// content). If all receipts have expired, it is ReceiptDays ago, the latest time that the
// last forget can have been; if nothing was ever forgotten, it is zero.
func LastForgotten(l *Library, v *Session) (last memory.Time, err error) {
	err = v.View(func(tx *vault.Tx) error {
		if !tx.HasLinks(vault.Receipts) {
			return nil
		}
		last = memory.At(l.Now().Add(-ReceiptDays))
		return ForEach(tx.Each(vault.Receipts), func(e vault.Entry) { last = rows.Later(last, memory.At(e.Created)) })
	})
	return last, err
}

// FinishForgetting completes an interrupted forget (crash or locked vault): it removes
// the forgotten text from the index, the attachments and the old files of the vault.
func FinishForgetting(ctx context.Context, l *Library, v *Session) error {
	if !v.Vault.Forgetting() {
		return nil
	}
	if err := v.PurgeIndex(ctx); err != nil {
		return err
	}
	if _, err := v.DropOrphans(ctx); err != nil {
		return err
	}
	if err := v.Vault.Erase(ctx, nil); err != nil {
		return err
	}
	return l.Update(v, func(e *Tx) error {
		e.EndForgetting()
		return nil
	})
}

// DropOldReceipts deletes receipts of forget operations that are older than ReceiptDays.
// Imports still cannot bring back the forgotten records (see Bar).
func DropOldReceipts(l *Library, v *Session) error {
	var old []string
	now := l.Now()
	err := v.View(func(tx *vault.Tx) error {
		return ForEach(tx.Each(vault.Receipts), func(rec vault.Entry) {
			if now.Sub(rec.Created) > ReceiptDays {
				old = append(old, rec.ID)
			}
		})
	})
	if err != nil || len(old) == 0 { // an empty update would still write queued log entries
		return err
	}
	return l.Update(v, func(e *Tx) error {
		for _, id := range old {
			if err := e.VaultTx.Delete(vault.Receipts, id); err != nil {
				return err
			}
		}
		return nil
	})
}

// BeginForgetting makes the transaction remember parts of the values that it deletes;
// with these, Erase finds old copies in the vault's files. It also sets in the vault that
// a forget is unfinished, until EndForgetting.
func (e *Tx) BeginForgetting() {
	e.VaultTx.Trace()
	e.VaultTx.Forgetting(true)
}

// EndForgetting records that the forget is complete: nothing of the forgotten records is
// left in the files of the vault.
func (e *Tx) EndForgetting() { e.VaultTx.Forgetting(false) }

// PutReceipt stores the receipt of a forget operation: time and counts, without content.
func (e *Tx) PutReceipt(id string, at memory.Time, receipt any) error {
	return wrap(e.put(vault.Receipts, id, at, receipt), "store receipt")
}

// Rewrite stores rest, the remainder of a record from which content was forgotten; nil
// deletes the record. It stores no undo data and returns the stored JSON.
func (e *Tx) Rewrite(kind ImageKind, rec vault.Entry, rest any) (text []byte, err error) {
	if rest == nil {
		err = e.VaultTx.Delete(kind.Collection(), rec.ID)
	} else if text, err = rows.EncodeJSON(rest); err == nil {
		err = e.VaultTx.Put(kind.Collection(), rec.ID, rec.Created, text)
	}
	if err != nil {
		return nil, fmt.Errorf("forget in %s: %w", kind, err)
	}
	return text, nil
}
