package agents

import (
	"context"
	"sync"

	"keepsake/backend/core/library"
	"keepsake/backend/vault"
)

// pauses are those of a frozen vault, which stores none. They are dropped when the vault is locked.
type pauses struct {
	mu sync.Mutex
	of map[string]bool // by agent
}

// pausedNow returns an agent with what is said of it in this session.
func pausedNow(v *library.Session, a Agent) Agent {
	if !v.Vault.Frozen() {
		return a
	}
	p := library.Kept[pauses](v)
	p.mu.Lock()
	defer p.mu.Unlock()
	if said, ok := p.of[a.Name]; ok {
		a.Paused = said
	}
	return a
}

// pauseFrozen is PauseAgents in a frozen vault; in another it does nothing and reports false.
func (s *Service) pauseFrozen(ctx context.Context, name string, on bool) (frozen bool, err error) {
	err = s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) error {
		if frozen = v.Vault.Frozen(); !frozen {
			return nil
		}
		all, err := agentsIn(tx)
		if err != nil {
			return err
		}
		paused, err := which(all, name)
		if err != nil {
			return err
		}
		p := library.Kept[pauses](v)
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.of == nil {
			p.of = map[string]bool{}
		}
		for _, name := range paused {
			p.of[name] = on
		}
		return nil
	})
	if frozen && err == nil {
		s.lib.Emit(library.EventAgents, nil)
	}
	return frozen, err
}
