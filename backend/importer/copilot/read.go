package copilot

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// Read streams one conversation after another.
func (i Importer) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	files, _, err := tables(ctx, tree)
	if err != nil {
		return err
	}
	slices.SortStableFunc(files, func(a, b intake.File) int { return cmp.Compare(b.Size, a.Size) }) // the richer first
	r := &reading{importer.NewReading(ctx, tree, sink), cmp.Or(i.most, jsonstream.MaxElement)}
	for _, f := range files {
		if err := r.table(f); err != nil {
			return err
		}
	}
	for _, f := range tree.Files() {
		if !slices.Contains(files, f) {
			sink.OtherFile(f)
		}
	}
	return r.End()
}

// reading is one run over one tree.
type reading struct {
	*importer.Reading
	most int64 // as Importer has it
}

// table reads one table.
func (r *reading) table(f intake.File) error {
	written, err := survey(r.Ctx, r.Tree, f, r.most)
	if err != nil {
		return r.Break(err)
	}
	body, err := r.Tree.Open(r.Ctx, f)
	if err != nil {
		return r.Break(fmt.Errorf("open %s: %w", f.Path, err))
	}
	defer body.Close()
	t, ok := newTable(body, written.lazy, r.most)
	if !ok {
		return r.Break(explain(f, io.ErrUnexpectedEOF, 1))
	}
	c := &cutter{reading: r, file: f, layout: t.layout, manner: written, seen: map[string]int{}}
	for {
		row, err := t.next()
		switch {
		case errors.Is(err, io.EOF):
			importer.TellMended(r.Sink, f.Path, t.mended, 0)
			return c.end()
		case errors.Is(err, errBadRow):
			r.Sink.Problem(importer.Problem{Path: f.Path, At: "line " + strconv.Itoa(row.line),
				Fault: fault.New(fault.Invalid, "csv-short-row", "Line {line} of {name} has too few cells and was left out.").With("line", row.line).With("name", f.Path)})
			continue
		case err != nil:
			if err := c.end(); err != nil {
				return err
			}
			return r.Break(explain(f, err, c.line))
		}
		if err := c.take(row); err != nil {
			return err
		}
		r.Progress()
	}
}

// cutter cuts the rows of a table into conversations.
type cutter struct {
	*reading
	layout
	manner
	file intake.File
	rows []row
	size int
	line int            // of the last row
	seen map[string]int // conversations that begin alike
	over bool           // the rows under way are more than is held
}

// take adds a row; one that does not belong to those before it ends them.
func (c *cutter) take(row row) error {
	c.line = row.line
	if len(c.rows) > 0 && !c.belongs(row) {
		if err := c.end(); err != nil {
			return err
		}
	}
	c.size += len(row.text) + len(row.title)
	c.rows = append(c.rows, row)
	if c.size > jsonstream.MaxElement {
		c.over = true
		c.rows = c.rows[:1]
	}
	return nil
}

// gap is how far apart questions of one sitting may be, where nothing else says
// what belongs together.
const gap = time.Hour

func (c *cutter) belongs(next row) bool {
	last := c.rows[len(c.rows)-1]
	if last.title != next.title {
		return false
	}
	if c.format != "windows" {
		return true
	}
	a, b := when(last.time), when(next.time)
	return !a.IsZero() && !b.IsZero() && a.Sub(b.Time).Abs() < gap
}

// end gives the conversation under way.
func (c *cutter) end() error {
	rows, over, line := c.rows, c.over, c.line
	c.rows, c.size, c.over = nil, 0, false
	if len(rows) == 0 {
		return c.Ctx.Err()
	}
	if over {
		c.TooLarge(c.file, line, true, jsonstream.MaxElement)
		return nil
	}
	if c.isNewestFirst(rows[0], rows[len(rows)-1]) {
		slices.Reverse(rows)
	}
	d := c.draft(rows)
	if !c.IsNew(d.ID, "", d.Sum) {
		return nil
	}
	c.thread(&d, rows)
	return c.Sink.Conversation(c.Ctx, d)
}

// isNewestFirst tells the order of a conversation: by its times, where they are equal by
// who speaks first, and else by the whole table.
func (c *cutter) isNewestFirst(first, last row) bool {
	if order := when(first.time).Compare(when(last.time)); order != 0 {
		return order > 0
	}
	if asks, ends := isPerson(first.author), isPerson(last.author); asks != ends {
		return ends
	}
	return !c.up
}

// draft is a conversation before its messages, known again by its first row.
func (c *cutter) draft(rows []row) importer.ConversationDraft {
	first := strings.Join([]string{c.format, rows[0].time, rows[0].author, rows[0].text}, "\x00")
	native := first + "\x00" + strconv.Itoa(c.seen[first])
	c.seen[first]++
	h := sha256.New()
	for _, row := range rows {
		fmt.Fprintf(h, "%q\n", []string{row.title, row.time, row.author, row.text})
	}
	conv := memory.Conversation{ID: importer.ConversationID(platform, native), Provider: memory.Provider{Name: platform, ExportFormatVersion: c.format}}
	if c.format == "windows" {
		conv.Title = importer.TitleOf(rows[0].text)
		importer.KeepText(&conv.RawMetadata, c.title, rows[0].title)
		importer.KeepText(&conv.RawMetadata, "keepsake_grouping", "gap")
	} else if conv.Title = importer.Line(rows[0].title); conv.Title != rows[0].title {
		importer.KeepText(&conv.RawMetadata, c.title, rows[0].title)
	}
	if !hasZone(rows[0].time) {
		importer.KeepText(&conv.RawMetadata, "keepsake_time_zone", "assumed-utc")
	}
	return importer.ConversationDraft{Conversation: conv, Sum: [32]byte(h.Sum(nil)), File: c.file.Base()}
}

// thread chains the rows.
func (c *cutter) thread(d *importer.ConversationDraft, rows []row) {
	d.Messages = make([]memory.Message, 0, len(rows))
	t := importer.NewThread(d)
	for _, row := range rows {
		m := memory.Message{ParentID: t.Last(), CreatedAt: when(row.time), Content: importer.Words(row.text)}
		m.Role = c.role(&m, row.author)
		m.ID = importer.ConversationID(d.ID, strings.Join([]string{row.time, row.author, row.text}, "\x00")) // of equals, Add numbers the later
		if m.CreatedAt.IsZero() {
			importer.KeepText(&m.RawMetadata, c.time, row.time)
		}
		for i, cell := range row.more {
			importer.KeepText(&m.RawMetadata, "column_"+strconv.Itoa(i+1), cell)
		}
		t.Add(m)
	}
	t.Join(t.Last(), "parent")
	if n := len(d.Messages); n > 0 {
		d.Temporal.UpdatedAt = d.Messages[n-1].CreatedAt
	}
}

// role of an author. Names that are not known are the assistant's, and counted;
// they may be those of people and are not repeated.
func (c *cutter) role(m *memory.Message, author string) memory.Role {
	if c.author == "" || isPerson(author) {
		return memory.User
	}
	switch strings.ToLower(strings.TrimSpace(author)) {
	case "ai", "bot", "assistant", "copilot":
		return memory.Assistant
	}
	c.Sink.Unknown("author:other")
	importer.KeepText(&m.RawMetadata, c.author, author)
	return memory.Assistant
}

// isPerson reports that a person wrote a row.
func isPerson(author string) bool {
	return slices.Contains([]string{"human", "user", "you"}, strings.ToLower(strings.TrimSpace(author)))
}

// zoned are the ways in which tables write times with a zone, local those
// without.
var (
	zoned = []string{time.RFC3339Nano, "1/2/2006 15:04:05 -07:00", "1/2/2006 3:04:05 PM -07:00"}
	local = []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "1/2/2006 15:04:05", "1/2/2006 3:04:05 PM"}
)

// when reads a time; where its zone is missing UTC is meant. What is no time, or
// not after 1970, is unknown.
func when(s string) memory.Time {
	s = plain(s)
	for _, layout := range append(zoned, local...) {
		if t, err := time.Parse(layout, s); err == nil && t.Year() > 1970 {
			return memory.At(t)
		}
	}
	return memory.Time{}
}

// hasZone reports whether a time says where.
func hasZone(s string) bool {
	return slices.ContainsFunc(zoned, func(layout string) bool {
		_, err := time.Parse(layout, plain(s))
		return err == nil
	})
}

// plain replaces the narrow and hard spaces that stand before AM and PM.
func plain(s string) string {
	return strings.TrimSpace(strings.NewReplacer("\u202F", " ", "\u00A0", " ").Replace(s))
}
