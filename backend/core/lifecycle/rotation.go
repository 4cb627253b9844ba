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

// Rotation says how far the vault is on its way to a new data key.
type Rotation struct {
	Running    bool   `json:"running"` // something is left to do
	Paused     bool   `json:"paused"`  // until ResumeRotation or the next unlock
	KeyVersion uint32 `json:"key_version"`
	Done       int    `json:"done"` // sealed values under the newest key
	Total      int    `json:"total"`
}

// mover brings values over to a new data key while the vault is open.
type mover struct {
	one    sync.Mutex    // whoever takes steps
	wake   chan struct{} // something may be left to do
	paused atomic.Bool
}

// restAtLeast is the shortest pause of the mover between steps. Each pause is at
// least as long as the step before it, so that others have half of the time.
const restAtLeast = 50 * time.Millisecond

// BeginRotation makes a new data key. What is sealed under older ones is
// brought over in the background, also after the next unlock; the events "keys"
// tell how far it is.
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

// PauseRotation leaves the rest for later; ResumeRotation goes on.
func (s *Service) PauseRotation(ctx context.Context) error { return s.pause(ctx, true) }

// ResumeRotation goes on with a rotation that was paused.
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

// Rotation says how far it is.
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

// Rotate is BeginRotation, but returns only when everything is migrated to the new
// key. If ctx ends before that, the rest is migrated later.
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
		if r.Done == r.Total && !sleep(bound, restAtLeast) { // attachments are on their way
			return now, bound.Err()
		}
	}
}

// nudge wakes who waits for c, or will wait for it next.
func nudge(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default: // it is awake, or will be
	}
}

// move takes steps until the session ends, and rests between them.
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
			err = library.FinishForgetting(v.Context, s.lib, v) // of the old keys
		}
		if err != nil {
			library.Kept[mover](v).paused.Store(true) // a person goes on with it, or the next unlock
		}
		if v.Context.Err() == nil {
			s.lib.Emit(library.EventKeys, asRotation(v, r))
		}
		if !sleep(v.Context, max(restAtLeast, time.Since(began))) {
			return
		}
	}
}

// sleep reports whether the time passed before ctx ended.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
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
	if err := v.Vault.Unlock(bound, old); err != nil { // on an open vault it only checks
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

// Rekey gives the vault new keys throughout after the old ones may have leaked.
// The new recovery key is the one of BeginRekey, with the groups it asked for;
// passphrase may be the same as old. The vault can be read meanwhile, not
// changed, and is open afterwards.
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
