package jsonstream

import (
	"bytes"
	"crypto/sha256"
	"hash/maphash"
	"iter"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// A conversation of hundreds of thousands of messages is read a piece at a time:
// each is let go of once it was translated, so that the text and what was read of it
// are not in memory together.

// Pieces are what of one member of an element was cut off behind its first members or
// items: further ones, in order. Each is an object or array of its own, in memory of
// its own, of some 256 KiB, or more where a single member is larger.
type Pieces struct {
	Of   string // the name of the member
	Size int    // bytes that the element has more than was given of it
	List []jsontext.Value
}

// Taken yields the pieces for the last time: each is let go of before the next.
func (p Pieces) Taken() iter.Seq[jsontext.Value] {
	return func(yield func(jsontext.Value) bool) {
		for i, v := range p.List {
			p.List[i] = nil
			if !yield(v) {
				return
			}
		}
	}
}

// seams are the places at which a value can be taken apart, from its first byte on.
type seams struct {
	from  int64 // of the list that was opened last
	last  int64 // where it was cut last
	lists []seamed
}

// seamed is an object or array right inside a value, and the commas between its
// pieces.
type seamed struct {
	from, end int64 // of its brackets
	commas    []int64
}

// meet takes what stands, in a value that is over most bytes or not, outside its
// strings and not below the lists right inside it.
func (s *seams) meet(c byte, depth int, at int64, most int) {
	open := len(s.lists) > 0 && s.lists[len(s.lists)-1].from == s.from
	switch class := classes[c]; {
	case depth == 1 && class == opening:
		s.from, s.last = at, at
	case depth == 2 && class == comma && at-s.last >= int64(most/64):
		if !open {
			s.lists = append(s.lists, seamed{from: s.from})
		}
		l := &s.lists[len(s.lists)-1]
		l.commas, s.last = append(l.commas, at), at
	case depth == 2 && class == closing && open:
		s.lists[len(s.lists)-1].end = at
	}
}

// parted is a value that was taken apart: what stands before its list, the pieces of
// the list, and what follows them, from the bracket that ends it. Joined they are the
// value as it stands in the file.
type parted struct {
	of            string
	before, after []byte
	pieces        []jsontext.Value // with brackets of their own
}

// takeApart takes the value of the scanner apart, at the first list with one of these
// names. Without one of them all of it is before.
func (s *scanner) takeApart(names []string) parted {
	from := &blocks{left: s.all()}
	s.out, s.blocks = nil, nil
	s.move(make([]byte, max(window, s.have-s.pos))) // it has grown with the value
	var p parted
	for _, l := range s.seams.lists {
		p.before = from.upTo(p.before, l.from)
		if p.of = lastName(p.before, names); p.of == "" {
			continue
		}
		bracket := []byte{from.left[0][0], from.left[0][0] + 2} // as ASCII has them
		from.step(1)
		for _, to := range append(l.commas, l.end) {
			piece := append(make([]byte, 0, to-from.at+2), bracket[0])
			piece = append(from.upTo(piece, to), bracket[1])
			p.pieces = append(p.pieces, piece)
			if to != l.end { // a comma
				from.step(1)
			}
		}
		p.after = from.upTo(nil, s.size)
		return p
	}
	p.before = from.upTo(slices.Grow(p.before, int(s.size-from.at)), s.size)
	return p
}

// lastName is the name, one of these, of the value that begins behind the text; "" where it
// has another. In front of a quote inside a string there is a backslash.
func lastName(text []byte, names []string) string {
	end := skipBack(text, len(text)-1)
	if end < 0 || text[end] != ':' {
		return ""
	}
	text = text[:skipBack(text, end-1)+1]
	for _, name := range names {
		if rest, ok := bytes.CutSuffix(text, []byte(`"`+name+`"`)); ok && !bytes.HasSuffix(rest, []byte(`\`)) {
			return name
		}
	}
	return ""
}

// blocks are a value that is read from its beginning to its end, and let go of.
type blocks struct {
	left [][]byte
	at   int64 // bytes that were read
}

// upTo adds what comes before that place of the value. A block whose end was reached is
// let go of.
func (b *blocks) upTo(out []byte, to int64) []byte {
	for b.at < to {
		n := min(int64(len(b.left[0])), to-b.at)
		out = append(out, b.left[0][:n]...)
		b.step(int(n))
	}
	return out
}

// step leaves bytes out that lie in the first block.
func (b *blocks) step(n int) {
	b.at += int64(n)
	b.left[0] = b.left[0][n:]
	for len(b.left) > 0 && len(b.left[0]) == 0 {
		b.left[0] = nil
		b.left = b.left[1:]
	}
}

// texts are the value in the order of the file.
func (p *parted) texts() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if !yield(p.before) {
			return
		}
		for i, piece := range p.pieces {
			between := []byte{','}
			if i == 0 {
				between = piece[:1]
			}
			if !yield(between) || !yield(piece[1:len(piece)-1]) {
				return
			}
		}
		yield(p.after)
	}
}

// joined is the value in one piece.
func (p *parted) joined() []byte {
	if len(p.pieces) == 0 {
		return p.before
	}
	return bytes.Join(slices.Collect(p.texts()), nil)
}

// SumOf is the sum of a text that is in parts.
func SumOf[Part ~[]byte](parts iter.Seq[Part]) [32]byte {
	h := sha256.New()
	for part := range parts {
		h.Write(part)
	}
	return [32]byte(h.Sum(nil))
}

// rest is the value with no more of the list than its first piece.
func (p *parted) rest() jsontext.Value {
	first := p.pieces[0]
	return slices.Concat(p.before, first[:len(first)-1], p.after)
}

// checked is p with what is only wrong in its Unicode mended, and its rest, as the
// function of that name has them in one piece. Ok is false where anything else is to
// be said of it, and where a name of the list stands in it twice: then p is as it was.
func (p *parted) checked() (out parted, rest jsontext.Value, replaced int, ok bool) {
	if len(p.pieces) == 0 {
		return parted{}, nil, 0, false
	}
	out = parted{of: p.of, before: p.before, after: p.after, pieces: slices.Clone(p.pieces)}
	for i, piece := range out.pieces {
		v, n, ok := mended(piece)
		if !ok || skipSpace(v, 1) == len(v)-1 { // a comma that nothing stands before or behind
			return parted{}, nil, 0, false
		}
		out.pieces[i] = v
		replaced += n
	}
	if rest = out.rest(); !rest.IsValid() {
		var first, last int
		out.before, first = repair(p.before)
		out.after, last = repair(p.after)
		rest, replaced = out.rest(), replaced+first+last
	}
	return out, rest, replaced, rest.IsValid() && out.unlike()
}

// mended is a value that is valid but for its Unicode, and how much of that was
// replaced.
func mended(v jsontext.Value) (jsontext.Value, int, bool) {
	if v.IsValid() {
		return v, 0, true
	}
	v, n := repair(v)
	return v, n, v.IsValid()
}

// unlike reports that no two names of the list are the same, whatever piece they are in.
func (p *parted) unlike() bool {
	seed := maphash.MakeSeed()
	var hashes []uint64
	for _, piece := range p.pieces {
		for name := range Pairs(piece) {
			text, plain := Plain(name)
			if !plain {
				s, _ := Text(name)
				text = []byte(s)
			}
			hashes = append(hashes, maphash.Bytes(seed, text))
		}
	}
	return distinct(hashes)
}

// giveApart yields an element that is in blocks. One that cannot be taken apart, or
// of which more is to be said than that its Unicode was mended, is given as any other.
func (s *Stream) giveApart(yield func(jsontext.Value, error) bool) error {
	s.next.sum, s.next.outline = SumOf(slices.Values(s.scan.all())), Outline{}
	if s.Known != nil && s.Known.Known(s.next.sum) {
		s.next.index++
		return s.pass(yield)
	}
	p := s.scan.takeApart(s.Apart)
	out, rest, n, ok := p.checked()
	if !ok {
		s.scan.out = p.joined()
		p.pieces = nil
		return s.give(s.scan.out, nil, s.swallowed, yield)
	}
	p.pieces = nil // out has them, to let go of one at a time
	s.next.index++
	return s.givePieces(&out, rest, n, yield)
}

func (s *Stream) givePieces(p *parted, rest jsontext.Value, replaced int, yield func(jsontext.Value, error) bool) error {
	if replaced > 0 {
		s.next.sum = SumOf(p.texts())
		s.next.mended.replaced += replaced
	}
	s.next.pieces = Pieces{Of: p.of, List: p.pieces[1:]}
	for _, piece := range s.next.pieces.List {
		s.next.pieces.Size += len(piece) - 1 // one of its brackets is a comma there
	}
	p.pieces[0] = nil
	return s.sent(yield(rest, nil))
}
