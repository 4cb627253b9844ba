package lifecycle

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"keepsake/backend/core/library"
	"keepsake/backend/seal"
	"keepsake/backend/vault"
)

// Rotation is the progress of a key rotation: encrypting all values of the vault under a
// new data key.
type Rotation struct {
	Running    bool   `json:"running"` // some values are still under an older key
	Paused     bool   `json:"paused"`  // until ResumeRotation or the next unlock
	KeyVersion uint32 `json:"key_version"`
	Done       int    `json:"done"` // encrypted values under the newest key
	Total      int    `json:"total"`
}

// mover re-encrypts values under a new data key, step by step, while the vault is open.
type mover struct {
	one    sync.Mutex    // held while a step re-encrypts values, so that no two steps run at once
	wake   chan struct{} // signals that values may need to be re-encrypted
	paused atomic.Bool
}

// restAtLeast is the shortest pause between two steps of re-encryption. Each pause is at
// least as long as the step before it, so that other calls have the vault half the time.
const restAtLeast = 50 * time.Millisecond

// BeginRotation creates a new data key. Values under older keys are re-encrypted in the
// background, continuing after the next unlock if needed; "keys" events carry the
// progress.
func (s *Service) BeginRotation(ctx context.Context) error {
	v, _, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if err := v.Vault.BeginRotation(); err != nil {
		return err
	}
	library.Kept[mover](v).paused.Store(false)
	nudge(library.Kept[mover](v).wake)
	return nil
}

// PauseRotation stops a key rotation until ResumeRotation or the next unlock.
func (s *Service) PauseRotation(ctx context.Context) error { return s.pause(ctx, true) }

// ResumeRotation continues a paused key rotation.
func (s *Service) ResumeRotation(ctx context.Context) error { return s.pause(ctx, false) }

func (s *Service) pause(ctx context.Context, paused bool) error {
	v, _, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return err
	}
	library.Kept[mover](v).paused.Store(paused)
	nudge(library.Kept[mover](v).wake)
	now := rotationOf(v)
	leave()
	s.lib.Emit(library.EventKeys, now)
	return nil
}

// Rotation returns the progress of the current or last key rotation.
func (s *Service) Rotation(ctx context.Context) (Rotation, error) {
	v, _, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return Rotation{}, err
	}
	defer leave()
	return rotationOf(v), nil
}

func rotationOf(v *library.Session) Rotation { return asRotation(v, v.Vault.Rotation()) }

func asRotation(v *library.Session, r vault.Rotation) Rotation {
	return Rotation{Running: r.Running, Paused: r.Running && library.Kept[mover](v).paused.Load(), KeyVersion: r.Version, Done: r.Done, Total: r.Total}
}

// Rotate is BeginRotation, but returns only when all values are encrypted under the new
// key. If ctx ends earlier, the remaining values are re-encrypted in the background.
func (s *Service) Rotate(ctx context.Context, tell func(Rotation)) (Rotation, error) {
	if err := s.BeginRotation(ctx); err != nil {
		return Rotation{}, err
	}
	v, bound, release, err := s.lib.Hold(ctx)
	if err != nil {
		return Rotation{}, err
	}
	defer release()
	library.Kept[mover](v).one.Lock()
	defer library.Kept[mover](v).one.Unlock()
	m := v.Vault.Migrator()
	for {
		r, err := m.Step(bound)
		now := asRotation(v, r)
		if err == nil && !r.Running {
			err = library.FinishForgetting(bound, s.lib, v)
		}
		if err != nil || !r.Running {
			return now, err
		}
		if tell != nil {
			tell(now)
		}
		if r.Done == r.Total && !library.Sleep(bound, restAtLeast) { // values are re-encrypted, only attachments remain
			return now, bound.Err()
		}
	}
}

// nudge wakes the goroutine that receives from c, or lets its next receive return at once.
func nudge(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default: // c already holds a signal
	}
}

// move re-encrypts values step by step until the session ends, with pauses between steps.
func (s *Service) move(v *library.Session) {
	m := v.Vault.Migrator()
	for {
		if !v.Vault.Rotation().Running || library.Kept[mover](v).paused.Load() {
			select {
			case <-library.Kept[mover](v).wake:
				continue
			case <-v.Context.Done():
				return
			}
		}
		began := time.Now()
		library.Kept[mover](v).one.Lock()
		r, err := m.Step(v.Context)
		library.Kept[mover](v).one.Unlock()
		if err == nil && !r.Running {
			err = library.FinishForgetting(v.Context, s.lib, v) // erases old file copies, which hold the old keys
		}
		if err != nil {
			library.Kept[mover](v).paused.Store(true) // until ResumeRotation or the next unlock
		}
		if v.Context.Err() == nil {
			s.lib.Emit(library.EventKeys, asRotation(v, r))
		}
		if !library.Sleep(v.Context, max(restAtLeast, time.Since(began))) {
			return
		}
	}
}

// BeginRekey makes and shows the recovery key for a Rekey. It first checks the present
// passphrase and whether a Rekey is possible. Only then does it call ask for the new
// passphrase; it returns an error if that is not acceptable.
func (s *Service) BeginRekey(ctx context.Context, old []byte, ask func() ([]byte, error)) (RecoveryOffer, error) {
	v, bound, release, err := s.lib.Hold(ctx)
	if err != nil {
		return RecoveryOffer{}, err
	}
	defer release()
	if err := v.Vault.Unlock(bound, old); err != nil { // the vault is open, so this only checks old
		return RecoveryOffer{}, err
	}
	if s.lib.IsImporting() {
		return RecoveryOffer{}, library.ErrImporting()
	}
	if err := v.Vault.MayRekey(); err != nil {
		return RecoveryOffer{}, err
	}
	passphrase, err := ask()
	if err == nil {
		err = seal.CheckPassphrase(passphrase)
	}
	if err != nil {
		return RecoveryOffer{}, err
	}
	return offerRecovery(v), nil
}

// Rekey replaces all keys of the vault, after the old ones may have leaked. passphrase is
// the new one and may equal old. typed holds the groups that BeginRekey asked for of the
// new recovery key. While Rekey runs, the vault is read-only; afterwards it is open.
func (s *Service) Rekey(ctx context.Context, old, passphrase []byte, typed []string, tell func(done, total int)) error {
	v, bound, release, err := s.lib.Hold(ctx)
	if err != nil {
		return err
	}
	defer release()
	if s.lib.IsImporting() {
		return library.ErrImporting()
	}
	code, err := confirmedKey(v, typed)
	if err != nil {
		return err
	}
	library.Kept[mover](v).one.Lock()
	defer library.Kept[mover](v).one.Unlock()
	err = v.Vault.Rekey(bound, vault.RekeyOptions{
		Proof: old, Passphrase: passphrase, RecoveryCode: code, KDF: newCost(v), Tell: tell,
	})
	if err != nil && v.Vault.Unlocked() {
		return err
	}
	if err == nil {
		s.forgetKeychain(v)
	}
	if shut := s.shutDown(true); err != nil || shut != nil {
		s.lib.Emit(library.EventVault, nil)
		return cmp.Or(err, shut)
	}
	return s.Unlock(ctx, passphrase)
}
