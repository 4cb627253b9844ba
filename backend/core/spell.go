package core

import (
	"sync"
	"time"

	"keepsake/backend/collector"
)

// editing is what edits wish of the collector while one follows the other. A collection
// of what a large library holds takes as long as thirty of them, and each of those waits
// for it.
var editing = collector.Wish{Garbage: 200}

// spellLasts is how soon an edit must follow on another to belong to the same spell.
const spellLasts = time.Second

// spell is a time in which edits follow one another.
type spell struct {
	mu   sync.Mutex
	ends *time.Timer
}

// renew begins a spell, or lets the one that is on last. It waits for nothing.
func (s *spell) renew() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ends != nil && s.ends.Stop() {
		s.ends.Reset(spellLasts)
		return
	}
	begun := make(chan func(), 1)
	go func() { begun <- collector.Let(editing) }() // which waits for a collection that is under way
	s.ends = time.AfterFunc(spellLasts, func() { (<-begun)() })
}
