package gemini

import (
	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

// chunk translates one chunk of a prompt of AI Studio. What it says stands in its own
// members, or in parts. It is several messages where the parts are of several kinds:
// thoughts, what is said with the code that is to be run, and results of code.
func (r *reading) chunk(v jsontext.Value) ([]memory.Message, error) {
	c := chunk{r: r, base: memory.Message{Role: memory.System, CreatedAt: importer.TimeIn(v, "createTime")}}
	var raw memory.RawMetadata
	switch role := importer.TextIn(v, "role"); role {
	case "user":
		c.base.Role = memory.User
	case "model":
		c.base.Role = memory.Assistant
	default:
		r.Sink.Unknown("role:" + role)
		importer.KeepText(&raw, "role", role)
	}
	c.base.IsThought = jsonstream.True(jsonstream.Member(v, "isThought"))
	own, inParts, parts := importer.TextIn(v, "text"), "", jsonstream.Member(v, "parts")
	for _, part := range jsonstream.Items(parts) {
		inParts += importer.TextIn(part, "text")
	}
	first := c.at(v)
	first.m.RawMetadata, first.m.TokenCount = raw, jsonstream.Count(jsonstream.Member(v, "tokenCount"))
	if inParts != own {
		first.text = own
	}
	if own != "" && inParts != "" && inParts != own {
		importer.KeepRaw(&first.m.RawMetadata, "parts", jsonstream.Keep(parts))
	}
	if err := c.members(first, v); err != nil {
		return nil, err
	}
	for _, part := range jsonstream.Items(parts) {
		said := c.at(part)
		if own == "" || inParts == own {
			said.text += importer.TextIn(part, "text")
		}
		if err := c.members(said, part); err != nil {
			return nil, err
		}
	}
	return c.messages(), nil
}

// chunk is one under way.
type chunk struct {
	r    *reading
	base memory.Message // who says it, and when
	list []*saying
}

// saying is one message of a chunk.
type saying struct {
	m    memory.Message
	text string
}

// at is the message that a chunk or one of its parts belongs to: the last one where that
// is of its kind.
func (c *chunk) at(v jsontext.Value) *saying {
	role, thought := c.base.Role, c.base.IsThought || jsonstream.True(jsonstream.Member(v, "thought"))
	if jsonstream.Member(v, "codeExecutionResult") != nil {
		role, thought = memory.Tool, false
	}
	if n := len(c.list); n > 0 && c.list[n-1].m.Role == role && c.list[n-1].m.IsThought == thought {
		return c.list[n-1]
	}
	c.list = append(c.list, &saying{m: memory.Message{Role: role, IsThought: thought, CreatedAt: c.base.CreatedAt}})
	return c.list[len(c.list)-1]
}

// messages are what the chunk became: at least one, and of several none that is empty.
func (c *chunk) messages() (all []memory.Message) {
	for i, s := range c.list {
		s.m.Content = importer.Words(s.text)
		if s.m.IsEmpty() && len(s.m.RawMetadata) == 0 && (len(all) > 0 || i+1 < len(c.list)) {
			if i+1 < len(c.list) {
				c.list[i+1].m.TokenCount = s.m.TokenCount
			}
			continue
		}
		all = append(all, s.m)
	}
	return all
}

// members takes what a chunk or one of its parts holds beside its text.
func (c *chunk) members(to *saying, v jsontext.Value) error {
	m := &to.m
	for name, value := range jsonstream.Members(v) {
		var err error
		switch name {
		case "text", "role", "isThought", "tokenCount", "createTime", "parts", "thought":
		case "executableCode":
			m.ToolCalls = append(m.ToolCalls, memory.ToolCall{Name: "code", Input: jsonstream.Keep(value)})
		case "codeExecutionResult":
			to.text += importer.TextIn(value, "output")
			importer.KeepRaw(&m.RawMetadata, "outcome", jsonstream.Member(value, "outcome"))
		case "inlineFile", "inlineImage", "inlineAudio", "inlineData":
			err = c.inline(m, value)
		case "driveImage", "driveDocument", "driveVideo", "driveAudio":
			m.Attachments = append(m.Attachments, c.r.Absent(importer.FirstText(value, "name", "id")))
			importer.KeepRaw(&m.RawMetadata, name, jsonstream.Keep(value))
		case "youtubeVideo":
			id := importer.TextIn(value, "id")
			m.Attachments = append(m.Attachments, memory.Attachment{Type: "video", Name: "https://www.youtube.com/watch?v=" + id, ProviderID: id})
		default:
			if !importer.IsNothing(value) {
				importer.KeepRaw(&m.RawMetadata, name, jsonstream.Keep(value))
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// inline stores a file that stands inside the chunk.
func (c *chunk) inline(m *memory.Message, v jsontext.Value) error {
	mime, data, ok := importer.DataURL("data:" + importer.TextIn(v, "mimeType") + ";base64," + importer.TextIn(v, "data"))
	if !ok {
		m.Attachments = append(m.Attachments, c.r.Absent("file"))
		return nil
	}
	a, err := c.r.Store("file"+importer.Ending(mime), mime, data)
	m.Attachments = append(m.Attachments, a)
	return err
}
