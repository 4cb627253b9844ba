package rows

import (
	"cmp"
	"encoding/binary"
	"iter"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// Ordering is a sort order of memory rows: by key, ascending; then newest first; then by
// id.
type Ordering struct{ key func(*Memory) int64 }

// Ordering parses the name of a sort order. "" is newest first; a leading minus
// reverses the order.
func (r *Rows) Ordering(sort string, now memory.Time) (Ordering, error) {
	if sort == "" {
		sort = "-created"
	}
	name, down := strings.CutPrefix(sort, "-")
	key, err := r.key(name, now)
	if err != nil || !down {
		return Ordering{key}, err
	}
	// ^ reverses the order as - would, without overflow at the lowest number
	return Ordering{func(row *Memory) int64 { return ^key(row) }}, nil
}

// Level is a sort key. It decides only between rows that are equal at all levels
// before it.
type Level func(*Memory) uint64

// Levels returns the sort keys of the ordering, the most significant one first.
func (o Ordering) Levels() []Level {
	return []Level{
		func(row *Memory) uint64 { return unsigned(o.key(row)) },
		func(row *Memory) uint64 { return unsigned(^int64(row.Created)) },
		ByID,
	}
}

// unsigned maps n to a uint64 such that the order is kept, also for negative numbers.
func unsigned(n int64) uint64 { return uint64(n) ^ 1<<63 }

// ByID sorts by the first eight bytes of an id. Few ids share them, so the full id seldom
// needs to be read.
func ByID(row *Memory) uint64 {
	var start [8]byte // a shorter id is padded with zeros, which keeps the order
	copy(start[:], row.ID)
	return binary.BigEndian.Uint64(start[:])
}

func (r *Rows) key(name string, now memory.Time) (func(*Memory) int64, error) {
	switch name {
	case "created":
		return func(row *Memory) int64 { return int64(row.Created) }, nil
	case "updated":
		return func(row *Memory) int64 { return int64(row.Updated) }, nil
	case "type":
		types := memory.Types()
		return func(row *Memory) int64 { return int64(slices.Index(types, row.Kind)) }, nil
	case "platform":
		platforms := r.platforms()
		return func(row *Memory) int64 { return platforms[row.Platform] }, nil
	case "confidence":
		return func(row *Memory) int64 { return int64(row.Certainty(now) * 1e9) }, nil
	}
	return nil, ErrBadSort(name, "created", "updated", "type", "platform", "confidence")
}

// platforms maps each platform to its position in the sorted list of platforms.
func (r *Rows) platforms() map[string]int64 {
	r.RLock()
	defer r.RUnlock()
	numbers := map[string]int64{}
	for _, row := range r.Memories.BySeq {
		if row != nil {
			numbers[row.Platform] = 0
		}
	}
	for i, name := range slices.Sorted(maps.Keys(numbers)) {
		numbers[name] = int64(i)
	}
	return numbers
}

// manyRows is the number of rows from which radix sort is faster than comparing.
const manyRows = 1 << 10

// Sort returns rows sorted by levels; rows that are equal at all levels are sorted by id.
func Sort(rows []*Memory, levels ...Level) []*Memory {
	s := sorter{rows, make([]sortPlace, len(rows))}
	places := make([]sortPlace, len(rows))
	for i := range places {
		places[i].at = uint32(i)
	}
	s.sort(places, levels)
	sorted := make([]*Memory, len(rows))
	for i, p := range places {
		sorted[i] = rows[p.at]
	}
	return sorted
}

// sorter sorts the keys of rows with their positions, not the rows themselves, so that it
// need not follow a pointer at every step.
type sorter struct {
	rows  []*Memory
	spare []sortPlace
}

// sortPlace stands for a row while sorting: its key and its index in sorter.rows.
type sortPlace struct {
	key uint64
	at  uint32
}

// sort sorts places by the first of levels, equal ones by the next levels, finally by id.
func (s *sorter) sort(places []sortPlace, levels []Level) {
	if len(levels) == 0 {
		slices.SortFunc(places, func(a, b sortPlace) int { return strings.Compare(s.rows[a.at].ID, s.rows[b.at].ID) })
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

// runs splits sorted places into runs with equal keys.
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

// byDigits radix-sorts places by key. spare is scratch space, at least as long.
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

// First is how many rows of a sorted list can be found without sorting all: enough for the
// first page. A page that ends later (offset + limit > First) sorts all rows.
const First = 200

// Leading collects the rows given to Take. It keeps only those that come first in the
// order By: at most as many as the constant First.
type Leading struct {
	By   Ordering
	rows []leader
}

// leader is a row with its computed sort key.
type leader struct {
	*Memory
	key int64
}

func (a leader) compare(b leader) int {
	return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(b.Created, a.Created), strings.Compare(a.ID, b.ID))
}

// Take adds a row in the order By, and then keeps only the first First rows.
func (l *Leading) Take(row *Memory) {
	one := leader{row, l.By.key(row)}
	if len(l.rows) == First {
		if last := l.rows[First-1]; one.key > last.key || one.key == last.key && row.Created < last.Created {
			return
		}
	}
	at, _ := slices.BinarySearchFunc(l.rows, one, leader.compare)
	l.rows = slices.Insert(l.rows, at, one)
	l.rows = l.rows[:min(len(l.rows), First)]
}

// Sorted returns the rows that Leading holds, in order.
func (l *Leading) Sorted() []*Memory {
	rows := make([]*Memory, len(l.rows))
	for i, one := range l.rows {
		rows[i] = one.Memory
	}
	return rows
}

// ErrBadSort is the error for an unknown sort order; allowed lists the valid ones.
func ErrBadSort(sort string, allowed ...string) error {
	return fault.New(fault.Invalid, "unknown-order", "There is no order called {order}; there are {allowed}, and each with a - before it.").
		With("order", ShortID(sort)).With("allowed", strings.Join(allowed, ", "))
}

// ShortID cuts an id or another typed text to 64 bytes, for use in an error message.
func ShortID(id string) string {
	if len(id) > 64 {
		return strings.ToValidUTF8(id[:64], "") + "…"
	}
	return id
}
