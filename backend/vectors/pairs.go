package vectors

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"sync"
)

// Pair is two vectors that are near to each other.
type Pair struct {
	A, B   Ref
	Cosine float64 // both less the mean
}

// Pairs returns the pairs of vectors whose cosine is at least least, nearest first, at most
// most. accept says which vectors are compared. It compares each with each, by their signs
// first: 100,000 take some ten seconds of processor time. Of the pairs at the limit it
// misses about one in forty, of nearer ones hardly any.
func (ix *Index) Pairs(ctx context.Context, least float64, most int, accept func(Ref) bool) ([]Pair, error) {
	if err := ix.prepare(); err != nil {
		return nil, err
	}
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	places := ix.places(accept)
	size := words(ix.opt.Dimensions)
	signs := make([]uint64, 0, len(places)*size)
	for _, at := range places {
		signs = append(signs, ix.pages[int(at)/ix.size].signs[int(at)%ix.size*size:][:size]...)
	}
	furthest := furthestSigns(ix.opt.Dimensions, least)

	var mu sync.Mutex
	var pairs []Pair
	var workers sync.WaitGroup
	rows := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range rows {
				near := ix.near(places, signs, i, furthest, least)
				mu.Lock()
				pairs = append(pairs, near...)
				if len(pairs) > 4*most {
					pairs = nearest(pairs, most)
				}
				mu.Unlock()
			}
		})
	}
	for i := range places {
		if ctx.Err() != nil {
			break
		}
		rows <- i
	}
	close(rows)
	workers.Wait()
	return nearest(pairs, most), ctx.Err()
}

// PairsAmong is Pairs for a few hundred vectors: what it returns is the same whatever others there
// are, because Options.Mean is taken off in place of the mean of the collection.
func (ix *Index) PairsAmong(ctx context.Context, least float64, most int, accept func(Ref) bool) ([]Pair, error) {
	if err := ix.prepare(); err != nil {
		return nil, err
	}
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	c := ix.general()
	var refs []Ref
	var all []question
	var pairs []Pair
	for p, i := range ix.accepted(accept) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		q := c.question(p.numbers(i), nil)
		for j := range all {
			if cosine := all[j].product(&q); cosine >= least {
				pairs = append(pairs, Pair{refs[j], p.ref(i), cosine})
			}
		}
		refs, all = append(refs, p.ref(i)), append(all, q)
	}
	return nearest(pairs, most), nil
}

// furthestSigns is in how many signs two vectors may differ to be compared number by number:
// two standard deviations beyond what is expected of a cosine.
func furthestSigns(dimensions int, cosine float64) int {
	n := float64(dimensions)
	return int(n*math.Acos(cosine)/math.Pi + math.Sqrt(n))
}

// Neighbor is a vector of a list that is near to another.
type Neighbor struct {
	At     int // in the list
	Cosine float64
}

// Between returns for each of some vectors that are not in the index those of others that are
// nearest to it, nearest first, at most n, with a cosine of at least least. The mean of the
// index is taken off all of them, so they are compared as if they were in it.
func (ix *Index) Between(some, others [][]float32, least float64, n int) ([][]Neighbor, error) {
	for _, v := range slices.Concat(some, others) {
		if len(v) != ix.opt.Dimensions || !isUnit(v) {
			return nil, errVector
		}
	}
	if err := ix.prepare(); err != nil {
		return nil, err
	}
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	var known []question
	for _, v := range others {
		known = append(known, ix.center.question(v, nil))
	}
	furthest := furthestSigns(ix.opt.Dimensions, least)
	all := make([][]Neighbor, len(some))
	for i, v := range some {
		q := ix.center.question(v, nil)
		for at := range known {
			if distance(q.signs, known[at].signs) > furthest {
				continue
			}
			if cosine := q.product(&known[at]); cosine >= least {
				all[i] = append(all[i], Neighbor{at, cosine})
			}
		}
		slices.SortFunc(all[i], func(a, b Neighbor) int {
			return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(a.At, b.At))
		})
		all[i] = all[i][:min(len(all[i]), n)]
	}
	return all, nil
}

// distance is how many signs of two vectors differ.
func distance(a, b []uint64) (n int) {
	for w, word := range a {
		n += bits.OnesCount64(word ^ b[w])
	}
	return n
}

// product is the cosine of two questions.
func (q *question) product(other *question) float64 {
	var sum float32
	for i, x := range q.numbers {
		sum += x * other.numbers[i]
	}
	return float64(sum)
}

// near returns the pairs of vector i with those behind it.
func (ix *Index) near(places []int32, signs []uint64, i, furthest int, least float64) (pairs []Pair) {
	size := words(ix.opt.Dimensions)
	own := signs[i*size:][:size]
	var q *question
	for j := i + 1; j < len(places); j++ {
		if distance(own, signs[j*size:][:size]) > furthest {
			continue
		}
		if q == nil {
			p, at := ix.pages[int(places[i])/ix.size], int(places[i])%ix.size
			one := ix.center.question(p.numbers(at), nil)
			q = &one
		}
		p, at := ix.pages[int(places[j])/ix.size], int(places[j])%ix.size
		if cosine := q.cosine(p, at, p.norms[at]); cosine >= least {
			pairs = append(pairs, Pair{ix.refAt(places[i]), p.ref(at), cosine})
		}
	}
	return pairs
}

func (ix *Index) refAt(place int32) Ref {
	return ix.pages[int(place)/ix.size].ref(int(place) % ix.size)
}

// places returns where the accepted vectors stand.
func (ix *Index) places(accept func(Ref) bool) (places []int32) {
	for at, p := range ix.pages {
		for i, norm := range p.norms {
			if norm != 0 && accept(p.ref(i)) {
				places = append(places, int32(at*ix.size+i))
			}
		}
	}
	return places
}

// nearest sorts pairs, nearest first, and keeps the first.
func nearest(pairs []Pair, most int) []Pair {
	slices.SortFunc(pairs, func(a, b Pair) int {
		return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(a.A.Seq, b.A.Seq), cmp.Compare(a.B.Seq, b.B.Seq))
	})
	return pairs[:min(len(pairs), most)]
}
