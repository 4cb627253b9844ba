package librechat

import (
	"context"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// root is the parent of messages that have none.
const root = "00000000-0000-0000-0000-000000000000"

// maxLevels is room for 20,000 messages inside each other, of two brackets each, and
// what the innermost holds.
const maxLevels = 2*20_000 + 128

// nests says where messages stand: in nested exports of 2024 the list is called
// messagesTree, in others messages.
func nests() *jsonstream.Nests {
	return &jsonstream.Nests{Under: []string{"messages", "messagesTree"}, Name: "children", Depth: maxLevels}
}

// Read gives the conversation of each file.
func (Importer) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	r := &reading{importer.NewReading(ctx, tree, sink)}
	r.Nests = nests()
	return r.JSONFiles(r.talk)
}

type reading struct{ *importer.Reading }

func (r *reading) talk(rec importer.Item) error {
	v := rec.Raw
	native := importer.TextIn(v, "conversationId")
	if v.Kind() != '{' || native == "" {
		r.Bad(rec, false, fault.New(fault.Invalid, "librechat-not-a-conversation", "Item {at} of {name} is not a conversation of LibreChat and was left out."))
		return nil
	}
	d, ok := r.Begin(platform, native, rec.Sum, rec.File)
	if !ok {
		return nil
	}
	options := jsonstream.Member(v, "options")
	d.Title = importer.Line(importer.TextIn(v, "title"))
	d.Model = importer.TextIn(options, "model")
	d.SystemInstruction = importer.FirstText(options, "promptPrefix", "system")
	d.Temporal.CreatedAt, d.Temporal.UpdatedAt = importer.TimeIn(v, "createdAt"), importer.TimeIn(v, "updatedAt")
	d.RawMetadata = importer.Rest(v, "conversationId", "title", "messages", "messagesTree", "createdAt", "updatedAt")
	r.strays(&d.RawMetadata, v, r.Nests.Under...)
	nodes := rec.Nodes
	if nodes == nil {
		nodes = r.Nests.Nodes(v)
	}
	if err := r.messages(d, nodes); err != nil {
		return err
	}
	importer.Join(&d.Conversation, "", "parentMessageId")
	return r.Give(d)
}

// messages reads flat and nested lists alike: each message comes behind the one that
// holds it, and is let go of.
func (r *reading) messages(d *importer.ConversationDraft, nodes []jsonstream.Node) error {
	d.Messages = make([]memory.Message, 0, len(nodes))
	ids := make([]string, len(nodes))
	for i, n := range nodes {
		holder := ""
		if n.Parent >= 0 {
			holder = ids[n.Parent]
		}
		id, err := r.message(d, n.Value, holder)
		if err != nil {
			return err
		}
		ids[i], nodes[i].Value = id, nil
	}
	return nil
}

// message reads one, and gives its id.
func (r *reading) message(d *importer.ConversationDraft, v jsontext.Value, holder string) (string, error) {
	id := importer.TextIn(v, "messageId")
	m := memory.Message{
		ID: id, ProviderMessageID: id, Role: memory.Assistant, ParentID: importer.FirstOf(importer.TextIn(v, "parentMessageId"), holder),
		CreatedAt: importer.TimeIn(v, "createdAt"), Model: importer.TextIn(v, "model"),
		RawMetadata: importer.Rest(v, "messageId", "parentMessageId", "conversationId", "children", "text", "content", "isCreatedByUser", "createdAt", "model", "files"),
	}
	r.strays(&m.RawMetadata, v, r.Nests.Name)
	if jsonstream.True(jsonstream.Member(v, "isCreatedByUser")) {
		m.Role, m.Model = memory.User, ""
	}
	if m.ParentID == root {
		m.ParentID = ""
	}
	said, thought := r.content(&m, jsonstream.Member(v, "content"))
	m.Content = importer.PlainContent(importer.FirstOf(said, importer.TextIn(v, "text")))
	for _, f := range jsonstream.Items(jsonstream.Member(v, "files")) {
		a, err := r.StoreURL(importer.TextIn(f, "filename"), importer.FirstText(f, "file_id", "filepath"))
		if err != nil {
			return "", err
		}
		m.Attachments = append(m.Attachments, a)
	}
	if thought != "" && id != "" {
		t := importer.Thought(m, thought)
		m.ParentID = t.ID
		d.Messages = append(d.Messages, t)
	}
	d.Messages = append(d.Messages, m)
	return id, nil
}

// strays keeps the lists of messages of these names that hold something else.
func (r *reading) strays(raw *memory.RawMetadata, v jsontext.Value, names ...string) {
	for _, name := range names {
		list := jsonstream.Member(v, name)
		if stray(list) {
			r.Sink.Unknown("record:" + name)
			importer.KeepRaw(raw, name, jsonstream.Keep(list))
		}
	}
}

// stray reports what is no list of messages. A message that was left out is null.
func stray(list jsontext.Value) bool {
	for _, item := range jsonstream.Items(list) {
		if item.Kind() != '{' && item.Kind() != 'n' {
			return true
		}
	}
	return list != nil && list.Kind() != '[' && list.Kind() != 'n'
}

// content reads the parts of newer messages.
func (r *reading) content(m *memory.Message, list jsontext.Value) (said, thought string) {
	var texts, thoughts []string
	for _, part := range jsonstream.Items(list) {
		switch kind := importer.TextIn(part, "type"); kind {
		case "text":
			texts = append(texts, importer.FirstOf(importer.TextIn(part, "text"), importer.TextIn(jsonstream.Member(part, "text"), "value")))
		case "think":
			thoughts = append(thoughts, importer.TextIn(part, "think"))
		case "tool_call":
			m.ToolCalls = append(m.ToolCalls, toolCall(jsonstream.Member(part, "tool_call")))
		case "error":
			texts = append(texts, importer.TextIn(part, "error"))
		default:
			r.Sink.Unknown("content:" + kind)
			importer.KeepRaw(&m.RawMetadata, "content", jsonstream.Keep(list))
		}
	}
	return strings.Join(texts, "\n\n"), strings.Join(thoughts, "\n\n")
}

func toolCall(v jsontext.Value) memory.ToolCall {
	if f := jsonstream.Member(v, "function"); f != nil {
		v = f
	}
	c := memory.ToolCall{ID: importer.TextIn(v, "id"), Name: importer.FirstOf(importer.TextIn(v, "name"), "tool"), Output: importer.TextIn(v, "output")}
	for _, name := range []string{"args", "arguments"} {
		if in := importer.CallInput(jsonstream.Member(v, name)); in != nil {
			c.Input = in
		}
	}
	return c
}
