package topics

// linkage is average-linkage clustering under way.
type linkage struct {
	cosines [][]float32 // the mean cosine of the pairs of every two groups
	members [][]int     // nil: joined to another group
	nearest []int       // of each group; -1: there is no other
}

func newLinkage(vectors [][]float32) *linkage {
	n := len(vectors)
	l := &linkage{make([][]float32, n), make([][]int, n), make([]int, n)}
	for i := range n {
		l.cosines[i], l.members[i] = make([]float32, n), []int{i}
		for j := range i {
			cosine := dot(vectors[i], vectors[j])
			l.cosines[i][j], l.cosines[j][i] = cosine, cosine
		}
	}
	for i := range n {
		l.find(i)
	}
	return l
}

// find finds the group that is nearest to group i.
func (l *linkage) find(i int) {
	l.nearest[i] = -1
	for j, cosine := range l.cosines[i] {
		if j != i && l.members[j] != nil && (l.nearest[i] < 0 || cosine > l.cosines[i][l.nearest[i]]) {
			l.nearest[i] = j
		}
	}
}

// join joins the two groups that are nearest to each other, and tells whether they were near
// enough.
func (l *linkage) join() bool {
	a, b, best := -1, -1, float32(joinCosine)
	for i, j := range l.nearest {
		if l.members[i] != nil && j >= 0 && l.cosines[i][j] >= best && (a < 0 || l.cosines[i][j] > best) {
			a, b, best = i, j, l.cosines[i][j]
		}
	}
	if a < 0 {
		return false
	}
	sizeA, sizeB := float32(len(l.members[a])), float32(len(l.members[b]))
	l.members[a], l.members[b] = append(l.members[a], l.members[b]...), nil
	for k := range l.members {
		cosine := (sizeA*l.cosines[a][k] + sizeB*l.cosines[b][k]) / (sizeA + sizeB)
		l.cosines[a][k], l.cosines[k][a] = cosine, cosine
	}
	for k, j := range l.nearest {
		switch {
		case l.members[k] == nil:
		case k == a || j == a || j == b:
			l.find(k)
		case l.cosines[k][a] > l.cosines[k][j]:
			l.nearest[k] = a
		}
	}
	return true
}
