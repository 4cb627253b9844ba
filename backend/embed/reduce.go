package embed

import (
	_ "embed"
	"encoding/binary"
	"math"

	"github.com/viterin/vek/vek32"
)

// Reduced is how many numbers Reduce keeps of Dimensions.
const Reduced = 256

// projectionRows is a matrix of Reduced × Dimensions, row-major, in int16 of 1/32767, that
// scripts/projection.py makes. Its rows are of length 1 and at right angles to each other:
// the principal components of the vocabulary, turned so that all numbers vary alike.
//
//go:embed projection.i16
var projectionRows []byte

func readProjection() []float32 {
	matrix := make([]float32, Reduced*Dimensions)
	for i := range matrix {
		matrix[i] = float32(int16(binary.LittleEndian.Uint16(projectionRows[2*i:]))) / math.MaxInt16
	}
	return matrix
}

// meanRows are the mean vectors of texts and of questions, reduced, in float32, that
// scripts/means.py makes.
//
//go:embed means.f32
var meanRows []byte

const (
	textMean = iota
	questionMean
)

func readMean(row int) []float32 {
	mean := make([]float32, Reduced)
	for i := range mean {
		mean[i] = math.Float32frombits(binary.LittleEndian.Uint32(meanRows[4*(row*Reduced+i):]))
	}
	return mean
}

// Reduce turns a vector of Embed into one of half the size, Reduced numbers of length 1, that
// is as good for comparing. It is nil of what is no such vector: one of another size, of
// zeros, or with a number that is none.
func (m *Model) Reduce(vector []float32) []float32 {
	if len(vector) != Dimensions {
		return nil
	}
	out := make([]float32, Reduced)
	for i := range out {
		out[i] = vek32.Dot(m.projection[i*Dimensions:][:Dimensions], vector)
	}
	length := vek32.Norm(out)
	if !(length > 0) || math.IsInf(float64(length), 0) {
		return nil
	}
	vek32.DivNumber_Inplace(out, length)
	return out
}
