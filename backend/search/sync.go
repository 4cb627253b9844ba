package search

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"
)

// Sync compares the index with the units that the vault has now. What the vault
// no longer has, or has written again, is found no more; what has to be indexed
// is returned, in the order given. Sync reads nothing from the store. A unit that
// is put while the list is made, and is not in it, would be lost: take the list
// from the vault as it is when Sync asks for it.
func (ix *Index) Sync(units iter.Seq[Unit]) []Unit {
	ix.writing.Lock()
	defer ix.writing.Unlock()
	kept := map[*segment]bitset{}
	for _, s := range ix.segs {
		kept[s] = newBitset(uint32(len(s.units)))
	}
	var missing []Unit
	for u := range units {
		rows := whole(ix.find(u.key()), u.Mark)
		for _, p := range rows {
			kept[p.seg].set(uint32(p.row))
		}
		if rows == nil {
			missing = append(missing, u)
		}
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	for s, rows := range kept {
		if gone := s.others(rows); len(gone) > 0 {
			s.dead = s.dead.with(&s.tables, gone...)
		}
	}
	ix.synced = true
	return missing
}

// others are the rows of s that are neither kept nor in a tomb.
func (s *segment) others(kept bitset) (rows []int) {
	for row := range s.units {
		if !kept.has(uint32(row)) && !s.dead.has(row) {
			rows = append(rows, row)
		}
	}
	return rows
}

// whole returns the rows of the newest Put among places, nil when that is not
// the writing with this mark or lacks a piece.
func whole(places []place, mark uint64) (rows []place) {
	stamp := uint32(0)
	for _, p := range places {
		stamp = max(stamp, p.seg.units[p.row].stamp)
	}
	for _, p := range places {
		if u := &p.seg.units[p.row]; u.stamp == stamp {
			if u.mark != mark {
				return nil
			}
			rows = append(rows, p)
		}
	}
	slices.SortFunc(rows, func(a, b place) int { return int(a.piece()) - int(b.piece()) })
	for i, p := range rows {
		last := i == len(rows)-1
		if p.piece() != uint32(i) || p.seg.units[p.row].last() != last {
			return nil
		}
	}
	return rows
}

func (p place) piece() uint32 { return p.seg.units[p.row].piece >> 2 }

// segmentOf reads the number in a root's or a junk key.
func segmentOf(key []byte) (uint64, bool) {
	if len(key) != len(segmentKey(0, 0)) {
		return 0, false
	}
	return binary.BigEndian.Uint64(key[1:]), true
}

// sweepBatch is how many blocks one transaction deletes.
const sweepBatch = maxTx / MaxBlock

// sweep deletes the blocks of a junk segment, then its junk key.
func sweep(store Store, id uint64) error {
	for more := true; more; {
		err := store.Update(func(tx Tx) error {
			n, err := deleteSome(tx, segmentKey(classBlock, id))
			more = n == sweepBatch
			if err != nil || more {
				return err
			}
			return tx.Delete(segmentKey(classJunk, id))
		})
		if err != nil {
			return fmt.Errorf("sweep segment %d: %w", id, err)
		}
	}
	return nil
}

// deleteSome deletes up to sweepBatch keys that begin with prefix.
func deleteSome(tx Tx, prefix []byte) (int, error) {
	var keys [][]byte
	for key, err := range tx.Keys(prefix) {
		if err != nil {
			return 0, err
		}
		if keys = append(keys, slices.Clone(key)); len(keys) == sweepBatch {
			break
		}
	}
	for _, key := range keys {
		if err := tx.Delete(key); err != nil {
			return 0, err
		}
	}
	return len(keys), nil
}

// Reset removes the index from a store, whatever state it is in; keys of other classes
// stay. No index may be open on it.
func Reset(ctx context.Context, store Store) error {
	for _, class := range []byte{classRoot, classBlock, classJunk} {
		for more := true; more; {
			if err := ctx.Err(); err != nil {
				return err
			}
			err := store.Update(func(tx Tx) error {
				n, err := deleteSome(tx, []byte{class})
				more = n == sweepBatch
				return err
			})
			if err != nil {
				return fmt.Errorf("empty search index: %w", err)
			}
		}
	}
	return nil
}
