package jsonstream

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
)

// An element whose text goes wrong half-way may swallow those behind it: brackets
// that never close, or a text that does not end. Where the next one clearly begins
// reading goes on there.

// maxReread bounds how many bytes of one stream are gone over again for that.
const maxReread = 512 << 20

// malformedError is the end of a stream in which an element goes wrong and no other can be
// made out behind it.
type malformedError struct{ at int64 }

func (a *malformedError) Error() string { return "an element goes wrong" }

// overrun is what becomes of an element that does not end before the text does:
// nil where another begins in it.
func (s *Stream) overrun(yield func(jsontext.Value, error) bool) error {
	raw := s.scan.joined()
	wrong := wrongAt(raw)
	next := nextElement(raw, wrong)
	if wrong < 0 && endsClosed(raw) { // in a list the next element is nothing wrong
		next = nextElement(raw, 0)
		wrong = next
	}
	if wrong < 0 { // what is there is as it should be: the text was cut
		return io.ErrUnexpectedEOF
	}
	at := s.scan.offset() - int64(len(raw)) + int64(wrong)
	if s.reread += len(raw) - max(next, 0); next < 0 || s.reread > maxReread {
		return &malformedError{at}
	}
	s.scan.back(next)
	return s.give(nil, errBreaks(at), nil, yield) // the text is read once more
}

// swallowed reports an element that ends, is no JSON, and holds what looks like the
// beginning of another: that is read next.
func (s *Stream) swallowed() *fault.Error {
	raw := s.scan.out
	wrong := wrongAt(raw)
	next := nextElement(raw, wrong)
	if wrong < 0 || next < 0 || s.reread+len(raw)-next > maxReread {
		return nil
	}
	s.reread += len(raw) - next
	at := s.scan.offset() - int64(len(raw)) + int64(wrong)
	s.scan.back(next)
	return errBreaks(at)
}

func errBreaks(at int64) *fault.Error {
	return fault.New(fault.Invalid, "item-breaks", "Item {at} of {name} breaks off in the middle (byte {byte}) and was left out; reading went on behind it.").
		With("byte", at).Advise("Download the export again and import it; at most the conversation at that place is there twice then.")
}

// wrongAt is where a text stops being JSON, -1 where it does not, however it ends.
func wrongAt(raw []byte) int {
	for d := lenient(raw); ; {
		_, err := d.ReadToken()
		var wrong *jsontext.SyntacticError
		switch {
		case err == nil:
		case errors.Is(err, io.ErrUnexpectedEOF), !errors.As(err, &wrong):
			return -1
		default:
			return int(wrong.ByteOffset)
		}
	}
}

// nextElement is where the comma before the next element stands that begins as this
// one does, with the same two members; -1 where none does. A text that was cut runs
// on into the quote of its first name, which is before the place that is wrong.
func nextElement(raw []byte, wrong int) int {
	names := firstNames(raw)
	if len(names) < 2 || wrong < 0 {
		return -1
	}
	from := max(len(names[0])+1, wrong-slack)
	for range maxBeginnings {
		i := bytes.Index(raw[from:], names[0])
		if i < 0 {
			return -1
		}
		from += i + len(names[0])
		begin := skipBack(raw, from-len(names[0])-1)
		if begin < 1 || raw[begin] != '{' {
			continue
		}
		if comma := skipBack(raw, begin-1); comma > 0 && raw[comma] == ',' && slices.EqualFunc(firstNames(raw[begin:min(len(raw), begin+beginning)]), names, bytes.Equal) {
			return comma
		}
	}
	return -1
}

// slack is how far before the wrong place the next element may begin, in bytes, and
// beginning how far into it its second name stands at most. So many places that may
// be a beginning are looked at.
const (
	slack         = 64
	beginning     = 8 << 10
	maxBeginnings = 10_000
)

// endsClosed reports that a text ends as a whole one does.
func endsClosed(raw []byte) bool {
	end := skipBack(raw, len(raw)-1)
	return end >= 0 && classes[raw[end]] == closing
}

// firstNames are the first two names of an object, as they are written; fewer where
// the text goes wrong before.
func firstNames(raw []byte) (names [][]byte) {
	d := lenient(raw)
	if open, err := d.ReadToken(); err != nil || open.Kind() != '{' {
		return nil
	}
	for len(names) < 2 && d.PeekKind() == '"' {
		name, err := d.ReadValue()
		if err != nil {
			return nil
		}
		if names = append(names, bytes.Clone(name)); d.SkipValue() != nil {
			break
		}
	}
	return names
}

// lenient reads a text as checked does.
func lenient(raw []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
}

// skipBack is the last place up to i that is not white space, -1 for none.
func skipBack(raw []byte, i int) int {
	for i >= 0 && classes[raw[i]] == space {
		i--
	}
	return i
}
