package library

import (
	"sync"
	"time"

	"keepsake/backend/collector"
)

// editing raises GOGC while edits follow one another. A garbage collection of a large
// library takes as long as thirty edits, and each edit would wait for it.
var editing = collector.Wish{Garbage: 200}

// burstGap is the longest pause between two edits of one burst.
const burstGap = time.Second

// GCBurst raises GOGC while edits arrive in a burst.
type gcBurst struct {
	mu   sync.Mutex
	ends *time.Timer
}

// renew begins a burst, or extends the current one. It does not block.
func (b *gcBurst) renew() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ends != nil && b.ends.Stop() {
		b.ends.Reset(burstGap)
		return
	}
	restore := make(chan func(), 1)
	go func() { restore <- collector.Let(editing) }() // blocks during a running collection
	b.ends = time.AfterFunc(burstGap, func() { (<-restore)() })
}
