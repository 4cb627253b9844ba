package claude

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"iter"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

// rank orders copies of one conversation: the richer wins, then the newer,
// then the longer. updated_at alone is no measure, it moves without a change.
type rank struct {
	messages int
	updated  memory.Time
	bytes    int
}

func (a rank) compare(b rank) int {
	return cmp.Or(cmp.Compare(a.messages, b.messages), a.updated.Compare(b.updated), cmp.Compare(a.bytes, b.bytes))
}

// copy is where the best copy of a conversation stands.
type copy struct {
	source int
	path   string
	at     int
	rank   rank
}

func copyOf(it item) copy {
	c := copy{source: it.file.Source, path: it.file.Path, at: it.at}
	c.rank.bytes = len(it.raw) + it.pieces.Size
	for _, piece := range it.pieces.List {
		for range jsonstream.Items(piece) {
			c.rank.messages++
		}
	}
	for name, value := range jsonstream.Members(it.raw) {
		switch name {
		case "updated_at":
			c.rank.updated = when(value)
		case "chat_messages", "messages":
			for range jsonstream.Items(value) {
				c.rank.messages++
			}
		}
	}
	return c
}

// readConversations reads several files twice, so that of a conversation that
// batches repeat only the best copy is given.
func (r *reading) readConversations() error {
	best := map[string]copy{}
	files := r.survey.files[conversations]
	if r.passes > 1 {
		for _, f := range files {
			if err := r.elements(f, false, func(it item) error { return r.rank(best, it) }); err != nil {
				return err
			}
		}
		r.halves = r.tree.Consumed() / r.passes
		r.tree.Rewind()
	}
	return r.each(conversations, func(it item) error { return r.conversation(best, it) })
}

func (r *reading) rank(best map[string]copy, it item) error {
	id, c := nativeID(it.raw), copyOf(it)
	if old, ok := best[id]; !ok || c.rank.compare(old.rank) > 0 {
		best[id] = c
	}
	return nil
}

// conversation gives one conversation, unless a better copy of it is known.
func (r *reading) conversation(best map[string]copy, it item) error {
	if it.raw.Kind() != '{' {
		r.problem(it, notConversation())
		return nil
	}
	id, c := nativeID(it.raw), copyOf(it)
	if old, ok := best[id]; ok && old != c && old.rank.compare(c.rank) >= 0 {
		r.sink.Skipped("duplicate")
		return nil
	}
	best[id] = c
	if c.rank.messages == 0 {
		r.sink.Skipped(importer.EmptyConversation)
		return nil
	}
	sum := r.sum(it)
	if r.sink.Unchanged(id, sum) {
		return nil
	}
	draft := importer.ConversationDraft{Sum: sum, File: it.file.Base()}
	draft.Messages = make([]memory.Message, 0, c.rank.messages)
	if err := r.talk(&draft, id, it); err != nil {
		return err
	}
	return r.sink.Conversation(r.ctx, draft)
}

func notConversation() *fault.Error {
	return fault.New(fault.Invalid, "claude-not-a-conversation", "Item {at} of {name} is not a conversation and was left out.")
}

// sum recognises the element. Published artifacts that lie beside it are part
// of what is stored, so that the frames part may be dropped later.
func (r *reading) sum(it item) [32]byte {
	names := func(text jsontext.Value) bool { return bytes.Contains(text, []byte(publishedID)) }
	if len(r.pages) == 0 || !slices.ContainsFunc(it.texts(), names) {
		return it.sum
	}
	h := sha256.New()
	h.Write(it.sum[:])
	for _, text := range it.texts() {
		for _, id := range published(text) {
			if _, ok := r.pages[id]; ok {
				h.Write([]byte(id))
			}
		}
	}
	return [32]byte(h.Sum(nil))
}

// talk translates a conversation.
func (r *reading) talk(d *importer.ConversationDraft, id string, it item) error {
	c := &d.Conversation
	c.ID = importer.ConversationID(platform, id)
	c.Provider = memory.Provider{Name: platform, ConversationID: text(it.raw, "uuid")}
	c.RawMetadata = memory.RawMetadata{}
	var messages iter.Seq2[int, jsontext.Value]
	var leaf string
	for name, value := range jsonstream.Members(it.raw) {
		switch name {
		case "uuid":
		case "chat_messages", "messages":
			messages = it.messages(name, value)
		case "name":
			c.Title = r.title(c, name, value)
		case "created_at":
			c.Temporal.CreatedAt = r.time(c.RawMetadata, name, value)
		case "updated_at":
			c.Temporal.UpdatedAt = r.time(c.RawMetadata, name, value)
		case "account":
			c.Provider.AccountID = text(value, "uuid")
			keep(c.RawMetadata, name, jsonstream.Without(value, "uuid"))
		case "model":
			c.Model, _ = jsonstream.Text(value)
		case "current_leaf_message_uuid":
			leaf, _ = jsonstream.Text(value)
		default:
			keep(c.RawMetadata, name, jsonstream.Keep(value))
		}
	}
	r.speakers(c)
	return r.thread(d, messages, leaf, len(it.pieces.List) > 0)
}

// speakers names who speaks.
func (r *reading) speakers(c *memory.Conversation) {
	c.Participants = []memory.Participant{
		{Role: memory.User, Name: r.people[c.Provider.AccountID], ProviderID: c.Provider.AccountID},
		{Role: memory.Assistant, Name: "Claude"},
	}
}

// title is one line; where that changed it, the provider's own stays.
func (r *reading) title(c *memory.Conversation, name string, value jsontext.Value) string {
	s, ok := jsonstream.Text(value)
	line := strings.Join(strings.Fields(s), " ")
	if !ok || line != s {
		keep(c.RawMetadata, name, jsonstream.Keep(value))
	}
	return line
}

// time reads a time; what is none stays as it stands.
func (r *reading) time(raw memory.RawMetadata, name string, value jsontext.Value) memory.Time {
	t := when(value)
	if t.IsZero() {
		keep(raw, name, jsonstream.Keep(value))
	}
	return t
}

// keep stores a member verbatim; nil is nothing.
func keep(raw memory.RawMetadata, name string, value []byte) {
	if value != nil {
		raw[name] = value
	}
}
