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
	due   chan struct{} // signalled after each write to the vault
	busy  func() bool   // reports whether an import runs, which itself ends with a snapshot
	told  func()        // called when the result of Copies may have changed

	mu      sync.Mutex
	problem error // of the last snapshot that was tried; nil: it succeeded
}

// quietFor is how long after a write the snapshotter checks whether a snapshot is due.
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
		if !library.Sleep(ctx, quietFor) {
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

// copy makes a snapshot if one is due. It stores an error in s.problem, to be shown.
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

// smallVault is the size in bytes on disk below which closing the vault makes a due
// snapshot first, although the person waits for it.
const smallVault = 64 << 20

// last makes a due snapshot before the vault is closed, if the vault is small enough for
// that to be quick. For a large vault, it is made after the next unlock.
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

// Copies describes the vault's own snapshots: verified copies of its data file.
type Copies struct {
	Count   int          `json:"count"`
	Newest  memory.Time  `json:"newest,omitzero"`
	Bytes   int64        `json:"bytes"` // total size of all snapshots
	Due     bool         `json:"due"`   // snapshot needed: journal incomplete or too long, or a snapshot damaged
	Problem *fault.Error `json:"-"`     // why the last attempt made none; nil: it succeeded
}

// Copies describes the snapshots of the open vault.
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

// SettleCopies makes a due snapshot, if any, and returns when it is done. A command line
// program calls it before it exits.
func (s *Service) SettleCopies(ctx context.Context) error {
	v, ctx, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return library.Kept[snapshotter](v).copy(ctx)
}
