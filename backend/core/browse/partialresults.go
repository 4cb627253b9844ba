package browse

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"keepsake/backend/search"
)

// partialAfter is how long a search for a phrase runs before it first sends partial
// results. Most searches end earlier and send none.
const partialAfter = 30 * time.Millisecond

// partialResults sends the hits found so far to the caller while the search continues.
type partialResults struct {
	query SearchQuery
	limit int
	texts *texts
	each  func(search.Hit) // callback of the scan; nil: the caller wants no partial results

	mu    sync.Mutex
	found []search.Hit
}

func newPartialResults(q SearchQuery, t *texts, limit int) *partialResults {
	p := &partialResults{query: q, texts: t, limit: limit}
	if q.Meanwhile != nil && q.Offset <= 0 {
		p.each = p.take
	}
	return p
}

func (p *partialResults) take(h search.Hit) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.found = append(p.found, h)
}

// begin sends partial results at growing intervals until stop is called. known has the
// fields of the result that the search knows before it reads texts, such as Archived.
func (p *partialResults) begin(ctx context.Context, q search.Query, known SearchResult) (stop func()) {
	if p.each == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		told := 0
		for wait := cmp.Or(p.query.Patience, partialAfter); ; wait *= 2 {
			select {
			case <-time.After(wait):
				told = p.tell(ctx, q, known, told)
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

// tell sends the hits found so far, if they are more than told, the number of hits that
// the previous call sent. It returns the number of hits sent so far.
func (p *partialResults) tell(ctx context.Context, q search.Query, known SearchResult, told int) int {
	p.mu.Lock()
	found := slices.Clone(p.found)
	p.mu.Unlock()
	if len(found) == told {
		return told
	}
	best := slices.MaxFunc(found, func(a, b search.Hit) int { return cmp.Compare(a.Score, b.Score) }).Score
	slices.SortStableFunc(found, search.CompareHits)
	hits, _, err := p.texts.fold(ctx, found, best, q, p.limit)
	if err != nil || ctx.Err() != nil { // Search itself reports the error
		return told
	}
	known.Hits, known.Total, known.Exact = hits, len(found), false
	p.query.Meanwhile(known)
	return len(found)
}
