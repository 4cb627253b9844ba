package mif

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/jcs"
)

// maxPiece bounds one memory, one other element of a long list, and one member
// that is no such list, in bytes.
const maxPiece = 12 << 20

// maxMembers bounds those of the document, and of a graph: their names are held, so
// that one that stands twice is noticed.
const maxMembers = 500_000

// streamed are the lists of which one element is held at a time.
var streamed = known("memories todos projects reminders graph.edges graph.nodes knowledge_graph.entities knowledge_graph.relationships knowledge_graph.episodes")

// visitor takes the pieces of a document as they stream by. raw is valid only
// during the call.
type visitor struct {
	member  func(name string, raw jsontext.Value) error // "graph.hebbian_config" inside of one
	element func(list string, i int, raw jsontext.Value) error
	// bad takes a line that is no memory; nil ends the reading there.
	bad func(i int, err error) error
}

var (
	errNotMIF  = errors.New("not one whole document")
	errTooLong = errors.New("a piece that is too long")
	errTooMany = errors.New("an object with too many members")
)

// capped ends a text whose current piece is longer than is allowed.
type capped struct {
	ctx  context.Context
	r    io.Reader
	left int
}

func (c *capped) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	if c.left <= 0 {
		return 0, errTooLong
	}
	n, err := c.r.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

// walk streams a document in any form, and says in which.
func walk(ctx context.Context, r io.Reader, to visitor) (Form, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	if mark, _ := in.Peek(3); bytes.Equal(mark, []byte("\xEF\xBB\xBF")) {
		_, _ = in.Discard(3) // three bytes that were just seen
	}
	for {
		c, err := in.Peek(1)
		if err != nil {
			return JSON, notWhole(err)
		}
		if strings.IndexByte(" \t\r\n", c[0]) < 0 {
			break
		}
		_, _ = in.Discard(1)
	}
	if c, _ := in.Peek(1); c[0] != '{' {
		return YAML, walkYAML(ctx, in, to)
	}
	w := &walking{visitor: to, limit: &capped{ctx: ctx, r: in}}
	w.dec = jsontext.NewDecoder(w.limit)
	if err := w.object(""); err != nil {
		return JSON, notWhole(err)
	}
	return w.rest(ctx, in)
}

// notWhole marks the mistakes of the text.
func notWhole(err error) error {
	var syntax *jsontext.SyntacticError
	switch {
	case fault.Known(err):
		return err
	case errors.Is(err, errTooLong), errors.Is(err, errTooMany), errors.Is(err, jcs.ErrDepth),
		errors.As(err, &syntax), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: %w", errNotMIF, err)
	}
	return err
}

type walking struct {
	visitor
	dec   *jsontext.Decoder
	limit *capped
	whole bool // the memories were in the document itself
}

// object walks the members of an object; inside is its own name and a dot.
func (w *walking) object(inside string) error {
	w.limit.left = maxPiece
	if _, err := w.dec.ReadToken(); err != nil {
		return err
	}
	for n := 0; ; n++ {
		if n > maxMembers {
			return errTooMany
		}
		w.limit.left = maxPiece
		token, err := w.dec.ReadToken()
		if err != nil {
			return err
		}
		if token.Kind() == '}' {
			return nil
		}
		name := inside + token.String()
		if err := w.value(name); err != nil {
			return err
		}
	}
}

func (w *walking) value(name string) error {
	switch kind := w.dec.PeekKind(); {
	case kind == '[' && streamed[name]:
		if err := w.member(name, jsontext.Value("[]")); err != nil {
			return err
		}
		w.whole = w.whole || name == "memories"
		return w.list(name)
	case kind == '{' && (name == "graph" || name == "knowledge_graph"):
		return w.object(name + ".")
	}
	raw, err := w.piece()
	if err != nil {
		return err
	}
	return w.member(name, raw)
}

func (w *walking) piece() (jsontext.Value, error) {
	w.limit.left = maxPiece
	raw, err := w.dec.ReadValue()
	if err != nil {
		return nil, err
	}
	if jcs.IsTooDeep(raw) {
		return nil, jcs.ErrDepth
	}
	return raw, nil
}

func (w *walking) list(name string) error {
	if _, err := w.dec.ReadToken(); err != nil {
		return err
	}
	for i := 0; w.dec.PeekKind() != ']'; i++ {
		raw, err := w.piece()
		if err != nil {
			return err
		}
		if err := w.element(name, i, raw); err != nil {
			return err
		}
	}
	_, err := w.dec.ReadToken()
	return err
}

// rest reads the lines behind a first one, where there are any.
func (w *walking) rest(ctx context.Context, in *bufio.Reader) (Form, error) {
	lines := bufio.NewReaderSize(io.MultiReader(bytes.NewReader(bytes.Clone(w.dec.UnreadBuffer())), in), 64<<10)
	form := JSON
	for i := 0; ; {
		if err := ctx.Err(); err != nil {
			return form, err
		}
		line, err := lineOf(lines)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, errTooLong) {
			return form, notWhole(err)
		}
		if len(line) > 0 || errors.Is(err, errTooLong) {
			form = JSONL
			if failed := w.line(i, line, err); failed != nil {
				return form, failed
			}
			i++
		}
		if errors.Is(err, io.EOF) {
			return form, nil
		}
	}
}

func (w *walking) line(i int, line []byte, err error) error {
	if w.whole {
		return fmt.Errorf("%w: something behind its end", errNotMIF)
	}
	if !errors.Is(err, errTooLong) {
		err = checkLine(line)
	}
	if err == nil {
		return w.element("memories", i, line)
	}
	if w.bad == nil {
		return fmt.Errorf("%w: %w", errNotMIF, err)
	}
	return w.bad(i, err)
}

// checkLine refuses what is not strict JSON.
func checkLine(line []byte) error {
	if jcs.IsTooDeep(line) {
		return jcs.ErrDepth
	}
	var v jsontext.Value
	return jsonv2.Unmarshal(line, &v)
}

// lineOf is the next line without white space around it. One that is too long
// is passed over.
func lineOf(r *bufio.Reader) (line []byte, err error) {
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxPiece; !long {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case long:
			return nil, errors.Join(errTooLong, err)
		}
		return bytes.TrimSpace(line), err
	}
}
