package embed

import (
	"context"
	"sync"
)

// Encoder is the built-in model, loaded when it is first asked. Its zero value is ready.
type Encoder struct {
	once  sync.Once
	model *Model
	err   error
}

// Name says how its vectors were made: the model, and how many of its numbers are kept.
// Change it when texts are read otherwise: vectors with another name are made anew.
func (e *Encoder) Name() string { return Name + "/256-2" }

// Dimensions is the size of its vectors.
func (e *Encoder) Dimensions() int { return Reduced }

// Mean is the mean vector of texts in general.
func (e *Encoder) Mean() []float32 { return readMean(textMean) }

// QuestionMean is the mean vector of questions.
func (e *Encoder) QuestionMean() []float32 { return readMean(questionMean) }

// Similarity is that of two texts, from 0 to 1.
func (e *Encoder) Similarity(cosine float64) float64 { return Similarity(cosine) }

// Embed returns a vector of length 1 for each text, as its owner would say it.
func (e *Encoder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	e.once.Do(func() { e.model, e.err = Load() })
	if e.err != nil {
		return nil, e.err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	said := make([]string, len(texts))
	for i, text := range texts {
		said[i] = FirstPerson(text)
	}
	vectors := e.model.Embed(said...)
	for i, v := range vectors {
		if vectors[i] = e.model.Reduce(v); vectors[i] == nil {
			return nil, errDamaged()
		}
	}
	return vectors, nil
}
