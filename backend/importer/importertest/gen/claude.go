package gen

import (
	"cmp"
	"fmt"
	"time"
)

// Layout is how a Claude export is packed.
type Layout string

const (
	OneZip  Layout = "single"  // conversations.json, users.json, projects.json, memories.json
	Batches Layout = "batches" // two zips that repeat some conversations
	Parts   Layout = "parts"   // a zip for each kind of data, and a manifest
)

// ClaudeOptions of a generated export. Zero values make a small full one.
type ClaudeOptions struct {
	Seed          uint64
	Conversations int // 0 is 6
	Turns         int // questions with an answer in each conversation; 0 is 4
	// Memories is the shape of what Claude remembers: "array" (the oldest),
	// "object", or "files"; "" is files.
	Memories string
	// Later adds one turn to every conversation: what the same account exports
	// some time later.
	Later bool
}

// claude makes one export.
type claude struct {
	maker
	ClaudeOptions
	truth   Truth
	project string
	talks   []object
}

// Claude makes an export as one zip, and tells what was planted in it.
func Claude(o ClaudeOptions) ([]byte, Truth) {
	zips, truth := ClaudeZips(OneZip, o)
	return zips[0].Data, truth
}

// ClaudeZips makes an export as the files a person downloads.
func ClaudeZips(layout Layout, o ClaudeOptions) ([]File, Truth) {
	o.Conversations, o.Turns = cmp.Or(o.Conversations, 6), cmp.Or(o.Turns, 4)
	c := &claude{maker: newMaker(o.Seed), ClaudeOptions: o}
	c.truth.Account, c.project = c.uuid(), c.uuid()
	for i := range o.Conversations {
		c.talks = append(c.talks, c.talk(i))
	}
	files := c.pack(layout)
	c.truth.Records += c.truth.Messages + len(c.truth.Memories) + 2 // the project is a conversation of one message, users.json is left out
	return files, c.truth
}

func (c *claude) pack(layout Layout) []File {
	users := File{Name: "users.json", Data: toJSON([]any{object{"uuid": c.truth.Account, "full_name": "Sam Example", "email_address": "sam@example.org", "verified_phone_number": nil}})}
	memories := c.memories()
	project := c.projectObject()
	switch layout {
	case Batches:
		half := len(c.talks) / 2
		c.truth.Records += 2 // a conversation stands in both, and users.json
		return []File{
			{Name: "data-2026-05-01-10-00-00-batch-0000.zip", Data: Zip([]File{users, {Name: "conversations.json", Data: toJSON(c.talks[:half+1])}, {Name: "memories.json", Data: memories}})},
			{Name: "data-2026-05-01-10-00-00-batch-0001.zip", Data: Zip([]File{users, {Name: "conversations.json", Data: toJSON(c.talks[half:])}, {Name: "projects/" + c.project + ".json", Data: toJSON(project)}})},
		}
	case Parts:
		c.truth.Records++ // the manifest
		return c.parts(users, memories, project)
	}
	return []File{{Name: "data-2026-05-01-10-00-00.zip", Data: Zip([]File{
		{Name: "conversations.json", Data: toJSON(c.talks)}, users,
		{Name: "projects.json", Data: toJSON([]any{project})}, {Name: "memories.json", Data: memories}})}}
}

// ExportSecret stands in the links of a generated manifest; it must never be
// kept or shown.
const ExportSecret = "single-use-secret-link"

func (c *claude) parts(users File, memories []byte, project object) []File {
	parts := []File{
		{Name: "light_metadata-000.zip", Data: Zip([]File{users})},
		{Name: "conversations-000.zip", Data: Zip([]File{{Name: "conversations.json", Data: toJSON(c.talks)}})},
		{Name: "projects-000.zip", Data: Zip([]File{{Name: "projects/" + c.project + ".json", Data: toJSON(project)}})},
		{Name: "memories-000.zip", Data: Zip([]File{{Name: "memories/" + c.truth.Account + ".json", Data: memories}})},
	}
	var listed []any
	for i, p := range parts {
		listed = append(listed, object{"batch_index": i, "category": "data", "part": 0, "filename": p.Name, "export_url": "https://example.org/" + ExportSecret})
	}
	return append(parts, File{Name: "manifest-" + c.uuid() + ".json", Data: toJSON(object{"created_at": stamp(day), "version": "1.0",
		"instructions": "Download each file using the export_url.", "total_files": len(parts), "data_files": listed})})
}

var day = time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)

// stamp is a time as Claude writes it.
func stamp(t time.Time) string { return t.Format("2006-01-02T15:04:05.000000Z") }

const noParent = "00000000-0000-4000-8000-000000000000"

// talk is one conversation: every third one is branched by a retry, every
// fourth holds thinking and a tool, every fifth an attachment.
func (c *claude) talk(i int) object {
	id, start := c.uuid(), day.Add(time.Duration(i)*time.Hour)
	planted := Talk{ID: id, Title: fmt.Sprintf("Talk %d about %s", i, c.sentence(2))}
	turns := c.Turns
	ids := c.uuids(2 * (turns + 1))
	if c.Later {
		turns++
	}
	var messages []any
	parent := noParent
	for t := range turns {
		when := start.Add(time.Duration(t) * time.Minute)
		question, answer := ids[2*t], ids[2*t+1]
		text := c.at(i, t).sentence(9)
		asked := message(question, parent, "human", when, text, block(text))
		if i%5 == 1 && t == 0 {
			asked["attachments"] = []any{object{"file_name": "notes.txt", "file_size": 11, "file_type": "txt", "extracted_content": "notes of " + planted.Title}}
			asked["files"] = []any{object{"file_uuid": c.at(i, 900).uuid(), "file_name": "notes.txt"}, object{"file_uuid": c.at(i, 901).uuid(), "file_name": "photo.png"}}
			c.truth.Attachments++
			c.truth.Missing++
		}
		messages = append(messages, asked)
		if i%3 == 0 && t == 0 {
			messages = append(messages, message(c.at(i, 500).uuid(), question, "assistant", when.Add(time.Second), "retried", block("An answer that was retried.")))
		}
		reply := c.at(i, 100+t).sentence(14)
		messages = append(messages, message(answer, question, "assistant", when.Add(2*time.Second), reply, c.reply(i, t, reply)...))
		planted.Said, planted.Path = append(planted.Said, text), append(planted.Path, question, answer)
		parent = answer
	}
	planted.Leaf, planted.Messages = parent, len(messages)
	c.truth.Conversations = append(c.truth.Conversations, planted)
	c.truth.Messages += len(messages)
	return object{"uuid": id, "name": planted.Title, "summary": "", "created_at": stamp(start), "updated_at": stamp(start.Add(time.Hour)),
		"account": object{"uuid": c.truth.Account}, "chat_messages": messages}
}

// at is a source of values for one place, so that adding a turn does not change
// what stands elsewhere.
func (c *claude) at(talk, place int) maker {
	return newMaker(c.Seed*1_000_003 + uint64(talk)*1009 + uint64(place))
}

func message(id, parent, sender string, when time.Time, text string, blocks ...any) object {
	return object{"uuid": id, "parent_message_uuid": parent, "sender": sender, "text": text, "content": blocks,
		"created_at": stamp(when), "updated_at": stamp(when), "attachments": []any{}, "files": []any{}}
}

func block(text string) any {
	return object{"type": "text", "text": text, "citations": []any{}, "start_timestamp": nil, "stop_timestamp": nil, "flags": nil}
}

func (c *claude) reply(i, t int, text string) []any {
	if i%4 != 2 || t != 0 {
		return []any{block(text)}
	}
	c.truth.Records += 2 // the thought and the call are messages of their own
	return []any{
		object{"type": "thinking", "thinking": "Let me look.", "summaries": []any{object{"summary": "Looking"}}, "cut_off": false},
		object{"type": "tool_use", "id": nil, "name": "web_search", "input": object{"query": "example"}, "message": "Searching", "integration_name": nil},
		object{"type": "tool_result", "tool_use_id": nil, "name": "web_search", "is_error": false, "content": []any{object{"type": "knowledge", "title": "Example", "url": "https://example.org/a", "text": "A page."}}},
		block(text),
	}
}

// memories is memories.json in the shape asked for. Each statement is planted.
func (c *claude) memories() []byte {
	fact := c.truth.plant
	if c.Memories == "array" || c.Memories == "object" {
		account := object{"account_uuid": c.truth.Account,
			"conversations_memory": "**Work context**\n" + fact("Sam repairs old clocks in Tromsø.") + "\n\n**Personal context**\n" + fact("Sam sings in a choir."),
			"project_memories":     object{c.project: "**Purpose & context**\n" + fact("The workshop needs a web page.")}}
		if c.Memories == "array" {
			return toJSON([]any{account})
		}
		return toJSON(account)
	}
	return toJSON([]any{object{"account_uuid": c.truth.Account, "memory_files": []any{
		object{"path": "/profile.md", "updated_at": stamp(day), "content": "---\nname: Profile\ndescription: who: Sam\nsources: [chat]\n---\n- [stated] " +
			fact("Repairs old clocks in Tromsø") + "\n- [inferred] " + fact("Speaks Norwegian") + "\n"},
		object{"path": "/people/kari.md", "updated_at": stamp(day), "content": "- [stated] " + fact("Kari is Sam's sister") + "\n"},
		object{"path": "/projects/" + c.project + "/index.md", "updated_at": stamp(day), "content": "---\nname: Workshop page\n---\n"},
	}}})
}

func (c *claude) projectObject() object {
	told := c.truth.plant("Write in plain words. Prices in kroner.")
	c.truth.Attachments++
	return object{"uuid": c.project, "name": "Workshop page", "description": "A page for the workshop", "is_private": true, "is_starter_project": false,
		"prompt_template": told, "created_at": "2026-04-01T10:00:00.000000+00:00", "updated_at": "2026-04-01T10:00:00.000000+00:00",
		"creator": object{"uuid": c.truth.Account, "full_name": "Sam Example"},
		"docs":    []any{object{"uuid": c.uuid(), "filename": "brief.md", "content": "# Brief", "created_at": "2026-04-01T10:00:00.000000+00:00"}}}
}
