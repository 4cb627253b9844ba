package lifecycle

import (
	"context"
	"slices"
	"sync"
	"time"

	"keepsake/backend/core/library"
)

// LockReason is the reason why the vault was locked automatically.
type LockReason string

// Reasons of an automatic lock. "" means locked by the person, or not locked at all.
const (
	LockedIdle    LockReason = "idle"    // idle longer than Preferences.AutoLockMinutes
	LockedSleep   LockReason = "sleep"   // the computer went to sleep, or a jump of the clock suggests so
	LockedSession LockReason = "session" // the screen of the computer was locked
	LockedDamaged LockReason = "damaged" // the vault was found to be damaged while it was open
)

// EventLocking is emitted when an automatic lock starts to wait for a running import, and
// once more, with an empty Reason, if the person cancels that lock.
const EventLocking = "locking" // payload: Locking

// Locking is the payload of EventLocking.
type Locking struct{ Reason LockReason }

const (
	defaultAutoLock = 10              // minutes
	watchEvery      = 5 * time.Second // interval between two checks of the clock
	jumpFrom        = 2 * time.Minute // more than this between two checks means that the computer slept
)

// autoLockChoices returns the idle times in minutes that a person can choose; 0: never.
func autoLockChoices() []int { return []int{0, 1, 5, 10, 30, 60} }

// presence tracks when the person last used the program, to lock the vault when idle.
type presence struct {
	mu       sync.Mutex
	limit    time.Duration // idle time after which the vault is locked; 0: never
	seen     time.Time     // last action of the person
	looked   time.Time     // last check of the clock
	due      LockReason    // why to lock the vault when the running import ends; "": not to be locked
	lockedBy LockReason    // reason of the last lock
}

// Called counts a request from the user interface as an action of the person, except
// while the vault waits for an import to end before it locks: when an import ends, the
// interface sends requests by itself.
func (s *Service) Called() {
	s.presence.mu.Lock()
	defer s.presence.mu.Unlock()
	if s.presence.due == "" {
		s.presence.seen = s.lib.Clock()
	}
}

// Present records an action of the person. It cancels locking the vault after an import.
func (s *Service) Present() {
	s.presence.mu.Lock()
	s.presence.seen = s.lib.Clock()
	waited := s.presence.due != ""
	s.presence.due = ""
	s.presence.mu.Unlock()
	if waited {
		s.lib.Emit(EventLocking, Locking{})
	}
}

// WatchPresence locks the vault when the person is idle or the computer slept. It returns
// when ctx ends.
func (s *Service) WatchPresence(ctx context.Context) {
	BeginWatch(s)
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		LookAtClock(s)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// BeginWatch reads the idle time after which the vault is locked from the preferences.
func BeginWatch(s *Service) {
	s.settings.Lock()
	defer s.settings.Unlock()
	s.presence.set(s.readPreferences())
}

func (p *presence) set(chosen Preferences) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.limit = time.Duration(chosen.AutoLockMinutes) * time.Minute
}

// LookAtClock locks the vault if the idle limit is reached or the computer slept.
func LookAtClock(s *Service) {
	if reason := s.presence.gone(s.lib.Clock()); reason != "" {
		s.AutoLock(reason)
	}
}

// gone returns why the vault should be locked now, "" for no reason. Sleep shows only
// on the wall clock: the monotonic clock may stop while the computer sleeps.
func (p *presence) gone(now time.Time) LockReason {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := p.looked
	p.looked = now
	switch {
	case !last.IsZero() && now.Round(0).Sub(last.Round(0)) > jumpFrom:
		return LockedSleep
	case p.due != "":
		return p.due
	case p.limit > 0 && !p.seen.IsZero() && now.Sub(p.seen) >= p.limit:
		return LockedIdle
	}
	return ""
}

// AutoLock locks the vault automatically. It waits for a running import, unless the
// computer goes to sleep: then the import stops after a whole batch and resumes after the
// unlock. A sample vault stays open: it holds nothing to protect, and a lock would delete
// it.
func (s *Service) AutoLock(reason LockReason) {
	s.lib.Gate.RLock()
	open := s.lib.Open != nil && s.sample == nil
	s.lib.Gate.RUnlock()
	if !open {
		return
	}
	if reason != LockedSleep && s.lib.IsImporting() {
		s.presence.mu.Lock()
		known := s.presence.due == reason
		s.presence.due = reason
		s.presence.mu.Unlock()
		if !known {
			s.lib.Emit(EventLocking, Locking{reason})
		}
		return
	}
	_ = s.lock(reason) // the vault is closed even if this fails
}

// lock closes the vault and emits EventVault. A running import stops after a whole
// batch and resumes after the next unlock.
func (s *Service) lock(reason LockReason) error {
	s.lib.Gate.RLock()
	closing := s.lib.Open
	s.lib.Gate.RUnlock()
	err := s.shutDown(true)
	s.presence.mu.Lock()
	s.presence.due, s.presence.lockedBy = "", reason
	s.presence.mu.Unlock()
	if err != nil {
		return err
	}
	s.lib.Emit(library.EventVault, nil)
	if closing != nil {
		settleKeys(closing)
	}
	s.memory.Scrub()
	return nil
}

func (s *Service) isLocked() bool {
	s.lib.Gate.RLock()
	defer s.lib.Gate.RUnlock()
	return s.lib.Open == nil
}

func (p *presence) lastLock() LockReason {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lockedBy
}

// justUsed tells whether the person did something in the last half second.
func (p *presence) justUsed(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return now.Sub(p.seen) < time.Second/2
}

// begun records that a vault was opened or selected: the idle time starts again, and a
// pending automatic lock and the reason of the last lock are cleared.
func (p *presence) begun(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen, p.due, p.lockedBy = now, "", ""
}

// validAutoLock returns minutes if they are one of autoLockChoices, else the default.
func validAutoLock(minutes int) int {
	if slices.Contains(autoLockChoices(), minutes) {
		return minutes
	}
	return defaultAutoLock
}

// settleBy limits how long locking the vault waits for its background goroutines to end.
const settleBy = 2 * time.Second

// settleKeys waits until no background goroutine uses a closed session any more: the
// following scrub of RAM would miss texts that they hold. It waits at most settleBy, as
// the goroutine that found damage calls this itself, and would wait for its own end.
func settleKeys(v *library.Session) {
	waitAtMost(settleBy, v.Background.Wait)
}

// waitAtMost runs fn in a goroutine, and waits for its end, but no longer than limit.
func waitAtMost(limit time.Duration, fn func()) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		fn()
	}()
	select {
	case <-over:
	case <-time.After(limit):
	}
}
