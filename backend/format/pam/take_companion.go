package pam

import (
	"context"
	"errors"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/jcs"
	"keepsake/backend/memory"
)

// DecodeConversation reads a companion document (§25), and says of what version it
// is: another major one may not be taken, also where nothing else is wrong. What was
// only written because PAM has no place for it is taken back: the end of the active
// path, times that are those of the conversation, and empty messages.
//
// One piece of the text is held at once. It is opened again where it is of a newer minor
// version, which may stand behind what that changes, and to find what is nested too deep.
func DecodeConversation(ctx context.Context, open func() (io.ReadCloser, error)) (c memory.Conversation, head Head, unknown []string, err error) {
	t := &companionTaking{around: []byte{'{'}}
	err = t.read(ctx, open)
	if err == nil && t.head().IsNewer() {
		t = &companionTaking{around: []byte{'{'}, newer: true}
		err = t.read(ctx, open)
	}
	if errors.Is(err, jcs.ErrDepth) {
		err = placed{deepInFile(open), errNotJSON}
	}
	if err != nil {
		return c, head, nil, err
	}
	c, err = t.conversation()
	return c, t.head(), t.unknown, err
}

// companionTaking is one reading of a companion document.
type companionTaking struct {
	newer    bool   // it is of a newer minor version, and read as of 1.0
	around   []byte // the document with no message, but for its last brace
	version  jsontext.Value
	messages []memory.Message
	unknown  []string
	bad      error // why the first message that cannot be read cannot be
}

func (t *companionTaking) head() Head {
	return Head{SchemaVersion: textOf(map[string]jsontext.Value{"": t.version}, "")}
}

func (t *companionTaking) read(ctx context.Context, open func() (io.ReadCloser, error)) error {
	r, err := open()
	if err != nil {
		return err
	}
	defer r.Close()
	return walk(ctx, r, visitor{member: t.member, element: t.element})
}

func (t *companionTaking) member(name string, raw jsontext.Value) error {
	if name == "schema_version" {
		t.version = raw.Clone()
	}
	if len(t.around) > 1 {
		t.around = append(t.around, ',')
	}
	from := len(t.around)
	t.around, _ = jsontext.AppendQuote(t.around, name) // it was read as text
	t.around = append(append(t.around, ':'), raw...)
	t.note(conversationForm, append(append([]byte{'{'}, t.around[from:]...), '}'))
	return nil
}

// note lists what an object has that 1.0 does not have.
func (t *companionTaking) note(f *form, raw jsontext.Value) {
	if t.newer {
		t.unknown = append(t.unknown, f.additions(raw)...)
	} else {
		t.unknown = append(t.unknown, f.unknown(raw)...)
	}
}

func (t *companionTaking) element(array string, i int, raw jsontext.Value) error {
	if array != "messages" {
		return nil
	}
	t.note(messageForm, raw)
	if t.newer {
		raw = messageForm.of10(raw)
	}
	m, err := into[memory.Message](raw)
	if err != nil && t.bad == nil {
		t.bad = placed{pointer(array, i) + PlaceOf(err), err}
	}
	if t.bad == nil {
		untime(&m)
		t.messages = append(t.messages, m)
	}
	return nil
}

// untime takes back what timed says.
func untime(m *memory.Message) {
	if from, _ := textIn(m.RawMetadata, memory.TimeSource); from == "conversation" || from == memory.TimeUnknown {
		m.CreatedAt = memory.Time{}
		takeText(&m.RawMetadata, memory.TimeSource)
	}
}

// conversation is what was read.
func (t *companionTaking) conversation() (c memory.Conversation, err error) {
	around := jsontext.Value(append(t.around, '}'))
	if t.newer {
		around = conversationForm.of10(around)
	}
	var whole struct {
		Schema string `json:"schema"`
		memory.Conversation
	}
	if err := json.Unmarshal(around, &whole, wholeNumbers); err != nil {
		return c, err
	}
	switch c = whole.Conversation; {
	case t.bad != nil:
		return c, t.bad
	case whole.Schema != "portable-ai-memory-conversation":
		return c, placed{"/schema", errNoContent}
	case c.ID == "":
		return c, placed{"/id", errNoContent}
	}
	if t.messages != nil {
		c.Messages = t.messages
	}
	c.Leaf = takeText(&c.RawMetadata, activeLeaf)
	c.Messages = restored(&c.RawMetadata, c.Messages)
	return c, nil
}

// deepInFile is deepIn of a file that was read before.
func deepInFile(open func() (io.ReadCloser, error)) string {
	r, err := open()
	if err != nil {
		return ""
	}
	defer r.Close()
	return deepIn(r)
}

// takeText takes a text out of raw members; an object that is empty then is none.
func takeText(raw *memory.RawMetadata, name string) string {
	text, ok := textIn(*raw, name)
	if ok {
		takeMember(raw, name)
	} else if len(*raw) == 0 {
		*raw = nil
	}
	return text
}
