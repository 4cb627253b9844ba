package pam

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/memory"
)

// Talk is a conversation that leaves. Where Long is set there are more messages than
// are to be held at once: Messages is nil, and Long gives the same ones each time.
type Talk struct {
	*memory.Conversation
	Long iter.Seq2[memory.Message, error]
}

// conversationHead is what stands before the members of a conversation (§25).
type conversationHead struct {
	Schema        string `json:"schema"`
	SchemaVersion string `json:"schema_version"`
	*memory.Conversation
}

// activeLeaf is the member of raw_metadata that keeps where the active path
// ends; PAM has none for it.
const activeLeaf = "keepsake_active_leaf"

// timed gives a message without a time that of its conversation, and says whether that
// one is known: PAM requires a time (§25). Its references lead where they led when they came.
func timed(m memory.Message, c *memory.Conversation) memory.Message {
	if m.CreatedAt.IsZero() {
		m.CreatedAt = c.Temporal.CreatedAt
		from := "conversation"
		if c.Began().IsZero() {
			from = memory.TimeUnknown
		}
		m.RawMetadata = withMember(m.RawMetadata, memory.TimeSource, from)
	}
	return led(m)
}

// withMember is raw metadata with one member more.
func withMember(raw memory.RawMetadata, name string, value any) memory.RawMetadata {
	text, err := json.Marshal(value)
	if err != nil {
		return raw
	}
	if raw = maps.Clone(raw); raw == nil {
		raw = memory.RawMetadata{}
	}
	raw[name] = text
	return raw
}

// EncodeConversation returns the companion document of a conversation.
func EncodeConversation(c *memory.Conversation) ([]byte, error) {
	empty, err := emptiesOf(Talk{Conversation: c})
	if err != nil {
		return nil, err
	}
	messages := make([]memory.Message, 0, len(c.Messages))
	for m := range (Talk{Conversation: c}).listed(empty) { // held messages give no error
		messages = append(messages, m)
	}
	out, err := withMessages(c, empty, messages)
	if err == nil && !jsontext.Value(out).IsValid() {
		return strictly(out)
	}
	return out, err
}

// withMessages is the document of c with other messages, and what is left out of them.
// It may be loose.
func withMessages(c *memory.Conversation, empty *empties, messages []memory.Message) ([]byte, error) {
	whole := *c
	whole.Messages = messages
	if _, own := c.RawMetadata[activeLeaf]; c.Leaf != "" && !own {
		whole.RawMetadata = withMember(whole.RawMetadata, activeLeaf, c.Leaf)
	}
	if len(empty.list) > 0 {
		whole.RawMetadata = withMember(whole.RawMetadata, emptyMessages, empty.list)
	}
	return encoded(conversationHead{"portable-ai-memory-conversation", SchemaVersion, &whole})
}

func encoded(v any) ([]byte, error) {
	out, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode conversation: %w", err)
	}
	return out, nil
}

// Write writes what EncodeConversation would return.
func (t Talk) Write(w io.Writer) error {
	if t.Long != nil {
		return t.writeLong(w)
	}
	text, err := EncodeConversation(t.Conversation)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// noMessages stands in a head where the messages are to come. Nothing before it is the
// same: in texts its marks are escaped, and raw members stand behind it.
var noMessages = []byte(`"messages":[]`)

func (t Talk) writeLong(w io.Writer) error {
	empty, loose, err := t.survey()
	if err != nil {
		return err
	}
	var behind []byte
	n := 0
	for piece, err := range t.pieces(empty) {
		if err == nil && loose {
			piece, err = strictly(piece)
		}
		if err != nil {
			return err
		}
		switch n++; n {
		case 1:
			at := bytes.Index(piece, noMessages) + len(noMessages) - 1
			piece, behind = piece[:at], piece[at:]
		case 2:
		default:
			piece = append([]byte{','}, piece...)
		}
		if _, err := w.Write(piece); err != nil {
			return err
		}
	}
	_, err = w.Write(behind)
	return err
}

// survey finds the empty messages, and reports loose where a piece is not strict JSON.
// All are written again then, with their members in order, so both have to be known
// before the first is written.
func (t Talk) survey() (empty *empties, loose bool, err error) {
	empty = &empties{}
	at := -1
	for m, err := range t.Long {
		if at++; err != nil {
			return nil, false, fmt.Errorf("read conversation: %w", err)
		}
		if m.IsEmpty() {
			empty.note(at, m)
		} else if !loose && !isSurelyStrict(&m) { // to encode it takes longer than to read it
			piece, err := encoded(timed(m, t.Conversation))
			if err != nil {
				return nil, false, err
			}
			loose = !jsontext.Value(piece).IsValid()
		}
	}
	around, err := withMessages(t.Conversation, empty, []memory.Message{})
	return empty, loose || err == nil && !jsontext.Value(around).IsValid(), err
}

// isSurelyStrict reports a message of which nothing can make its text loose: all else
// is encoded strictly, but for two names that are no text, which may come out as one.
func isSurelyStrict(m *memory.Message) bool {
	for name, value := range m.RawMetadata {
		if !utf8.ValidString(name) || !jsontext.Value(value).IsValid() {
			return false
		}
	}
	return !slices.ContainsFunc(m.ToolCalls, func(c memory.ToolCall) bool { return len(c.Input) > 0 && !jsontext.Value(c.Input).IsValid() })
}

// Pieces are the texts that the document is made of: all that is around the messages,
// then each of these. An error is the last.
func (t Talk) Pieces() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		empty, err := emptiesOf(t)
		if err != nil {
			yield(nil, fmt.Errorf("read conversation: %w", err))
			return
		}
		t.pieces(empty)(yield)
	}
}

func (t Talk) pieces(empty *empties) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if !yield(withMessages(t.Conversation, empty, []memory.Message{})) {
			return
		}
		for m, err := range t.listed(empty) {
			if err != nil {
				yield(nil, fmt.Errorf("read conversation: %w", err))
				return
			}
			if !yield(encoded(m)) {
				return
			}
		}
	}
}

// listed gives the messages as the document lists them.
func (t Talk) listed(empty *empties) iter.Seq2[memory.Message, error] {
	return func(yield func(memory.Message, error) bool) {
		for m, err := range t.each() {
			if err == nil && m.IsEmpty() {
				continue
			}
			if err == nil {
				m = timed(empty.joined(m), t.Conversation)
			}
			if !yield(m, err) {
				return
			}
		}
	}
}

// each gives the messages, held or not.
func (t Talk) each() iter.Seq2[memory.Message, error] {
	if t.Long != nil {
		return t.Long
	}
	return t.Each()
}

// strictly writes JSON again that a provider's raw members made loose: of a
// name that stands twice the last counts, half a surrogate pair becomes U+FFFD.
func strictly(loose []byte) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(loose))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("read raw members: %w", err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode conversation: %w", err)
	}
	return out, nil
}
