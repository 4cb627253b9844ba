package core

import (
	"context"
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
	logRead     = "read"
	logSearch   = "search"
	logReads    = "reading-logged"
	logNotReads = "reading-unlogged"
)

// settleWithin is how long a reading may wait for the change that would bring it
// into the log. A program that is killed before then loses it.
const settleWithin = 10 * time.Second

// readings is what a session knows of the person's own reading.
type readings struct {
	logged atomic.Bool

	mu      sync.Mutex // guards what follows
	last    [2]string  // action and target of the newest: to show the same again is no reading
	waiting bool       // somebody settles soon
}

func (r *readings) load(v *vault.Vault) error {
	return v.View(func(tx *vault.Tx) error {
		r.logged.Store(tx.Has(vault.Settings, readingID))
		return nil
	})
}

// LogReading has it written into the log, or no more, when the person opens a
// memory, a conversation or an attachment, or searches. The log names none of
// them, nor what was searched for.
func (s *libraryFace) LogReading(ctx context.Context, on bool) error {
	v, _, leave, err := s.lib.enter(ctx)
	if err != nil {
		return err
	}
	err = s.lib.update(v, func(e *edit) error {
		switch is := e.tx.Has(vault.Settings, readingID); {
		case is == on:
			return nil
		case on:
			if err := e.tx.Put(vault.Settings, readingID, e.now.Time, []byte("{}")); err != nil {
				return err
			}
			return e.log(logReads, "", 0)
		}
		if err := e.tx.Delete(vault.Settings, readingID); err != nil {
			return err
		}
		return e.log(logNotReads, "", 0)
	})
	if err == nil {
		v.reads.logged.Store(on)
	}
	leave()
	s.lib.emit(EventVault, nil)
	return err
}

// noteReading owes it to the log that something was read, where the person wants
// that. Nobody waits for the disk.
func (s *library) noteReading(v *session, action, target string) {
	r := &v.reads
	if !r.logged.Load() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	is := [2]string{action, target}
	if is == r.last {
		return
	}
	r.last = is
	v.vault.Owe(vault.Audited{At: s.clock(), Actor: vault.You, Action: action, Target: target})
	if r.waiting {
		return
	}
	r.waiting = true
	v.background.Go(func() {
		select {
		case <-time.After(settleWithin):
		case <-v.ctx.Done(): // shutDown settles the log
			return
		}
		r.mu.Lock()
		r.waiting = false
		r.mu.Unlock()
		_ = v.vault.Settle() // what cannot be written is owed on
	})
}
