package vault

import (
	"bytes"
	"fmt"
	"io"

	jsonv2 "github.com/go-json-experiment/json"

	"keepsake/backend/memory"
)

// MessageText is what can be read of a message: enough to search in it, and a
// fraction of the work of decoding all of it.
type MessageText struct {
	ID        string            `json:"id"`
	Role      memory.Role       `json:"role"`
	CreatedAt memory.Time       `json:"created_at"`
	Content   *memory.Content   `json:"content"`
	ToolCalls []memory.ToolCall `json:"tool_calls"`
}

// Texts reads messages of a conversation by position. It keeps the chunk that it
// opened last, so that neighbours cost little.
type Texts struct {
	head  chunkReader
	chunk int // that lines are of; -1 none
	lines [][]byte
}

// Texts returns a reader for the conversation with that id. It belongs to the
// transaction.
func (tx *Tx) Texts(id string) (*Texts, error) {
	r, err := tx.chunkReader(id)
	if err != nil {
		return nil, err
	}
	return &Texts{head: *r, chunk: -1}, nil
}

// At reads one message. It is NotFound no-record beyond the last one.
func (t *Texts) At(at int) (MessageText, error) {
	var m MessageText
	r := t.head
	skip := r.seek(at)
	if t.chunk != int(r.n) || t.lines == nil {
		if err := t.read(&r, skip); err != nil {
			return m, err
		}
	}
	if skip >= len(t.lines) {
		return m, errNoRecord()
	}
	if err := jsonv2.Unmarshal(t.lines[skip], &m); err != nil {
		return m, errDataDamaged(fmt.Errorf("decode message: %w", err))
	}
	return m, nil
}

// read takes the lines of the chunk that r turned to, and goes on to further
// ones only for a message in pieces.
func (t *Texts) read(r *chunkReader, need int) error {
	t.chunk, t.lines = int(r.n), [][]byte{}
	for len(t.lines) <= need {
		line, err := r.line()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			t.lines = nil
			return err
		}
		t.lines = append(t.lines, bytes.Clone(line))
	}
	for { // the rest of the chunk is at hand
		i := bytes.IndexByte(r.buf, '\n')
		if i < 0 {
			return nil
		}
		t.lines, r.buf = append(t.lines, bytes.Clone(r.buf[:i])), r.buf[i+1:]
	}
}
