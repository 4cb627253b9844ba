package lifecycle

import (
	"context"
	"slices"
	"sync"
	"time"

	"keepsake/backend/core/library"
)

// LockReason says what locked a vault that nobody locked by hand.
type LockReason string

// Reasons to lock without being asked. "" is by hand, or not locked at all.
const (
	LockedIdle    LockReason = "idle"    // nobody did anything for as long as the preferences say
	LockedSleep   LockReason = "sleep"   // the computer went to sleep, or the clock says that it did
	LockedSession LockReason = "session" // the screen of the computer was locked
	LockedDamaged LockReason = "damaged" // the vault was found to be damaged while it was open
)

// EventLocking says that a vault that should be locked waits for a running
// import, or, with an empty reason, that it waits no more.
const EventLocking = "locking" // payload: Locking

// Locking is the payload of EventLocking.
type Locking struct{ Reason LockReason }

const (
	defaultAutoLock = 10              // minutes
	watchEvery      = 5 * time.Second // how often the clock is looked at
	jumpFrom        = 2 * time.Minute // more than this between two looks is a sleep
)

// autoLockChoices are the minutes without a sign of the person after which a
// vault can be locked; 0 is never.
func autoLockChoices() []int { return []int{0, 1, 5, 10, 30, 60} }

// presence is what is known of the person in front of the screen.
type presence struct {
	mu       sync.Mutex
	limit    time.Duration // 0: never
	seen     time.Time     // last sign of them
	looked   time.Time     // last look at the clock
	due      LockReason    // reason of a lock that waits for an import to end, "" for none
	lockedBy LockReason    // of the last lock
}

// Called counts a request of the page as a sign of the person, except while a lock
// waits for an import: the end of an import makes the page send requests by itself.
func (s *Service) Called() {
	s.presence.mu.Lock()
	defer s.presence.mu.Unlock()
	if s.presence.due == "" {
		s.presence.seen = s.lib.Clock()
	}
}

// Present notes that the person did something. A lock that only waited for an
// import is called off.
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

// WatchPresence locks the vault when nobody is there, until ctx ends.
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

// BeginWatch sets the idle limit to the one in the preferences.
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

// LookAtClock finds out whether the time to lock has come.
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

// AutoLock locks the vault without being asked. It waits for a running import,
// unless the computer goes to sleep: then the import stops after a whole batch and
// resumes after the unlock. A sample vault stays open: it holds nothing to protect,
// and a lock would delete it.
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

// begun forgets what an earlier session was locked for; a person has come.
func (p *presence) begun(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen, p.due, p.lockedBy = now, "", ""
}

// validAutoLock is minutes where they can be chosen, and the default otherwise.
func validAutoLock(minutes int) int {
	if slices.Contains(autoLockChoices(), minutes) {
		return minutes
	}
	return defaultAutoLock
}

// settleBy is how long what went on in the background may take to notice a lock.
const settleBy = 2 * time.Second

// settleKeys waits until no background goroutine uses a closed session any more, but at
// most settleBy: texts that such a goroutine holds would survive the memory scrub. The
// limit is needed for the goroutine that found damage, which itself waits for this lock.
func settleKeys(v *library.Session) {
	waitAtMost(settleBy, v.Background.Wait)
}

// waitAtMost runs fn in the background, and waits for its end no longer than limit.
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
