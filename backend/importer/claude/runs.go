package claude

import (
	"bytes"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/memory"
)

// run is a piece of a message that becomes a message of its own: thinking, or
// text and the tool calls after it.
type run struct {
	thought     bool
	role        memory.Role // where it is not the message's
	parts       []memory.Part
	calls       []*memory.ToolCall
	citations   []memory.Citation
	attachments []memory.Attachment
	blocks      [][]byte // what the blocks held beyond that
	raw         memory.RawMetadata
}

// message makes the message, without ids and times.
func (u *run) message(role memory.Role) memory.Message {
	if u.role != "" {
		role = u.role
	}
	m := memory.Message{
		Role: role, IsThought: u.thought, Content: u.content(),
		Attachments: u.attachments, Citations: u.citations, RawMetadata: u.raw,
	}
	for _, c := range u.calls {
		m.ToolCalls = append(m.ToolCalls, *c)
	}
	if len(u.blocks) > 0 {
		if m.RawMetadata == nil {
			m.RawMetadata = memory.RawMetadata{}
		}
		m.RawMetadata["content"] = array(u.blocks)
	}
	if len(m.RawMetadata) == 0 {
		m.RawMetadata = nil
	}
	return m
}

func array(items [][]byte) []byte {
	return append(append([]byte{'['}, bytes.Join(items, []byte{','})...), ']')
}

// content is plain text unless there are parts of another kind.
func (u *run) content() *memory.Content {
	if len(u.parts) == 0 {
		return nil
	}
	texts := make([]string, len(u.parts))
	for i, p := range u.parts {
		if p.Type != "text" {
			return &memory.Content{Type: "multipart", Parts: u.parts}
		}
		texts[i] = p.Text
	}
	return &memory.Content{Type: "text", Text: strings.Join(texts, "\n\n")}
}

func (u *run) write(kind, text string) {
	if strings.TrimSpace(text) != "" {
		u.parts = append(u.parts, memory.Part{Type: kind, Text: text})
	}
}

// blocks takes the content of one message apart.
type blocks struct {
	r    *reading
	list []*run
	// early holds what stood before the first run.
	early [][]byte
	// open are calls whose results have not been met.
	open []asked
	// page is the newest document on this branch, and editor makes versions.
	page   *importer.Page
	editor *importer.Editor
}

// runs translates content, attachments and files of a message, and gives the
// documents as it leaves them; page are those before it. There is always one
// run: an empty message may be the parent of others.
func (r *reading) runs(m wireMessage, page *importer.Page, editor *importer.Editor) ([]*run, *importer.Page, error) {
	b := &blocks{r: r, page: page, editor: editor}
	for _, v := range importer.Items(m.content) {
		if err := b.take(v); err != nil {
			return nil, nil, err
		}
	}
	if len(b.list) == 0 {
		b.begin(false)
	}
	b.fallback(m)
	last := b.list[len(b.list)-1]
	last.raw = m.raw
	if err := r.attach(last, m); err != nil {
		return nil, nil, err
	}
	return b.list, b.page, nil
}

// placeholder stands in text where a block could not be shown.
const placeholder = "This block is not supported on your current device yet."

// fallback uses the lossy text where there is no content, and keeps it where
// it says anything else than the content does.
func (b *blocks) fallback(m wireMessage) {
	if m.text == "" {
		return
	}
	if len(m.content) == 0 || len(b.early) == 0 && len(b.list) == 1 && b.list[0].nothing() {
		clean := withoutPlaceholder(m.text)
		b.list[0].say(clean)
		if clean == m.text {
			return
		}
		b.r.sink.Skipped("placeholder")
	} else if b.repeats(m) {
		return
	}
	quoted, _ := jsontext.AppendQuote(nil, m.text)
	keep(m.raw, "text", quoted)
}

func (u *run) nothing() bool {
	return len(u.parts) == 0 && len(u.calls) == 0 && len(u.blocks) == 0
}

// repeats reports whether the text is the same as the text blocks joined, white
// space aside.
func (b *blocks) repeats(m wireMessage) bool {
	var all strings.Builder
	for _, v := range importer.Items(m.content) {
		if text(v, "type") == "text" {
			all.WriteString(text(v, "text"))
		}
	}
	return all.String() == m.text || strings.Join(strings.Fields(all.String()), "") == strings.Join(strings.Fields(m.text), "")
}

// withoutPlaceholder removes the placeholder, in its fence or bare.
func withoutPlaceholder(s string) string {
	if !strings.Contains(s, placeholder) {
		return s
	}
	s = strings.ReplaceAll(s, "```\n"+placeholder+"\n```", "")
	return strings.TrimSpace(strings.ReplaceAll(s, placeholder, ""))
}

// begin starts a run.
func (b *blocks) begin(thought bool) *run {
	u := &run{thought: thought, blocks: b.early}
	b.early = nil
	b.list = append(b.list, u)
	return u
}

// current is the run that goes on, nil before the first.
func (b *blocks) current() *run {
	if len(b.list) == 0 {
		return nil
	}
	return b.list[len(b.list)-1]
}

// thinking is the run of thoughts that goes on, or a new one.
func (b *blocks) thinking() *run {
	if u := b.current(); u != nil && u.thought {
		return u
	}
	return b.begin(true)
}

// speaking is the run for text: not after thoughts, not after a tool call.
func (b *blocks) speaking() *run {
	if u := b.current(); u != nil && !u.thought && u.role == "" && len(u.calls) == 0 {
		return u
	}
	return b.begin(false)
}

// acting is the run for a tool call: with the text before it.
func (b *blocks) acting() *run {
	if u := b.current(); u != nil && !u.thought && u.role == "" {
		return u
	}
	return b.begin(false)
}

// note makes an object of a block's kind and what is left of it.
func note(kind string, rest []byte) []byte {
	quoted, _ := jsontext.AppendQuote(nil, kind)
	object := importer.AppendMember(nil, "type", quoted)
	if rest == nil {
		return append(object, '}')
	}
	return append(append(object, ','), rest[1:]...)
}

// noteRaw keeps a block, or what is left of it, with the run that goes on.
func (b *blocks) noteRaw(object []byte) {
	if u := b.current(); u != nil {
		u.blocks = append(u.blocks, object)
	} else {
		b.early = append(b.early, object)
	}
}

// cite takes the sources of a text. Their places in it stay with the block.
func (u *run) cite(list jsontext.Value) {
	for _, v := range importer.Items(list) {
		d := importer.Member(v, "details")
		link := firstOf(text(d, "url"), text(v, "url"))
		c := memory.Citation{Title: firstOf(text(v, "title"), text(d, "title")), URL: webAddress(link)}
		if c != (memory.Citation{}) {
			u.citations = append(u.citations, c)
		}
	}
}

func firstOf(texts ...string) string {
	for _, s := range texts {
		if s != "" {
			return s
		}
	}
	return ""
}

// webAddress is s where it is a URI, as the schema of citations demands.
func webAddress(s string) string {
	if u, err := url.Parse(s); err != nil || u.Scheme == "" || strings.ContainsAny(s, " \t\n<>\"") {
		return ""
	}
	return s
}
