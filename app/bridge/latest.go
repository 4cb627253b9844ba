package bridge

import (
	"context"
	"sync"
)

// latest is what each asker, a page as it calls itself, asked last. What it asked
// before ends: it no longer wants to know.
type latest struct {
	mu    sync.Mutex
	asked map[string]*asking
}

// asking is a question that is being answered.
type asking struct{ stop context.CancelFunc }

// begin is called before a question is answered, and end after it.
func (l *latest) begin(ctx context.Context, asker string) (_ context.Context, end func()) {
	ctx, stop := context.WithCancel(ctx)
	mine := &asking{stop}
	l.mu.Lock()
	defer l.mu.Unlock()
	if before := l.asked[asker]; before != nil {
		before.stop()
	}
	if l.asked == nil {
		l.asked = map[string]*asking{}
	}
	l.asked[asker] = mine
	return ctx, func() {
		stop()
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.asked[asker] == mine {
			delete(l.asked, asker)
		}
	}
}
