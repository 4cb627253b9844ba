package personal

import (
	"bufio"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"

	"keepsake/backend/format/markdown"
	"keepsake/backend/memory"
)

// exportVersion of the structure that is written.
const exportVersion = "1.0"

// Options of an export.
type Options struct {
	Metadata bool // of each record
}

// record is one of the structure. What the specification's example does not show
// has the names of its record schema.
type record struct {
	MemoryID    string      `json:"memory_id"`
	ContentType ContentType `json:"content_type"`
	Content     string      `json:"content"`
	ContentHash string      `json:"content_hash"`
	SessionID   string      `json:"session_id,omitempty"`
	Channel     string      `json:"channel,omitempty"`
	MessageID   string      `json:"source_msg_id,omitempty"`
	Tags        []string    `json:"topic_tags"`
	CreatedAt   memory.Time `json:"created_at"`
	UpdatedAt   memory.Time `json:"updated_at,omitzero"`
	Metadata    *metadata   `json:"metadata,omitempty"`
}

// metadata of a record: the specification's members where they are known, and
// those of PAM that its structure has no place for.
type metadata struct {
	Importance    *float64    `json:"importance_score,omitempty"`
	AccessCount   *int64      `json:"access_count,omitempty"`
	LastAccessed  memory.Time `json:"last_accessed,omitzero"`
	CompactedFrom []string    `json:"compacted_from,omitempty"`
	TTL           memory.Time `json:"ttl"` // valid_until, null for ever

	Title        string      `json:"title,omitempty"` // of a conversation
	Type         memory.Type `json:"type,omitempty"`
	CustomType   string      `json:"custom_type,omitempty"`
	Status       string      `json:"status,omitempty"`
	SupersededBy string      `json:"superseded_by,omitempty"`
	Summary      string      `json:"summary,omitempty"`
	Platform     string      `json:"platform,omitempty"`
	Relations    []relation  `json:"relations,omitempty"`
}

type relation struct {
	Type     memory.RelationType `json:"type"`
	MemoryID string              `json:"memory_id"`
}

// count says how many records there are of each category.
func count(c memory.Collection) (map[Category]int, error) {
	n := map[Category]int{Conversation: len(c.Talks)}
	for m, err := range c.Memories {
		if err != nil {
			return nil, err
		}
		of, _ := OfRecord(m)
		n[of]++
	}
	return n, nil
}

// each calls visit with all memories of a category. records is how many records the
// category has, conversations included: where none is a memory, none is read.
func each(c memory.Collection, of Category, records int, visit func(memory.Record, ContentType) error) error {
	if of == Conversation {
		records -= len(c.Talks)
	}
	if records == 0 {
		return nil
	}
	for m, err := range c.Memories {
		if err != nil {
			return err
		}
		if is, as := OfRecord(m); is == of {
			if err := visit(m, as); err != nil {
				return err
			}
		}
	}
	return nil
}

// WriteJSON writes the export as the specification's structure, a record a line.
func WriteJSON(w io.Writer, c memory.Collection, o Options) error {
	counts, err := count(c)
	if err != nil {
		return err
	}
	total := 0
	for _, n := range counts {
		total += n
	}
	p := &printer{w: bufio.NewWriter(w), links: c.Links(), use: c.Use, metadata: o.Metadata}
	p.raw("{\n\"export_version\": \"" + exportVersion + "\",\n\"user_id\": ")
	p.value(c.Owner)
	p.raw(",\n\"exported_at\": ")
	p.value(c.Made)
	p.raw(",\n\"record_count\": " + strconv.Itoa(total) + ",\n\"categories\": {\n")
	for i, of := range Categories() {
		if i > 0 {
			p.raw(",\n")
		}
		p.raw("\"" + string(of) + "\": {\n\"count\": " + strconv.Itoa(counts[of]) + ",\n\"records\": [")
		p.first = true
		err = each(c, of, counts[of], func(m memory.Record, as ContentType) error {
			r, err := p.recordOf(m, as)
			if err != nil {
				return err
			}
			return p.record(r)
		})
		if err == nil && of == Conversation {
			err = p.conversations(c)
		}
		if err != nil {
			return err
		}
		p.raw("\n]\n}")
	}
	p.raw("\n}\n}\n")
	return p.w.Flush()
}

// printer writes JSON. What goes wrong with a bufio.Writer shows at the flush.
type printer struct {
	w        *bufio.Writer
	links    map[string][]memory.Link
	use      func(memory.Record) (memory.Use, error)
	metadata bool
	first    bool // no record of the list is written yet
}

func (p *printer) raw(s string) { p.w.WriteString(s) }

func (p *printer) value(v any) error {
	text, err := encode(v)
	if err == nil {
		p.w.Write(text)
	}
	return err
}

// encode is a value on one line, its texts as they are.
func encode(v any) ([]byte, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return []byte(strings.TrimSuffix(b.String(), "\n")), err
}

func (p *printer) record(r record) error {
	if !p.first {
		p.raw(",")
	}
	p.first = false
	p.raw("\n")
	if !p.metadata {
		r.Metadata = nil
	}
	return p.value(r)
}

func (p *printer) recordOf(m memory.Record, as ContentType) (record, error) {
	r := record{
		MemoryID: m.ID, ContentType: as, Content: m.Content, ContentHash: m.ContentHash, SessionID: m.Provenance.ConversationRef,
		Channel: channel(m.Provenance.Platform), MessageID: m.Provenance.MessageRef, Tags: m.Tags, CreatedAt: m.Temporal.CreatedAt, UpdatedAt: m.Temporal.UpdatedAt,
		Metadata: &metadata{
			TTL: m.Temporal.ValidUntil, Type: m.Type, CustomType: m.CustomType, Status: string(m.Status), SupersededBy: m.Temporal.SupersededBy, Summary: m.Summary, Platform: m.Provenance.Platform,
		},
	}
	if r.Tags == nil {
		r.Tags = []string{}
	}
	if importance, ok := m.Importance(); ok {
		r.Metadata.Importance = &importance
	}
	if p.use != nil {
		use, err := p.use(m)
		if err != nil {
			return r, err
		}
		r.Metadata.AccessCount, r.Metadata.LastAccessed = &use.Count, use.Last
	}
	for _, l := range p.links[m.ID] {
		switch {
		case l.Inverse:
		case l.Type == memory.DerivedFrom:
			r.Metadata.CompactedFrom = append(r.Metadata.CompactedFrom, l.ID)
		default:
			r.Metadata.Relations = append(r.Metadata.Relations, relation{l.Type, l.ID})
		}
	}
	return r, nil
}

// Channels lists those of the specification.
func Channels() []string { return []string{"slack", "teams", "email", "web"} }

// channel is the platform where the specification knows it as one.
func channel(platform string) string {
	if slices.Contains(Channels(), platform) {
		return platform
	}
	return ""
}

// conversations writes each conversation as one record, its transcript.
func (p *printer) conversations(c memory.Collection) error {
	if c.Conversations == nil {
		return nil
	}
	for talk, err := range c.Conversations {
		if err != nil {
			return err
		}
		text := transcript(talk)
		err := p.record(record{
			MemoryID: talk.ID, ContentType: ContentTranscript, Content: text, ContentHash: memory.ContentHash(text), SessionID: talk.ID, Channel: channel(talk.Provider.Name),
			Tags: append([]string{}, talk.Tags...), CreatedAt: talk.Temporal.CreatedAt, UpdatedAt: talk.Temporal.UpdatedAt,
			Metadata: &metadata{Title: talk.Title, Platform: talk.Provider.Name},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// transcript is what was said, first to last, and then what was said in other
// branches.
func transcript(c *memory.Conversation) string {
	var b strings.Builder
	say := func(messages []*memory.Message) {
		for _, m := range messages {
			if text := m.Content.PlainText(); text != "" {
				b.WriteString(string(m.Role) + ": " + text + "\n\n")
			}
		}
	}
	path, others := c.Reading()
	say(path)
	if len(others) > 0 {
		b.WriteString(otherBranches)
		say(others)
	}
	return strings.TrimRight(b.String(), "\n")
}

// headings of the categories.
func headings(w memory.Wording) map[Category]string {
	return map[Category]string{Conversation: w.History, WorkPattern: w.Patterns, Preference: w.Preferences, LearnedContext: w.LearnedOf}
}

// WriteMarkdown writes the export as one page of Markdown that loads nothing.
func WriteMarkdown(w io.Writer, c memory.Collection, o Options) error {
	counts, err := count(c)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	b.WriteString("# " + c.Words.PersonalMemory + "\n\n" + c.Words.On(c.Words.Written, c.Made) + "\n")
	for _, of := range Categories() {
		b.WriteString("\n## " + headings(c.Words)[of] + " (" + strconv.Itoa(counts[of]) + ")\n")
		err = each(c, of, counts[of], func(m memory.Record, _ ContentType) error {
			b.WriteString("\n" + markdown.Safe(m.Content) + "\n")
			if o.Metadata {
				b.WriteString("\n*" + facts(m, c.Words) + "*\n")
			}
			b.WriteString("\n---\n")
			return nil
		})
		if err == nil && of == Conversation {
			err = writeConversations(b, c)
		}
		if err != nil {
			return err
		}
	}
	return b.Flush()
}

// facts are what is said below a memory.
func facts(m memory.Record, w memory.Wording) string {
	all := []string{m.Temporal.CreatedAt.Format("2006-01-02"), w.Type(m.Type), m.CustomType, m.Provenance.Platform, strings.Join(m.Tags, ", ")}
	out := ""
	for _, fact := range all {
		if fact != "" && out != "" {
			out += " · "
		}
		out += markdown.Inline(fact)
	}
	return out
}

func writeConversations(b *bufio.Writer, c memory.Collection) error {
	if c.Conversations == nil {
		return nil
	}
	for talk, err := range c.Conversations {
		if err != nil {
			return err
		}
		b.WriteString("\n### " + markdown.Inline(c.Words.Titled(talk.Heading())) + "\n")
		markdown.Messages(b, talk, c.Words, "####")
	}
	return nil
}
