package jsonstream

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
)

// Limits of one element of a stream. Real conversations stay far below all of
// them; what is over one is a bad element, not a bad file.
const (
	MaxElement = 256 << 20 // bytes of one conversation
	maxString  = 64 << 20  // bytes of one string as written
	maxDepth   = 128       // open brackets, the element's own included
	maxMembers = 500_000   // commas inside one object or array
	maxLiteral = 16 << 10  // bytes of one number or word; what needs none of it keeps it as it is written
)

// Stream cuts a JSON text into elements without ever holding more than one:
// the elements of a top-level array, of the array under one member of a
// top-level object, or that object itself. A byte order mark is skipped,
// invalid UTF-8, lone surrogates and raw control characters are replaced and
// counted, and of duplicate names the last counts: see [Doubled].
type Stream struct {
	// Name says in faults which file it is; "the file" when empty.
	Name string
	// Max is the largest element in bytes; zero is MaxElement.
	Max int64
	// Under names the member that may hold the elements; "conversations" when empty.
	Under string
	// Also names further members whose arrays hold elements; In tells which one
	// an element comes from.
	Also []string
	// Apart names members of an element that may hold very many: an element over
	// 16 MiB is given without most of the first that does, and [Stream.Pieces] has
	// what was cut off.
	Apart []string
	// Nests, where set, says what an element may hold beyond the depth of others: one
	// that does is given without it, and [Stream.Nodes] has that.
	Nests *Nests
	// Known, where set, is asked about each element as it stands in the file, on
	// another goroutine than the loop's. What is known is neither checked nor
	// given: the loop gets ErrKnown.
	Known Known

	scan   scanner
	next   element // that being cut, ahead of now
	now    element // that given last
	good   int     // elements given that could be read
	reread int     // bytes gone over again behind an element that went wrong
	wasted int     // bytes hashed for an outline that was wrong
}

// Known is the side of a Sink that a Stream asks.
type Known interface {
	Known(sum [32]byte) bool
	Foreseen(start uint32) (size int)
}

// ErrKnown stands in for an element that Stream.Known knew.
var ErrKnown = errors.New("known element")

// NewStream reads from r, which it never closes.
func NewStream(name string, r io.Reader) *Stream {
	return &Stream{Name: name, scan: scanner{r: r, buf: make([]byte, window), most: keepBuffer}}
}

// Elements is a Stream of r with nothing but its elements. Max 0 is MaxElement.
func Elements(ctx context.Context, r io.Reader, max int64) iter.Seq2[jsontext.Value, error] {
	s := NewStream("", r)
	s.Max = max
	return s.All(ctx)
}

// Index counts elements so far: inside a loop over All it is the position of
// the current one, from 1, bad ones included.
func (s *Stream) Index() int { return s.now.index }

// In is the name of the member that the current element comes from; "" for
// elements of a top-level array and for a top-level object.
func (s *Stream) In() string { return s.now.in }

// Replaced counts the sequences replaced so far because they were no Unicode.
func (s *Stream) Replaced() int { return s.now.mended.replaced }

// Doubled counts the members so far that a later one of the same name stands for.
func (s *Stream) Doubled() int { return s.now.mended.doubled }

// Sum is the SHA-256 of the current element, which All has gone over for it:
// as it stands in the file where it is known or has nodes, as it is given otherwise.
func (s *Stream) Sum() [32]byte { return s.now.sum }

// Outline is that of the current element, none where it was mended.
func (s *Stream) Outline() Outline { return s.now.outline }

// Ends are those of the current element, none where it was mended.
func (s *Stream) Ends() Ends { return s.now.ends }

// Pieces are those of the current element, none where it is given whole.
func (s *Stream) Pieces() Pieces { return s.now.pieces }

// Nodes are those of the current element, none where it is given whole.
func (s *Stream) Nodes() []Node { return s.now.nodes }

// Offset is how many bytes of the text have been cut so far.
func (s *Stream) Offset() int64 { return s.scan.offset() }

// BadElement is an element that could not be taken while the rest of the file
// can: the loop may go on after it.
type BadElement struct {
	Index int // from 1
	Fault *fault.Error
}

func (e *BadElement) Error() string { return e.Fault.Error() }
func (e *BadElement) Unwrap() error { return e.Fault }

// All yields each element as validated JSON, which is the loop's own. An error
// that is a *BadElement concerns one element; after any other the sequence
// ends, and what came before it stands. Reading, cutting and checking go on in
// a goroutine of their own, some elements ahead of the loop.
func (s *Stream) All(ctx context.Context) iter.Seq2[jsontext.Value, error] {
	return func(yield func(jsontext.Value, error) bool) {
		reading, stop := context.WithCancel(ctx)
		batches := make(chan []element)
		p := &prefetcher{s: s, ctx: reading, out: batches}
		go p.run()
		defer func() {
			stop()
			for range batches { // whoever reads may not be left behind
			}
		}()
		for batch := range batches {
			for i, e := range batch {
				batch[i] = element{} // the loop's own: a large one goes as soon as it was read
				if err := ctx.Err(); err != nil {
					yield(nil, s.explain(err))
					return
				}
				s.now = e
				s.now.value = nil // which only the loop's body may hold
				if e.bad == nil || errors.Is(e.bad, ErrKnown) {
					s.good++
				}
				if !yield(e.value, e.bad) {
					return
				}
			}
		}
		if p.panicked != nil {
			panic(p.panicked)
		}
		s.now.mended = s.next.mended
		if p.err != nil {
			yield(nil, s.explain(p.err))
		}
	}
}

func (s *Stream) walk(yield func(jsontext.Value, error) bool) error {
	if err := s.top(yield); err != nil {
		return err
	}
	return s.scan.end()
}

func (s *Stream) top(yield func(jsontext.Value, error) bool) error {
	if err := s.scan.skipMark(); err != nil {
		return err
	}
	switch c, err := s.scan.peek(); {
	case err != nil:
		return err
	case c == '[':
		return s.array(yield)
	case c == '{':
		return s.object(yield)
	}
	return errNotJSON
}

func (s *Stream) array(yield func(jsontext.Value, error) bool) error {
	s.scan.pos++
	for first := true; ; first = false {
		more, err := s.scan.separator(']', first)
		if err != nil || !more {
			return err
		}
		if err := s.element(yield); err != nil {
			return err
		}
	}
}

// element cuts, checks and yields one element.
func (s *Stream) element(yield func(jsontext.Value, error) bool) error {
	s.scan.start()
	s.next.ends, s.next.pieces, s.next.nodes = Ends{}, Pieces{}, nil
	if ok, err := s.foreseen(); err != nil {
		return err
	} else if ok {
		s.next.index++
		return s.pass(yield)
	}
	raw, err := s.scan.whole()
	if err != nil {
		return err
	}
	if raw != nil {
		return s.giveWhole(raw, yield)
	}
	s.scan.apart = len(s.Apart) > 0
	broken, err := s.scan.value()
	s.scan.apart = false
	if err == io.ErrUnexpectedEOF && s.scan.broken == nil { // that of the text, not of what it lies in
		return s.overrun(yield)
	}
	if err != nil {
		return err
	}
	if s.scan.blocks != nil {
		return s.giveApart(yield)
	}
	return s.give(s.scan.out, broken, s.swallowed, yield)
}

// giveWhole yields an element that is valid as it lies in the window.
func (s *Stream) giveWhole(raw []byte, yield func(jsontext.Value, error) bool) error {
	s.next.index++
	s.next.sum, s.next.outline = sha256.Sum256(raw), outlineOf(raw)
	if s.Known != nil && s.Known.Known(s.next.sum) {
		s.scan.pos += len(raw)
		return s.pass(yield)
	}
	s.scan.lend(raw)
	s.next.ends = Ends{raw, slices.Clone(s.scan.fast.big)}
	return s.sent(yield(raw, nil))
}

// maxWasted bounds what outlines may cost that fit an element and are wrong, in
// bytes of one stream.
const maxWasted = 64 << 20

// foreseen steps over an element that is known by its outline and its sum.
func (s *Stream) foreseen() (bool, error) {
	if s.Known == nil || s.wasted > maxWasted {
		return false, nil
	}
	begin, err := s.scan.reach(outlineBytes)
	if err != nil || len(begin) < outlineBytes || classes[begin[0]] != opening {
		return false, err
	}
	size := s.Known.Foreseen(startOf(begin))
	if size < outlineBytes || size > keepBuffer || int64(size) > s.scan.limit {
		return false, nil
	}
	raw, err := s.scan.reach(size)
	if err != nil || len(raw) < size {
		return false, err
	}
	s.next.sum, s.next.outline = sha256.Sum256(raw), Outline{}
	if !s.Known.Known(s.next.sum) {
		s.wasted += size
		return false, nil
	}
	s.scan.pos += size
	return true, nil
}

// pass gives word of an element that is known.
func (s *Stream) pass(yield func(jsontext.Value, error) bool) error {
	return s.sent(yield(nil, ErrKnown))
}

// sent is why the walk ends behind an element that was given: nil where it goes on, or
// where the loop was left.
func (s *Stream) sent(more bool) error {
	if more {
		return nil
	}
	return s.scan.ctx.Err()
}

// give yields an element once it was looked through. Why says, where it is set, what
// is wrong with one that is no JSON; nil for nothing in particular.
func (s *Stream) give(raw []byte, broken *fault.Error, why func() *fault.Error, yield func(jsontext.Value, error) bool) error {
	s.next.index++
	s.next.sum, s.next.outline = sha256.Sum256(raw), outlineOf(raw)
	if s.Known != nil && s.Known.Known(s.next.sum) {
		return s.pass(yield)
	}
	v, n, bad := s.checked(raw, broken)
	if bad != nil && broken == nil && why != nil {
		bad = cmp.Or(why(), bad)
	}
	if s.next.nodes == nil && !bytes.Equal(v, raw) {
		s.next.sum, s.next.outline = sha256.Sum256(v), Outline{}
	}
	s.next.mended.add(n)
	var err error
	if bad == nil {
		v = s.own(v)
	} else {
		v, err = nil, &BadElement{s.next.index, bad.With("name", s.name()).With("at", s.next.index)}
	}
	return s.sent(yield(v, err))
}

// checked is the function of that name, and takes the nodes out of what is deep.
func (s *Stream) checked(raw []byte, broken *fault.Error) (v jsontext.Value, m mending, bad *fault.Error) {
	if broken != nil || s.scan.levels <= maxDepth {
		return checked(raw, broken)
	}
	if v, s.next.nodes, m, bad = s.Nests.checked(raw); bad == nil {
		s.scan.out = nil // nodes lie in it
	}
	return v, m, bad
}

// own is v in memory of its own. A huge element is not copied: the buffer it was
// read into goes with it.
func (s *Stream) own(v jsontext.Value) jsontext.Value {
	if len(v) < keepBuffer {
		return slices.Clone(v)
	}
	s.scan.out = nil
	return v
}

// object reads the members of a top-level object. Where one is the array of
// elements its elements are given; otherwise the whole object is, once.
func (s *Stream) object(yield func(jsontext.Value, error) bool) error {
	s.scan.start()
	s.scan.keep('{')
	s.scan.pos++
	found := false
	for first := true; ; first = false {
		more, err := s.scan.separator('}', first)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if !first {
			s.scan.keep(',')
		}
		hit, err := s.member(yield)
		if err != nil {
			return err
		}
		found = found || hit
	}
	s.scan.keep('}')
	if found {
		return nil
	}
	return s.give(s.scan.out, s.scan.broken, nil, yield)
}

// member reads one member and reports whether it held the elements.
func (s *Stream) member(yield func(jsontext.Value, error) bool) (bool, error) {
	from := len(s.scan.out)
	if _, err := s.scan.value(); err != nil {
		return false, err
	}
	name := s.holder(s.scan.out[min(from, len(s.scan.out)):])
	if c, err := s.scan.peek(); err != nil {
		return false, err
	} else if c != ':' {
		return false, errNotJSON
	}
	s.scan.keep(':')
	s.scan.pos++
	c, err := s.scan.peek()
	if err != nil {
		return false, err
	}
	if name != "" && c == '[' {
		s.next.in = name
		err := s.array(yield)
		s.next.in = ""
		s.scan.start() // what stood around the elements is not theirs
		return true, err
	}
	_, err = s.scan.value()
	return false, err
}

// holder is the name of the member where its array holds elements, "" for any
// other. Quoted is the name as it is written.
func (s *Stream) holder(quoted []byte) string {
	if len(quoted) < 2 {
		return ""
	}
	name := string(quoted[1 : len(quoted)-1])
	if name == cmp.Or(s.Under, "conversations") || slices.Contains(s.Also, name) {
		return name
	}
	return ""
}

func (s *Stream) name() string { return cmp.Or(s.Name, "the file") }

// Ends of a walk that concern the whole text.
var (
	errNotJSON  = errors.New("not JSON")
	errTrailing = errors.New("text after the end")
)

func (s *Stream) explain(err error) error {
	var told *fault.Error
	var lost *malformedError
	switch {
	case errors.As(err, &told): // the source says itself what is wrong with it
	case errors.As(err, &lost):
		return fault.New(fault.Invalid, "json-breaks", "{name} goes wrong at byte {byte}, and no further item can be made out behind that; the {count} items before it were read.").
			With("name", s.name()).With("byte", lost.at).With("count", s.good).
			Advise("The file is damaged. Download the export again and import it; at most the conversation at that place is there twice then.")
	case errors.Is(err, errNotJSON):
		return fault.New(fault.Invalid, "not-json", "{name} is not the JSON it should be (looked at byte {byte}).").
			With("name", s.name()).With("byte", s.Offset()).
			Advise("Export again, and drop the file exactly as it was downloaded.")
	case errors.Is(err, errTrailing):
		return fault.New(fault.Invalid, "json-trailing", "{name} has something after its end; the {count} items before it were read.").
			With("name", s.name()).With("count", s.good).
			Advise("The download may be damaged. Export again if something is missing.")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fault.New(fault.Invalid, "json-truncated", "{name} ends in the middle; the {count} items before that were read.").
			With("name", s.name()).With("count", s.good).
			Advise("The download was cut off. Download the export again and import it; at most the conversation at the cut is there twice then.").
			Because(err)
	}
	return fmt.Errorf("read %s: %w", s.name(), err)
}
