package library

import (
	"slices"
	"sync"
)

// cacheSize is how many results a cache holds. Few are enough: a window that scrolls asks
// for page after page of one query.
const cacheSize = 4

// LRUCache caches the results of queries. A result is valid for one version of the rows
// (the in-memory lists). The least recently used result is evicted first.
type LRUCache[T any] struct {
	mu      sync.Mutex
	entries []cached[T] // most recently used first
}

type cached[T any] struct {
	query   string
	version uint64 // of the rows
	value   T
}

// Get returns the cached result of a query for a version of the rows. It evicts the
// results for all other versions.
func (c *LRUCache[T]) Get(query string, version uint64) (value T, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries = slices.DeleteFunc(c.entries, func(e cached[T]) bool { return e.version != version })
	at := slices.IndexFunc(c.entries, func(e cached[T]) bool { return e.query == query })
	if at < 0 {
		return value, false
	}
	hit := c.entries[at]
	copy(c.entries[1:at+1], c.entries[:at])
	c.entries[0] = hit
	return hit.value, true
}

// GetOr returns the cached result of a query. If there is none, it calls compute and caches
// its result.
func (c *LRUCache[T]) GetOr(query string, version uint64, compute func() (T, error)) (T, error) {
	if value, ok := c.Get(query, version); ok {
		return value, nil
	}
	value, err := compute()
	if err == nil {
		c.Put(query, version, value)
	}
	return value, err
}

// Put caches the result of a query.
func (c *LRUCache[T]) Put(query string, version uint64, value T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries = slices.Insert(c.entries, 0, cached[T]{query, version, value})
	c.entries = c.entries[:min(len(c.entries), cacheSize)]
}
