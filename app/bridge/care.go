package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/product"
)

// Care keeps the vault whole: its copies, backups, checks and recovery; the
// freeze and the log. And it takes things out of it for good.
type Care struct {
	k    *kit
	work work
	plan forgetPlan
}

// work is the one long piece of care, or the one re-key, that may be under way.
type work struct {
	mu   sync.Mutex
	stop context.CancelFunc
}

// begin refuses a second one. end must be called.
func (w *work) begin(ctx context.Context) (bound context.Context, end func(), err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stop != nil {
		return nil, nil, fault.New(fault.Busy, "care-busy", "Keepsake is still at another check, backup or recovery.").Advise("Wait until it has finished, or stop it.")
	}
	bound, w.stop = context.WithCancel(ctx)
	return bound, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.stop()
		w.stop = nil
	}, nil
}

// cancel stops what is under way.
func (w *work) cancel(context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stop == nil {
		return fault.New(fault.NotFound, "no-job", "That job is not known any more.")
	}
	w.stop()
	return nil
}

// long runs what may take minutes; Stop ends it.
func long[T any](c *Care, op func(ctx context.Context) (T, error)) (T, error) {
	return call(c.k, func(ctx context.Context) (T, error) {
		ctx, end, err := c.work.begin(ctx)
		if err != nil {
			var none T
			return none, err
		}
		defer end()
		return op(ctx)
	})
}

// Stop ends a check, a backup or a recovery that is under way.
func (c *Care) Stop() error {
	return do(c.k, c.work.cancel)
}

// Copies describes the copies that the vault keeps of itself.
func (c *Care) Copies() (CopiesView, error) {
	return show(c.k, copiesView, func(ctx context.Context) (core.Copies, error) { return c.k.core.Copies(ctx) })
}

// Check reads and decrypts everything in the vault. The events "care" tell how
// far it is.
func (c *Care) Check() (CheckView, error) {
	return long(c, func(ctx context.Context) (CheckView, error) {
		found, err := c.k.core.CheckVault(ctx, func(done, total int) {
			c.k.host.Emit(EventCare, CareProgressView{Done: done, Total: total})
		})
		return checkView(found), err
	})
}

// Compact gives back the room that deleted things left in the vault's file.
func (c *Care) Compact() (CompactionView, error) {
	return long(c, func(ctx context.Context) (CompactionView, error) {
		done, err := c.k.core.CompactVault(ctx)
		return CompactionView(done), err
	})
}

// Backup asks where to write and writes the whole vault there, read back before
// it gets its name.
func (c *Care) Backup() (BackupView, error) {
	return long(c, func(ctx context.Context) (BackupView, error) {
		path, err := c.saveAs(product.Program+"-", ".backup")
		if err != nil {
			return BackupView{}, err
		}
		made, err := c.k.core.BackupVault(ctx, path)
		if err != nil {
			return BackupView{}, err
		}
		view := backupView(filepath.Base(path), made)
		view.Saved = c.k.saved(path, made.Bytes)
		return view, nil
	})
}

// saveAs asks where to write a file that has today's date in its name.
func (c *Care) saveAs(begins, ending string) (string, error) {
	return c.k.saveAs(begins+time.Now().Format(time.DateOnly)+ending, ending)
}

// saved puts a file that was written on the shelf, to be shown or downloaded.
func (k *kit) saved(path string, size int64) SavedView {
	offer := k.shelf.put(core.Input{Path: path}, filepath.Base(path), size, false)
	folder, url := k.place(offer.Token, path)
	return SavedView{Token: offer.Token, Name: offer.Name, Folder: folder, URL: url}
}

// ChooseBackup asks for the file of a backup.
func (c *Care) ChooseBackup() (Offer, error) { return call(c.k, c.k.chooseFile) }

// VerifyBackup decrypts and counts everything in a backup. One of passphrase and
// recovery opens it.
func (c *Care) VerifyBackup(token, passphrase, recovery string) (BackupView, error) {
	return long(c, func(ctx context.Context) (BackupView, error) {
		item, err := c.k.shelf.get(token)
		if err != nil {
			return BackupView{}, err
		}
		found, err := c.k.core.VerifyBackup(ctx, item.input, secret(passphrase, recovery))
		return backupView(item.offer.Name, found), err
	})
}

// RestoreBackup makes the vault in hand from a backup. A vault that is there is
// put aside whole.
func (c *Care) RestoreBackup(token, passphrase, recovery string) (RestoredView, error) {
	return long(c, func(ctx context.Context) (RestoredView, error) {
		item, err := c.k.shelf.get(token)
		if err != nil {
			return RestoredView{}, err
		}
		made, err := c.k.core.RestoreBackup(ctx, item.input, secret(passphrase, recovery))
		if err != nil {
			return RestoredView{}, err
		}
		view := RestoredView{Backup: backupView(item.offer.Name, made.Backup)}
		if made.Aside != "" {
			view.Aside = filepath.Base(made.Aside)
		}
		return view, nil
	})
}

func secret(passphrase, recovery string) core.Secret {
	if recovery != "" {
		return core.Secret{Recovery: recovery}
	}
	return core.Secret{Passphrase: []byte(passphrase)}
}

// Diagnose says what can be seen of a vault that does not open. It needs no
// secret and changes nothing.
func (c *Care) Diagnose() (DiagnosisView, error) {
	return show(c.k, diagnosisView, func(ctx context.Context) (core.Diagnosis, error) { return c.k.core.Diagnose(ctx) })
}

// Recover makes the vault whole from its newest good copy and the changes since;
// with dry set it only says what that would bring.
func (c *Care) Recover(passphrase, recovery string, dry bool) (RecoveredView, error) {
	return long(c, func(ctx context.Context) (RecoveredView, error) {
		r, err := c.k.core.RecoverVault(ctx, secret(passphrase, recovery), dry)
		return RecoveredView{
			CopyAt: r.CopyAt.String(), Replayed: r.Replayed, Lost: r.Lost, Kept: r.Kept,
			Memories: r.Memories, Conversations: r.Conversations, Messages: r.Messages,
		}, err
	})
}

// Freeze restricts the vault to reading, or ends that.
func (c *Care) Freeze(on bool) (VaultView, error) {
	return c.k.vaultAfter(func(ctx context.Context) error { return c.k.core.FreezeVault(ctx, on) })
}

// LogReading has the person's own reading written into the log, or ends that.
func (c *Care) LogReading(on bool) (VaultView, error) {
	return c.k.vaultAfter(func(ctx context.Context) error { return c.k.core.LogReading(ctx, on) })
}

// Log returns a window of at most 200 entries of what was done to the vault, the
// newest first. The whole chain is checked on the way.
func (c *Care) Log(offset, limit int) (LogPageView, error) {
	return show(c.k, logPageView, func(ctx context.Context) (core.LogPage, error) {
		return c.k.core.Log(ctx, core.LogQuery{Offset: max(offset, 0), Limit: rows(limit)})
	})
}

// SaveLog asks where to write the whole log and writes it there.
func (c *Care) SaveLog() (SavedView, error) {
	return long(c, func(ctx context.Context) (SavedView, error) {
		path, err := c.saveAs(product.Program+"-log-", ".json")
		if err != nil {
			return SavedView{}, err
		}
		if _, err := c.k.core.ExportLog(ctx, path); err != nil {
			return SavedView{}, err
		}
		return c.k.saved(path, 0), nil
	})
}

// ChooseReceipt asks where the receipt of destroying the vault is to lie.
func (c *Care) ChooseReceipt() (Offer, error) {
	return call(c.k, func(context.Context) (Offer, error) {
		path, err := c.saveAs(product.Program+"-destroyed-", ".json")
		if err != nil {
			return Offer{}, err
		}
		return c.k.shelf.put(core.Input{Path: path}, filepath.Base(path), 0, false), nil
	})
}

// Asides lists the vaults that restores put beside the one in hand.
func (c *Care) Asides() ([]AsideView, error) {
	return call(c.k, func(ctx context.Context) ([]AsideView, error) {
		all, err := c.k.core.Asides(ctx)
		return list(all, asideView), err
	})
}

// RemoveAsides removes those that are earlier states of it, and lists what it removed.
// One of passphrase and recovery opens the vault.
func (c *Care) RemoveAsides(passphrase, recovery string) ([]AsideView, error) {
	return call(c.k, func(ctx context.Context) ([]AsideView, error) {
		all, err := c.k.core.RemoveAsides(ctx, secret(passphrase, recovery))
		return list(all, asideView), err
	})
}

func asideView(a core.Aside) AsideView {
	return AsideView{Path: a.Path, At: a.At.String(), Same: a.Same}
}

// Part lets go of the page of a destroyed vault: it has said its last word.
func (c *Care) Part() error {
	return do(c.k, func(context.Context) error {
		c.k.part(false)
		return nil
	})
}

// Destroy removes the vault from the disk. typed is its name or id, as confirmation;
// one of passphrase and recovery is set and must open it. token is the offer of
// ChooseReceipt, "" writes no receipt file. The page may call until Part.
func (c *Care) Destroy(typed, passphrase, recovery, token string) (DestructionView, error) {
	return call(c.k, func(ctx context.Context) (DestructionView, error) {
		state, err := c.k.core.VaultState(ctx)
		if err != nil {
			return DestructionView{}, err
		}
		if typed == state.Name {
			typed = state.VaultID
		}
		place := ""
		if token != "" {
			item, err := c.k.shelf.get(token)
			if err != nil {
				return DestructionView{}, err
			}
			place = item.input.Path
		}
		c.k.part(true)
		gone, err := c.k.core.DestroyVault(ctx, typed, secret(passphrase, recovery), place, false)
		if err != nil {
			c.k.part(false)
			return DestructionView{}, err
		}
		text, err := json.MarshalIndent(gone, "", "  ")
		if err != nil {
			return DestructionView{}, fmt.Errorf("write receipt: %w", err)
		}
		return DestructionView{VaultID: gone.VaultID, Receipt: string(text) + "\n"}, nil
	})
}
