package core

import (
	"cmp"
	"encoding/binary"
	"iter"
	"math/bits"
	"slices"
	"strings"

	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// ordering is what rows are sorted by: its key, ascending; then the newest first; then
// the id.
type ordering struct{ key func(*memoryRow) int64 }

func (r *rows) ordering(sort string, now memory.Time) (ordering, error) {
	if sort == "" {
		sort = "-created"
	}
	name, down := strings.CutPrefix(sort, "-")
	key, err := r.key(name, now)
	if err != nil || !down {
		return ordering{key}, err
	}
	return ordering{func(row *memoryRow) int64 { return ^key(row) }}, nil // which no number is too small for
}

// level is a number that rows are sorted by, where those before it are the same.
type level func(*memoryRow) uint64

func (o ordering) levels() []level {
	return []level{
		func(row *memoryRow) uint64 { return unsigned(o.key(row)) },
		func(row *memoryRow) uint64 { return unsigned(^int64(row.created)) },
		byID,
	}
}

// unsigned keeps the order of numbers below zero.
func unsigned(n int64) uint64 { return uint64(n) ^ 1<<63 }

// byID goes by the first eight bytes, behind which few ids must be followed to be
// sorted.
func byID(row *memoryRow) uint64 {
	var start [8]byte // a shorter id ends in zeros, and sorts no later for it
	copy(start[:], row.id)
	return binary.BigEndian.Uint64(start[:])
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
		return func(row *memoryRow) int64 { return int64(row.certainty(now) * 1e9) }, nil
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

// manyRows is from where sorting by digits is quicker than by comparing.
const manyRows = 1 << 10

// sortRows returns rows sorted by levels, and by id where those are the same.
func sortRows(rows []*memoryRow, levels ...level) []*memoryRow {
	s := sorter{rows, make([]sortPlace, len(rows))}
	places := make([]sortPlace, len(rows))
	for i := range places {
		places[i].at = uint32(i)
	}
	s.sort(places, levels)
	sorted := make([]*memoryRow, len(rows))
	for i, p := range places {
		sorted[i] = rows[p.at]
	}
	return sorted
}

// sorter sorts rows without moving them or following a pointer at every step: it moves
// their keys.
type sorter struct {
	rows  []*memoryRow
	spare []sortPlace
}

// sortPlace is a row while it is sorted: its key, and where it is.
type sortPlace struct {
	key uint64
	at  uint32
}

// sort goes by the first level, and by the others where that is the same.
func (s *sorter) sort(places []sortPlace, levels []level) {
	if len(levels) == 0 {
		slices.SortFunc(places, func(a, b sortPlace) int { return strings.Compare(s.rows[a.at].id, s.rows[b.at].id) })
		return
	}
	for i, p := range places {
		places[i].key = levels[0](s.rows[p.at])
	}
	if len(places) < manyRows {
		slices.SortFunc(places, func(a, b sortPlace) int { return cmp.Compare(a.key, b.key) })
	} else {
		byDigits(places, s.spare)
	}
	for alike := range runs(places) {
		if len(alike) > 1 {
			s.sort(alike, levels[1:])
		}
	}
}

// runs cuts sorted places where their key changes.
func runs(places []sortPlace) iter.Seq[[]sortPlace] {
	return func(yield func([]sortPlace) bool) {
		for from := 0; from < len(places); {
			to := from + 1
			for to < len(places) && places[to].key == places[from].key {
				to++
			}
			if !yield(places[from:to]) {
				return
			}
			from = to
		}
	}
}

// byDigits sorts by the key; spare is as long at least.
func byDigits(places, spare []sortPlace) {
	const digit = 11 // bits
	least, most := places[0].key, places[0].key
	for _, p := range places {
		least, most = min(least, p.key), max(most, p.key)
	}
	from, to := places, spare[:len(places)]
	for shift := 0; shift < bits.Len64(most-least); shift += digit {
		var starts [1 << digit]int
		for _, p := range from {
			starts[(p.key-least)>>shift&(1<<digit-1)]++
		}
		sum := 0
		for i, n := range starts {
			starts[i] = sum
			sum += n
		}
		for _, p := range from {
			d := (p.key - least) >> shift & (1<<digit - 1)
			to[starts[d]] = p
			starts[d]++
		}
		from, to = to, from
	}
	copy(places, from)
}

// firstRows is up to where a window is found without sorting everything: the
// first page of a list that was just opened.
const firstRows = 200

// leading keeps, in order, the firstRows of those it takes.
type leading struct {
	by   ordering
	rows []leader
}

// leader is a row with its key at hand.
type leader struct {
	*memoryRow
	key int64
}

func (a leader) compare(b leader) int {
	return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(b.created, a.created), strings.Compare(a.id, b.id))
}

func (l *leading) take(row *memoryRow) {
	one := leader{row, l.by.key(row)}
	if len(l.rows) == firstRows {
		if last := l.rows[firstRows-1]; one.key > last.key || one.key == last.key && row.created < last.created {
			return
		}
	}
	at, _ := slices.BinarySearchFunc(l.rows, one, leader.compare)
	l.rows = slices.Insert(l.rows, at, one)
	l.rows = l.rows[:min(len(l.rows), firstRows)]
}

func (l *leading) sorted() []*memoryRow {
	rows := make([]*memoryRow, len(l.rows))
	for i, one := range l.rows {
		rows[i] = one.memoryRow
	}
	return rows
}

func errBadSort(sort string, allowed ...string) error {
	return fault.New(fault.Invalid, "unknown-order", "There is no order called {order}; there are {allowed}, and each with a - before it.").
		With("order", shortID(sort)).With("allowed", strings.Join(allowed, ", "))
}

// shortID keeps what a person typed from filling the sentence.
func shortID(id string) string {
	if len(id) > 64 {
		return strings.ToValidUTF8(id[:64], "") + "…"
	}
	return id
}
