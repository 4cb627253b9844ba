package library

import (
	"maps"
	"slices"
	"sync"
)

// subscribers are told of events in the goroutine that caused them.
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

// Emit must be called without the gate held: subscribers ask back.
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

// Event tells doors that something happened. The type of Payload depends on Name:
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
	EventKeys       = "keys"    // Rotation: how far it is
)
