package sensitive

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/viterin/vek/vek32"
)

// scripts/sensitive.py fits both from the lines of testdata to tune on.
//
//go:embed weights/words.f32
var wordWeights []byte

//go:embed weights/meaning.f32
var meaningWeights []byte

// vectorSize is how many numbers the vector of a text has, as package embed makes them.
const vectorSize = 256

// network is a layer of hidden units (rectified linear), and one output a topic.
type network struct {
	inputs, hidden int
	in, inBias     []float32 // hidden × inputs, row-major
	out, outBias   []float32 // topics × hidden, row-major
}

// readNetwork reads little-endian float32: the weights of each hidden unit, their biases, the
// weights of each topic, and their biases, from which the threshold is subtracted. How many
// hidden units there are follows from the length.
func readNetwork(data []byte, inputs int) (*network, error) {
	outputs := len(Topics())
	n := &network{inputs: inputs, hidden: (len(data)/4 - outputs) / (inputs + 1 + outputs)}
	if size := n.hidden*(inputs+1+outputs) + outputs; n.hidden < 1 || len(data) != 4*size {
		return nil, fmt.Errorf("%d bytes are no weights for %d features", len(data), inputs)
	}
	all := make([]float32, len(data)/4)
	for i := range all {
		all[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	for _, part := range []struct {
		of   *[]float32
		size int
	}{{&n.in, n.hidden * inputs}, {&n.inBias, n.hidden}, {&n.out, outputs * n.hidden}, {&n.outBias, outputs}} {
		*part.of, all = all[:part.size], all[part.size:]
	}
	return n, nil
}

// topics returns the topics whose output is positive.
func (n *network) topics(features []float32) (s Set) {
	hidden := make([]float32, n.hidden)
	for i := range hidden {
		hidden[i] = max(0, n.inBias[i]+vek32.Dot(n.in[i*n.inputs:][:n.inputs], features))
	}
	for i, bias := range n.outBias {
		if bias+vek32.Dot(n.out[i*n.hidden:][:n.hidden], hidden) > 0 {
			s |= 1 << i
		}
	}
	return s
}
