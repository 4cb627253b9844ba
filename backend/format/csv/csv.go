// Package csv writes memories as tables for spreadsheets (RFC 4180, with a byte
// order mark, since spreadsheets take the file for something else without it).
package csv

import (
	"bufio"
	"io"
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"

	"keepsake/backend/memory"
)

// Names of the tables in a folder or an archive.
const (
	MemoriesName  = "memories.csv"
	RelationsName = "relations.csv"
	MessagesName  = "messages.csv"
)

// Write writes the tables of a collection: memories, relations and, where
// conversations leave, their messages.
func Write(c memory.Collection, create func(name string) (io.Writer, error)) error {
	tables := []struct {
		name  string
		write func(io.Writer) error
	}{
		{MemoriesName, func(w io.Writer) error { return WriteMemories(w, c.Memories) }},
		{RelationsName, func(w io.Writer) error { return WriteRelations(w, c.Relations) }},
		{MessagesName, func(w io.Writer) error { return WriteMessages(w, c.Conversations) }},
	}
	for _, t := range tables {
		if t.name == MessagesName && c.Conversations == nil {
			continue
		}
		w, err := create(t.name)
		if err == nil {
			err = t.write(w)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// WriteMemories writes one memory a row. Tags are parted by spaces, which no tag holds.
func WriteMemories(w io.Writer, memories iter.Seq2[memory.Record, error]) error {
	t := newTable(w, "id", "type", "content", "summary", "status", "tags", "created_at", "updated_at", "valid_from", "valid_until",
		"superseded_by", "confidence", "platform", "conversation", "visibility", "content_hash")
	for m, err := range memories {
		if err != nil {
			return err
		}
		kind := string(m.Type)
		if m.Type == memory.Custom {
			kind = m.CustomType
		}
		confidence, visibility := "", ""
		if m.Confidence.IsStated() {
			confidence = strconv.FormatFloat(m.Confidence.Value(), 'f', -1, 64)
		}
		if m.Access != nil {
			visibility = string(m.Access.Visibility)
		}
		t.row(m.ID, kind, m.Content, m.Summary, string(m.Status), strings.Join(m.Tags, " "), m.Temporal.CreatedAt.String(), m.Temporal.UpdatedAt.String(),
			m.Temporal.ValidFrom.String(), m.Temporal.ValidUntil.String(), m.Temporal.SupersededBy, confidence, m.Provenance.Platform,
			m.Provenance.ConversationRef, visibility, m.ContentHash)
	}
	return t.w.Flush()
}

// WriteRelations writes one relation a row.
func WriteRelations(w io.Writer, relations []memory.Relation) error {
	t := newTable(w, "id", "from", "type", "to", "confidence", "created_at")
	for _, rel := range relations {
		confidence := ""
		if rel.Confidence != nil {
			confidence = strconv.FormatFloat(*rel.Confidence, 'f', -1, 64)
		}
		t.row(rel.ID, rel.From, string(rel.Type), rel.To, confidence, rel.CreatedAt.String())
	}
	return t.w.Flush()
}

// WriteMessages writes one message a row, in the order of their conversations.
func WriteMessages(w io.Writer, conversations iter.Seq2[*memory.Conversation, error]) error {
	t := newTable(w, "conversation", "title", "platform", "id", "parent", "role", "created_at", "text")
	for c, err := range conversations {
		if err != nil {
			return err
		}
		for _, m := range c.Messages {
			t.row(c.ID, c.Title, c.Provider.Name, m.ID, m.ParentID, string(m.Role), m.CreatedAt.String(), m.Content.PlainText())
		}
	}
	return t.w.Flush()
}

type table struct{ w *bufio.Writer }

const byteOrderMark = "\ufeff"

func newTable(w io.Writer, columns ...string) table {
	t := table{bufio.NewWriter(w)}
	t.w.WriteString(byteOrderMark)
	t.row(columns...)
	return t
}

// row writes one line. What goes wrong with a bufio.Writer shows at the flush.
func (t table) row(cells ...string) {
	for i, cell := range cells {
		if i > 0 {
			t.w.WriteByte(',')
		}
		t.w.WriteByte('"')
		t.w.WriteString(strings.ReplaceAll(Guard(cell), `"`, `""`))
		t.w.WriteByte('"')
	}
	t.w.WriteString("\r\n")
}

// formulaStart begins a cell that a spreadsheet may run instead of show. The
// apostrophe is among it so that taking one away always gives the text back.
const formulaStart = "=+-@\t\r\n'＝＋－＠"

// Guard is a cell that no spreadsheet takes for a formula: it gets an apostrophe
// in front where it begins like one.
func Guard(cell string) string {
	first, _ := utf8.DecodeRuneInString(cell)
	if cell != "" && strings.ContainsRune(formulaStart, first) {
		return "'" + cell
	}
	return cell
}
