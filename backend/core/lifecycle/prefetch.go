package lifecycle

import (
	"context"
	"sync"

	"keepsake/backend/vault"
)

// prefetch holds the pre-flight check of a locked vault's file, which runs while the
// passphrase is being typed.
type prefetch struct {
	mu    sync.Mutex
	dir   string
	check *vault.Ahead // nil: none was started
}

// start starts a check of the vault in dir, unless a recent one for dir exists.
func (p *prefetch) start(dir string) *vault.Ahead {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.check == nil || p.dir != dir || !p.check.Fresh() {
		if p.check != nil {
			p.check.Stop()
		}
		p.dir, p.check = dir, vault.LookAhead(dir)
	}
	return p.check
}

// of returns the pre-flight check of the vault in dir, or nil if none was started.
func (p *prefetch) of(dir string) *vault.Ahead {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dir != dir {
		return nil
	}
	return p.check
}

// cancel stops and drops the pre-flight check of the vault file, if one was started.
func (p *prefetch) cancel() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.check != nil {
		p.check.Stop()
	}
	p.check = nil
}

// LookAhead runs the pre-flight check of the locked vault's file, which VaultState
// only starts in the background, and waits for its end. Errors in the file are
// reported by the unlock.
func (s *Service) LookAhead(ctx context.Context) error {
	s.lib.Gate.RLock()
	if s.lib.Open != nil || !vault.Exists(s.lib.Dir) {
		s.lib.Gate.RUnlock()
		return nil
	}
	check := s.prefetch.start(s.lib.Dir)
	s.lib.Gate.RUnlock()
	return check.Wait(ctx)
}
