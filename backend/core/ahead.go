package core

import (
	"context"
	"sync"

	"keepsake/backend/vault"
)

// ahead keeps the look at the file of a locked vault that is made while its
// passphrase is being typed.
type ahead struct {
	mu   sync.Mutex
	dir  string
	seen *vault.Ahead // nil where there was none
}

// look begins one, unless there is one that still holds.
func (a *ahead) look(dir string) *vault.Ahead {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.seen == nil || a.dir != dir || !a.seen.Fresh() {
		if a.seen != nil {
			a.seen.Stop()
		}
		a.dir, a.seen = dir, vault.LookAhead(dir)
	}
	return a.seen
}

// at is the look at the vault in dir, nil where there was none.
func (a *ahead) at(dir string) *vault.Ahead {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.dir != dir {
		return nil
	}
	return a.seen
}

// forget ends a look that is of no use any more.
func (a *ahead) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.seen != nil {
		a.seen.Stop()
	}
	a.seen = nil
}

// LookAhead looks through the file of the locked vault now, as VaultState has
// it done beside other things, and returns when that is over. What is wrong with
// the file is for the unlock to say.
func (s *Service) LookAhead(ctx context.Context) error {
	s.gate.RLock()
	if s.open != nil || !vault.Exists(s.dir) {
		s.gate.RUnlock()
		return nil
	}
	seen := s.ahead.look(s.dir)
	s.gate.RUnlock()
	return seen.Wait(ctx)
}
