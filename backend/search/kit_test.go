package search_test

import (
	"bytes"
	"errors"
	"iter"
	"maps"
	"slices"
	"sync"

	"keepsake/backend/search"
)

// memStore is a store in memory, with the moods of a bad one.
type memStore struct {
	mu     sync.RWMutex
	blocks map[string][]byte
	keys   []string // in order

	failAt  int // the operation that fails, counted from 1; 0: none
	ops     int
	writes  int // transactions
	largest int // bytes put by one transaction
}

var errStore = errors.New("the disk says no")

func newStore() *memStore { return &memStore{blocks: map[string][]byte{}} }

func (s *memStore) View(f func(search.Tx) error) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return f(&memTx{s: s})
}

func (s *memStore) Update(f func(search.Tx) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	tx := &memTx{s: s, put: map[string][]byte{}, write: true}
	if err := f(tx); err != nil {
		return err
	}
	if s.fail() {
		return errStore
	}
	s.writes++
	s.largest = max(s.largest, tx.bytes)
	for k, v := range tx.put {
		if v == nil {
			delete(s.blocks, k)
		} else {
			s.blocks[k] = v
		}
	}
	s.keys = slices.Sorted(maps.Keys(s.blocks))
	return nil
}

func (s *memStore) fail() bool {
	if s.failAt == 0 {
		return false
	}
	s.ops++
	return s.ops >= s.failAt
}

func (s *memStore) size() (n int) {
	for _, b := range s.blocks {
		n += len(b)
	}
	return n
}

type memTx struct {
	s     *memStore
	put   map[string][]byte
	write bool
	bytes int
}

func (tx *memTx) Get(key []byte) ([]byte, error) {
	if b, ok := tx.put[string(key)]; ok {
		return bytes.Clone(b), nil
	}
	return bytes.Clone(tx.s.blocks[string(key)]), nil
}

func (tx *memTx) Put(key, block []byte) error {
	if !tx.write {
		return errors.New("put within View")
	}
	if tx.s.fail() {
		return errStore
	}
	if len(block) > search.MaxBlock {
		return errors.New("a block beyond MaxBlock")
	}
	tx.bytes += len(block)
	tx.put[string(key)] = append([]byte{}, block...)
	return nil
}

func (tx *memTx) Delete(key []byte) error {
	if !tx.write {
		return errors.New("delete within View")
	}
	if tx.s.fail() {
		return errStore
	}
	tx.put[string(key)] = nil
	return nil
}

func (tx *memTx) Keys(prefix []byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		keys := tx.s.keys
		if len(tx.put) > 0 {
			all := map[string]bool{}
			for k := range tx.s.blocks {
				all[k] = true
			}
			for k, v := range tx.put {
				all[k] = v != nil
			}
			maps.DeleteFunc(all, func(_ string, there bool) bool { return !there })
			keys = slices.Sorted(maps.Keys(all))
		}
		from, _ := slices.BinarySearch(keys, string(prefix))
		for _, k := range keys[from:] {
			if !bytes.HasPrefix([]byte(k), prefix) || !yield([]byte(k), nil) {
				return
			}
		}
	}
}
