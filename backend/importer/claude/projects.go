package claude

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

// readProjects takes projects: their instructions as memories, and each project
// with its knowledge files as a conversation of one message, which is the only
// place PAM has for documents. The files are read twice: names and copies
// first, so that of a project that batches repeat the newest counts.
func (r *reading) readProjects() error {
	best := copies{}
	err := r.quietly(projects, func(it importer.Item) error {
		if best.isBest(it) {
			r.names[nativeID(it.Raw)] = importer.TextIn(it.Raw, "name")
		}
		return nil
	})
	if err != nil {
		return err
	}
	return r.each(projects, func(it importer.Item) error {
		switch {
		case it.Raw.Kind() != '{':
			r.Bad(it, false, fault.New(fault.Invalid, "claude-not-a-project", "Item {at} of {name} is not a project and was left out."))
		case best[nativeID(it.Raw)] != copyOf(it):
			r.Sink.Skipped("duplicate")
		case jsonstream.True(jsonstream.Member(it.Raw, "is_starter_project")):
			r.Sink.Skipped("starter-project")
		case isBlank(it.Raw):
			r.Sink.Skipped("empty-project")
		default:
			return r.project(it)
		}
		return nil
	})
}

// isBlank reports a project that says nothing but its name.
func isBlank(v jsontext.Value) bool {
	for range jsonstream.Items(jsonstream.Member(v, "docs")) {
		return false
	}
	return strings.TrimSpace(importer.TextIn(v, "prompt_template")+importer.TextIn(v, "description")) == ""
}

func (r *reading) project(it importer.Item) error {
	d, ok := r.BeginPart(platform, "project:"+nativeID(it.Raw), importer.Sum(it.Raw), it.File)
	if !ok {
		return nil
	}
	if err := r.translate(d, it); err != nil {
		return err
	}
	if err := r.Sink.Conversation(r.Ctx, *d); err != nil {
		return err
	}
	return r.instructions(d.Conversation)
}

// translate makes a conversation of a project.
func (r *reading) translate(d *importer.ConversationDraft, it importer.Item) error {
	c := &d.Conversation
	c.Provider.ExportFormatVersion, c.RawMetadata = "project", memory.RawMetadata{}
	var about string
	var docs jsontext.Value
	for name, value := range jsonstream.Members(it.Raw) {
		switch name {
		case "uuid":
		case "name":
			c.Title = r.title(c, name, value)
		case "description":
			about, _ = jsonstream.Text(value)
		case "prompt_template":
			c.SystemInstruction, _ = jsonstream.Text(value)
		case "created_at":
			c.Temporal.CreatedAt = r.time(c.RawMetadata, name, value)
		case "updated_at":
			c.Temporal.UpdatedAt = r.time(c.RawMetadata, name, value)
		case "creator":
			c.Provider.AccountID = importer.TextIn(value, "uuid")
			importer.KeepRaw(&c.RawMetadata, name, jsonstream.Without(value, "uuid"))
		case "docs":
			docs = value
		default:
			importer.KeepRaw(&c.RawMetadata, name, jsonstream.Keep(value))
		}
	}
	c.RawMetadata["project"] = label(importer.TextIn(it.Raw, "uuid"), c.Title)
	m, err := r.knowledge(c, importer.FirstOf(about, c.SystemInstruction, c.Title), docs)
	m.ID = importer.FirstOf(importer.TextIn(it.Raw, "uuid"), c.ID)
	c.Messages, c.Leaf = []memory.Message{m}, m.ID
	importer.Dates(d)
	return err
}

// label is the project of a conversation, in the form that other exports of
// Claude name it.
func label(id, name string) []byte {
	quoted, _ := jsontext.AppendQuote(nil, id)
	object := jsonstream.AppendMember(nil, "uuid", quoted)
	quoted, _ = jsontext.AppendQuote(nil, name)
	return append(jsonstream.AppendMember(object, "name", quoted), '}')
}

// knowledge is the one message of a project: what it says about itself, with
// its documents.
func (r *reading) knowledge(c *memory.Conversation, about string, docs jsontext.Value) (memory.Message, error) {
	m := memory.Message{Role: memory.System, CreatedAt: c.Temporal.CreatedAt,
		Content: importer.PlainContent(about), RawMetadata: memory.RawMetadata{}}
	var left [][]byte
	for _, doc := range jsonstream.Items(docs) {
		a, err := r.document(doc)
		if err != nil {
			return m, err
		}
		m.Attachments = append(m.Attachments, a)
		left = append(left, orEmpty(jsonstream.Without(doc, "uuid", "filename", "content")))
	}
	keepList(m.RawMetadata, "docs", left)
	return m, nil
}

// document stores one knowledge file sealed.
func (r *reading) document(v jsontext.Value) (memory.Attachment, error) {
	body := importer.TextIn(v, "content")
	a := memory.Attachment{Type: "document", Name: importer.FirstOf(importer.TextIn(v, "filename"), "document.txt"), ProviderID: importer.TextIn(v, "uuid")}
	if body == "" {
		r.Sink.Missing(a.Name)
		return a, nil
	}
	a.MIMEType = mediaType(a.Name)
	return r.Seal(a, strings.NewReader(body))
}

// instructions are a memory: how the person wants to be helped in the project.
func (r *reading) instructions(c memory.Conversation) error {
	told := strings.TrimSpace(c.SystemInstruction)
	if told == "" {
		return nil
	}
	d := importer.MemoryDraft{
		SourceKey: key("project-instructions", c.Provider.ConversationID), Type: memory.Instruction, Content: told,
		Method: memory.ExplicitUserInput, Confidence: sureWritten,
		ConversationID: c.ID, MessageID: c.Leaf, PlatformUserID: c.Provider.AccountID,
		CreatedAt: c.Temporal.CreatedAt, UpdatedAt: c.Temporal.UpdatedAt,
	}
	r.inProject(&d, strings.TrimPrefix(c.Provider.ConversationID, "project:"), c.Title)
	return r.remember(d)
}
