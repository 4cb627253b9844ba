package topics

import (
	"cmp"
	"math"
	"slices"
)

// Limits of a grouping; docs/embeddings.md says what they were chosen on.
const (
	joinCosine   = 0.04  // two groups are joined while the mean cosine of their pairs is at least this
	secondCosine = 0.12  // of a member with the second nearest of its group
	leastCosine  = 0.30  // of any vector with the center of its group
	leastSize    = 3     // members of a group
	mostGroups   = 30    // the largest are kept
	mostSampled  = 1_500 // vectors that groups are made of; the others are only assigned to them
	meanWeight   = 40    // vectors that Collection.Mean counts as
)

// Collection is the vectors of texts.
type Collection struct {
	Count int
	Read  func(i int, into []float32) // copies vector i, of length 1
	Mean  []float32                   // the mean vector of texts in general
}

// Group is texts about the same.
type Group struct {
	Members []int     // the nearest to the center first
	center  []float32 // of length 1
}

// Groups are those of a collection, the largest first. A text that is near to none is in none.
type Groups struct {
	All  []Group
	mean []float32 // what was taken off all vectors
}

// Find groups the texts of a collection by average linkage: from a group for each text on, the
// two groups with the highest mean cosine are joined, as long as they are near enough. That
// takes the square of the number of texts, so of more than mostSampled, as many that are spread
// evenly decide which groups there are. The same vectors in the same order make the same groups.
func Find(c Collection) Groups {
	g := Groups{mean: c.mean()}
	if c.Count < leastSize {
		return g
	}
	var sample [][]float32
	n := min(c.Count, mostSampled)
	for i := range n {
		sample = append(sample, g.less(c, i*c.Count/n))
	}
	var groups [][]int
	for _, members := range linked(sample) {
		if members = related(sample, members); len(members) >= leastSize {
			groups = append(groups, members)
		}
	}
	centers := centersOf(sample, groups)
	for i, members := range assigned(c.Count, func(i int) []float32 { return g.less(c, i) }, centers) {
		if len(members) >= leastSize {
			g.All = append(g.All, Group{members, centers[i]})
		}
	}
	slices.SortStableFunc(g.All, func(a, b Group) int { return len(b.Members) - len(a.Members) })
	return g
}

// mean is the mean vector of a collection, or nearly that of texts in general while it is small.
func (c Collection) mean() []float32 {
	sum, one := make([]float64, len(c.Mean)), make([]float32, len(c.Mean))
	for i := range c.Count {
		c.Read(i, one)
		for k, x := range one {
			sum[k] += float64(x)
		}
	}
	mean := make([]float32, len(sum))
	for k, x := range c.Mean {
		mean[k] = float32((sum[k] + meanWeight*float64(x)) / float64(c.Count+meanWeight))
	}
	return mean
}

// less returns a vector less the mean, of length 1.
func (g Groups) less(c Collection, i int) []float32 {
	v := make([]float32, len(g.mean))
	c.Read(i, v)
	return centered(v, g.mean)
}

func centered(v, mean []float32) []float32 {
	for k := range v {
		v[k] -= mean[k]
	}
	return unit(v)
}

// linked returns the groups that average linkage makes of vectors, the largest first.
func linked(vectors [][]float32) [][]int {
	l := newLinkage(vectors)
	for l.join() {
	}
	groups := slices.DeleteFunc(l.members, func(members []int) bool { return len(members) < leastSize })
	slices.SortStableFunc(groups, func(a, b []int) int { return len(b) - len(a) })
	return groups[:min(len(groups), mostGroups)]
}

// related leaves out the members of a group that are not near to two others: a mean cosine says
// little in a small group, and one other may say the same in other words.
func related(vectors [][]float32, members []int) (kept []int) {
	for _, i := range members {
		var best, second float32
		for _, j := range members {
			switch c := dot(vectors[i], vectors[j]); {
			case i == j:
			case c > best:
				best, second = c, best
			case c > second:
				second = c
			}
		}
		if second >= secondCosine {
			kept = append(kept, i)
		}
	}
	return kept
}

// assigned returns for each center the vectors that are nearest to it, and near enough; the
// nearest first.
func assigned(n int, vector func(i int) []float32, centers [][]float32) [][]int {
	groups, cosines := make([][]int, len(centers)), make([]float32, n)
	for i := range n {
		v, best := vector(i), -1
		for at, center := range centers {
			if cosine := dot(v, center); cosine >= leastCosine && (best < 0 || cosine > cosines[i]) {
				best, cosines[i] = at, cosine
			}
		}
		if best >= 0 {
			groups[best] = append(groups[best], i)
		}
	}
	for _, members := range groups {
		slices.SortStableFunc(members, func(a, b int) int { return cmp.Compare(cosines[b], cosines[a]) })
	}
	return groups
}

// centersOf returns the mean vectors of groups, of length 1.
func centersOf(vectors [][]float32, groups [][]int) (centers [][]float32) {
	for _, members := range groups {
		centers = append(centers, unit(sumOf(vectors, members)))
	}
	return centers
}

func sumOf(vectors [][]float32, members []int) []float32 {
	sum := make([]float32, len(vectors[members[0]]))
	for _, i := range members {
		for k, x := range vectors[i] {
			sum[k] += x
		}
	}
	return sum
}

// unit makes the length of a vector 1; one of zeros stays.
func unit(v []float32) []float32 {
	if length := float32(math.Sqrt(float64(dot(v, v)))); length > 0 {
		for i := range v {
			v[i] /= length
		}
	}
	return v
}

// dot is the scalar product, in four sums: a processor adds them at the same time.
func dot(a, b []float32) float32 {
	var s0, s1, s2, s3 float32
	b = b[:len(a)]
	whole := len(a) &^ 3
	for i := 0; i < whole; i += 4 {
		s0, s1, s2, s3 = s0+a[i]*b[i], s1+a[i+1]*b[i+1], s2+a[i+2]*b[i+2], s3+a[i+3]*b[i+3]
	}
	for i := whole; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return s0 + s1 + s2 + s3
}
