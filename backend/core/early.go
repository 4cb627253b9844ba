package core

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"keepsake/backend/search"
)

// earlyPatience is how long a search for a phrase tells nothing before it is over:
// most are over by then, and nobody sees an answer grow that comes at once.
const earlyPatience = 30 * time.Millisecond

// early tells what a search has found while it goes on.
type early struct {
	query SearchQuery
	limit int
	texts *texts
	each  func(search.Hit) // nil where nobody wants to know

	mu    sync.Mutex
	found []search.Hit
}

func newEarly(q SearchQuery, t *texts, limit int) *early {
	e := &early{query: q, texts: t, limit: limit}
	if q.Meanwhile != nil && q.Offset <= 0 {
		e.each = e.take
	}
	return e
}

func (e *early) take(h search.Hit) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.found = append(e.found, h)
}

// begin tells from time to time what was found, until stop is called. So much is
// known of the answer already.
func (e *early) begin(ctx context.Context, q search.Query, known SearchResult) (stop func()) {
	if e.each == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		told := 0
		for wait := cmp.Or(e.query.Patience, earlyPatience); ; wait *= 2 {
			select {
			case <-time.After(wait):
				told = e.tell(ctx, q, known, told)
			case <-ctx.Done():
				return
			}
		}
	})
	return func() {
		cancel()
		done.Wait()
	}
}

// tell says what was found if it is more than what was told before, and how many
// that is now.
func (e *early) tell(ctx context.Context, q search.Query, known SearchResult, told int) int {
	e.mu.Lock()
	found := slices.Clone(e.found)
	e.mu.Unlock()
	if len(found) == told {
		return told
	}
	best := slices.MaxFunc(found, func(a, b search.Hit) int { return cmp.Compare(a.Score, b.Score) }).Score
	slices.SortStableFunc(found, search.CompareHits)
	hits, _, err := e.texts.fold(ctx, found, best, q, e.limit)
	if err != nil || ctx.Err() != nil { // whoever waits for the answer is told
		return told
	}
	known.Hits, known.Total, known.Exact = hits, len(found), false
	e.query.Meanwhile(known)
	return len(found)
}
