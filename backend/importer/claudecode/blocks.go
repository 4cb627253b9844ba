package claudecode

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

// blocks takes the content of one line apart.
type blocks struct {
	s             *session
	m             *memory.Message
	said, thought string
	typed         string // by the person, beside a result of a tool
	isPerson      bool   // the line stands in the person's place
	inResult      bool
}

// text is one piece of text: of the person only what is theirs.
func (b *blocks) text(text string) {
	if !b.isPerson {
		b.said += text + "\n\n"
		return
	}
	role := b.m.Role
	b.m.Role = memory.User // whatever stands beside it in the line
	all := b.s.Words(b.m, text)
	b.m.Role = role
	for _, words := range all {
		if b.inResult {
			b.said += words + "\n\n"
		} else {
			b.typed += words + "\n\n"
		}
	}
}

func (b *blocks) read(content jsontext.Value) error {
	if text, ok := jsonstream.Text(content); ok {
		b.text(text)
	}
	for _, v := range jsonstream.Items(content) {
		if err := b.block(v); err != nil {
			return err
		}
	}
	if b.m.Role != memory.Tool {
		b.said, b.typed = b.typed+b.said, ""
	}
	b.said, b.typed, b.thought = strings.TrimSpace(b.said), strings.TrimSpace(b.typed), strings.TrimSpace(b.thought)
	return nil
}

func (b *blocks) block(v jsontext.Value) error {
	switch kind := importer.TextIn(v, "type"); kind {
	case "text":
		b.text(importer.TextIn(v, "text"))
	case "thinking":
		b.thought += importer.TextIn(v, "thinking") + "\n\n"
	case "redacted_thinking":
		b.s.Sink.Unknown("content:" + kind)
	case "tool_use":
		b.m.ToolCalls = append(b.m.ToolCalls, memory.ToolCall{ID: importer.TextIn(v, "id"), Name: importer.FirstOf(importer.TextIn(v, "name"), "tool"),
			Input: importer.CallInput(jsonstream.Member(v, "input"))})
	case "tool_result":
		return b.result(v)
	case "image", "document":
		return b.image(v)
	default:
		b.s.Sink.Unknown("content:" + kind)
		importer.KeepRaw(&b.m.RawMetadata, "block", jsonstream.Keep(v))
	}
	return nil
}

// result is what a tool gave back; its line is called one of the user.
func (b *blocks) result(v jsontext.Value) error {
	b.m.Role, b.inResult = memory.Tool, true
	defer func() { b.inResult = false }()
	importer.KeepRaw(&b.m.RawMetadata, "tool_use_id", jsonstream.Member(v, "tool_use_id"))
	if jsonstream.True(jsonstream.Member(v, "is_error")) {
		importer.KeepRaw(&b.m.RawMetadata, "is_error", []byte("true"))
	}
	content := jsonstream.Member(v, "content")
	if text, ok := jsonstream.Text(content); ok {
		all, err := b.whole(text)
		if err != nil {
			return err
		}
		b.said += all + "\n\n"
	}
	for _, part := range jsonstream.Items(content) {
		if importer.TextIn(part, "type") == "tool_result" {
			continue // nothing nests that deep
		}
		if text := importer.TextIn(part, "text"); stub.MatchString(text) {
			all, err := b.whole(text)
			if err != nil {
				return err
			}
			b.said += all + "\n\n"
			continue
		}
		if err := b.block(part); err != nil {
			return err
		}
	}
	return nil
}

func (b *blocks) image(v jsontext.Value) error {
	source := jsonstream.Member(v, "source")
	address := importer.FirstOf(importer.TextIn(source, "url"), "data:"+importer.TextIn(source, "media_type")+";base64,"+importer.TextIn(source, "data"))
	a, err := b.s.StoreURL("", address)
	b.m.Attachments = append(b.m.Attachments, a)
	return err
}
