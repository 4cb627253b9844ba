package jsonstream

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"iter"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
)

// MaxLine is the longest line of a file of lines, in bytes.
const MaxLine = 64 << 20

// Lines reads a file that holds one JSON value a line. Blank lines and a byte
// order mark are passed over. Programs that write at the same time join lines: values
// that follow each other in one line are read one by one.
type Lines struct {
	name   string
	r      *bufio.Reader
	index  int
	mended mending
}

// NewLines reads from r, which it never closes.
func NewLines(name string, r io.Reader) *Lines {
	return &Lines{name: name, r: bufio.NewReaderSize(r, 64<<10)}
}

// Index is the number of the current line, from 1.
func (l *Lines) Index() int { return l.index }

// Replaced counts the sequences replaced so far because they were no Unicode.
func (l *Lines) Replaced() int { return l.mended.replaced }

// Doubled counts the members so far that a later one of the same name stands for.
func (l *Lines) Doubled() int { return l.mended.doubled }

// All yields the value of each line. A *BadElement concerns one line; after any
// other error the sequence ends.
func (l *Lines) All(ctx context.Context) iter.Seq2[jsontext.Value, error] {
	return func(yield func(jsontext.Value, error) bool) {
		for {
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			line, long, err := l.next()
			if err != nil && !errors.Is(err, io.EOF) {
				yield(nil, err)
				return
			}
			if (len(line) > 0 || long) && !l.give(line, long, yield) || err != nil {
				return
			}
		}
	}
}

// next is the next line without its white space; long is one over the limit,
// which is passed over.
func (l *Lines) next() (line []byte, long bool, err error) {
	l.index++
	for {
		part, err := l.r.ReadSlice('\n')
		if long = long || len(line)+len(part) > MaxLine; !long {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			if l.index == 1 {
				line = bytes.TrimPrefix(line, []byte("\xEF\xBB\xBF"))
			}
			return bytes.TrimSpace(line), long, err
		}
	}
}

// give yields the values of one line; whether to go on.
func (l *Lines) give(line []byte, long bool, yield func(jsontext.Value, error) bool) bool {
	v, err := l.value(line, long)
	if err == nil || long {
		return yield(v, err)
	}
	joined, left := joinedIn(line)
	if len(joined) == 0 {
		return yield(nil, err)
	}
	for _, piece := range joined {
		if !yield(l.value(piece, false)) {
			return false
		}
	}
	return left == 0 || yield(nil, &BadElement{l.index, fault.New(fault.Invalid, "line-joined",
		"In line {at} of {name} several entries are joined; {bytes} bytes between them are not valid JSON and were left out.").
		With("name", l.name).With("at", l.index).With("bytes", left)})
}

// maxJoined bounds how often a line is looked through for the next value.
const maxJoined = 1000

// joinedIn are the objects that follow each other in a line that is no single value, and
// how many bytes belong to none of them.
func joinedIn(line []byte) (all [][]byte, left int) {
	for tries := 0; len(line) > 0; tries++ {
		d := lenient(line)
		if v, err := d.ReadValue(); err == nil && v.Kind() == '{' {
			n := int(d.InputOffset())
			all, line = append(all, line[:n]), bytes.TrimSpace(line[n:])
			continue
		}
		n := nextObject(line)
		if n < 0 || tries == maxJoined {
			n = len(line)
		}
		left, line = left+n, line[n:]
	}
	return all, left
}

// nextObject is where the next object begins that stands inside of no other, as far as
// that can be told behind a break; -1 for none.
func nextObject(line []byte) int {
	for at := 1; ; {
		n := bytes.Index(line[at:], []byte(`{"`))
		if n < 0 {
			return -1
		}
		at += n
		before := bytes.TrimRight(line[:at], " \t")
		if len(before) > 0 && !bytes.ContainsRune([]byte(`[,:\`), rune(before[len(before)-1])) {
			return at
		}
		at++
	}
}

func (l *Lines) value(line []byte, long bool) (jsontext.Value, error) {
	if long {
		return nil, &BadElement{l.index, fault.New(fault.TooLarge, "line-too-large",
			"Line {at} of {name} is longer than {limit} MiB and was left out.").
			With("name", l.name).With("at", l.index).With("limit", MaxLine>>20)}
	}
	v, n, bad := checked(line, nil)
	l.mended.add(n)
	if bad != nil {
		return nil, &BadElement{l.index, fault.New(fault.Invalid, "line-not-json", "Line {at} of {name} is not valid JSON ({bytes} bytes) and was left out.").
			With("name", l.name).With("at", l.index).With("bytes", len(line))}
	}
	return v, nil
}
