package copilot

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/text/encoding/unicode"

	"keepsake/backend/fault"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
)

// layout is a table that Copilot writes: its format, and the columns of title,
// time, author and text in their order. "" is a column it does not have.
type layout struct {
	format                    string
	title, time, author, text string
}

// layouts are told apart by their columns.
var layouts = []layout{
	{"a", "conversation", "time", "author", "message"},
	{"b", "chatname", "createdat", "author", "messagecontent"},
	{"windows", "clientapp", "timestamp", "", "prompt"},
}

// table is an open table.
type table struct {
	layout
	rows   *csv.Reader
	source *jsonstream.Capped
	most   int64  // bytes of one row
	place  [4]int // of title, time, author and text; -1 for none
	width  int
	mended int
}

// onceReturned drops a carriage return before another: a program that writes the
// ends of lines as text on Windows makes \r\r\n of them, and after a quoted cell
// the rest of the table would become part of it.
type onceReturned struct{ *bufio.Reader }

func (o onceReturned) Read(p []byte) (int, error) {
	n, err := o.Reader.Read(p)
	kept := 0
	for i := range n {
		next := byte(0)
		if p[i] == '\r' {
			if i+1 < n {
				next = p[i+1]
			} else if ahead, _ := o.Peek(1); len(ahead) == 1 {
				next = ahead[0]
			}
		}
		if p[i] == '\r' && next == '\r' {
			continue
		}
		p[kept] = p[i]
		kept++
	}
	if kept == 0 && n > 0 && err == nil {
		return o.Read(p)
	}
	return kept, err
}

// inUTF8 gives a text as UTF-8, without a mark of its byte order. One that begins
// with the mark of UTF-16 is decoded as it is read: programs on Windows write that.
func inUTF8(r *bufio.Reader) io.Reader {
	mark, _ := r.Peek(3) // a shorter text has a shorter mark, or none
	switch {
	case bytes.HasPrefix(mark, []byte("\xEF\xBB\xBF")):
		_, _ = r.Discard(3) // they were peeked at
	case bytes.HasPrefix(mark, []byte("\xFF\xFE")), bytes.HasPrefix(mark, []byte("\xFE\xFF")):
		return unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Reader(wholeUnits{r})
	}
	return r
}

// wholeUnits ends UTF-16 of which half a unit is missing as what it is: cut off.
type wholeUnits struct{ r io.Reader }

func (w wholeUnits) Read(p []byte) (int, error) {
	n, err := io.ReadFull(w.r, p[:len(p)&^1])
	switch {
	case n%2 == 1:
		return n - 1, err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return n, io.EOF // of the text, not within it
	}
	return n, err
}

// separators are what stands between cells: programs that show tables save them
// with another than the comma in many countries.
const separators = ",;\t"

// separator is the one that stands most often in the head of a table.
func separator(r *bufio.Reader) rune {
	begin, _ := r.Peek(512) // a shorter table has a shorter beginning
	head, _, _ := bytes.Cut(begin, []byte("\n"))
	most, times := ',', 0
	for _, s := range separators {
		if n := bytes.Count(head, []byte(string(s))); n > times {
			most, times = s, n
		}
	}
	return most
}

// newTable reads the head of a table; false where it is none of Copilot's.
func newTable(r io.Reader, lazy bool, most int64) (*table, bool) {
	t := &table{source: &jsonstream.Capped{R: r, Left: most}, most: most}
	text := bufio.NewReader(inUTF8(bufio.NewReader(t.source)))
	t.rows = csv.NewReader(onceReturned{text})
	t.rows.Comma = separator(text)
	t.rows.FieldsPerRecord, t.rows.LazyQuotes = -1, lazy
	head, err := t.rows.Read()
	if err != nil {
		return nil, false
	}
	for i := range head {
		head[i] = strings.ToLower(strings.TrimSpace(head[i]))
	}
	t.width = len(head)
	for _, t.layout = range layouts {
		missing := false
		for i, name := range []string{t.title, t.time, t.author, t.text} {
			t.place[i] = slices.Index(head, name)
			missing = missing || t.place[i] < 0 && name != ""
		}
		if !missing {
			return t, true
		}
	}
	return nil, false
}

// row is one row, at a line of the file.
type row struct {
	title, time, author, text string
	more                      []string // cells of columns that are not known
	line                      int
}

// next gives a row. io.EOF is the end; errBadRow a row that has too few cells.
func (t *table) next() (row, error) {
	t.source.Left = t.most
	cells, err := t.rows.Read()
	if err != nil {
		return row{}, err
	}
	line, _ := t.rows.FieldPos(0)
	r := row{line: line}
	if len(cells) < t.width {
		return r, errBadRow
	}
	for i, cell := range cells {
		if text := strings.ToValidUTF8(cell, "\uFFFD"); text != cell {
			t.mended++
			cell = text
		}
		switch i {
		case t.place[0]:
			r.title = cell
		case t.place[1]:
			r.time = cell
		case t.place[2]:
			r.author = cell
		case t.place[3]:
			r.text = cell
		default:
			r.more = append(r.more, cell)
		}
	}
	return r, nil
}

var errBadRow = errors.New("row with too few cells")

// manner is how a table is written.
type manner struct {
	lazy bool // quotes stand in it that are not as they should be
	up   bool // the oldest row is the first
}

// survey reads a table strictly to its end, to learn how it is written. A table that
// ends inside of quotes was cut off, and is not read lazily: all that follows would be
// one cell.
func survey(ctx context.Context, tree *intake.Tree, f intake.File, most int64) (m manner, err error) {
	body, err := tree.Open(ctx, f)
	if err != nil {
		return m, err
	}
	defer body.Close()
	t, ok := newTable(body, false, most)
	if !ok {
		return m, nil
	}
	var last row
	later := 0 // more rows are later than the one before them than are earlier, of one conversation
	for odd := false; ; {
		next, err := t.next()
		var quote *csv.ParseError
		switch {
		case errors.Is(err, io.EOF):
			return m, nil
		case errors.As(err, &quote) && !odd:
			odd = true
			continue // the end comes next where the table was cut off
		case err != nil && !errors.Is(err, errBadRow) && quote == nil:
			return m, ctx.Err() // the reading tells it, behind the rows before it
		case odd:
			m.lazy = true
			return m, nil
		}
		if a, b := when(last.time), when(next.time); last.title == next.title && !a.IsZero() && !b.IsZero() {
			later += b.Compare(a)
			m.up = later > 0
		}
		last = next
	}
}

// explain says why a table ended early.
func explain(f intake.File, err error, line int) error {
	var quote *csv.ParseError
	switch {
	case errors.As(err, &quote), errors.Is(err, io.ErrUnexpectedEOF):
		return fault.New(fault.Invalid, "csv-truncated", "{name} ends in the middle of a row; the rows before it (to line {line}) were read.").
			With("name", f.Path).With("line", line).
			Advise("The download was cut off. Download the export again and import it; at most the conversation at the cut is there twice then.").Because(err)
	case errors.Is(err, jsonstream.ErrCapped):
		return fault.New(fault.TooLarge, "csv-row-too-large", "{name} holds a row larger than {limit} MiB; the rows before it were read.").
			With("name", f.Path).With("limit", jsonstream.MaxElement>>20)
	}
	return fmt.Errorf("read %s: %w", f.Path, err)
}
