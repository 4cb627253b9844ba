package vectors

import (
	"cmp"
	"iter"
	"math"
	"slices"
)

// center is the mean vector, which is subtracted before vectors are compared: it is what
// all texts of a collection have in common, and says nothing of one of them.
type center struct {
	mean  []float32 // nil: to be computed
	count int       // vectors that mean is of
	moved int       // vectors added and removed since
}

// meanWeight is how many vectors Options.Mean counts as.
const meanWeight = 100

// add notes a new vector. Until the mean is renewed, it is compared by the old one.
func (c *center) add(p *page, i int) {
	if c.mean == nil {
		return
	}
	c.moved++
	p.signs, p.norms = c.signs(p, i, p.signs), append(p.norms, c.norm(p, i))
}

// isStale reports whether the mean must be recomputed: more than an eighth of the vectors
// were added or removed since.
func (c *center) isStale() bool { return c.mean == nil || c.moved > c.count/8 }

// renew computes the mean of all vectors, and what depends on it. The caller holds mu, and
// the codes are loaded.
func (ix *Index) renew() {
	sum, n := make([]float64, ix.opt.Dimensions), 0
	for _, p := range ix.pages {
		for i, s := range p.slots {
			if s.scale == 0 {
				continue
			}
			n++
			for j, c := range p.codesOf(i) {
				sum[j] += float64(c) * float64(s.scale)
			}
		}
	}
	mean := make([]float32, len(sum))
	for j := range mean {
		if ix.opt.Mean != nil {
			sum[j] += meanWeight * float64(ix.opt.Mean[j])
		}
		mean[j] = float32(sum[j] / float64(n+meanWeight))
	}
	ix.center = center{mean: mean, count: n}
	for _, p := range ix.pages {
		p.signs, p.norms = make([]uint64, 0, ix.size*words(len(mean))), make([]float32, 0, ix.size)
		for i := range p.slots {
			p.signs, p.norms = ix.center.signs(p, i, p.signs), append(p.norms, ix.center.norm(p, i))
		}
	}
}

// words is how many of 64 bits hold the signs of a vector.
func words(dimensions int) int { return (dimensions + 63) / 64 }

// signs appends the signs of a vector less the mean.
func (c *center) signs(p *page, i int, dst []uint64) []uint64 {
	from := len(dst)
	dst = append(dst, make([]uint64, words(len(c.mean)))...)
	scale := p.slots[i].scale
	for j, code := range p.codesOf(i) {
		if float32(code)*scale > c.mean[j] {
			dst[from+j/64] |= 1 << (j % 64)
		}
	}
	return dst
}

// norm is 1 by the length of a vector less the mean; 0 if nothing is left of it.
func (c *center) norm(p *page, i int) float32 {
	scale, sum := p.slots[i].scale, 0.0
	if scale == 0 {
		return 0
	}
	for j, code := range p.codesOf(i) {
		x := float64(float32(code)*scale - c.mean[j])
		sum += x * x
	}
	if sum < 1e-6 {
		return 0
	}
	return float32(1 / math.Sqrt(sum))
}

// Hit is a vector that was found.
type Hit struct {
	Ref
	Cosine float64 // with what was asked for, both less their mean
}

// Nearest returns the units whose vectors are nearest to a vector of length 1, nearest
// first, at most n; of each unit its nearest vector. accept, if not nil, leaves out others.
// What is asked for is compared less a mean: that of its kind of texts, such as questions,
// which have in common what the texts of the collection have not; nil: that of the collection.
func (ix *Index) Nearest(vector, mean []float32, n int, accept func(Ref) bool) ([]Hit, error) {
	if err := ix.check(vector, mean); err != nil {
		return nil, err
	}
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	q := ix.center.question(vector, mean)
	var hits []Hit
	for _, at := range ix.candidates(q, n, accept) {
		p, i := ix.pages[int(at)/ix.size], int(at)%ix.size
		hits = append(hits, Hit{p.ref(i), q.cosine(p, i, p.norms[i])})
	}
	return nearestOfEach(hits, n), nil
}

// NearestAmong is Nearest for the vectors that accept takes alone: what it returns is the same
// whatever others there are. So Options.Mean is taken off in place of the mean of the collection,
// and all of them are compared number by number.
func (ix *Index) NearestAmong(vector, mean []float32, n int, accept func(Ref) bool) ([]Hit, error) {
	if err := ix.check(vector, mean); err != nil {
		return nil, err
	}
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	c := ix.general()
	q := c.question(vector, mean)
	var hits []Hit
	for p, i := range ix.accepted(accept) {
		hits = append(hits, Hit{p.ref(i), q.cosine(p, i, c.norm(p, i))})
	}
	return nearestOfEach(hits, n), nil
}

// general is the center of texts in general.
func (ix *Index) general() center {
	if ix.opt.Mean == nil {
		return center{mean: make([]float32, ix.opt.Dimensions)}
	}
	return center{mean: ix.opt.Mean}
}

// accepted gives the vectors that accept takes, with where they stand in their page.
func (ix *Index) accepted(accept func(Ref) bool) iter.Seq2[*page, int] {
	return func(yield func(*page, int) bool) {
		for _, p := range ix.pages {
			for i, s := range p.slots {
				if s.scale > 0 && accept(p.ref(i)) && !yield(p, i) {
					return
				}
			}
		}
	}
}

// check loads the vectors, and returns an error if what is asked for cannot be compared with them.
func (ix *Index) check(vector, mean []float32) error {
	if len(vector) != ix.opt.Dimensions || !isUnit(vector) || mean != nil && len(mean) != len(vector) {
		return errVector
	}
	return ix.prepare()
}

// prepare loads the vectors and renews what they are compared by, where that is needed.
func (ix *Index) prepare() error {
	ix.mu.RLock()
	ready := ix.loaded && !ix.center.isStale()
	ix.mu.RUnlock()
	if ready {
		return nil
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if err := ix.load(); err != nil {
		return err
	}
	if ix.center.isStale() {
		ix.renew()
	}
	return nil
}

// question is the vector that is asked for, less its mean, of length 1.
type question struct {
	numbers []float32
	signs   []uint64
	offset  float32 // its scalar product with the mean of the collection
}

func (c *center) question(vector, mean []float32) question {
	if mean == nil {
		mean = c.mean
	}
	q := question{numbers: make([]float32, len(vector)), signs: make([]uint64, words(len(vector)))}
	sum := 0.0
	for i, x := range vector {
		q.numbers[i] = x - mean[i]
		sum += float64(q.numbers[i]) * float64(q.numbers[i])
	}
	length := float32(math.Sqrt(max(sum, 1e-6)))
	for i := range q.numbers {
		q.numbers[i] /= length
		q.offset += q.numbers[i] * c.mean[i]
		if q.numbers[i] > 0 {
			q.signs[i/64] |= 1 << (i % 64)
		}
	}
	return q
}

// cosine compares what is asked for with a vector, both less their mean; norm is that of the vector.
func (q *question) cosine(p *page, i int, norm float32) float64 {
	var sum float32
	numbers := q.numbers
	for j, c := range p.codesOf(i)[:len(numbers)] {
		sum += float32(c) * numbers[j]
	}
	return float64((sum*p.slots[i].scale - q.offset) * norm)
}

// How many vectors are compared number by number: those with the most signs in common with
// what is asked for.
const (
	allExact    = 4096 // up to so many, all are
	leastExact  = 2000
	perNeighbor = 20
)

// candidates returns the places of the vectors that are worth comparing number by number.
func (ix *Index) candidates(q question, n int, accept func(Ref) bool) []int32 {
	size := len(q.signs)
	var places []int32
	var distances []uint16
	counts := make([]int, 64*size+1)
	for at, p := range ix.pages {
		for i, norm := range p.norms {
			if norm == 0 || accept != nil && !accept(p.ref(i)) {
				continue
			}
			differ := distance(p.signs[i*size:][:size], q.signs)
			counts[differ]++
			places, distances = append(places, int32(at*ix.size+i)), append(distances, uint16(differ))
		}
	}
	wanted := max(leastExact, perNeighbor*n)
	if len(places) <= max(allExact, wanted) {
		return places
	}
	most := 0
	for found := counts[0]; found < wanted; found += counts[most] {
		most++
	}
	near := places[:0]
	for i, at := range places {
		if int(distances[i]) <= most {
			near = append(near, at)
		}
	}
	return near
}

func (p *page) ref(i int) Ref {
	s := p.slots[i]
	return Ref{s.unit.Kind, s.unit.Seq, s.part}
}

// nearestOfEach sorts hits, nearest first, and keeps the first of each unit, at most n.
func nearestOfEach(hits []Hit, n int) []Hit {
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(a.Kind, b.Kind), cmp.Compare(b.Seq, a.Seq), cmp.Compare(a.Part, b.Part))
	})
	seen := make(map[key]bool)
	out := hits[:0]
	for _, h := range hits {
		if len(out) == n {
			break
		}
		if k := (key{h.Kind, h.Seq}); !seen[k] {
			seen[k] = true
			out = append(out, h)
		}
	}
	return out
}
