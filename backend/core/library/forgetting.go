package library

import (
	"context"

	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// LastForgotten is when something was forgotten last, or the latest time at which it
// may have been where no receipt is left; zero where nothing ever was.
func LastForgotten(l *Library, v *Session) (last memory.Time, err error) {
	err = v.Vault.View(func(tx *vault.Tx) error {
		if !tx.HasLinks(vault.Receipts) {
			return nil
		}
		last = memory.At(l.Now().Add(-ReceiptDays))
		for e, err := range tx.Each(vault.Receipts) {
			if err != nil {
				return err
			}
			if at := memory.At(e.Created); at.Compare(last) > 0 {
				last = at
			}
		}
		return nil
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
		e.VaultTx.Forgetting(false)
		return nil
	})
}

// DropOldReceipts removes receipts that were kept long enough. What was forgotten stays
// barred.
func DropOldReceipts(l *Library, v *Session) error {
	old, err := oldReceipts(v.Vault, l.Now())
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

func oldReceipts(from *vault.Vault, now memory.Time) (old []string, err error) {
	err = from.View(func(tx *vault.Tx) error {
		for rec, err := range tx.Each(vault.Receipts) {
			if err != nil {
				return err
			}
			if now.Sub(rec.Created) > ReceiptDays {
				old = append(old, rec.ID)
			}
		}
		return nil
	})
	return old, err
}
