package vectors_test

import (
	"bytes"
	"iter"
	"maps"
	"slices"

	"keepsake/backend/search"
)

// memStore is a store in memory; a write transaction that fails changes nothing.
type memStore map[string][]byte

func (s memStore) View(fn func(search.Tx) error) error { return fn(memTx(s)) }

func (s memStore) Update(fn func(search.Tx) error) error {
	before := maps.Clone(s)
	err := fn(memTx(s))
	if err != nil {
		clear(s)
		maps.Copy(s, before)
	}
	return err
}

type memTx memStore

func (tx memTx) Get(key []byte) ([]byte, error) { return bytes.Clone(tx[string(key)]), nil }

func (tx memTx) Put(key, block []byte) error {
	tx[string(key)] = bytes.Clone(block)
	return nil
}

func (tx memTx) Delete(key []byte) error {
	delete(tx, string(key))
	return nil
}

func (tx memTx) Keys(prefix []byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, key := range slices.Sorted(maps.Keys(tx)) {
			if bytes.HasPrefix([]byte(key), prefix) && !yield([]byte(key), nil) {
				return
			}
		}
	}
}
