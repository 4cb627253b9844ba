package claude

import (
	"io"
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
	best := map[string]copy{}
	for _, f := range r.survey.files[projects] {
		if err := r.elements(f, false, func(it item) error {
			id, c := nativeID(it.raw), copyOf(it)
			if old, ok := best[id]; !ok || c.rank.compare(old.rank) > 0 {
				best[id], r.names[id] = c, text(it.raw, "name")
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return r.each(projects, func(it item) error {
		switch {
		case it.raw.Kind() != '{':
			r.problem(it, notProject())
		case best[nativeID(it.raw)] != copyOf(it):
			r.sink.Skipped("duplicate")
		case jsonstream.True(jsonstream.Member(it.raw, "is_starter_project")):
			r.sink.Skipped("starter-project")
		case isBlank(it.raw):
			r.sink.Skipped("empty-project")
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
	return strings.TrimSpace(text(v, "prompt_template")+text(v, "description")) == ""
}

func notProject() *fault.Error {
	return fault.New(fault.Invalid, "claude-not-a-project", "Item {at} of {name} is not a project and was left out.")
}

func (r *reading) project(it item) error {
	native := "project:" + nativeID(it.raw)
	sum := importer.Sum(it.raw)
	if r.sink.Unchanged(native, sum) {
		return nil
	}
	draft, err := r.projectDraft(it, native)
	if err != nil {
		return err
	}
	draft.Sum, draft.File = sum, it.file.Base()
	if err := r.sink.Conversation(r.ctx, draft); err != nil {
		return err
	}
	return r.instructions(draft.Conversation)
}

func (r *reading) projectDraft(it item, native string) (importer.ConversationDraft, error) {
	c := memory.Conversation{
		ID:          importer.ConversationID(platform, native),
		Provider:    memory.Provider{Name: platform, ConversationID: native, ExportFormatVersion: "project"},
		RawMetadata: memory.RawMetadata{},
	}
	var about string
	var docs jsontext.Value
	for name, value := range jsonstream.Members(it.raw) {
		switch name {
		case "uuid":
		case "name":
			c.Title = r.title(&c, name, value)
		case "description":
			about, _ = jsonstream.Text(value)
		case "prompt_template":
			c.SystemInstruction, _ = jsonstream.Text(value)
		case "created_at":
			c.Temporal.CreatedAt = r.time(c.RawMetadata, name, value)
		case "updated_at":
			c.Temporal.UpdatedAt = r.time(c.RawMetadata, name, value)
		case "creator":
			c.Provider.AccountID = text(value, "uuid")
			keep(c.RawMetadata, name, jsonstream.Without(value, "uuid"))
		case "docs":
			docs = value
		default:
			keep(c.RawMetadata, name, jsonstream.Keep(value))
		}
	}
	c.RawMetadata["project"] = label(text(it.raw, "uuid"), c.Title)
	m, err := r.knowledge(&c, firstOf(about, c.SystemInstruction, c.Title), docs)
	m.ID = firstOf(text(it.raw, "uuid"), c.ID)
	c.Messages, c.Leaf = []memory.Message{m}, m.ID
	d := importer.ConversationDraft{Conversation: c}
	importer.Dates(&d)
	return d, err
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
		Content: &memory.Content{Type: "text", Text: about}, RawMetadata: memory.RawMetadata{}}
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
	body := text(v, "content")
	a := memory.Attachment{Type: "document", Name: firstOf(text(v, "filename"), "document.txt"), ProviderID: text(v, "uuid")}
	if body == "" {
		r.sink.Missing(a.Name)
		return a, nil
	}
	size := int64(len(body))
	a.MIMEType, a.SizeBytes = mediaType(a.Name), &size
	var err error
	a.Ref, err = r.sink.Attachment(r.ctx, importer.AttachmentDraft{
		Name: a.Name, MIMEType: a.MIMEType, Size: size,
		Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(body)), nil },
	})
	return a, err
}

// instructions are a memory: how the person wants to be helped in the project.
func (r *reading) instructions(c memory.Conversation) error {
	told := strings.TrimSpace(c.SystemInstruction)
	if told == "" {
		return nil
	}
	d := importer.MemoryDraft{
		SourceKey: key("project-instructions", c.Provider.ConversationID), Type: memory.Instruction, Content: told,
		Method: memory.ExplicitUserInput, Confidence: sureWritten, Decay: importer.DecayOf(memory.Instruction),
		ConversationID: c.ID, MessageID: c.Leaf, PlatformUserID: c.Provider.AccountID,
		CreatedAt: c.Temporal.CreatedAt, UpdatedAt: c.Temporal.UpdatedAt,
	}
	r.inProject(&d, strings.TrimPrefix(c.Provider.ConversationID, "project:"), c.Title)
	return r.remember(d)
}
