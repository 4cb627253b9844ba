package core

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"keepsake/backend/memory"
)

// found is a row with what it is sorted by, at hand: sorting 100,000 of them
// must not follow 100,000 pointers at every step.
type found struct {
	*memoryRow
	key    int64  // what the order is about, ascending
	newest int64  // then the newest first
	start  uint64 // then by id: its first eight bytes
}

func (a found) compare(b found) int {
	switch {
	case a.key != b.key:
		return cmp.Compare(a.key, b.key)
	case a.newest != b.newest:
		return cmp.Compare(a.newest, b.newest)
	case a.start != b.start:
		return cmp.Compare(a.start, b.start)
	}
	return strings.Compare(a.id, b.id)
}

// order makes rows ready to be sorted as Sort says.
func (r *rows) order(sort string, now memory.Time) (func(*memoryRow) found, error) {
	if sort == "" {
		sort = "-created"
	}
	name, down := strings.CutPrefix(sort, "-")
	sign := int64(1)
	if down {
		sign = -1
	}
	key, err := r.key(name, now)
	if err != nil {
		return nil, err
	}
	return func(row *memoryRow) found {
		f := found{memoryRow: row, key: sign * key(row), newest: -int64(row.created)}
		if len(row.id) >= 8 {
			f.start = binary.BigEndian.Uint64([]byte(row.id[:8]))
		}
		return f
	}, nil
}

func (r *rows) key(name string, now memory.Time) (func(*memoryRow) int64, error) {
	switch name {
	case "created":
		return func(row *memoryRow) int64 { return int64(row.created) }, nil
	case "updated":
		return func(row *memoryRow) int64 { return int64(row.updated) }, nil
	case "type":
		types := memory.Types()
		return func(row *memoryRow) int64 { return int64(slices.Index(types, row.kind)) }, nil
	case "platform":
		platforms := r.platforms()
		return func(row *memoryRow) int64 { return platforms[row.platform] }, nil
	case "confidence":
		return func(row *memoryRow) int64 { return int64(row.confidence.at(row.created, now) * 1e9) }, nil
	}
	return nil, errBadSort(name, "created", "updated", "type", "platform", "confidence")
}

// platforms numbers the platforms by name.
func (r *rows) platforms() map[string]int64 {
	r.mu.RLock()
	defer r.mu.RUnlock()
	numbers := map[string]int64{}
	for _, row := range r.memories.bySeq {
		if row != nil {
			numbers[row.platform] = 0
		}
	}
	names := make([]string, 0, len(numbers))
	for name := range numbers {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		numbers[name] = int64(i)
	}
	return numbers
}

// firstRows is up to where a window is found without sorting everything: the
// first page of a list that was just opened.
const firstRows = 200

// leading keeps, in order, the rows that come first of those it takes.
type leading struct {
	rows []found
	most int
}

func (l *leading) take(row found) {
	if len(l.rows) == l.most && row.compare(l.rows[l.most-1]) > 0 {
		return
	}
	at, _ := slices.BinarySearchFunc(l.rows, row, found.compare)
	l.rows = slices.Insert(l.rows, at, row)
	l.rows = l.rows[:min(len(l.rows), l.most)]
}
