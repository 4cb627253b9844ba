package library

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"keepsake/backend/vault"
)

// readingID is the id of the setting that turns on the log of what the user opens and
// searches. Only its existence counts. Reading by other actors (agents) is always logged.
const readingID = "log-reading"

// Log actions for opening a record, searching, and turning the log of these on or off.
const (
	LogRead     = "read"
	LogSearch   = "search"
	logReads    = "reading-logged"
	logNotReads = "reading-unlogged"
)

// settleWithin is how long a log entry of the user's own reading waits for a change with
// which it can be written. If the program is killed during that time, the entry is lost.
const settleWithin = 10 * time.Second

// readings is the state of a session for logging the user's own reading.
type readings struct {
	Logged atomic.Bool

	mu      sync.Mutex // guards the fields below
	last    [2]string  // action and target of the last log entry; a repetition is not logged
	waiting bool       // a goroutine will write the entries within settleWithin
}

func (r *readings) Load(v *vault.Vault) error {
	return v.View(func(tx *vault.Tx) error {
		r.Logged.Store(tx.Has(vault.Settings, readingID))
		return nil
	})
}

// LogReading turns logging on or off for the user's own reading: opening a memory, a
// conversation or an attachment, and searching. The log does not name the record or the
// search text.
func (s *Service) LogReading(ctx context.Context, on bool) error {
	v, _, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return err
	}
	err = s.lib.Update(v, func(e *Tx) error {
		switch is := e.VaultTx.Has(vault.Settings, readingID); {
		case is == on:
			return nil
		case on:
			return errors.Join(e.PutSetting(readingID, struct{}{}), e.Log(logReads, "", 0))
		}
		return errors.Join(e.DropSetting(readingID), e.Log(logNotReads, "", 0))
	})
	if err == nil {
		v.Reads.Logged.Store(on)
	}
	leave()
	s.lib.Emit(EventVault, nil)
	return err
}

// NoteReading queues a log entry that something was read, if the person wants reading to
// be logged. It does not wait for the disk.
func (s *Library) NoteReading(v *Session, action, target string) {
	r := &v.Reads
	if !r.Logged.Load() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	is := [2]string{action, target}
	if is == r.last {
		return
	}
	r.last = is
	v.Vault.Owe(vault.Audited{At: s.Clock(), Actor: vault.You, Action: action, Target: target})
	if r.waiting {
		return
	}
	r.waiting = true
	v.Background.Go(func() {
		select {
		case <-time.After(settleWithin):
		case <-v.Context.Done(): // the end of the session writes the log
			return
		}
		r.mu.Lock()
		r.waiting = false
		r.mu.Unlock()
		_ = v.Vault.Settle() // entries that cannot be written stay queued
	})
}
