package core

import (
	"slices"
	"sync"
)

// keptAnswers is how many answers of a kind are remembered. A window that
// scrolls asks for page after page of one.
const keptAnswers = 4

// recent remembers the answers to the last few questions about the rows, until
// something changes in them.
type recent[T any] struct {
	mu   sync.Mutex
	kept []answer[T] // the one used last comes first
}

type answer[T any] struct {
	question string
	version  uint64 // of the rows
	value    T
}

func (r *recent[T]) get(question string, version uint64) (value T, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept = slices.DeleteFunc(r.kept, func(a answer[T]) bool { return a.version != version })
	at := slices.IndexFunc(r.kept, func(a answer[T]) bool { return a.question == question })
	if at < 0 {
		return value, false
	}
	one := r.kept[at]
	copy(r.kept[1:at+1], r.kept[:at])
	r.kept[0] = one
	return one.value, true
}

func (r *recent[T]) put(question string, version uint64, value T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept = slices.Insert(r.kept, 0, answer[T]{question, version, value})
	r.kept = r.kept[:min(len(r.kept), keptAnswers)]
}
