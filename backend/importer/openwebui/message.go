package openwebui

import (
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

var (
	details = regexp.MustCompile(`(?s)<details type="(reasoning|tool_calls)"([^>]*)>(.*?)</details>\n?`)
	summary = regexp.MustCompile(`(?s)<summary>.*?</summary>\n?`)
	named   = regexp.MustCompile(`(\w+)="([^"]*)"`)
	quoted  = regexp.MustCompile(`(?m)^>\s?`)
)

// message adds one node; what it thought is a message of its own before it.
func (r *reading) message(d *importer.ConversationDraft, id string, v jsontext.Value) error {
	m := memory.Message{
		ID: id, ProviderMessageID: id, Role: r.Role(v, roles), ParentID: importer.TextIn(v, "parentId"),
		CreatedAt:   importer.TimeIn(v, "timestamp"),
		RawMetadata: importer.Rest(v, "id", "role", "content", "parentId", "childrenIds", "timestamp", "model", "files"),
	}
	if m.Role == memory.Assistant {
		m.Model = importer.TextIn(v, "model")
	}
	text, err := r.content(&m, jsonstream.Member(v, "content"))
	if err != nil {
		return err
	}
	for _, f := range jsonstream.Items(jsonstream.Member(v, "files")) {
		name := importer.FirstOf(importer.TextIn(f, "name"), importer.TextIn(jsonstream.Member(f, "file"), "filename"))
		if err := r.attach(&m, name, importer.FirstText(f, "url", "id")); err != nil {
			return err
		}
	}
	thought := ""
	text = details.ReplaceAllStringFunc(text, func(block string) string {
		part := details.FindStringSubmatch(block)
		if part[1] == "reasoning" {
			thought += quoted.ReplaceAllString(html.UnescapeString(summary.ReplaceAllString(part[3], "")), "")
		} else {
			m.ToolCalls = append(m.ToolCalls, toolCall(part[2]))
		}
		return ""
	})
	out := r.output(jsonstream.Member(v, "output")) // says it in full, where it is there
	text, thought = importer.FirstOf(strings.TrimSpace(text), out.said), importer.FirstOf(out.thought, thought)
	if len(out.calls) > 0 {
		m.ToolCalls = out.calls
	}
	m.Content = importer.PlainContent(text)
	if thought = strings.TrimSpace(thought); thought != "" {
		t := importer.Thought(m, thought)
		t.ID = id + "#1" // also where that is ""
		m.ParentID = t.ID
		d.Messages = append(d.Messages, t)
	}
	d.Messages = append(d.Messages, m)
	return nil
}

// output is what the model gave, item by item, as the newest versions keep it beside the
// content.
type output struct {
	said, thought string
	calls         []memory.ToolCall
}

func (r *reading) output(list jsontext.Value) (o output) {
	var texts, thoughts []string
	at := map[string]int{} // calls, by their ids
	for _, item := range jsonstream.Items(list) {
		switch kind := importer.TextIn(item, "type"); kind {
		case "message":
			texts = append(texts, textOf(jsonstream.Member(item, "content")))
		case "reasoning":
			thoughts = append(thoughts, importer.FirstOf(textOf(jsonstream.Member(item, "content")), textOf(jsonstream.Member(item, "summary"))))
		case "function_call":
			c := memory.ToolCall{ID: importer.FirstText(item, "call_id", "id"), Name: importer.FirstOf(importer.TextIn(item, "name"), "tool"), Input: input(jsonstream.Member(item, "arguments"))}
			at[c.ID] = len(o.calls)
			o.calls = append(o.calls, c)
		case "function_call_output":
			i, ok := at[importer.TextIn(item, "call_id")]
			if !ok {
				r.Sink.Unknown("output:result-of-no-call")
				continue
			}
			o.calls[i].Output = textOf(jsonstream.Member(item, "output"))
		default:
			r.Sink.Unknown("output:" + kind) // kept in raw_metadata with the rest
		}
	}
	join := func(texts []string) string {
		return strings.TrimSpace(strings.Join(slices.DeleteFunc(texts, func(s string) bool { return strings.TrimSpace(s) == "" }), "\n\n"))
	}
	o.said, o.thought = join(texts), join(thoughts)
	return o
}

// textOf is a text, or those of a list of parts. What is neither is shown as it is.
func textOf(v jsontext.Value) string {
	if s, ok := jsonstream.Text(v); ok {
		return s
	}
	if v.Kind() == '{' {
		return string(v)
	}
	var texts []string
	for _, part := range jsonstream.Items(v) {
		texts = append(texts, importer.TextIn(part, "text"))
	}
	return strings.Join(texts, "\n\n")
}

// input is what a call gives: an object, which is written as a text, or any other text.
func input(v jsontext.Value) []byte {
	s, ok := jsonstream.Text(v)
	if inner := jsontext.Value(strings.TrimSpace(s)); ok && inner.Kind() == '{' && inner.IsValid() {
		return inner
	}
	if importer.IsNothing(v) {
		return nil
	}
	return jsonstream.Keep(v)
}

// content is a text, or a list of texts and images. Images inside a text are
// taken out, and named in their place.
func (r *reading) content(m *memory.Message, v jsontext.Value) (string, error) {
	text, ok := jsonstream.Text(v)
	var texts []string
	for _, part := range jsonstream.Items(v) {
		switch kind := importer.TextIn(part, "type"); kind {
		case "text":
			texts = append(texts, importer.TextIn(part, "text"))
		case "image_url":
			if err := r.attach(m, "", importer.TextIn(jsonstream.Member(part, "image_url"), "url")); err != nil {
				return "", err
			}
		default:
			r.Sink.Unknown("content:" + kind)
		}
	}
	if !ok {
		text = strings.Join(texts, "\n\n")
	}
	return r.takeOut(m, text)
}

// takeOut stores the images of a text and leaves their names in their place. It
// is no regular expression because an image has millions of letters.
func (r *reading) takeOut(m *memory.Message, text string) (string, error) {
	const before = "](data:"
	var out strings.Builder
	for {
		at := strings.Index(text, before)
		if at < 0 {
			out.WriteString(text)
			return out.String(), nil
		}
		at += len("](")
		length := strings.IndexByte(text[at:], ')')
		if length < 0 {
			out.WriteString(text)
			return out.String(), nil
		}
		out.WriteString(text[:at])
		name := text[at : at+length]
		if _, _, ok := importer.DataURL(name); ok {
			if err := r.attach(m, "", name); err != nil {
				return "", err
			}
			name = m.Attachments[len(m.Attachments)-1].Name
		}
		out.WriteString(name)
		text = text[at+length:]
	}
}

func (r *reading) attach(m *memory.Message, name, address string) error {
	if mime, _, ok := importer.DataURL(address); ok && name == "" {
		name = "image-" + strconv.Itoa(len(m.Attachments)+1) + importer.Ending(mime)
	}
	a, err := r.StoreURL(name, address)
	m.Attachments = append(m.Attachments, a)
	return err
}

// toolCall reads the attributes of a block.
func toolCall(attributes string) memory.ToolCall {
	c := memory.ToolCall{Name: "tool"}
	for _, pair := range named.FindAllStringSubmatch(attributes, -1) {
		value := html.UnescapeString(pair[2])
		switch pair[1] {
		case "id":
			c.ID = value
		case "name":
			c.Name = importer.FirstOf(value, "tool")
		case "arguments":
			c.Input, _ = jsontext.AppendQuote(nil, value)
		case "result":
			c.Output = value
		}
	}
	return c
}
