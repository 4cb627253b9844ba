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
	var w walk
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
			if w.conversation(element) {
				elements++
			}
		}
	})
	return w.texts, elements, err
}

// splitter copies the objects of an array, one after the other.
type splitter struct {
	r         io.Reader
	buf       []byte
	pos, have int
}

func (s *splitter) next(out []byte) ([]byte, error) {
	depth, slashes, start := 0, 0, -1
	inString := false
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
		if inString {
			n, closed := quote(s.buf[s.pos:s.have], &slashes)
			s.pos += n
			inString = !closed
			continue
		}
		p := s.buf[s.pos:s.have]
		i := 0
	outside:
		for ; i < len(p); i++ {
			switch p[i] {
			case '"':
				inString, slashes = true, 0
				i++
				break outside
			case '{':
				if depth++; depth == 1 {
					start = s.pos + i
				}
			case '}':
				if depth--; depth == 0 {
					s.pos += i + 1
					return append(out, s.buf[start:s.pos]...), nil
				}
			}
		}
		s.pos += i
	}
}

// quote steps over the rest of a string; closed is false where it goes on after
// p. slashes is how many backslashes stand at the end of what was seen before.
func quote(p []byte, slashes *int) (n int, closed bool) {
	for from := 0; ; {
		at := bytes.IndexByte(p[from:], '"')
		end := from + at
		if at < 0 {
			end = len(p)
		}
		before := end - from
		for before > 0 && p[from+before-1] == '\\' {
			before--
		}
		run := end - from - before
		if before == 0 {
			run += *slashes
		}
		if at < 0 {
			*slashes = run
			return end, false
		}
		if *slashes = 0; run%2 == 0 {
			return end + 1, true
		}
		from = end + 1
	}
}

// walk goes once over an element and takes what an importer needs.
type walk struct {
	in    []byte
	at    int
	texts int
	kept  string
}

// conversation reports whether the element is one, of ChatGPT's or Claude's.
func (w *walk) conversation(element []byte) (is bool) {
	w.in, w.at = element, 0
	w.object(func(name []byte) {
		switch string(name) {
		case "mapping":
			is = true
			w.object(func([]byte) { w.node() })
		case "chat_messages":
			is = true
			w.array(w.claude)
		case "title", "name", "conversation_id", "uuid", "create_time", "created_at", "current_node":
			w.keep()
		default:
			w.skip()
		}
	})
	return is
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

func (w *walk) claude() {
	w.object(func(name []byte) {
		switch string(name) {
		case "text":
			w.texts++
			w.keep()
		case "uuid", "sender", "created_at", "parent_message_uuid":
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
		w.string()
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

// array calls each for every element.
func (w *walk) array(each func()) {
	if w.in[w.at] != '[' {
		w.skip()
		return
	}
	w.at++
	for w.space() != ']' {
		each()
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
	w.kept = string(w.in[from:w.at])
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
	slashes := 0
	n, _ := quote(w.in[w.at+1:], &slashes)
	w.at += 1 + n
}
