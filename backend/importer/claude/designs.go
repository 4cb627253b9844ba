package claude

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

// readDesigns reads design chats. Their messages are a chain, and the project
// they name is none of the person's projects: its id is of another kind.
func (r *reading) readDesigns() error {
	return r.each(designs, func(it importer.Item) error {
		d, ok := r.Begin(platform, "design:"+nativeID(it.Raw), importer.Sum(it.Raw), it.File)
		if !ok {
			return nil
		}
		return r.design(d, it)
	})
}

func (r *reading) design(d *importer.ConversationDraft, it importer.Item) error {
	c := &d.Conversation
	c.Tags, c.RawMetadata = []string{"design"}, memory.RawMetadata{}
	var messages jsontext.Value
	for name, value := range jsonstream.Members(it.Raw) {
		switch name {
		case "uuid":
		case "messages":
			messages = value
		case "title":
			c.Title = r.title(c, name, value)
		case "created_at":
			c.Temporal.CreatedAt = r.time(c.RawMetadata, name, value)
		case "updated_at":
			c.Temporal.UpdatedAt = r.time(c.RawMetadata, name, value)
		default:
			importer.KeepRaw(&c.RawMetadata, name, jsonstream.Keep(value))
		}
	}
	r.speakers(c)
	if err := r.sketch(c, messages); err != nil {
		return err
	}
	importer.Dates(d)
	return r.Sink.Conversation(r.Ctx, *d)
}

// sketch translates the messages of a design chat.
func (r *reading) sketch(c *memory.Conversation, list jsontext.Value) error {
	g := graph{c: c, last: map[string]bool{}}
	for n, v := range jsonstream.Items(list) {
		if v.Kind() != '{' {
			r.Sink.Unknown("message:" + v.Kind().String())
			importer.KeepRaw(&c.RawMetadata, fmt.Sprintf("messages_%d", n), jsonstream.Keep(v))
			continue
		}
		m := wireMessage{uuid: g.free(importer.TextIn(v, "uuid"), c, n), sender: importer.TextIn(v, "role"), raw: memory.RawMetadata{}}
		for name, value := range jsonstream.Members(v) {
			switch name {
			case "uuid", "role":
			case "timestamp":
				m.created = r.time(m.raw, name, value)
			case "content":
				m.content = value
			default:
				importer.KeepRaw(&m.raw, name, jsonstream.Keep(value))
			}
		}
		b := &blocks{r: r}
		b.sketch(m.content)
		if len(b.list) == 0 {
			b.begin(false)
		}
		b.current().raw = m.raw
		g.add(m, r.role(m), b.list)
	}
	importer.Join(c, "", "parent_message_uuid")
	c.Provider.ExportFormatVersion = "design"
	return nil
}

// sketch takes the content of a design message: words, or blocks in an object.
func (b *blocks) sketch(content jsontext.Value) {
	if s, ok := jsonstream.Text(content); ok {
		b.speaking().say(s)
		return
	}
	if s := importer.TextIn(content, "content"); s != "" {
		b.speaking().say(s)
	}
	for _, v := range jsonstream.Items(jsonstream.Member(content, "contentBlocks")) {
		b.draw(v)
	}
	if rest := jsonstream.Without(content, "content", "contentBlocks"); rest != nil && content.Kind() == '{' {
		b.noteRaw(rest)
	}
}

// draw takes one block of a design message.
func (b *blocks) draw(v jsontext.Value) {
	switch kind := importer.TextIn(v, "type"); kind {
	case "text":
		b.text(v)
	case "thinking":
		b.thinking().write(importer.FirstOf(importer.TextIn(v, "thinking"), importer.TextIn(v, "text"), importer.TextIn(v, "content")))
		b.leftover(kind, jsonstream.Without(v, "type", "thinking", "text", "content"))
	case "tool_call":
		b.drawn(v)
	case "user_interjection":
		u := b.begin(false) // the person speaks inside the answer
		u.role = memory.User
		u.say(importer.TextIn(jsonstream.Member(v, "message"), "content"))
		b.noteRaw(note(kind, jsonstream.Without(v, "type", "message")))
	case "error":
		b.noteRaw(jsonstream.Keep(v))
	default:
		b.r.Sink.Unknown("design_block:" + kind)
		b.noteRaw(jsonstream.Keep(v))
	}
}

// drawn takes a tool call with its output in one block.
func (b *blocks) drawn(v jsontext.Value) {
	u, call := b.acting(), jsonstream.Member(v, "toolCall")
	c := &memory.ToolCall{ID: importer.TextIn(call, "id"), Name: importer.FirstOf(importer.TextIn(call, "name"), "tool"), Input: callInput(jsonstream.Member(call, "input"))}
	output := jsonstream.Member(call, "output")
	var ok bool
	if c.Output, ok = jsonstream.Text(output); !ok && output.Kind() != 'n' {
		c.Output = string(output)
	}
	u.calls = append(u.calls, c)
	if rest := jsonstream.Without(call, "id", "name", "input", "output"); rest != nil && call.Kind() == '{' {
		b.noteRaw(note("tool_call", rest))
	}
}
