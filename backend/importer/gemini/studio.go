package gemini

import (
	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/memory"
)

// chunk translates one chunk of a prompt of AI Studio. What it says stands in its own
// members, or in parts.
func (r *reading) chunk(v jsontext.Value) (memory.Message, error) {
	m := memory.Message{Role: memory.System, CreatedAt: importer.AnyTime(importer.Member(v, "createTime"))}
	switch role := importer.TextIn(v, "role"); role {
	case "user":
		m.Role = memory.User
	case "model":
		m.Role = memory.Assistant
	default:
		r.Sink.Unknown("role:" + role)
		importer.KeepText(&m.RawMetadata, "role", role)
	}
	m.IsThought = importer.True(importer.Member(v, "isThought"))
	m.TokenCount = importer.Count(importer.Member(v, "tokenCount"))
	c := chunk{r: r, m: &m}
	if err := c.members(v, false); err != nil {
		return m, err
	}
	text := importer.TextIn(v, "text")
	for _, part := range importer.Items(importer.Member(v, "parts")) {
		if err := c.members(part, true); err != nil {
			return m, err
		}
	}
	if text == "" {
		text = c.parts
	}
	m.Content = importer.Words(text + c.output)
	return m, nil
}

// chunk is one under way.
type chunk struct {
	r      *reading
	m      *memory.Message
	parts  string // text of its parts
	output string // of code that was run
}

// members takes what a chunk or one of its parts holds.
func (c *chunk) members(v jsontext.Value, isPart bool) error {
	for name, value := range importer.Members(v) {
		var err error
		switch name {
		case "text":
			if isPart {
				text, _ := importer.Text(value)
				c.parts += text
			}
		case "role", "isThought", "tokenCount", "createTime", "parts", "thought":
		case "executableCode":
			c.m.ToolCalls = append(c.m.ToolCalls, memory.ToolCall{Name: "code", Input: importer.Keep(value)})
		case "codeExecutionResult":
			c.m.Role = memory.Tool
			c.output += importer.TextIn(value, "output")
			importer.KeepRaw(&c.m.RawMetadata, "outcome", importer.Member(value, "outcome"))
		case "inlineFile", "inlineImage", "inlineAudio", "inlineData":
			err = c.inline(value)
		case "driveImage", "driveDocument", "driveVideo", "driveAudio":
			c.m.Attachments = append(c.m.Attachments, c.r.Absent(importer.FirstText(value, "name", "id")))
			importer.KeepRaw(&c.m.RawMetadata, name, importer.Keep(value))
		case "youtubeVideo":
			id := importer.TextIn(value, "id")
			c.m.Attachments = append(c.m.Attachments, memory.Attachment{Type: "video", Name: "https://www.youtube.com/watch?v=" + id, ProviderID: id})
		default:
			if !importer.IsNothing(value) {
				importer.KeepRaw(&c.m.RawMetadata, name, importer.Keep(value))
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// inline stores a file that stands inside the chunk.
func (c *chunk) inline(v jsontext.Value) error {
	mime, data, ok := importer.DataURL("data:" + importer.TextIn(v, "mimeType") + ";base64," + importer.TextIn(v, "data"))
	if !ok {
		c.m.Attachments = append(c.m.Attachments, c.r.Absent("file"))
		return nil
	}
	a, err := c.r.Store("file"+importer.Ending(mime), mime, data)
	c.m.Attachments = append(c.m.Attachments, a)
	return err
}
