package claude

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
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
		importer.KeepRaw(&m.RawMetadata, "content", importer.List(u.blocks))
	}
	if len(m.RawMetadata) == 0 {
		m.RawMetadata = nil
	}
	return m
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

func (u *run) write(text string) {
	if strings.TrimSpace(text) != "" {
		u.parts = append(u.parts, memory.Part{Type: "text", Text: text})
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
	// answers says that the message is the assistant's.
	answers bool
}

// runs translates content, attachments and files of a message, and gives the
// documents as it leaves them; page are those before it. There is always one
// run: an empty message may be the parent of others.
func (r *reading) runs(m wireMessage, page *importer.Page, editor *importer.Editor) ([]*run, *importer.Page, error) {
	b := &blocks{r: r, page: page, editor: editor, answers: m.sender == "assistant"}
	for _, v := range jsonstream.Items(m.content) {
		if err := b.take(v); err != nil {
			return nil, nil, err
		}
	}
	b.fallback(m)
	if len(b.list) == 0 {
		b.begin(false)
	}
	last := b.current()
	last.raw = m.raw
	if err := r.attach(last, m); err != nil {
		return nil, nil, err
	}
	return b.list, b.page, nil
}

// placeholder stands in text where a block could not be shown.
const placeholder = "This block is not supported on your current device yet."

// fallback uses the lossy text where no block gives any, and keeps it where it says
// anything else than the content does.
func (b *blocks) fallback(m wireMessage) {
	if m.text == "" || b.repeats(m) {
		return
	}
	if !slices.ContainsFunc(b.list, func(u *run) bool { return !u.thought && len(u.parts) > 0 }) {
		clean := withoutPlaceholder(m.text)
		if clean != m.text {
			b.r.Sink.Skipped("placeholder")
		}
		shown := withoutOthers(clean, m.content)
		b.say(shown)
		if shown == m.text && !strings.Contains(shown, thinkingTag) {
			return
		}
	}
	importer.KeepText(&m.raw, "text", m.text)
}

// withoutOthers takes out of the lossy text what stands in blocks that are no text: it
// may hold thoughts and words of the platform, too.
func withoutOthers(s string, content jsontext.Value) string {
	for _, v := range jsonstream.Items(content) {
		switch importer.TextIn(v, "type") {
		case "thinking", "injected_prompt_block", "tool_use", "tool_result":
			for name, value := range jsonstream.Members(v) {
				if said, _ := jsonstream.Text(value); strings.TrimSpace(said) != "" && name != "type" && name != "name" && name != "id" {
					s = strings.ReplaceAll(s, said, "")
				}
			}
		}
	}
	if strings.TrimSpace(s) == "" {
		return ""
	}
	return s
}

// thinkingTag begins thoughts inside the text of answers of 2024. The site never showed
// them.
const thinkingTag = "<antThinking>"

// say writes text, with the thoughts that stand in an answer apart. It returns the run
// that goes on, nil where nothing was said before either.
func (b *blocks) say(s string) *run {
	for b.answers {
		before, rest, begins := strings.Cut(s, thinkingTag)
		thought, after, ends := strings.Cut(rest, "</antThinking>")
		if !begins || !ends || strings.HasSuffix(before, "`") { // quoted, it is spoken of
			break
		}
		if strings.TrimSpace(before) != "" {
			b.speaking().say(strings.TrimSpace(before))
		}
		b.thinking().write(strings.TrimSpace(thought))
		if s = strings.TrimSpace(after); s == "" {
			return b.current()
		}
	}
	if s == "" {
		return b.current()
	}
	u := b.speaking()
	u.say(s)
	return u
}

// repeats reports whether the text is the same as the text blocks joined, white
// space aside.
func (b *blocks) repeats(m wireMessage) bool {
	var all strings.Builder
	for _, v := range jsonstream.Items(m.content) {
		if importer.TextIn(v, "type") == "text" {
			all.WriteString(importer.TextIn(v, "text"))
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
	object := jsonstream.AppendMember(nil, "type", quoted)
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
	for _, v := range jsonstream.Items(list) {
		d := jsonstream.Member(v, "details")
		link := importer.FirstOf(importer.TextIn(d, "url"), importer.TextIn(v, "url"))
		c := memory.Citation{Title: importer.FirstOf(importer.TextIn(v, "title"), importer.TextIn(d, "title")), URL: importer.WebAddress(link)}
		if c != (memory.Citation{}) {
			u.citations = append(u.citations, c)
		}
	}
}
