package library

import (
	"context"
	"fmt"

	"keepsake/backend/core/rows"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// LastForgotten is the time of the newest receipt of a forget. If all receipts have
// expired, it is ReceiptDays ago, the latest time that the last forget can have been; if
// nothing was ever forgotten, it is zero.
func LastForgotten(l *Library, v *Session) (last memory.Time, err error) {
	err = v.Vault.View(func(tx *vault.Tx) error {
		if !tx.HasLinks(vault.Receipts) {
			return nil
		}
		last = memory.At(l.Now().Add(-ReceiptDays))
		return ForEach(tx.Each(vault.Receipts), func(e vault.Entry) { last = rows.Later(last, memory.At(e.Created)) })
	})
	return last, err
}

// FinishForgetting completes what a lock or a crash stopped.
func FinishForgetting(ctx context.Context, l *Library, v *Session) error {
	if !v.Vault.Forgetting() {
		return nil
	}
	if err := v.Indexer.Purge(ctx); err != nil {
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

// DropOldReceipts removes receipts that were kept long enough. What was forgotten stays
// barred.
func DropOldReceipts(l *Library, v *Session) error {
	var old []string
	now := l.Now()
	err := v.Vault.View(func(tx *vault.Tx) error {
		return ForEach(tx.Each(vault.Receipts), func(rec vault.Entry) {
			if now.Sub(rec.Created) > ReceiptDays {
				old = append(old, rec.ID)
			}
		})
	})
	if err != nil || len(old) == 0 { // an update would write what is owed to the log
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

// BeginForgetting traces what the transaction takes out, and lets the vault know that a
// forget is under way until EndForgetting.
func (e *Tx) BeginForgetting() {
	e.VaultTx.Trace()
	e.VaultTx.Forgetting(true)
}

// EndForgetting says that nothing of the forgotten is left in the files of the vault.
func (e *Tx) EndForgetting() { e.VaultTx.Forgetting(false) }

// PutReceipt stores the receipt of a forget.
func (e *Tx) PutReceipt(id string, at memory.Time, receipt any) error {
	return wrap(e.put(vault.Receipts, id, at, receipt), "store receipt")
}

// Rewrite stores what is left of a record out of which something was forgotten, nil for
// nothing, without an image for undo. It returns the text that was stored.
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
