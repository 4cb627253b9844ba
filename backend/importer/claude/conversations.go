package claude

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"iter"
	"slices"

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

func copyOf(it importer.Item) copy {
	c := copy{source: it.File.Source, path: it.File.Path, at: it.At}
	c.rank.bytes = len(it.Raw) + it.Pieces.Size
	for _, piece := range it.Pieces.List {
		for range jsonstream.Items(piece) {
			c.rank.messages++
		}
	}
	for name, value := range jsonstream.Members(it.Raw) {
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

// copies are the best of each conversation, or project, by their ids.
type copies map[string]copy

// readConversations reads several files twice, so that of a conversation that
// batches repeat only the best copy is given.
func (r *reading) readConversations() error {
	best := copies{}
	if r.passes.count > 1 {
		err := r.quietly(conversations, func(it importer.Item) error {
			best.isBest(it)
			return nil
		})
		if err != nil {
			return err
		}
		r.passes.read = r.Tree.Consumed() / r.passes.count
		r.Tree.Rewind()
	}
	return r.each(conversations, func(it importer.Item) error { return r.conversation(best, it) })
}

// isBest notes a copy that is better than those before it.
func (c copies) isBest(it importer.Item) bool {
	id, this := nativeID(it.Raw), copyOf(it)
	old, known := c[id]
	if known && this.rank.compare(old.rank) <= 0 {
		return false
	}
	c[id] = this
	return true
}

// conversation gives one conversation, unless a better copy of it is known.
func (r *reading) conversation(best copies, it importer.Item) error {
	if it.Raw.Kind() != '{' {
		r.Bad(it, true, fault.New(fault.Invalid, "claude-not-a-conversation", "Item {at} of {name} is not a conversation and was left out."))
		return nil
	}
	id, c := nativeID(it.Raw), copyOf(it)
	if old, ok := best[id]; ok && old != c && old.rank.compare(c.rank) >= 0 {
		r.Sink.Skipped("duplicate")
		return nil
	}
	best[id] = c
	if c.rank.messages == 0 {
		r.Sink.Skipped(importer.EmptyConversation)
		return nil
	}
	d, ok := r.BeginPart(platform, id, r.sum(it), it.File)
	if !ok {
		return nil
	}
	d.Messages = make([]memory.Message, 0, c.rank.messages)
	if err := r.talk(d, it); err != nil {
		return err
	}
	return r.Sink.Conversation(r.Ctx, *d)
}

// sum recognises the element. Published artifacts that lie beside it are part
// of what is stored, so that the frames part may be dropped later.
func (r *reading) sum(it importer.Item) [32]byte {
	names := func(text jsontext.Value) bool { return bytes.Contains(text, []byte(publishedID)) }
	if len(r.pages) == 0 || !slices.ContainsFunc(texts(it), names) {
		return it.Sum
	}
	h := sha256.New()
	h.Write(it.Sum[:])
	for _, text := range texts(it) {
		for _, id := range published(text) {
			if _, ok := r.pages[id]; ok {
				h.Write([]byte(id))
			}
		}
	}
	return [32]byte(h.Sum(nil))
}

// talk translates a conversation.
func (r *reading) talk(d *importer.ConversationDraft, it importer.Item) error {
	c := &d.Conversation
	c.Provider.ConversationID = importer.TextIn(it.Raw, "uuid")
	c.RawMetadata = memory.RawMetadata{}
	var list iter.Seq2[int, jsontext.Value]
	var leaf string
	for name, value := range jsonstream.Members(it.Raw) {
		switch name {
		case "uuid":
		case "chat_messages", "messages":
			list = messages(it, name, value)
		case "name":
			c.Title = r.title(c, name, value)
		case "created_at":
			c.Temporal.CreatedAt = r.time(c.RawMetadata, name, value)
		case "updated_at":
			c.Temporal.UpdatedAt = r.time(c.RawMetadata, name, value)
		case "account":
			c.Provider.AccountID = importer.TextIn(value, "uuid")
			importer.KeepRaw(&c.RawMetadata, name, jsonstream.Without(value, "uuid"))
		case "model":
			c.Model, _ = jsonstream.Text(value)
		case "current_leaf_message_uuid":
			leaf, _ = jsonstream.Text(value)
		default:
			importer.KeepRaw(&c.RawMetadata, name, jsonstream.Keep(value))
		}
	}
	r.speakers(c)
	return r.thread(d, list, leaf, len(it.Pieces.List) > 0)
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
	line := importer.Line(s)
	if !ok || line != s {
		importer.KeepRaw(&c.RawMetadata, name, jsonstream.Keep(value))
	}
	return line
}

// time reads a time; what is none stays as it stands.
func (r *reading) time(raw memory.RawMetadata, name string, value jsontext.Value) memory.Time {
	t := when(value)
	if t.IsZero() {
		importer.KeepRaw(&raw, name, jsonstream.Keep(value))
	}
	return t
}
