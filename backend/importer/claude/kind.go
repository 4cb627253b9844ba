package claude

import (
	"context"
	"path"
	"slices"
	"strings"

	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

// kind is what a file of an export holds.
type kind int

const (
	foreign       kind = iota // nothing of ours
	conversations             // chat_messages
	memories                  // conversations_memory, project_memories, memory_files
	projects                  // prompt_template, docs
	users                     // who the accounts are
	manifest                  // links to the parts
	designs                   // design_chats/<uuid>.json
	frames                    // artifacts/<id>/…: published artifacts
	account                   // login history, reflections: nothing to remember
	empty                     // [] or {}: whose it is, its neighbours say
	cut                       // nobody reads it, and it breaks off
)

// isRead reports whether files of that kind are read to their end.
func (k kind) isRead() bool {
	return k == conversations || k == memories || k == projects || k == users || k == designs
}

// survey is what a tree holds, found by a look at the beginning of its files.
type survey struct {
	files    map[kind][]intake.File
	accounts []string
	linked   bool // messages name their parents
}

func (s *survey) has(kinds ...kind) bool {
	return slices.ContainsFunc(kinds, func(k kind) bool { return len(s.files[k]) > 0 })
}

// strangers is how many unknown JSON files a limited look opens.
const strangers = 2000

// look surveys the files of a tree. With a limit it stops after that many JSON
// files once it knows the export.
func look(ctx context.Context, tree *intake.Tree, limit int) (*survey, error) {
	s := &survey{files: map[kind][]intake.File{}}
	seen := 0
	for _, f := range tree.Files() {
		if limit > 0 && (seen >= limit && s.has(conversations, memories, projects) || seen >= strangers) {
			break
		}
		k := byPlace(f.Path)
		if k == foreign && (importer.IsJSON(f.Path) || len(tree.Files()) == 1) {
			seen++
			shape, _, err := importer.LookAt(ctx, tree, f)
			if err != nil {
				return nil, err
			}
			if k = byShape(shape); shape.Cut && importer.IsJSON(f.Path) && !k.isRead() {
				k = cut
			}
			s.note(k, shape)
		}
		s.files[k] = append(s.files[k], f)
	}
	return s, nil
}

// note keeps what the beginning of a file says about the whole export.
func (s *survey) note(k kind, shape importer.Shape) {
	switch k {
	case conversations:
		s.linked = s.linked || shape.ItemHas("chat_messages.parent_message_uuid")
		s.add(shape.ItemText("account.uuid"))
	case memories:
		s.add(shape.ItemText("account_uuid"))
	case users:
		s.add(shape.ItemText("uuid"))
	}
}

func (s *survey) add(account string) {
	if account != "" && !slices.Contains(s.accounts, account) {
		s.accounts = append(s.accounts, account)
	}
}

// byPlace knows what is told by its folder alone: files of published
// artifacts, which are pages and not data.
func byPlace(name string) kind {
	if importer.IsJSON(name) && path.Base(name) != "comments.json" {
		return foreign
	}
	if artifactID(name) != "" {
		return frames
	}
	return foreign
}

// artifactID is the folder below artifacts/ that a file lies in; "" elsewhere.
func artifactID(name string) string {
	_, rest, ok := strings.Cut("/"+name, "/artifacts/")
	id, _, inside := strings.Cut(rest, "/")
	if !ok || !inside {
		return ""
	}
	return id
}

// byShape knows a file by the names in it.
func byShape(s importer.Shape) kind {
	item := s.ItemHas
	switch {
	case s.Has("data_files") && (s.Has("data_files.export_url") || s.Has("data_files.filename")):
		return manifest
	case item("mapping"):
		return foreign // ChatGPT and DeepSeek
	case item("chat_messages"), item("uuid") && item("messages.sender"):
		return conversations
	case item("conversations_memory"), item("project_memories"), item("memory_files"):
		return memories
	case item("uuid") && (item("is_starter_project") || item("prompt_template") || item("docs.filename")):
		return projects
	case item("uuid") && item("email_address") && item("full_name"):
		return users
	case s.Kind == '{' && item("uuid") && item("messages.role") && item("messages.content"):
		return designs
	case s.Has("versions") && s.Has("active_version") && s.Has("kind"):
		return frames
	case item("account_uuid"), item("user_uuid"), item("account.uuid"):
		return account
	case s.Empty():
		return empty
	}
	return foreign
}
