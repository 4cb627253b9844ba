package importer

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
// order mark are passed over.
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
			if (len(line) > 0 || long) && !yield(l.value(line, long)) || err != nil {
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

func (l *Lines) value(line []byte, long bool) (jsontext.Value, error) {
	if long {
		return nil, &BadElement{l.index, fault.New(fault.TooLarge, "line-too-large",
			"Line {at} of {name} is longer than {limit} MiB and was left out.").
			With("name", l.name).With("at", l.index).With("limit", MaxLine>>20)}
	}
	v, n, bad := checked(line, nil)
	l.mended.add(n)
	if bad != nil {
		return nil, &BadElement{l.index, bad.With("name", l.name).With("at", l.index)}
	}
	return v, nil
}
