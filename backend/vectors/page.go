package vectors

import (
	"encoding/binary"
	"math"
	"slices"

	"keepsake/backend/search"
)

// class is the first byte of all keys; those of the search index, in the same store, begin
// with smaller ones.
const class = 8

// Keys: the header, pages by their number, and the probe. They say how many pages there are,
// no more.
var (
	headerKey   = []byte{class, 0}
	pagesPrefix = []byte{class, 1}
	probeKey    = []byte{class, 2}
)

func pageKey(n int) []byte { return binary.BigEndian.AppendUint32([]byte{class, 1}, uint32(n)) }

func pageNumber(key []byte) (int, bool) {
	if len(key) != len(pageKey(0)) {
		return 0, false
	}
	return int(binary.BigEndian.Uint32(key[2:])), true
}

// formatVersion changes when pages are written otherwise, or when other texts are embedded:
// then all vectors are made anew.
const formatVersion = 1

// header is what stands in the store beside the pages: whose vectors they are.
func (ix *Index) header() []byte {
	b := binary.BigEndian.AppendUint32([]byte{formatVersion}, uint32(ix.opt.Dimensions))
	return append(b, ix.opt.Model...)
}

// putHeader stores the header, and the probe where there is one.
func (ix *Index) putHeader(tx search.Tx) error {
	if err := tx.Put(headerKey, ix.header()); err != nil || ix.opt.Probe == nil {
		return err
	}
	var b []byte
	for _, x := range ix.opt.Probe {
		b = binary.BigEndian.AppendUint32(b, math.Float32bits(x))
	}
	return tx.Put(probeKey, b)
}

// StoredOptions says whose vectors a store has: their Model, Dimensions and Probe; no Model if
// it has none that this program can read.
func StoredOptions(store search.Store) (opt Options, err error) {
	err = store.View(func(tx search.Tx) error {
		header, err := tx.Get(headerKey)
		if err != nil || len(header) < 6 || header[0] != formatVersion {
			return err
		}
		opt = Options{Model: string(header[5:]), Dimensions: int(binary.BigEndian.Uint32(header[1:]))}
		probe, damaged := tx.Get(probeKey)
		if damaged == nil && len(probe) == 4*opt.Dimensions {
			for b := range slices.Chunk(probe, 4) {
				opt.Probe = append(opt.Probe, math.Float32frombits(binary.BigEndian.Uint32(b)))
			}
		}
		return nil
	})
	return opt, err
}

// isOwn tells whether the pages of a store are of this format and model.
func (ix *Index) isOwn(tx search.Tx) (bool, error) {
	header, err := tx.Get(headerKey)
	return string(header) == string(ix.header()), err
}

// slot says what a vector of a page stands for.
type slot struct {
	unit  search.Unit
	part  uint32
	scale float32 // of the codes; 0: the unit has no text
}

// slotSize is a slot in bytes: kind, part, sequence number, mark and scale.
const slotSize = 1 + 4 + 8 + 8 + 4

// page is a part of the vectors that is stored as one block: all slots, then all codes.
type page struct {
	slots []slot
	codes []int8 // a row for each slot; nil until the index is loaded
	dirty bool   // not as in the store

	// What a search compares, once the index is centered.
	signs []uint64  // of the numbers less the mean, a bit each
	norms []float32 // 1 by the length of the vector less the mean; 0: never found
}

// slotsOf is how many vectors fill a block.
func slotsOf(dimensions int) int { return search.MaxBlock / (slotSize + max(dimensions, 1)) }

func (ix *Index) newPage() *page {
	return &page{slots: make([]slot, 0, ix.size), codes: make([]int8, 0, ix.size*ix.opt.Dimensions)}
}

func (p *page) codesOf(i int) []int8 {
	dimensions := len(p.codes) / len(p.slots)
	return p.codes[i*dimensions:][:dimensions]
}

// numbers returns a vector as it was before it was quantized, nearly.
func (p *page) numbers(i int) []float32 {
	codes, scale := p.codesOf(i), p.slots[i].scale
	out := make([]float32, len(codes))
	for j, c := range codes {
		out[j] = float32(c) * scale
	}
	return out
}

// Code is a vector in 8 bits a number.
type Code struct {
	codes []int8
	scale float32
}

// Numbers returns the vector.
func (c Code) Numbers() []float64 {
	out := make([]float64, len(c.codes))
	for i, code := range c.codes {
		out[i] = float64(float32(code) * c.scale)
	}
	return out
}

// Dimensions is how many numbers the vector has.
func (c Code) Dimensions() int { return len(c.codes) }

// CopyTo copies the vector into numbers.
func (c Code) CopyTo(numbers []float32) {
	for i, code := range c.codes {
		numbers[i] = float32(code) * c.scale
	}
}

// take puts slot j of another page, or of the same, into the place of slot i.
func (p *page) take(i int, from *page, j int) {
	copy(p.codesOf(i), from.codesOf(j))
	p.slots[i], p.dirty = from.slots[j], true
	if p.signs != nil && from.signs != nil {
		words := len(p.signs) / len(p.norms)
		copy(p.signs[i*words:][:words], from.signs[j*words:])
		p.norms[i] = from.norms[j]
	}
}

// cut removes the last slot.
func (p *page) cut() {
	n := len(p.slots) - 1
	p.codes = p.codes[:n*len(p.codes)/len(p.slots)]
	p.slots, p.dirty = p.slots[:n], true
	if p.signs != nil {
		p.signs = p.signs[:n*len(p.signs)/len(p.norms)]
		p.norms = p.norms[:n]
	}
}

func (p *page) bytes() []byte {
	b := make([]byte, 0, len(p.slots)*slotSize+len(p.codes))
	for _, s := range p.slots {
		b = append(b, byte(s.unit.Kind))
		b = binary.LittleEndian.AppendUint32(b, s.part)
		b = binary.LittleEndian.AppendUint64(b, s.unit.Seq)
		b = binary.LittleEndian.AppendUint64(b, s.unit.Mark)
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(s.scale))
	}
	for _, c := range p.codes {
		b = append(b, byte(c))
	}
	return b
}

// parse reads a page, nil if it is not as bytes writes one.
func (ix *Index) parse(b []byte) *page {
	n := len(b) / (slotSize + ix.opt.Dimensions)
	if n == 0 || n > ix.size || n*(slotSize+ix.opt.Dimensions) != len(b) {
		return nil
	}
	p := ix.newPage()
	for range n {
		s := slot{unit: search.Unit{Kind: search.Kind(b[0]), Seq: binary.LittleEndian.Uint64(b[5:]), Mark: binary.LittleEndian.Uint64(b[13:])},
			part: binary.LittleEndian.Uint32(b[1:]), scale: math.Float32frombits(binary.LittleEndian.Uint32(b[21:]))}
		if !(s.scale >= 0 && s.scale <= 1) {
			return nil
		}
		p.slots, b = append(p.slots, s), b[slotSize:]
	}
	for _, c := range b {
		p.codes = append(p.codes, int8(c))
	}
	return p
}

// quantize writes numbers as codes of 8 bits and returns their scale.
func quantize(codes []int8, numbers []float32) (scale float32) {
	for _, x := range numbers {
		scale = max(scale, x, -x)
	}
	scale /= math.MaxInt8
	for i, x := range numbers {
		codes[i] = int8(math.RoundToEven(float64(x / scale)))
	}
	return scale
}

// ofLength1 scales numbers, which have nearly this length since they were quantized.
func ofLength1(numbers []float32) []float32 {
	sum := 0.0
	for _, x := range numbers {
		sum += float64(x) * float64(x)
	}
	length := float32(math.Sqrt(sum))
	for i := range numbers {
		numbers[i] /= length
	}
	return numbers
}

// isUnit tells whether numbers have length 1; those with a NaN among them have not.
func isUnit(numbers []float32) bool {
	sum := 0.0
	for _, x := range numbers {
		sum += float64(x) * float64(x)
	}
	return math.Abs(sum-1) < 1e-3
}
