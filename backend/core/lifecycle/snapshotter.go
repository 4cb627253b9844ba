package lifecycle

import (
	"context"
	"sync"
	"time"

	"keepsake/backend/core/library"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// snapshotter makes the vault's snapshots in the background.
type snapshotter struct {
	vault *vault.Vault
	due   chan struct{} // somebody wrote
	busy  func() bool   // an import runs, which ends with a copy
	told  func()        // what Copies says has changed

	mu      sync.Mutex
	problem error // why the last attempt made no copy, nil where it did
}

// quietFor is how long the snapshotter waits after a write before it checks.
const quietFor = 500 * time.Millisecond

func startSnapshotter(v *library.Session, busy func() bool, told func()) *snapshotter {
	s := &snapshotter{vault: v.Vault, due: make(chan struct{}, 1), busy: busy, told: told}
	s.look()
	v.Background.Go(func() { s.run(v.Context) })
	return s
}

// look makes the snapshotter check soon whether a snapshot is due.
func (s *snapshotter) look() { nudge(s.due) }

func (s *snapshotter) run(ctx context.Context) {
	for {
		select {
		case <-s.due:
		case <-ctx.Done():
			return
		}
		if !sleep(ctx, quietFor) {
			return
		}
		if s.busy() {
			continue
		}
		if s.vault.Wasteful() {
			_, _ = s.vault.Compact(ctx) // the next unlock tries again
		}
		_ = s.copy(ctx)
	}
}

// copy makes a copy where one is due. Why it could not is kept, to be shown.
func (s *snapshotter) copy(ctx context.Context) error {
	if !s.vault.SnapshotDue() {
		return nil
	}
	err := s.vault.Snapshot(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.mu.Lock()
	s.problem = err
	s.mu.Unlock()
	s.told()
	return err
}

// smallVault is how large a vault may be, in bytes on the disk, for a copy to be
// made while somebody waits for the lock.
const smallVault = 64 << 20

// last makes the copy that is due before the vault is closed, where that is
// quick. A large one is made after the next unlock.
func (s *snapshotter) last() {
	if s.vault.SnapshotDue() && s.vault.Info().Size < smallVault {
		_ = s.vault.Snapshot(context.Background())
	}
}

func (s *snapshotter) lastProblem() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.problem
}

// Copies says what copies of itself the vault holds.
type Copies struct {
	Count   int          `json:"count"`
	Newest  memory.Time  `json:"newest,omitzero"`
	Bytes   int64        `json:"bytes"` // of all of them
	Due     bool         `json:"due"`   // something is in none of them, nor in the journal
	Problem *fault.Error `json:"-"`     // why there is no newer one
}

// Copies describes the vault's own verified copies.
func (s *Service) Copies(ctx context.Context) (Copies, error) {
	v, _, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return Copies{}, err
	}
	defer leave()
	made, err := v.Vault.Snapshots()
	if err != nil {
		return Copies{}, err
	}
	c := Copies{Count: len(made), Due: v.Vault.SnapshotDue(), Problem: fault.From(library.Kept[snapshotter](v).lastProblem())}
	for i, m := range made {
		if i == 0 {
			c.Newest = memory.At(m.MadeAt)
		}
		c.Bytes += m.Size
	}
	return c, nil
}

// SettleCopies makes the copy that is due, if any, and waits for it: for a command
// line program, which exits after its command.
func (s *Service) SettleCopies(ctx context.Context) error {
	v, ctx, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return library.Kept[snapshotter](v).copy(ctx)
}
