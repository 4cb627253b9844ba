package claude

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

// How sure a statement is when it enters, by where it stood.
const (
	sureStated   = 0.95 // the person said it, Claude wrote it down
	sureWritten  = 1    // the person typed it
	sureFile     = 0.8  // a bullet without a mark
	sureInferred = 0.6  // Claude concluded it, in a file or in its summary of all chats
)

// readMemories reads memories as an array, as one object, or one file an account.
func (r *reading) readMemories() error {
	return r.each(memories, func(it importer.Item) error {
		if s, ok := jsonstream.Text(it.Raw); ok {
			return r.summary("", "", s)
		}
		if it.Raw.Kind() != '{' {
			r.Bad(it, false, fault.New(fault.Invalid, "claude-not-memories", "Item {at} of {name} is not the memory of an account and was left out."))
			return nil
		}
		return r.account(it.Raw)
	})
}

// account takes what Claude remembers of one account.
func (r *reading) account(v jsontext.Value) error {
	id := importer.TextIn(v, "account_uuid")
	files := r.memoryFiles(jsonstream.Member(v, "memory_files"))
	for _, f := range files.list {
		if err := r.file(id, files, f); err != nil {
			return err
		}
	}
	if err := r.overview(id, "", importer.TextIn(v, "conversations_memory"), files.about("")); err != nil {
		return err
	}
	for project, s := range jsonstream.Members(jsonstream.Member(v, "project_memories")) {
		said, _ := jsonstream.Text(s)
		if err := r.overview(id, project, said, files.about(project)); err != nil {
			return err
		}
	}
	for name := range jsonstream.Members(v) {
		switch name {
		case "account_uuid", "memory_files", "conversations_memory", "project_memories":
		default:
			r.Sink.Unknown("memories:" + name)
		}
	}
	return nil
}

// overview takes a summary: as one document where files say the same in
// detail, paragraph by paragraph otherwise.
func (r *reading) overview(account, project, body string, detailed bool) error {
	if strings.TrimSpace(body) == "" {
		return nil
	}
	if !detailed {
		return r.summary(account, project, body)
	}
	t := memory.Context
	if project != "" {
		t = memory.Project
	}
	d := r.drawn(account, project, t, strings.TrimSpace(body))
	d.SourceKey = key("memory-summary", account, project)
	d.Tags = append(d.Tags, "summary")
	d.Metadata = with(d.Metadata, "source", "memory summary, overlapping the memory files")
	return r.remember(d)
}

// summary takes each paragraph and bullet of a summary. Its key is its place:
// Claude rewrites the text, and what stands there now replaces what stood there.
func (r *reading) summary(account, project, body string) error {
	for _, p := range paragraphs(body) {
		d := r.drawn(account, project, sectionType(p, project), p.text)
		d.SourceKey = key("memory-summary", account, project, p.section, p.part, p.place)
		for _, name := range []string{p.section, p.part} {
			d.Tags = importer.AddTag(d.Tags, name)
		}
		if p.section != "" {
			d.Metadata = with(d.Metadata, "section", joinNames(p.section, p.part))
		}
		if err := r.remember(d); err != nil {
			return err
		}
	}
	return nil
}

// drawn is a statement that Claude drew from chats.
func (r *reading) drawn(account, project string, t memory.Type, body string) importer.MemoryDraft {
	d := importer.MemoryDraft{
		Type: t, Content: body, Method: memory.LLMInference, Confidence: sureInferred,
		PlatformUserID: account, Metadata: map[string]any{"source": "memory summary"},
	}
	if project != "" {
		r.inProject(&d, project, "")
	}
	return d
}

// inProject names the project a statement belongs to.
func (r *reading) inProject(d *importer.MemoryDraft, id, name string) {
	name = importer.FirstOf(r.names[id], name)
	d.Metadata = with(d.Metadata, "project_id", id)
	if name != "" {
		d.Metadata["project"] = name
		d.Tags = importer.AddTag(d.Tags, name)
	}
}

// sectionType sorts a paragraph by the head it stands under: it is too long to
// be sorted by its words.
func sectionType(p paragraph, project string) memory.Type {
	switch {
	case project != "":
		return memory.Project
	case len(p.text) <= shortText:
		return importer.GuessType(p.text)
	}
	switch strings.ToLower(p.section) {
	case "top of mind", "work context", "brief history":
		return memory.Context
	}
	return memory.Fact
}

// shortText is how long a statement may be, in bytes, to be sorted by its words.
const shortText = 160

// key joins the parts of a source key. It ends up in the vault only.
func key(parts ...string) string { return strings.Join(parts, ":") }

func joinNames(a, b string) string {
	if b == "" {
		return a
	}
	return a + " / " + b
}
