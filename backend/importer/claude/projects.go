package claude

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/memory"
)

// projectMember is where the name of a project is kept with a conversation.
const projectMember = "keepsake_project"

// readProjects takes projects: their instructions as memories, and each project
// with its knowledge files as a conversation of one message, which is the only
// place PAM has for documents.
func (r *reading) readProjects() error {
	return r.each(projects, func(it item) error {
		if it.raw.Kind() != '{' {
			r.problem(it, notProject())
			return nil
		}
		r.names[text(it.raw, "uuid")] = text(it.raw, "name")
		if importer.True(importer.Member(it.raw, "is_starter_project")) {
			r.sink.Skipped("starter-project")
			return nil
		}
		return r.project(it)
	})
}

func notProject() *fault.Error {
	return fault.New(fault.Invalid, "claude-not-a-project", "Item {at} of {name} is not a project and was left out.")
}

func (r *reading) project(it item) error {
	native := "project:" + firstOf(text(it.raw, "uuid"), text(it.raw, "name"))
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
	v := it.raw
	name := firstOf(text(v, "name"), "Project")
	c := memory.Conversation{
		ID:                importer.ConversationID(platform, native),
		Provider:          memory.Provider{Name: platform, ConversationID: native, AccountID: text(importer.Member(v, "creator"), "uuid")},
		Title:             strings.Join(strings.Fields(name), " "),
		SystemInstruction: text(v, "prompt_template"),
		RawMetadata:       memory.RawMetadata{},
	}
	c.Temporal.CreatedAt = when(importer.Member(v, "created_at"))
	c.Temporal.UpdatedAt = when(importer.Member(v, "updated_at"))
	for member, value := range importer.Members(jsontext.Value(importer.Without(v, "uuid", "name", "prompt_template", "created_at", "updated_at", "docs", "description"))) {
		keep(c.RawMetadata, member, importer.Keep(value))
	}
	label, err := json.Marshal(c.Title)
	if err != nil {
		return importer.ConversationDraft{}, err
	}
	c.RawMetadata[projectMember] = label
	m, err := r.knowledge(v, c)
	c.Messages, c.Leaf = []memory.Message{m}, m.ID
	return importer.ConversationDraft{Conversation: c}, err
}

// knowledge is the one message of a project: what it says about itself, with
// its documents.
func (r *reading) knowledge(v jsontext.Value, c memory.Conversation) (memory.Message, error) {
	about := firstOf(text(v, "description"), c.SystemInstruction, c.Title)
	m := memory.Message{ID: firstOf(text(v, "uuid"), c.ID), Role: memory.System, CreatedAt: c.Temporal.CreatedAt,
		Content: &memory.Content{Type: "text", Text: about}}
	for _, doc := range importer.Items(importer.Member(v, "docs")) {
		a, err := r.document(doc)
		if err != nil {
			return m, err
		}
		m.Attachments = append(m.Attachments, a)
	}
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
	a.MIMEType, a.SizeBytes = "text/plain", &size
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
	d := draftOf(note{told, "", memory.ExplicitUserInput, stated}, "project-instructions:"+c.Provider.ConversationID)
	d.Type, d.Decay = memory.Instruction, importer.DecayOf(memory.Instruction)
	d.ConversationID, d.MessageID, d.PlatformUserID = c.ID, c.Leaf, c.Provider.AccountID
	d.CreatedAt = c.Temporal.CreatedAt
	d.Metadata = with(nil, "claude_project_name", c.Title)
	if tag := importer.Tag(c.Title); tag != "" {
		d.Tags = []string{tag}
	}
	return r.remember(d)
}
