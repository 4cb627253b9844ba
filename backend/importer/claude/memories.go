package claude

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/memory"
)

// How sure a statement is, by who is said to have made it.
const (
	stated   = 0.9
	inferred = 0.6
	unsaid   = 0.75 // the file does not say
)

// readMemories takes what Claude remembers: an object an account, alone or in
// an array, any of whose members may be missing.
func (r *reading) readMemories() error {
	return r.each(memories, func(it item) error {
		account := text(it.raw, "account_uuid")
		files := importer.Member(it.raw, "memory_files")
		hasFiles := false
		for _, f := range importer.Items(files) {
			hasFiles = true
			if err := r.memoryFile(account, f); err != nil {
				return err
			}
		}
		if err := r.summary(account, text(it.raw, "conversations_memory"), hasFiles); err != nil {
			return err
		}
		for project, value := range importer.Members(importer.Member(it.raw, "project_memories")) {
			if err := r.projectMemory(account, project, value); err != nil {
				return err
			}
		}
		return nil
	})
}

// note is one statement of a file or a summary.
type note struct {
	text       string
	heading    string
	method     memory.Method
	confidence float64
}

// memoryFile takes the bullets of one file.
func (r *reading) memoryFile(account string, v jsontext.Value) error {
	name := text(v, "path")
	head, body := frontMatter(text(v, "content"))
	project := projectOf(name)
	if project != "" && path.Base(name) == "index.md" && head["name"] != "" {
		r.names[project] = head["name"]
	}
	notes := bullets(body)
	if len(notes) == 0 {
		r.sink.Skipped("empty")
		return nil
	}
	for _, n := range notes {
		d := draftOf(n, "memory-file:"+account+":"+name)
		d.PlatformUserID = account
		d.UpdatedAt = when(importer.Member(v, "updated_at"))
		d.Type = fileKind(name, d.Type)
		d.Tags = r.tagsOf(name, project)
		d.Metadata = with(nil, "claude_memory_file", name)
		if err := r.remember(d); err != nil {
			return err
		}
	}
	return nil
}

// frontMatter splits off the lines between two rules at the beginning. They
// look like YAML and often are none (a description with a colon in it), so they
// are read line by line.
func frontMatter(content string) (head map[string]string, body string) {
	head = map[string]string{}
	lines := strings.Split(strings.ReplaceAll(content, "\r\n", "\n"), "\n")
	if strings.TrimSpace(lines[0]) != "---" {
		return head, content
	}
	for i, line := range lines[1:] {
		if strings.TrimSpace(line) == "---" {
			return head, strings.Join(lines[i+2:], "\n")
		}
		if name, value, ok := strings.Cut(line, ":"); ok {
			head[strings.TrimSpace(name)] = strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	return map[string]string{}, content // never closed: it was none
}

// bullets cuts a body into statements: list items with the lines that go on
// below them, and paragraphs.
func bullets(body string) []note {
	var notes []note
	heading, open := "", false
	for _, line := range strings.Split(body, "\n") {
		trimmed := strings.TrimSpace(line)
		item, isItem := listItem(trimmed)
		title, isTitle := headingOf(trimmed)
		switch {
		case trimmed == "":
			open = false
		case isTitle:
			heading, open = title, false
		case isItem:
			notes, open = append(notes, noteOf(item, heading)), true
		case open:
			notes[len(notes)-1].text += " " + trimmed
		default:
			notes, open = append(notes, noteOf(trimmed, heading)), true
		}
	}
	return notes
}

func listItem(line string) (string, bool) {
	for _, mark := range []string{"- ", "* ", "• "} {
		if rest, ok := strings.CutPrefix(line, mark); ok {
			return strings.TrimSpace(rest), true
		}
	}
	return "", false
}

// headingOf knows "# Title" and a line that is bold as a whole.
func headingOf(line string) (string, bool) {
	if strings.HasPrefix(line, "#") {
		return strings.TrimSpace(strings.TrimLeft(line, "#")), true
	}
	rest, ok := strings.CutPrefix(line, "**")
	if title, closed := strings.CutSuffix(rest, "**"); ok && closed && !strings.Contains(title, "**") {
		return strings.TrimRight(title, ": "), true
	}
	return "", false
}

func noteOf(text, heading string) note {
	for _, tag := range []struct {
		mark   string
		method memory.Method
		sure   float64
	}{{"[stated]", memory.ExplicitUserInput, stated}, {"[inferred]", memory.LLMInference, inferred}} {
		if len(text) >= len(tag.mark) && strings.EqualFold(text[:len(tag.mark)], tag.mark) {
			return note{strings.TrimSpace(text[len(tag.mark):]), heading, tag.method, tag.sure}
		}
	}
	return note{text, heading, memory.APIExport, unsaid}
}

// draftOf is a note as a memory. Its source key is made of where it stands and
// what it says: files are rewritten and lines move.
func draftOf(n note, place string) importer.MemoryDraft {
	sum := sha256.Sum256([]byte(n.text))
	kind := importer.GuessType(n.text)
	return importer.MemoryDraft{
		SourceKey: place + ":" + hex.EncodeToString(sum[:8]), Type: kind, Content: n.text,
		Method: n.method, Confidence: n.confidence, Decay: importer.DecayOf(kind),
	}
}

// fileKind is the type of a statement by the folder its file lies in.
func fileKind(name string, guessed memory.Type) memory.Type {
	switch {
	case strings.HasPrefix(name, "/people/"):
		return memory.Relationship
	case strings.HasPrefix(name, "/projects/"):
		return memory.Project
	case guessed == memory.Fact && path.Base(name) == "preferences.md":
		return memory.Preference
	}
	return guessed
}

// projectOf is the project that a file belongs to: /projects/<id>/….
func projectOf(name string) string {
	rest, ok := strings.CutPrefix(name, "/projects/")
	id, _, inside := strings.Cut(rest, "/")
	if !ok || !inside {
		return ""
	}
	return id
}

func (r *reading) tagsOf(name, project string) []string {
	label := strings.TrimSuffix(path.Base(name), ".md")
	if project != "" {
		label = r.names[project]
	}
	if tag := importer.Tag(label); tag != "" {
		return []string{tag}
	}
	return nil
}

// summary takes the prose summary of an account. Beside memory files, which say
// the same in better order, it stays one document.
func (r *reading) summary(account, body string, hasFiles bool) error {
	if strings.TrimSpace(body) == "" {
		return nil
	}
	if hasFiles {
		d := draftOf(note{strings.TrimSpace(body), "", memory.LLMInference, inferred}, "memory-summary:"+account)
		d.Type, d.Decay = memory.Context, importer.DecayOf(memory.Context)
		d.PlatformUserID, d.Tags = account, []string{"summary"}
		return r.remember(d)
	}
	return r.sections(account, "memory-summary:"+account, body, func(d *importer.MemoryDraft, heading string) {
		if tag := importer.Tag(heading); tag != "" {
			d.Tags = []string{tag}
		}
	})
}

// sections takes the paragraphs of a summary with bold heads.
func (r *reading) sections(account, place, body string, finish func(*importer.MemoryDraft, string)) error {
	for _, n := range bullets(body) {
		if n.method == memory.APIExport { // a summary is what Claude made of it
			n.method, n.confidence = memory.LLMInference, inferred
		}
		d := draftOf(n, place)
		d.PlatformUserID = account
		finish(&d, n.heading)
		if err := r.remember(d); err != nil {
			return err
		}
	}
	return nil
}

func (r *reading) projectMemory(account, project string, value jsontext.Value) error {
	body, ok := importer.Text(value)
	if !ok {
		r.sink.Unknown("project_memory")
		return nil
	}
	name := r.names[project]
	return r.sections(account, "project-memory:"+project, body, func(d *importer.MemoryDraft, _ string) {
		d.Type, d.Decay = memory.Project, importer.DecayOf(memory.Project)
		d.Metadata = with(with(nil, "claude_project", project), "claude_project_name", firstOf(name, project))
		if tag := importer.Tag(name); tag != "" {
			d.Tags = []string{tag}
		}
	})
}
