package library

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"keepsake/backend/vault"
)

// readingID is the setting that has the person's own reading written into the
// log. It is there or not; reading by others is always written.
const readingID = "log-reading"

// Actions of the log about reading.
const (
	LogRead     = "read"
	LogSearch   = "search"
	logReads    = "reading-logged"
	logNotReads = "reading-unlogged"
)

// settleWithin is how long a reading may wait for the change that would bring it
// into the log. A program that is killed before then loses it.
const settleWithin = 10 * time.Second

// readings is what a session knows of the person's own reading.
type readings struct {
	Logged atomic.Bool

	mu      sync.Mutex // guards what follows
	last    [2]string  // action and target of the newest: to show the same again is no reading
	waiting bool       // somebody settles soon
}

func (r *readings) Load(v *vault.Vault) error {
	return v.View(func(tx *vault.Tx) error {
		r.Logged.Store(tx.Has(vault.Settings, readingID))
		return nil
	})
}

// LogReading has it written into the log, or no more, when the person opens a
// memory, a conversation or an attachment, or searches. The log names none of
// them, nor what was searched for.
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
		case <-v.Context.Done(): // shutDown settles the log
			return
		}
		r.mu.Lock()
		r.waiting = false
		r.mu.Unlock()
		_ = v.Vault.Settle() // what cannot be written is owed on
	})
}
