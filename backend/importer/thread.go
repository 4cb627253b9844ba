package importer

import (
	"bytes"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

// Thread builds the graph of one conversation from messages in the provider's
// order, whatever their parents are.
type Thread struct {
	d  *ConversationDraft
	at map[string]int // id → place in d.Messages
	no map[string]int // id → the number that was put behind it last
}

// NewThread begins the graph of d.
func NewThread(d *ConversationDraft) *Thread {
	return &Thread{d: d, at: map[string]int{}, no: map[string]int{}}
}

// Add appends a message and returns its id. A message without one gets one
// made of its place; one whose id is taken gets a number behind it.
func (t *Thread) Add(m memory.Message) string {
	if m.ID == "" {
		m.ID = ConversationID(t.d.ID, strconv.Itoa(len(t.d.Messages)))
	}
	for id := m.ID; t.has(m.ID); { // of very many that are alike none is tried twice
		t.no[id] = max(t.no[id]+1, 2)
		m.ID = id + "~" + strconv.Itoa(t.no[id])
	}
	t.at[m.ID] = len(t.d.Messages)
	t.d.Messages = append(t.d.Messages, m)
	return m.ID
}

func (t *Thread) has(id string) bool {
	_, ok := t.at[id]
	return ok
}

// Last is the id of the message added last, "" before the first.
func (t *Thread) Last() string {
	if n := len(t.d.Messages); n > 0 {
		return t.d.Messages[n-1].ID
	}
	return ""
}

// Join cuts what is no tree, fills children_ids, and sets the leaf: the message
// of that id, else the newest of those without a child, of equals the last. A
// parent that is cut off stays in the message's raw_metadata under parentName. It
// also dates the conversation, as Dates does.
func (t *Thread) Join(leaf, parentName string) {
	messages := t.d.Messages
	plant(messages, t.at, parentName)
	t.d.Leaf = leaf
	if !t.has(leaf) {
		t.d.Leaf = newestLeaf(messages)
	}
	Dates(t.d)
}

func newestLeaf(messages []memory.Message) string {
	best := -1
	for i, m := range messages {
		if len(m.ChildrenIDs) == 0 && (best < 0 || m.CreatedAt.Compare(messages[best].CreatedAt) >= 0) {
			best = i
		}
	}
	if best < 0 {
		return ""
	}
	return messages[best].ID
}

// KeepRaw stores a member verbatim; nil is nothing.
func KeepRaw(raw *memory.RawMetadata, name string, value []byte) {
	if value == nil {
		return
	}
	if *raw == nil {
		*raw = memory.RawMetadata{}
	}
	(*raw)[name] = value
}

// KeepText stores a text as a member; "" is nothing.
func KeepText(raw *memory.RawMetadata, name, text string) {
	if text != "" {
		quoted, _ := jsontext.AppendQuote(nil, text)
		KeepRaw(raw, name, quoted)
	}
}

// maxTitle is the longest title made of a message, in runes.
const maxTitle = 80

// Line is text in one line, as a title must be.
func Line(text string) string { return strings.Join(strings.Fields(text), " ") }

// TitleOf makes a title of the beginning of what somebody said, cut at a word.
func TitleOf(said string) string {
	line := []rune(Line(said))
	if len(line) <= maxTitle {
		return string(line)
	}
	cut := string(line[:maxTitle])
	if i := strings.LastIndexByte(cut, ' '); i > maxTitle/2 {
		cut = cut[:i]
	}
	return cut + "…"
}

// Words is content of plain text, nil where there is none.
func Words(text string) *memory.Content {
	if text == "" {
		return nil
	}
	return &memory.Content{Type: "text", Text: text}
}

// When reads a time that a provider wrote as RFC 3339, with or without zone:
// where it is missing UTC is meant. What is no time, or not after 1970, is
// unknown.
func When(s string) memory.Time {
	s = strings.TrimSpace(s)
	t, err := memory.ParseTime(s)
	if err != nil && len(s) > 10 {
		t, err = memory.ParseTime(s[:10] + "T" + s[11:] + "Z")
	}
	if err != nil || t.Year() <= 1970 {
		return memory.Time{}
	}
	return t
}

// TextIn is a member that holds a string; "" otherwise.
func TextIn(v jsontext.Value, name string) string {
	s, _ := jsonstream.Text(jsonstream.Member(v, name))
	return s
}

// WebAddress is s where it is a URI, as the schema of citations demands.
func WebAddress(s string) string {
	if u, err := url.Parse(s); err != nil || u.Scheme == "" || strings.ContainsAny(s, " \t\n<>\"") {
		return ""
	}
	return s
}

// FirstText is the first of the members that holds a text.
func FirstText(v jsontext.Value, names ...string) string {
	for _, name := range names {
		if s := TextIn(v, name); s != "" {
			return s
		}
	}
	return ""
}

// IsNothing reports a value that says nothing: none at all, null, "", [], {}.
func IsNothing(v jsontext.Value) bool {
	switch string(v) {
	case "", "null", `""`, "[]", "{}":
		return true
	}
	return false
}

// KeepOthers keeps the members of v that say something, but for those named.
func KeepOthers(raw *memory.RawMetadata, v jsontext.Value, taken ...string) {
	for name, value := range jsonstream.Members(v) {
		if !IsNothing(value) && !slices.Contains(taken, name) {
			KeepRaw(raw, name, jsonstream.Keep(value))
		}
	}
}

// Owner gives memory of its own to what messages keep of their elements: one that stood
// in a piece would keep all of that in memory. What the message before kept alike is
// there once.
type Owner struct{ last memory.RawMetadata }

func (o *Owner) Own(m *memory.Message) {
	size := 0
	for name, v := range m.RawMetadata {
		if last, ok := o.last[name]; !ok || !bytes.Equal(v, last) {
			size += len(v)
		}
	}
	own := make([]byte, 0, size)
	for name, v := range m.RawMetadata {
		if last, ok := o.last[name]; ok && bytes.Equal(v, last) {
			m.RawMetadata[name] = last
			continue
		}
		from := len(own)
		own = append(own, v...)
		m.RawMetadata[name] = own[from:len(own):len(own)]
	}
	if len(m.RawMetadata) > 0 {
		o.last = m.RawMetadata
	}
	for i := range m.ToolCalls {
		m.ToolCalls[i].Input = slices.Clone(m.ToolCalls[i].Input)
	}
}
