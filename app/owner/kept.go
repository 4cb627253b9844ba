package owner

import (
	"context"
	"time"

	"keepsake/backend/core"
)

// settleFor is how long nothing more has to change before kept files are written: a change is seldom
// alone.
const settleFor = 2 * time.Second

// keeper writes the files in which hand-offs are kept, when memories changed.
type keeper struct {
	service *core.Service
	changed chan struct{}
	settle  time.Duration
}

// run writes kept files until ctx ends, once changes have settled.
func (k *keeper) run(ctx context.Context) {
	settled := time.NewTimer(k.settle)
	defer settled.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-k.changed:
			settled.Reset(k.settle)
		case <-settled.C:
			_ = k.service.RewriteKept(ctx) // what cannot be written says so in the list; locked, an unlock wakes it
		}
	}
}
