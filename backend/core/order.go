package core

import (
	"cmp"
	"encoding/binary"
	"iter"
	"math/bits"
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

// order makes rows ready to be sorted as Sort says, but for their names.
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
		return found{memoryRow: row, key: sign * key(row), newest: -int64(row.created)}
	}, nil
}

// named has the start of its id at hand, too, which lies elsewhere in memory.
func (a found) named() found {
	if len(a.id) >= 8 {
		a.start = binary.BigEndian.Uint64([]byte(a.id[:8]))
	}
	return a
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

// manyRows is from where sorting by digits is quicker than by comparing.
const manyRows = 1 << 10

// sortFound returns rows as compare orders them. Many are sorted digit by digit by
// what is a number, and compared where that is the same.
func sortFound(rows []found) []found {
	if len(rows) < manyRows {
		slices.SortFunc(rows, found.compare)
		return rows
	}
	places := make([]sortPlace, len(rows))
	for i, row := range rows {
		places[i] = sortPlace{[2]uint64{unsigned(row.key), unsigned(row.newest)}, uint32(i)}
	}
	spare := make([]sortPlace, len(rows))
	compare := func(a, b sortPlace) int { return rows[a.at].compare(rows[b.at]) }
	byDigits(places, spare, 0)
	for alike := range runs(places, 0) {
		if len(alike) < manyRows {
			slices.SortFunc(alike, compare)
			continue
		}
		byDigits(alike, spare, 1)
		for same := range runs(alike, 1) {
			slices.SortFunc(same, compare)
		}
	}
	sorted := make([]found, len(rows))
	for i, p := range places {
		sorted[i] = rows[p.at]
	}
	return sorted
}

// sortPlace is a row while it is sorted: its key and newest, and where it is.
type sortPlace struct {
	keys [2]uint64
	at   uint32
}

// unsigned keeps the order of numbers below zero.
func unsigned(n int64) uint64 { return uint64(n) ^ 1<<63 }

// runs cuts sorted places where one of the keys changes.
func runs(places []sortPlace, by int) iter.Seq[[]sortPlace] {
	return func(yield func([]sortPlace) bool) {
		for from := 0; from < len(places); {
			to := from + 1
			for to < len(places) && places[to].keys[by] == places[from].keys[by] {
				to++
			}
			if !yield(places[from:to]) {
				return
			}
			from = to
		}
	}
}

// byDigits sorts by one of the keys; spare is as long at least.
func byDigits(places, spare []sortPlace, by int) {
	const digit = 11 // bits
	least, most := places[0].keys[by], places[0].keys[by]
	for i := range places {
		least, most = min(least, places[i].keys[by]), max(most, places[i].keys[by])
	}
	from, to := places, spare[:len(places)]
	for shift := 0; shift < bits.Len64(most-least); shift += digit {
		var starts [1 << digit]int
		for i := range from {
			starts[(from[i].keys[by]-least)>>shift&(1<<digit-1)]++
		}
		sum := 0
		for i, n := range starts {
			starts[i] = sum
			sum += n
		}
		for i := range from {
			d := (from[i].keys[by] - least) >> shift & (1<<digit - 1)
			to[starts[d]] = from[i]
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
type leading struct{ rows []found }

func (l *leading) take(row found) {
	if len(l.rows) == firstRows {
		if last := l.rows[firstRows-1]; row.key > last.key || row.key == last.key && row.newest > last.newest {
			return
		}
	}
	row = row.named()
	at, _ := slices.BinarySearchFunc(l.rows, row, found.compare)
	l.rows = slices.Insert(l.rows, at, row)
	l.rows = l.rows[:min(len(l.rows), firstRows)]
}
