package chatgpt

import (
	"encoding/json"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

// Reasons for which the site does not show a message (keepsake_hidden).
const (
	hiddenRoot    = "root"
	hiddenSystem  = "system"
	hiddenContext = "context"
	hiddenWeight  = "weight"
	hiddenFlag    = "flag"
)

// body is the content of a message, translated.
type body struct {
	parts    []memory.Part
	pointers []pointer
	cites    []memory.Citation
	exact    bool // the parts say everything; the raw content need not be kept
	thought  bool
	hidden   string
	answer   bool   // shown whatever the site hides of it: its report stands nowhere else
	unknown  string // kind not understood, for the report
}

// pointer names a file that belongs to a message.
type pointer struct {
	id, name, mime string
	size           *int64
	kind           string // image, audio, video, file
	part           int    // position in body.parts that shows it, -1 for none
}

// readBody reads each content type from its own field. Only text and
// multimodal_text have parts; a reader that looks nowhere else finds code,
// thoughts and custom instructions empty.
func readBody(w *wireMessage) body {
	if w.Content.Kind() != '{' {
		b := body{exact: importer.IsNothing(w.Content)}
		b.say(text(w.Content))
		return b
	}
	c := &w.content
	kind := word(c.Type)
	switch kind {
	case "text", "multimodal_text", "":
		return partsBody(c, kind)
	case "code":
		return codeBody(c)
	case "thoughts":
		return thoughtsBody(c)
	case "model_editable_context", "user_editable_context":
		b := body{hidden: hiddenContext}
		b.say(text(c.ModelSetContext))
		b.say(text(c.UserProfile))
		b.say(text(c.Instructions))
		return b
	}
	return plainBody(c, kind)
}

// plainBody reads the types that hold one text, and what is not understood as
// far as it can be read.
func plainBody(c *wireContent, kind string) body {
	var b body
	switch kind {
	case "execution_output", "tether_browsing_code":
		b.say(text(c.Text))
	case "reasoning_recap":
		b.thought = true
		b.say(text(c.Content))
	case "system_error":
		b.say(strings.TrimPrefix(text(c.Name)+": "+text(c.Text), ": "))
	case "tether_browsing_display":
		b.say(text(c.Result))
		b.say(text(c.Summary))
	case "tether_quote", "sonic_webpage":
		b.say(text(c.Text))
		b.cites = append(b.cites, citation(c.Title, c.URL, nil))
	default:
		b = partsBody(c, kind)
		b.say(text(c.Text))
		b.exact, b.unknown = false, "content_type:"+kind
	}
	return b
}

// say adds a text part; nothing said adds none.
func (b *body) say(s string) {
	if s != "" {
		b.parts = append(b.parts, memory.Part{Type: "text", Text: s})
	}
}

func partsBody(c *wireContent, kind string) body {
	var b body
	strings, others := 0, 0
	for _, part := range jsonstream.Items(c.Parts) {
		if s, ok := jsonstream.Text(part); ok {
			b.say(s)
			strings++
		} else {
			b.part(part)
			others++
		}
	}
	// One string and nothing else is what the translation says again.
	b.exact = kind == "text" && strings == 1 && others == 0 && c.only("parts")
	return b
}

// only reports whether nothing but the type and the named field is there.
func (c *wireContent) only(name string) bool {
	fields := *c
	fields.Type, *fields.Field(name) = nil, nil
	for _, v := range []jsontext.Value{
		fields.Parts, fields.Text, fields.Language, fields.Result, fields.Summary, fields.Title, fields.URL, fields.Name,
		fields.Thoughts, fields.Content, fields.UserProfile, fields.Instructions, fields.ModelSetContext,
	} {
		if v != nil {
			return false
		}
	}
	return len(c.rest) == 0
}

// wirePart has the fields of all objects that stand in parts.
type wirePart struct {
	Type, Pointer, Audio, Frames, Video, Size, Text jsontext.Value
}

func (w *wirePart) read(v jsontext.Value) bool {
	return pick(v, fields{
		"content_type": &w.Type, "asset_pointer": &w.Pointer, "audio_asset_pointer": &w.Audio, "frames_asset_pointers": &w.Frames,
		"video_container_asset_pointer": &w.Video, "size_bytes": &w.Size, "text": &w.Text,
	})
}

func (b *body) part(v jsontext.Value) {
	var p wirePart
	if !p.read(v) {
		return // null
	}
	switch kind := text(p.Type); kind {
	case "image_asset_pointer":
		b.point(&p, p.Pointer, "image")
	case "audio_asset_pointer":
		b.point(&p, p.Pointer, "audio")
	case "video_container_asset_pointer":
		b.point(&p, p.Pointer, "video")
	case "audio_transcription":
		b.say(text(p.Text))
	case "real_time_user_audio_video_asset_pointer":
		b.pointAt(p.Audio, "audio")
		b.pointAt(p.Video, "video")
		for _, frame := range jsonstream.Items(p.Frames) {
			b.pointAt(frame, "image")
		}
	default:
		b.say(text(p.Text))
		b.unknown = "part:" + kind
	}
}

// pointAt follows a pointer that is an object of its own or a bare string.
func (b *body) pointAt(v jsontext.Value, kind string) {
	var p wirePart
	if p.read(v) {
		b.point(&p, p.Pointer, kind)
	} else {
		b.point(&wirePart{}, v, kind)
	}
}

func (b *body) point(p *wirePart, at jsontext.Value, kind string) {
	id := assetID(text(at))
	if id == "" {
		return
	}
	b.parts = append(b.parts, memory.Part{Type: kind})
	b.pointers = append(b.pointers, pointer{id: id, kind: kind, size: size(p.Size), part: len(b.parts) - 1})
}

func size(v jsontext.Value) *int64 {
	n, ok := jsonstream.Number(v)
	if !ok || n < 0 || n > 1<<53 || n != float64(int64(n)) {
		return nil
	}
	i := int64(n)
	return &i
}

func codeBody(c *wireContent) body {
	p := memory.Part{Type: "code", Text: text(c.Text), Language: text(c.Language)}
	if p.Language == "unknown" {
		p.Language = ""
	}
	b := body{exact: len(c.rest) == 0}
	if p.Text != "" {
		b.parts = append(b.parts, p)
	}
	return b
}

func thoughtsBody(c *wireContent) body {
	b := body{thought: true}
	for _, v := range jsonstream.Items(c.Thoughts) {
		var t wireContent
		names.Fill(v, jsonstream.Ends{}, &t)
		switch summary, content := text(t.Summary), text(t.Content); {
		case summary == "" || content == "":
			b.say(summary + content)
		default:
			b.say(summary + "\n" + content)
		}
	}
	return b
}

// raw is what was said, untouched: what memories are read from and tool calls
// are given.
func (b *body) raw() string {
	if len(b.parts) == 1 {
		return b.parts[0].Text
	}
	var said []string
	for _, p := range b.parts {
		if p.Text != "" {
			said = append(said, p.Text)
		}
	}
	return strings.Join(said, "\n")
}

// content turns the parts into PAM's form; private marks are taken out of what
// is shown, of answers those of notes, too, and exact says whether that changed nothing.
func (b *body) content(instead map[string]string, answers bool) *memory.Content {
	plain := true
	for i, p := range b.parts {
		plain = plain && p.Type == "text"
		if p.Type != "text" {
			continue
		}
		shown := display(p.Text, instead, answers)
		b.exact = b.exact && shown == p.Text
		b.parts[i].Text = shown
	}
	switch {
	case len(b.parts) == 0:
		return nil
	case plain:
		return &memory.Content{Type: "text", Text: b.raw()}
	}
	return &memory.Content{Type: "multipart", Parts: b.parts}
}

// toolInput is what a tool was given: an object where it is one, else a string.
func toolInput(s string) json.RawMessage {
	if v := jsontext.Value(s); strings.HasPrefix(strings.TrimSpace(s), "{") && v.IsValid() {
		return json.RawMessage(s)
	}
	quoted, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		return nil // no string is refused: invalid UTF-8 was mended before
	}
	return quoted
}
