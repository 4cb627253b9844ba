package jsonstream

import (
	"context"
	"errors"
	"io"
	"slices"

	"keepsake/backend/fault"
)

// scanner finds where JSON values end, counting brackets and quotes only. It
// holds one window of input and one value, and refuses by size as it reads.
type scanner struct {
	ctx   context.Context
	r     io.Reader
	buf   []byte
	pos   int
	have  int    // bytes of buf that are input
	lent  bool   // somebody holds what lies before pos: nothing there is written over
	base  int64  // bytes of input before buf
	ended error  // why there is no more input, io.EOF at its end
	limit int64  // bytes of one value
	most  int    // bytes of one that is kept in one piece, where apart is set
	nests *Nests // what it may hold beyond maxDepth, nil for nothing
	fast  fastPath

	apart  bool     // a value over most is kept in blocks, and its seams are found
	blocks [][]byte // what of the value stands before out
	seams  seams

	out    []byte // the value so far; nothing is kept once it is broken
	size   int64  // its bytes, kept or not
	levels int    // its open brackets, where most of them were open
	commas []int  // of those that are open, from 1; scratch space
	broken *fault.Error
}

// keepBuffer is how large a buffer may stay between values, in bytes.
const keepBuffer = 16 << 20

// window is how much input lies in memory at least, in bytes. Values are given
// on where they lie, so it holds several.
const window = 256 << 10

func (s *scanner) offset() int64 { return s.base + int64(s.pos) }

// fill reads the next window. At the end of input it is io.EOF.
func (s *scanner) fill() error {
	if s.have == len(s.buf) {
		s.room(1)
	}
	return s.read()
}

// room moves what was not taken yet, so that n bytes of input fit behind pos.
func (s *scanner) room(n int) {
	if s.pos+n <= len(s.buf) {
		return
	}
	into := s.buf
	if n = max(n, window); s.lent || n > len(into) {
		into = make([]byte, n)
	}
	s.move(into)
}

// move makes into the window.
func (s *scanner) move(into []byte) {
	s.base += int64(s.pos)
	s.have = copy(into, s.buf[s.pos:s.have])
	s.buf, s.pos, s.lent = into, 0, false
}

// read adds to the window. What came with an error is input, and the error that
// of the next read.
func (s *scanner) read() error {
	if s.ended != nil {
		return s.ended
	}
	if err := s.ctx.Err(); err != nil {
		return err
	}
	n, err := s.r.Read(s.buf[s.have:])
	s.have += n
	if s.ended = err; n > 0 {
		return nil
	}
	return err
}

// reach gives the next bytes of input in one piece and leaves them to be read:
// n, or fewer where there are no more. Its error is a reason to stop at once;
// that of the input comes to who reads that far.
func (s *scanner) reach(n int) ([]byte, error) {
	s.room(n)
	for s.have < s.pos+n && s.ended == nil {
		if err := s.read(); err != nil && s.ended == nil {
			return nil, err
		}
	}
	return s.buf[s.pos:min(s.have, s.pos+n)], nil
}

// whole is the value that begins at pos, an object or array, where it is valid beyond doubt
// and within every limit; nil where that is not so, or where it ends too late.
// It stays in the window, to be read.
func (s *scanner) whole() ([]byte, error) {
	if classes[s.buf[s.pos]] != opening {
		return nil, nil
	}
	s.fast.start()
	for most := min(s.limit, int64(s.most)); ; {
		switch s.fast.run(s.buf[s.pos:s.have]) {
		case valid:
			if end := s.pos + s.fast.at; int64(s.fast.at) <= most {
				return s.buf[s.pos:end:end], nil
			}
			return nil, nil
		case doubt:
			return nil, nil
		}
		had := s.have - s.pos
		if int64(had) > most {
			return nil, nil
		}
		if s.have == len(s.buf) {
			s.room(had + had/2 + 1)
		}
		if more, err := s.reach(had + 1); err != nil || len(more) == had {
			return nil, err
		}
	}
}

// rest reads what is left, for what only its end tells: that an archive is damaged
// says more than what is wrong with a text because of it.
func (s *scanner) rest() error {
	for p := make([]byte, window); s.ended == nil; {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		_, s.ended = s.r.Read(p)
	}
	if errors.Is(s.ended, io.EOF) {
		return nil
	}
	return s.ended
}

// back gives what value took from that place of it on to be read once more.
func (s *scanner) back(from int) {
	again := s.out[from:]
	s.base = s.offset() - int64(len(again))
	s.buf = append(again, s.buf[s.pos:s.have]...)
	s.pos, s.have, s.lent = 0, len(s.buf), false
	s.out = nil
}

// lend steps over a value that whole gave, for somebody to keep.
func (s *scanner) lend(v []byte) {
	s.pos += len(v)
	s.lent = true
}

// byteAt gives the byte at pos, reading on where needed.
func (s *scanner) byteAt() (byte, error) {
	for s.pos >= s.have {
		if err := s.fill(); err != nil {
			return 0, err
		}
	}
	return s.buf[s.pos], nil
}

// skipMark leaves out a UTF-8 byte order mark.
func (s *scanner) skipMark() error {
	for _, want := range []byte{0xEF, 0xBB, 0xBF} {
		c, err := s.byteAt()
		if errors.Is(err, io.EOF) {
			return errNotJSON // nothing, or nothing but a piece of the mark
		}
		if err != nil {
			return err
		}
		if c != want {
			return nil
		}
		s.pos++
	}
	return nil
}

// peek gives the next byte that is not white space. An end there is a truncation.
func (s *scanner) peek() (byte, error) {
	for {
		c, err := s.byteAt()
		if errors.Is(err, io.EOF) {
			return 0, io.ErrUnexpectedEOF
		}
		if err != nil || classes[c] != space {
			return c, err
		}
		s.pos++
	}
}

// separator steps over the comma between two elements, or over the bracket
// that ends them. A comma before the bracket is let through.
func (s *scanner) separator(end byte, first bool) (more bool, err error) {
	c, err := s.peek()
	if err != nil {
		return false, err
	}
	if c == ',' && !first {
		s.pos++
		if c, err = s.peek(); err != nil {
			return false, err
		}
	} else if !first && c != end {
		return false, errNotJSON
	}
	if c == end {
		s.pos++
		return false, nil
	}
	return true, nil
}

// end checks that nothing but white space and NUL padding follows.
func (s *scanner) end() error {
	for {
		c, err := s.byteAt()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if classes[c] != space && c != 0 {
			return errTrailing
		}
		s.pos++
	}
}

// start begins a new value.
func (s *scanner) start() {
	if cap(s.out) > keepBuffer {
		s.out = nil
	}
	s.out, s.size, s.levels, s.broken = s.out[:0], 0, 0, nil
	s.blocks, s.seams = nil, seams{}
}

func (s *scanner) keep(c byte) {
	s.size++
	if s.broken == nil {
		s.out = append(s.out, c)
	}
}

func (s *scanner) keepAll(p []byte) {
	s.size += int64(len(p))
	if s.size > s.limit {
		s.refuse(fault.New(fault.TooLarge, "item-too-large", "Item {at} of {name} is larger than {limit} MiB and was left out.").
			With("limit", s.limit>>20))
	}
	switch {
	case s.broken != nil:
	case s.apart && s.size > int64(s.most):
		s.keepBlock(p)
	default:
		s.out = append(s.out, p...)
	}
}

// keepBlock is keepAll in blocks: a buffer that grows would be in memory twice.
// What is a block by itself stays where it lies in the window.
func (s *scanner) keepBlock(p []byte) {
	size := s.most / 4
	if s.blocks == nil || len(s.out)+len(p) > max(size, cap(s.out)) {
		s.blocks = append(s.blocks, s.out)
		s.out = make([]byte, 0, size)
	}
	if len(p) < size {
		s.out = append(s.out, p...)
		return
	}
	s.blocks = append(s.blocks, p[:len(p):len(p)])
	s.lent = true
}

// all are the blocks of the value, the last one included.
func (s *scanner) all() [][]byte { return append(s.blocks, s.out) }

// joined is the value in one piece.
func (s *scanner) joined() []byte {
	if s.blocks != nil {
		s.out, s.blocks = slices.Concat(s.all()...), nil
	}
	return s.out
}

// deepest is how many brackets of a value may be open.
func (s *scanner) deepest() int {
	if s.nests == nil {
		return maxDepth
	}
	return s.nests.Depth
}

func (s *scanner) tooDeep() *fault.Error {
	if s.nests == nil {
		return tooDeep()
	}
	return s.nests.tooDeep()
}

// refuse marks the value as one that is only skipped over.
func (s *scanner) refuse(f *fault.Error) {
	if s.broken == nil {
		s.broken, s.out, s.blocks = f, s.out[:0], nil
	}
}

// class of a byte outside strings.
type class byte

const (
	other class = iota
	space
	quote
	opening
	closing
	comma
	colon
)

var classes = [256]class{
	' ': space, '\t': space, '\n': space, '\r': space,
	'"': quote, '{': opening, '[': opening, '}': closing, ']': closing, ',': comma, ':': colon,
}

// value takes one value into out, white space before it left out. Broken says
// why it is not kept; err is the end of everything.
func (s *scanner) value() (broken *fault.Error, err error) {
	if _, err := s.peek(); err != nil {
		return nil, err
	}
	n := nesting{s: s}
	for done := false; !done; {
		if _, err := s.byteAt(); errors.Is(err, io.EOF) {
			return nil, io.ErrUnexpectedEOF
		} else if err != nil {
			return nil, err
		}
		var used int
		used, done = n.take(s.buf[s.pos:s.have])
		s.keepAll(s.buf[s.pos : s.pos+used])
		s.pos += used
	}
	return s.broken, nil
}

// nesting walks the structure of one value across windows.
type nesting struct {
	s        *scanner
	depth    int
	inString bool
	escaped  bool
	length   int // of the running string or literal
}

// take walks over p and says how many bytes belong to the value and whether it
// ended there.
func (n *nesting) take(p []byte) (used int, done bool) {
	for i := 0; i < len(p); {
		if n.inString {
			i += n.string(p[i:])
			if !n.inString && n.depth == 0 {
				return i, true
			}
			continue
		}
		switch classes[p[i]] { // the commonest first, without a call
		case quote:
			n.inString, n.length = true, 0
			i++
			continue
		case other:
			i += n.literal(p[i:])
			continue
		}
		if n.depth <= 2 && n.s.apart {
			n.s.seams.meet(p[i], n.depth, n.s.size+int64(i), n.s.most)
		}
		before, finished := n.structure(p[i])
		if finished {
			if before {
				return i, true
			}
			return i + 1, true
		}
		i++
	}
	return len(p), false
}

// literal walks over a number or a word and says how many bytes that took.
func (n *nesting) literal(p []byte) int {
	i := 1
	for i < len(p) && classes[p[i]] == other {
		i++
	}
	if n.length += i; n.length > maxLiteral {
		n.s.refuse(fault.New(fault.TooLarge, "number-too-long", "A number in item {at} of {name} is written with more than {limit} characters; the item was left out.").
			With("limit", maxLiteral))
	}
	return i
}

// string walks to the end of a string or of p and says how many bytes that took.
// An escape cut in two by the end of p is remembered.
func (n *nesting) string(p []byte) int {
	from := 0
	if n.escaped {
		from = 1
	}
	end, closed := stringEnd(p, from)
	n.inString = !closed
	n.escaped = end > len(p)
	end = min(end, len(p))
	if n.length += end; n.length > maxString {
		n.s.refuse(fault.New(fault.TooLarge, "text-too-long", "A text in item {at} of {name} is longer than {limit} bytes; the item was left out.").
			With("limit", maxString))
	}
	return end
}

// structure takes one byte that is neither of a string nor of a literal. Finished means the value ended
// with it, or before it where it already belongs to what follows.
func (n *nesting) structure(c byte) (before, finished bool) {
	switch classes[c] {
	case space:
		if n.depth == 0 {
			return true, true
		}
		n.length = 0
	case opening:
		n.open()
	case closing:
		if n.depth == 0 {
			return true, true
		}
		n.depth--
		n.length = 0
		return false, n.depth == 0
	case comma, colon:
		if n.depth == 0 {
			return true, true
		}
		n.count(c)
	}
	return false, false
}

func (n *nesting) open() {
	n.depth++
	n.length = 0
	if n.s.levels = max(n.s.levels, n.depth); n.depth > n.s.deepest() {
		if n.s.broken == nil { // a sentence for each bracket would take minutes
			n.s.refuse(n.s.tooDeep())
		}
		return
	}
	for len(n.s.commas) <= n.depth {
		n.s.commas = append(n.s.commas, 0)
	}
	n.s.commas[n.depth] = 0
}

func (n *nesting) count(c byte) {
	n.length = 0
	if c != ',' || n.depth > n.s.deepest() {
		return
	}
	if n.s.commas[n.depth]++; n.s.commas[n.depth] >= maxMembers {
		n.s.refuse(fault.New(fault.TooLarge, "item-too-wide", "Item {at} of {name} holds a list of more than {limit} entries and was left out.").
			With("limit", maxMembers))
	}
}
