package core

import (
	"slices"
	"sync"
)

// cacheSize is how many results a cache holds. A window that scrolls asks for page
// after page of one query.
const cacheSize = 4

// lruCache caches the results of queries, keyed by query and invalidated by the rows'
// version. The least recently used result is evicted first.
type lruCache[T any] struct {
	mu      sync.Mutex
	entries []cached[T] // most recently used first
}

type cached[T any] struct {
	query   string
	version uint64 // of the rows
	value   T
}

func (c *lruCache[T]) get(query string, version uint64) (value T, ok bool) {
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

func (c *lruCache[T]) put(query string, version uint64, value T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries = slices.Insert(c.entries, 0, cached[T]{query, version, value})
	c.entries = c.entries[:min(len(c.entries), cacheSize)]
}
