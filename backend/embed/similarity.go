package embed

// Similarity is a cosine on a scale from 0 to 1 that people can set a limit on. The cosine is
// one of vectors from which the mean of their collection was subtracted. It is linear between
// these points of the set to tune on; TestRanking holds the second, docs/embeddings.md has
// what lies above it without an answer being there.
//
//	0     0    nothing in common, or the opposite
//	0.06  0.7  four of five memories lie above for a query that they answer
//	0.77  0.9  the same sentence in two languages
//	1     1    the same text
func Similarity(cosine float64) float64 {
	points := [][2]float64{{0, 0}, {0.06, 0.7}, {0.77, 0.9}, {1, 1}}
	for i, to := range points[1:] {
		if from := points[i]; cosine < to[0] {
			return max(0, from[1]+(cosine-from[0])/(to[0]-from[0])*(to[1]-from[1]))
		}
	}
	return 1
}
