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
	dimensions := float64(ix.opt.Dimensions)
	furthest := int(dimensions*math.Acos(least)/math.Pi + math.Sqrt(dimensions)) // two standard deviations beyond what is expected

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

// near returns the pairs of vector i with those behind it.
func (ix *Index) near(places []int32, signs []uint64, i, furthest int, least float64) (pairs []Pair) {
	size := words(ix.opt.Dimensions)
	own := signs[i*size:][:size]
	var q *question
	for j := i + 1; j < len(places); j++ {
		distance := 0
		for w, word := range signs[j*size:][:size] {
			distance += bits.OnesCount64(word ^ own[w])
		}
		if distance > furthest {
			continue
		}
		if q == nil {
			p, at := ix.pages[int(places[i])/ix.size], int(places[i])%ix.size
			one := ix.center.question(p.numbers(at), nil)
			q = &one
		}
		p, at := ix.pages[int(places[j])/ix.size], int(places[j])%ix.size
		if cosine := q.cosine(p, at); cosine >= least {
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
