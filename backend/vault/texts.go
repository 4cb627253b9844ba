package vault

import (
	"bytes"
	"fmt"
	"io"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/memory"
)

// MessageText is what can be read of a message: enough to search in it, and a
// fraction of the work of decoding all of it.
type MessageText struct {
	ID        string      `json:"id"`
	Role      memory.Role `json:"role"`
	CreatedAt memory.Time `json:"created_at"`
	MessageWords
}

// MessageWords are all words of a message: what it says, the names of its attachments,
// and what tools were asked and answered.
type MessageWords struct {
	Content     *memory.Content     `json:"content"`
	Attachments []memory.Attachment `json:"attachments"`
	ToolCalls   []memory.ToolCall   `json:"tool_calls"`
}

// Texts reads messages by position. It keeps the conversation and the chunk that
// it opened last, so that neighbours cost little, and their memory for the next.
type Texts struct {
	r     chunkReader
	seq   uint64 // of the conversation; 0 none
	chunk int    // that lines are of; -1 none
	lines [][]byte
}

// Texts returns a reader. It belongs to the transaction.
func (tx *Tx) Texts() *Texts { return &Texts{r: chunkReader{tx: tx}} }

// At reads one message of the conversation with that number. It is NotFound
// no-record beyond the last one, and where there is no such conversation.
func (t *Texts) At(seq uint64, at int) (MessageText, error) {
	line, err := t.find(seq, at)
	if err != nil {
		return MessageText{}, err
	}
	return decodeText(line)
}

// Words is At for the words only, which most messages have in one place.
func (t *Texts) Words(seq uint64, at int) (MessageWords, error) {
	line, err := t.find(seq, at)
	if err != nil {
		return MessageWords{}, err
	}
	if text, ok := onlyText(line); ok {
		return MessageWords{Content: &memory.Content{Type: "text", Text: text}}, nil
	}
	m, err := decodeText(line)
	return m.MessageWords, err
}

func decodeText(line []byte) (m MessageText, err error) {
	// Raw members of a provider may hold a name twice.
	if err := jsonv2.Unmarshal(line, &m, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return m, errDataDamaged(fmt.Errorf("decode message: %w", err))
	}
	return m, nil
}

// onlyText is the text of a message that is one and has no words beside it; false where
// that takes a closer look.
func onlyText(line []byte) (string, bool) {
	const begin = `,"content":{"type":"text","text":"`
	from := bytes.Index(line, []byte(begin)) // never inside a string, whose quotes are escaped
	if from < 0 || bytes.IndexByte(line[1:from], '{') >= 0 {
		return "", false // or inside of something else
	}
	text := line[from+len(begin)-1:]
	end, escaped := 1, false
	for {
		n := bytes.IndexByte(text[end:], '"')
		if n < 0 {
			return "", false
		}
		slash := bytes.IndexByte(text[end:end+n], '\\')
		if slash < 0 {
			end += n + 1
			break
		}
		end, escaped = end+slash+2, true
	}
	if after := text[end:]; len(after) == 0 || after[0] != '}' || bytes.Contains(after, []byte(`"attachments":`)) || bytes.Contains(after, []byte(`"tool_calls":`)) {
		return "", false
	}
	if !escaped {
		return string(text[1 : end-1]), true
	}
	out, err := jsontext.AppendUnquote(make([]byte, 0, end), text[:end])
	return string(out), err == nil
}

// find is the line of a message.
func (t *Texts) find(seq uint64, at int) ([]byte, error) {
	if err := t.turn(seq); err != nil {
		return nil, err
	}
	return t.line(at)
}

func (t *Texts) turn(seq uint64) error {
	if t.seq == seq && seq > 0 {
		return nil
	}
	t.seq, t.chunk, t.lines = 0, -1, t.lines[:0]
	short, err := t.r.glance(seq)
	if err == nil && (!short || t.read() != nil) { // whoever asks for a line is told why
		t.chunk, t.lines = -1, t.lines[:0]
		err = t.r.turn(seq)
	}
	if err != nil {
		return err
	}
	t.seq = seq
	return nil
}

// line is the message as it is stored.
func (t *Texts) line(at int) ([]byte, error) {
	if t.chunk == 0 && at < len(t.lines) {
		return t.lines[at], nil
	}
	if len(t.r.starts) == 0 {
		return t.count(at)
	}
	skip := t.r.seek(at)
	if err := t.read(); err != nil {
		return nil, err
	}
	if skip >= len(t.lines) {
		return nil, errNoRecord()
	}
	return t.lines[skip], nil
}

// count finds the message where nothing says in which chunk it begins.
func (t *Texts) count(at int) ([]byte, error) {
	t.chunk, t.lines = -1, t.lines[:0]
	if err := t.r.turn(t.seq); err != nil {
		return nil, err
	}
	for ; ; at-- {
		line, err := t.r.line()
		if err == io.EOF {
			return nil, errNoRecord()
		}
		if err != nil || at == 0 {
			return line, err
		}
	}
}

// read takes the lines of the chunk that the reader turned to, and goes on to
// further ones only for a message in pieces.
func (t *Texts) read() error {
	if t.chunk == int(t.r.n) {
		return nil
	}
	chunk := int(t.r.n)
	t.chunk, t.lines = -1, t.lines[:0]
	line, err := t.r.line()
	if err != nil {
		return err
	}
	t.lines = append(t.lines, line)
	for { // the rest of the chunk is at hand
		i := bytes.IndexByte(t.r.buf, '\n')
		if i < 0 {
			break
		}
		t.lines, t.r.buf = append(t.lines, t.r.buf[:i]), t.r.buf[i+1:]
	}
	t.chunk = chunk
	return nil
}
