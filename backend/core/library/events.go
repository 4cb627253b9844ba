package library

import (
	"maps"
	"slices"
	"sync"
)

// subscribers holds the callbacks for events. They run in the goroutine that caused the
// event.
type subscribers struct {
	mu   sync.Mutex
	next int
	fns  map[int]func(Event)
}

// Subscribe calls fn for every event until cancel is called. fn must not
// block; it may call the Service.
func (s *Service) Subscribe(fn func(Event)) (cancel func()) {
	subs := &s.lib.subscribers
	subs.mu.Lock()
	defer subs.mu.Unlock()
	if subs.fns == nil {
		subs.fns = map[int]func(Event){}
	}
	id := subs.next
	subs.next++
	subs.fns[id] = fn
	return func() {
		subs.mu.Lock()
		defer subs.mu.Unlock()
		delete(subs.fns, id)
	}
}

// Emit calls all subscribers with an event. The caller must not hold Library.Gate (the
// lock of the vault), because subscribers may call the Service.
func (s *Library) Emit(name string, payload any) {
	subs := &s.subscribers
	subs.mu.Lock()
	var fns []func(Event)
	for _, id := range slices.Sorted(maps.Keys(subs.fns)) {
		fns = append(fns, subs.fns[id])
	}
	subs.mu.Unlock()
	for _, fn := range fns {
		fn(Event{Name: name, Payload: payload})
	}
}

// Event tells user interfaces that something happened. The type of Payload depends on Name:
// Progress for "progress", ImportDone for "import-done", Rotation for "keys", Locking for
// "locking"; nil for the others.
type Event struct {
	Name    string
	Payload any
}

// Names of events.
const (
	EventProgress   = "progress"
	EventImportDone = "import-done"
	EventVault      = "vault"   // created, selected, unlocked or locked
	EventLibrary    = "library" // memories, relations or conversations changed
	EventSearch     = "search"  // more can be found than before
	EventKeys       = "keys"    // progress of a key rotation
	EventAgents     = "agents"  // an agent asked, was answered or refused
)
