package embed

// Similarity is a cosine on a scale from 0 to 1 that people can set a limit on. The cosine is
// one of vectors from which the mean of their kind was subtracted. It is linear between these
// points, which come from the paraphrases to tune on, among 5,500 other texts of their language;
// TestRanking holds them, docs/embeddings.md has what else lies above them.
//
//	0     0     nothing in common, or the opposite
//	0.14  0.7   four of five memories lie above for a question that they answer, and one of 24 others
//	0.32  0.8   one of a thousand others lies above
//	0.77  0.95  the same sentence in two languages
//	1     1     the same text
//
// Two memories are a little closer than a question and a memory that have nothing to do with
// each other: of those, one of a thousand lies above 0.33 to 0.41, by language.
func Similarity(cosine float64) float64 {
	points := [][2]float64{{0, 0}, {0.14, 0.7}, {0.32, 0.8}, {0.77, 0.95}, {1, 1}}
	for i, to := range points[1:] {
		if from := points[i]; cosine < to[0] {
			return max(0, from[1]+(cosine-from[0])/(to[0]-from[0])*(to[1]-from[1]))
		}
	}
	return 1
}
