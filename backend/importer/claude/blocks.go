package claude

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

// take translates one block.
func (b *blocks) take(v jsontext.Value) error {
	kind := importer.TextIn(v, "type")
	switch kind {
	case "text":
		b.text(v)
	case "thinking":
		b.thought(v)
	case "tool_use":
		return b.call(v)
	case "tool_result":
		return b.result(v)
	case "voice_note":
		b.voice(v)
	case "image":
		b.image(v)
	case "token_budget", "redacted_thinking":
		b.noteRaw(note(kind, jsonstream.Without(v, "type")))
	case "injected_prompt_block":
		b.r.Sink.Skipped("hidden-context")
		b.noteRaw(note(kind, jsonstream.Without(v, "type")))
	default:
		b.r.Sink.Unknown("content_type:" + kind)
		b.noteRaw(jsonstream.Keep(v))
	}
	return nil
}

func (b *blocks) text(v jsontext.Value) {
	body := importer.TextIn(v, "text")
	clean := withoutPlaceholder(body)
	if clean == "" && body != "" {
		b.r.Sink.Skipped("placeholder")
		b.noteRaw(jsonstream.Keep(v))
		return
	}
	u := b.say(clean)
	if clean == "" {
		u = b.speaking()
	}
	u.cite(jsonstream.Member(v, "citations"))
	if clean != body || jsonstream.Member(v, "text").Kind() != '"' || u.thought || b.answers && strings.Contains(clean, thinkingTag) {
		b.noteRaw(jsonstream.Keep(v))
		return
	}
	b.leftover("text", jsonstream.Without(v, "type", "text"))
}

// leftover keeps the rest of a block where there is one.
func (b *blocks) leftover(kind string, rest []byte) {
	if rest != nil {
		b.noteRaw(note(kind, rest))
	}
}

// thought takes thinking; where it is hidden only its summaries say anything.
func (b *blocks) thought(v jsontext.Value) {
	said := []string{importer.TextIn(v, "thinking")}
	if strings.TrimSpace(said[0]) == "" {
		for _, s := range jsonstream.Items(jsonstream.Member(v, "summaries")) {
			said = append(said, importer.TextIn(s, "summary"))
		}
	}
	if strings.TrimSpace(strings.Join(said, "")) == "" {
		b.noteRaw(jsonstream.Keep(v))
		return
	}
	u := b.thinking()
	for _, s := range said {
		u.write(s)
	}
	b.leftover("thinking", jsonstream.Without(v, "type", "thinking"))
}

// voice is something spoken: its words where the export has them.
func (b *blocks) voice(v jsontext.Value) {
	u := b.speaking()
	for _, name := range []string{"text", "transcript", "title"} {
		if s := importer.TextIn(v, name); s != "" {
			u.write(s)
			b.leftover("voice_note", jsonstream.Without(v, "type", name))
			return
		}
	}
	b.noteRaw(note("voice_note", jsonstream.Without(v, "type")))
}

// image names a picture that no export holds.
func (b *blocks) image(v jsontext.Value) {
	b.picture(b.speaking(), v)
	b.leftover("image", jsonstream.Without(v, "type", "file_uuid", "file_name"))
}

func (b *blocks) picture(u *run, v jsontext.Value) {
	a := memory.Attachment{Type: "image", Name: importer.TextIn(v, "file_name"), ProviderID: importer.TextIn(v, "file_uuid")}
	u.attachments = append(u.attachments, a)
	b.r.Sink.Missing(importer.FirstOf(a.Name, a.ProviderID, "image"))
}

// say writes text, with the artifacts of 2024 that stand in it as code.
func (u *run) say(s string) {
	for {
		before, tag, body, after, ok := cutArtifact(s)
		if !ok {
			u.write(s)
			return
		}
		u.write(strings.TrimSpace(before))
		u.code(language(attribute(tag, "language"), attribute(tag, "type"), ""), strings.Trim(body, "\n"))
		quoted, _ := jsontext.AppendQuote(nil, "<antArtifact "+tag+">")
		u.blocks = append(u.blocks, append(jsonstream.AppendMember(nil, "antArtifact", quoted), '}'))
		s = strings.TrimSpace(after)
	}
}

func (u *run) code(language, text string) {
	if strings.TrimSpace(text) != "" {
		u.parts = append(u.parts, memory.Part{Type: "code", Language: language, Text: text})
	}
}

// cutArtifact finds the first whole <antArtifact …>…</antArtifact>.
func cutArtifact(s string) (before, tag, body, after string, ok bool) {
	before, rest, ok := strings.Cut(s, "<antArtifact")
	if !ok {
		return s, "", "", "", false
	}
	tag, rest, ok = strings.Cut(rest, ">")
	if !ok {
		return s, "", "", "", false
	}
	body, after, ok = strings.Cut(rest, "</antArtifact>")
	return before, strings.TrimSpace(tag), body, after, ok
}

// attribute is the value of name="…" in a tag.
func attribute(tag, name string) string {
	_, rest, ok := strings.Cut(" "+tag, " "+name+`="`)
	if !ok {
		return ""
	}
	value, _, _ := strings.Cut(rest, `"`)
	return value
}

// language names what an artifact is written in, by what the export says, by
// its media type, or by the ending of its file.
func language(said, mediaType, file string) string {
	if said != "" {
		return said
	}
	byType := map[string]string{
		"text/markdown": "markdown", "text/html": "html", "image/svg+xml": "svg",
		"application/vnd.ant.react": "jsx", "application/vnd.ant.mermaid": "mermaid",
	}
	if l := byType[mediaType]; l != "" {
		return l
	}
	if i := strings.LastIndexByte(file, '.'); i >= 0 && len(file)-i <= 8 {
		ending := strings.ToLower(file[i+1:])
		names := map[string]string{"md": "markdown", "py": "python", "js": "javascript", "ts": "typescript", "htm": "html"}
		return importer.FirstOf(names[ending], ending)
	}
	return ""
}
