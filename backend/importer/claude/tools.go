package claude

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

// asked is a call and the run it stands in.
type asked struct {
	*memory.ToolCall
	in *run
}

// call takes a tool_use. What it writes into a file or artifact is shown as
// code of the message instead of inside the call.
func (b *blocks) call(v jsontext.Value) error {
	u := b.acting()
	input := jsonstream.Member(v, "input")
	c := &memory.ToolCall{ID: importer.TextIn(v, "id"), Name: importer.FirstOf(importer.TextIn(v, "name"), "tool")}
	written, body, lang := document(c.Name, input)
	if body != "" {
		b.page = &importer.Page{Name: documentName(c.Name, input), Text: body, Language: lang, Before: b.page}
		u.code(lang, body)
		input = jsontext.Value(jsonstream.Without(input, written))
	} else if edits(c.Name, input) {
		b.edit(u, c.Name, input)
	}
	c.Input = callInput(input)
	u.calls = append(u.calls, c)
	b.open = append(b.open, asked{c, u})
	b.leftover("tool_use", jsonstream.Without(v, "type", "id", "name", "input"))
	return b.publish(u, v)
}

// callInput is an object, a string or nothing (PAM §25); anything else is kept
// as the text it is.
func callInput(input jsontext.Value) []byte {
	switch {
	case len(input) == 0 || string(input) == "null":
		return nil
	case input.Kind() == '{' || input.Kind() == '"':
		return jsonstream.Keep(input)
	}
	quoted, _ := jsontext.AppendQuote(nil, string(input))
	return quoted
}

// edits reports whether a call changes one place of a document.
func edits(tool string, input jsontext.Value) bool {
	return tool == "str_replace" || tool == "artifacts" && importer.TextIn(input, "command") == "update"
}

// documentName is what versions of one document are known by.
func documentName(tool string, input jsontext.Value) string {
	if tool == "artifacts" {
		return "artifact:" + importer.TextIn(input, "id")
	}
	return "file:" + importer.TextIn(input, "path")
}

// edit shows the version that an edit makes; the call stays as it is. Where the
// document is not in the export, or the old words do not stand in it exactly
// once, the edit is counted.
func (b *blocks) edit(u *run, tool string, input jsontext.Value) {
	before := b.page.Find(documentName(tool, input))
	if before == nil {
		b.r.Sink.Unknown("edit:" + tool)
		return
	}
	made, ok := b.editor.Replace(before.Text, importer.TextIn(input, "old_str"), importer.TextIn(input, "new_str"))
	if !ok {
		b.r.Sink.Unknown("edit:" + tool)
		return
	}
	b.page = &importer.Page{Name: before.Name, Text: made, Language: before.Language, Before: b.page}
	u.code(before.Language, made)
}

// document is what a call writes as a whole: the member that holds it, the
// text, and its language.
func document(tool string, input jsontext.Value) (member, body, lang string) {
	switch tool {
	case "artifacts":
		return "content", importer.TextIn(input, "content"), language(importer.TextIn(input, "language"), importer.TextIn(input, "type"), "")
	case "create_file":
		return "file_text", importer.TextIn(input, "file_text"), language("", "", importer.TextIn(input, "path"))
	}
	return "", "", ""
}

// result gives its output to the call it answers. One that answers none is a
// call whose question is not in the export.
func (b *blocks) result(v jsontext.Value) error {
	c := b.answered(importer.TextIn(v, "tool_use_id"), importer.TextIn(v, "name"))
	if c.ToolCall == nil {
		c = asked{&memory.ToolCall{ID: importer.TextIn(v, "tool_use_id"), Name: importer.FirstOf(importer.TextIn(v, "name"), "tool")}, b.acting()}
		c.in.calls = append(c.in.calls, c.ToolCall)
	}
	output, rest := b.output(c.in, jsonstream.Member(v, "content"))
	c.Output = output
	left := []string{"type", "content", "tool_use_id", "name"}
	if data := jsonstream.Member(v, "structured_content"); tooLarge(output) && hasData(data) {
		c.Output += "\n\n" + string(data)
		left = append(left, "structured_content")
	}
	object := jsonstream.Without(v, left...)
	if rest != nil {
		object = joined(object, "content", rest)
	}
	if object != nil {
		c.in.blocks = append(c.in.blocks, note("tool_result", object))
	}
	return b.publish(c.in, v)
}

// tooLarge knows the stub that stands where the data is in structured_content.
func tooLarge(output string) bool {
	return strings.HasPrefix(output, "Tool result too large for context")
}

func hasData(v jsontext.Value) bool { return v.Kind() == '{' || v.Kind() == '[' || v.Kind() == '"' }

// joined adds a member to a finished object, or makes one.
func joined(object []byte, name string, value []byte) []byte {
	if object != nil {
		object = object[:len(object)-1]
	}
	return append(jsonstream.AppendMember(object, name, value), '}')
}

// answered finds and closes the call a result belongs to: by id, else the first
// of that name, else the first at all. Ids may be null.
func (b *blocks) answered(id, name string) asked {
	fits := []func(asked) bool{
		func(c asked) bool { return id != "" && c.ID == id },
		func(c asked) bool { return (id == "" || c.ID == "") && c.Name == name },
		func(asked) bool { return id == "" && name == "" },
	}
	for _, fit := range fits {
		for i, c := range b.open {
			if fit(c) {
				b.open = append(b.open[:i:i], b.open[i+1:]...)
				return c
			}
		}
	}
	return asked{}
}

// output is what a result says as text, and what of its items that leaves.
func (b *blocks) output(u *run, content jsontext.Value) (string, []byte) {
	switch content.Kind() {
	case '"':
		s, _ := jsonstream.Text(content)
		return s, nil
	case '{':
		return b.resultItem(u, content)
	case '[':
	default:
		return "", nil
	}
	var said []string
	var rest [][]byte
	some := false
	for _, v := range jsonstream.Items(content) {
		s, left := b.resultItem(u, v)
		if s != "" {
			said = append(said, s)
		}
		if left == nil {
			left = []byte("{}")
		} else {
			some = true
		}
		rest = append(rest, left)
	}
	if !some {
		return strings.Join(said, "\n\n"), nil
	}
	return strings.Join(said, "\n\n"), importer.List(rest)
}

// resultItem translates one item of a result.
func (b *blocks) resultItem(u *run, v jsontext.Value) (said string, rest []byte) {
	switch kind := importer.TextIn(v, "type"); {
	case v.Kind() == '"':
		s, _ := jsonstream.Text(v)
		return s, nil
	case kind == "text":
		return importer.TextIn(v, "text"), jsonstream.Without(v, "type", "text")
	case kind == "knowledge":
		lines := []string{importer.TextIn(v, "title"), importer.TextIn(v, "url"), importer.TextIn(v, "text")}
		return strings.TrimSpace(strings.Join(lines, "\n")), jsonstream.Without(v, "type", "title", "url", "text")
	case kind == "image":
		b.picture(u, v)
		return "", jsonstream.Without(v, "type", "file_uuid", "file_name")
	case kind == "image_gallery", kind == "local_resource":
		return importer.FirstOf(importer.TextIn(v, "name"), importer.TextIn(v, "title")), jsonstream.Keep(v)
	default:
		b.r.Sink.Unknown("tool_result:" + kind)
		return "", jsonstream.Keep(v)
	}
}
