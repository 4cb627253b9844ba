package bench

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// parse inflates, finds where each conversation ends, and takes the few fields
// that matter out of each: what a reader that checks nothing would do on one
// core.
func parse(path string) error {
	texts, _, err := parsed(path)
	if err == nil && texts == 0 {
		err = fmt.Errorf("walk export: no texts in it")
	}
	return err
}

func parsed(path string) (texts, elements int, err error) {
	err = eachEntry(path, func(r io.Reader) error {
		s := &splitter{r: r, buf: make([]byte, 256<<10)}
		var element []byte
		for {
			var err error
			if element, err = s.next(element[:0]); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
			w := walk{in: element}
			w.conversation()
			texts += w.texts
			elements++
		}
	})
	return texts, elements, err
}

// splitter copies the objects of an array, one after the other.
type splitter struct {
	r         io.Reader
	buf       []byte
	pos, have int
}

func (s *splitter) next(out []byte) ([]byte, error) {
	depth, inString, escaped, start := 0, false, false, -1
	for {
		if s.pos == s.have {
			if start >= 0 {
				out, start = append(out, s.buf[start:s.have]...), 0
			}
			n, err := s.r.Read(s.buf)
			if s.pos, s.have = 0, n; n == 0 {
				return out, err
			}
		}
		c := s.buf[s.pos]
		if inString {
			if !escaped && c != '"' && c != '\\' {
				s.pos += plain(s.buf[s.pos:s.have])
				continue
			}
			inString = escaped || c != '"'
			escaped = !escaped && c == '\\'
			s.pos++
			continue
		}
		s.pos++
		switch c {
		case '"':
			inString = true
		case '{':
			if depth++; depth == 1 {
				start = s.pos - 1
			}
		case '}':
			if depth--; depth == 0 {
				return append(out, s.buf[start:s.pos]...), nil
			}
		}
	}
}

// walk goes once over an element.
type walk struct {
	in    []byte
	at    int
	texts int
	kept  []string
}

func (w *walk) conversation() {
	w.object(func(name []byte) {
		switch string(name) {
		case "mapping":
			w.object(func([]byte) { w.node() })
		case "title", "conversation_id", "create_time", "current_node":
			w.keep()
		default:
			w.skip()
		}
	})
}

func (w *walk) node() {
	w.object(func(name []byte) {
		switch string(name) {
		case "message":
			w.message()
		case "parent", "id":
			w.keep()
		default:
			w.skip()
		}
	})
}

func (w *walk) message() {
	w.object(func(name []byte) {
		switch string(name) {
		case "author", "content":
			w.object(func(name []byte) {
				switch string(name) {
				case "role":
					w.keep()
				case "parts":
					w.texts++
					w.keep()
				default:
					w.skip()
				}
			})
		case "create_time":
			w.keep()
		default:
			w.skip()
		}
	})
}

// object calls each for every member, which must step over its value. Anything
// but an object is stepped over.
func (w *walk) object(each func(name []byte)) {
	if w.in[w.at] != '{' {
		w.skip()
		return
	}
	w.at++
	for w.space() != '}' {
		from := w.at + 1
		w.skip()
		name := w.in[from : w.at-1]
		w.space() // ends at the colon
		w.at++
		w.space()
		each(name)
		if w.space() == ',' {
			w.at++
		}
	}
	w.at++
}

func (w *walk) space() byte {
	for w.in[w.at] == ' ' || w.in[w.at] == '\n' {
		w.at++
	}
	return w.in[w.at]
}

func (w *walk) keep() {
	from := w.at
	w.skip()
	w.kept = append(w.kept[:0], string(w.in[from:w.at]))
}

// skip steps over a value.
func (w *walk) skip() {
	depth := 0
	for {
		switch w.in[w.at] {
		case '"':
			w.string()
		case '{', '[':
			depth++
			w.at++
		case '}', ']':
			depth--
			w.at++
		case ',', ':', ' ', '\n':
			w.at++
		default:
			for c := w.in[w.at]; c != ',' && c != '}' && c != ']' && c != ' '; c = w.in[w.at] {
				w.at++
			}
		}
		if depth == 0 {
			return
		}
	}
}

func (w *walk) string() {
	for w.at++; ; {
		w.at += plain(w.in[w.at:]) + 1
		if w.in[w.at-1] == '"' {
			return
		}
		w.at++
	}
}

// plain is how many bytes there are before the next quote or backslash.
func plain(p []byte) int {
	for i, c := range p[:min(len(p), 24)] { // names and ids
		if c == '"' || c == '\\' {
			return i
		}
	}
	end := bytes.IndexByte(p, '"')
	if end < 0 {
		end = len(p)
	}
	if slash := bytes.IndexByte(p[:end], '\\'); slash >= 0 {
		return slash
	}
	return end
}
