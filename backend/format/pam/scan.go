package pam

import (
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/jcs"
)

// How much of a document is held while its pieces are small, in bytes: little of
// a short document, since a bundle has many.
const firstBuffer, fullBuffer = 4 << 10, 256 << 10

// errTooLong marks a value that is longer than is allowed.
var errTooLong = errors.New("longer than is allowed")

// errWrongByte marks what no JSON has at its place.
var errWrongByte = errors.New("not what comes next in JSON")

// scanner cuts a document into its pieces. It knows only where a value ends;
// whether it is strict JSON is asked of jsontext.
type scanner struct {
	from io.Reader
	buf  []byte // what was read and not moved on from starts at buf[at]
	at   int
	err  error // of from, io.EOF at its end
}

func newScanner(from io.Reader) *scanner {
	return &scanner{from: from, buf: make([]byte, 0, firstBuffer)}
}

// rest is what is held and not moved on from. It is valid until more is read.
func (s *scanner) rest() []byte { return s.buf[s.at:] }

// more reads on behind what is held; false at the end or on an error.
func (s *scanner) more() bool {
	if s.at > 0 {
		s.buf = s.buf[:copy(s.buf, s.rest())]
		s.at = 0
	}
	if len(s.buf) == cap(s.buf) || cap(s.buf) < fullBuffer {
		s.buf = append(make([]byte, 0, 2*cap(s.buf)), s.buf...)
	}
	for idle := 0; s.err == nil; idle++ {
		n, err := s.from.Read(s.buf[len(s.buf):cap(s.buf)])
		s.buf, s.err = s.buf[:len(s.buf)+n], err
		if n > 0 {
			return true
		}
		if err == nil && idle == 100 {
			s.err = io.ErrNoProgress
		}
	}
	return false
}

// next is the byte behind white space, which is not moved on from; 0 at the end
// or on an error.
func (s *scanner) next() byte {
	for {
		for ; s.at < len(s.buf); s.at++ {
			if c := s.buf[s.at]; !isSpace(c) {
				return c
			}
		}
		if !s.more() {
			return 0
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// eat moves on from one byte that must come next.
func (s *scanner) eat(want byte) error {
	if s.next() != want {
		return s.broken()
	}
	s.at++
	return nil
}

// end is nil where nothing but white space is left.
func (s *scanner) end() error {
	if s.next(); s.at == len(s.buf) && errors.Is(s.err, io.EOF) {
		return nil
	}
	return s.broken()
}

// broken is the reader's error where it has one before the end.
func (s *scanner) broken() error {
	if s.at < len(s.buf) {
		return notJSON(errWrongByte)
	}
	if errors.Is(s.err, io.EOF) {
		return notJSON(nil)
	}
	return notJSON(s.err)
}

// value reads one whole value of strict JSON of at most so many bytes. It is
// valid until more is read.
func (s *scanner) value(limit int64) (jsontext.Value, error) {
	if s.next() == 0 {
		return nil, s.broken()
	}
	var e extent
	for !e.ends(s.rest()) && int64(e.n) <= limit {
		if !s.more() {
			s.at = len(s.buf)
			return nil, s.broken()
		}
	}
	if int64(e.n) > limit {
		return nil, errTooLong
	}
	raw := jsontext.Value(s.rest()[:e.n])
	s.at += e.n
	if !raw.IsValid() {
		return nil, notStrictJSON(raw)
	}
	if jcs.IsTooDeep(raw) {
		return nil, notJSON(jcs.ErrDepth)
	}
	return raw, nil
}

// extent finds the end of a value while more and more of it is held. Of strict
// JSON it is the right end; of anything else some end, and what is cut off there
// is not strict either.
type extent struct {
	n       int // bytes that belong to the value
	depth   int
	text    bool // inside a string
	escaped bool // behind a backslash
}

// ends reports whether the end is in b, which starts with the value.
func (e *extent) ends(b []byte) bool {
	for ; e.n < len(b); e.n++ {
		switch c := b[e.n]; {
		case e.escaped:
			e.escaped = false
		case e.text:
			e.n += plain(b[e.n:])
			if e.n == len(b) {
				return false
			}
			e.escaped, e.text = b[e.n] == '\\', b[e.n] != '"'
			if !e.text && e.depth == 0 {
				e.n++
				return true
			}
		case c == '"':
			e.text = true
		case c == '{' || c == '[':
			e.depth++
		case e.depth == 0 && (c == ',' || c == ':' || c == '}' || c == ']' || isSpace(c)): // behind a number or a word
			return true
		case c == '}' || c == ']':
			if e.depth--; e.depth == 0 {
				e.n++
				return true
			}
		}
	}
	return false
}
