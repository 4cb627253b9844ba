package memory

import (
	"encoding/json"
	"iter"
	"slices"
	"strings"
)

// Role is who speaks, normalized over all providers (PAM §25.3).
type Role string

const (
	User      Role = "user"
	Assistant Role = "assistant"
	System    Role = "system"
	Tool      Role = "tool"
)

// Conversation is a whole conversation graph in the form of PAM §25. Messages
// stand in the provider's order; branches hang together by ParentID.
type Conversation struct {
	ID                string               `json:"id"`
	Provider          Provider             `json:"provider"`
	Title             string               `json:"title,omitempty"`
	Participants      []Participant        `json:"participants,omitempty"`
	Model             string               `json:"model,omitempty"`
	SystemInstruction string               `json:"system_instruction,omitempty"`
	IsArchived        bool                 `json:"is_archived,omitempty"`
	Tags              []string             `json:"tags,omitempty"`
	Temporal          ConversationTemporal `json:"temporal"`
	Messages          []Message            `json:"messages"`
	ImportMetadata    *ImportMetadata      `json:"import_metadata,omitempty"`
	RawMetadata       RawMetadata          `json:"raw_metadata,omitempty"`

	// Leaf is the last message of the active path, "" when there are no
	// messages. PAM has no member for it: a companion file keeps it as
	// raw_metadata.keepsake_active_leaf.
	Leaf string `json:"-"`
}

// RawMetadata keeps a provider's own members verbatim (§25.3), so that nothing
// is lost and a better reader can look again.
type RawMetadata map[string]json.RawMessage

// Provider says whose conversation it is.
type Provider struct {
	Name                string `json:"name"` // platform identifier, §11.4
	ConversationID      string `json:"conversation_id,omitempty"`
	AccountID           string `json:"account_id,omitempty"`
	ExportFormatVersion string `json:"export_format_version,omitempty"`
}

// Participant of a conversation.
type Participant struct {
	Role       Role   `json:"role"`
	Name       string `json:"name,omitempty"`
	ProviderID string `json:"provider_id,omitempty"`
}

// TimeSource is the member of RawMetadata that says where a derived created_at
// came from: of a conversation "message", "updated", or TimeUnknown; of a message in a
// companion "conversation" or TimeUnknown. PAM requires created_at and has no member
// for it.
const TimeSource = "keepsake_time_source"

// TimeUnknown is the value of TimeSource where created_at is the moment of the import,
// because nothing in the export has a time.
const TimeUnknown = "none"

// Began is created_at, zero where it only stands for an unknown time.
func (c *Conversation) Began() Time {
	if string(c.RawMetadata[TimeSource]) == `"`+TimeUnknown+`"` {
		return Time{}
	}
	return c.Temporal.CreatedAt
}

// ConversationTemporal holds the times of a conversation. PAM requires
// created_at; see TimeSource.
type ConversationTemporal struct {
	CreatedAt Time `json:"created_at"`
	UpdatedAt Time `json:"updated_at,omitzero"`
}

// ImportMetadata records which reader made this and from what (§25.3).
type ImportMetadata struct {
	Importer        string `json:"importer,omitempty"`         // keepsake/X.Y.Z
	ImporterVersion string `json:"importer_version,omitempty"` // chatgpt/2026.07
	ImportedAt      Time   `json:"imported_at,omitzero"`
	SourceFile      string `json:"source_file,omitempty"`     // base name only
	SourceChecksum  string `json:"source_checksum,omitempty"` // sha256:…
}

// Message is one node of the graph.
type Message struct {
	ID                string       `json:"id"`
	ProviderMessageID string       `json:"provider_message_id,omitempty"`
	Role              Role         `json:"role"`
	CreatedAt         Time         `json:"created_at"`
	Content           *Content     `json:"content,omitempty"`
	ParentID          string       `json:"parent_id,omitempty"`
	ChildrenIDs       []string     `json:"children_ids,omitempty"`
	Model             string       `json:"model,omitempty"`
	IsThought         bool         `json:"is_thought,omitempty"`
	TokenCount        *int         `json:"token_count,omitempty"`
	Attachments       []Attachment `json:"attachments,omitempty"`
	Citations         []Citation   `json:"citations,omitempty"`
	ToolCalls         []ToolCall   `json:"tool_calls,omitempty"`
	RawMetadata       RawMetadata  `json:"raw_metadata,omitempty"`
}

// Content is "text" with Text, or "multipart" with Parts.
type Content struct {
	Type  string `json:"type"`
	Text  string `json:"text,omitempty"`
	Parts []Part `json:"parts,omitempty"`
}

// Part is one piece of a multipart content: text, image, code, file, audio or video.
type Part struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	Language string `json:"language,omitempty"`
	MIMEType string `json:"mime_type,omitempty"`
	Ref      string `json:"ref,omitempty"` // blob reference, as Attachment.Ref
}

// Attachment of a message: file, image, audio, video or document. Ref is the
// name of the sealed blob in the vault; "" when the export did not hold it.
type Attachment struct {
	Type       string `json:"type"`
	Name       string `json:"name,omitempty"`
	MIMEType   string `json:"mime_type,omitempty"`
	SizeBytes  *int64 `json:"size_bytes,omitempty"`
	Ref        string `json:"ref,omitempty"`
	ProviderID string `json:"provider_id,omitempty"`
}

// Citation of a source.
type Citation struct {
	Title   string `json:"title,omitempty"`
	URL     string `json:"url,omitempty"`
	Snippet string `json:"snippet,omitempty"`
}

// ToolCall an assistant made. Input is an object, a string, or absent.
type ToolCall struct {
	ID     string          `json:"id,omitempty"`
	Name   string          `json:"name"`
	Input  json.RawMessage `json:"input,omitempty"`
	Output string          `json:"output,omitempty"`
}

// InputText is what the tool was asked, as it was written where it is a text.
func (t ToolCall) InputText() string {
	var text string
	if json.Unmarshal(t.Input, &text) == nil {
		return text
	}
	return string(t.Input)
}

// PlainText is what the content says, parts joined by blank lines.
func (c *Content) PlainText() string {
	if c == nil {
		return ""
	}
	if c.Type != "multipart" {
		return c.Text
	}
	var texts []string
	for _, p := range c.Parts {
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// Each yields the messages as who reads them from elsewhere does. There is never an error.
func (c *Conversation) Each() iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		for _, m := range c.Messages {
			if !yield(m, nil) {
				return
			}
		}
	}
}

// ActivePath returns the messages from the root to Leaf, first to last. It
// survives dangling parents and cycles: the walk ends where it would repeat.
func (c *Conversation) ActivePath() []Message {
	positions := c.activePositions()
	path := make([]Message, len(positions))
	for i, at := range positions {
		path[len(path)-1-i] = c.Messages[at]
	}
	return path
}

// IsEmpty reports a message in which nothing was said and with which nothing came: a
// place in the graph only, as the root of a conversation of ChatGPT is.
func (m *Message) IsEmpty() bool {
	return len(m.Attachments) == 0 && len(m.ToolCalls) == 0 && (m.Content == nil || m.Content.isEmpty())
}

func (c *Content) isEmpty() bool {
	return strings.TrimSpace(c.Text) == "" && !slices.ContainsFunc(c.Parts, func(p Part) bool {
		return p.Ref != "" || strings.TrimSpace(p.Text) != ""
	})
}

// EmptyCount is how many messages are empty: nobody sees them.
func (c *Conversation) EmptyCount() (n int) {
	for i := range c.Messages {
		if c.Messages[i].IsEmpty() {
			n++
		}
	}
	return n
}

// ActiveLength is how many messages ActivePath returns.
func (c *Conversation) ActiveLength() int { return len(c.activePositions()) }

// activePositions lists where the messages of the active path stand, last to
// first.
func (c *Conversation) activePositions() (path []int) {
	at := make(map[string]int, len(c.Messages))
	for i := range c.Messages {
		at[c.Messages[i].ID] = i
	}
	seen := make([]bool, len(c.Messages))
	for id := c.Leaf; id != ""; {
		i, ok := at[id]
		if !ok || seen[i] {
			break
		}
		seen[i] = true
		path = append(path, i)
		id = c.Messages[i].ParentID
	}
	return path
}
