package instructions

import (
	"context"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
)

// kind is whose a file is; without a tool it is nobody's.
type kind struct {
	tool, scope string
	by          author
	divided     bool // each entry stands between lines "§"
}

// author says who wrote a file, and about what.
type author int

const (
	told     author = iota // somebody wrote it for an assistant
	own                    // an assistant wrote it for itself
	ofPerson               // an assistant wrote it about the person
	ofAgent                // it says who the assistant is
	drawnUp                // a model drew it up from sessions, unasked
)

// byName are files that are known wherever they lie.
var byName = map[string]kind{
	"claude.md":               {tool: claudeCode, scope: "project"},
	"claude.local.md":         {tool: claudeCode, scope: "local"},
	"agents.md":               {tool: "AGENTS.md", scope: "project"},
	"agents.override.md":      {tool: "AGENTS.md", scope: "project"},
	"gemini.md":               {tool: "Gemini CLI", scope: "project"},
	"copilot-instructions.md": {tool: "GitHub Copilot", scope: "project"},
	".cursorrules":            {tool: "Cursor", scope: "project"},
	".windsurfrules":          {tool: "Windsurf", scope: "project"},
	".clinerules":             {tool: "Cline", scope: "project"},
	".roorules":               {tool: "Roo Code", scope: "project"},
}

// rules are folders whose texts are rules of a project.
var rules = []struct{ folder, tool string }{
	{".claude/rules/", claudeCode}, {".clinerules/", "Cline"}, {".roo/rules/", "Roo Code"}, {".roo/rules-", "Roo Code"},
	{".kilocode/rules/", "Kilo Code"}, {".cursor/rules/", "Cursor"}, {".windsurf/rules/", "Windsurf"},
}

// Programs whose assistants keep a memory in a MEMORY.md.
const (
	claudeCode = "Claude Code"
	openClaw   = "OpenClaw"
	hermes     = "Hermes"
	codex      = "Codex"
	anybody    = "MEMORY.md" // whose it is cannot be told
)

var (
	daily    = regexp.MustCompile(`^(\d{4}-\d{2}-\d{2}).*\.md$`)
	section  = regexp.MustCompile(`(?m)^§\s*$`)
	aboutYou = regexp.MustCompile(`(?i)^\s*#\s+user\.md\b`)
	linked   = regexp.MustCompile(`\]\(\s*(?:\./)?([^()\s#:]+\.md)(?:#[^()\s]*)?\s*\)`)
)

// key finds a file, and folder a folder, of a tree of several sources.
type (
	key struct {
		source int
		path   string
	}
	folder struct {
		names  []string // of the files right in it, in lower case
		keeper string   // whose MEMORY.md, or what stands in its place, lies in it
		mixed  bool     // it holds more than notes, as that of a project does
		links  []string // files that its MEMORY.md links to, in lower case
	}
)

// keyOf finds a file of the tree. Files that were given one by one lie in the folder that
// they were in.
func (w *whose) keyOf(f intake.File) key {
	if s := w.tree.Sources()[f.Source]; s.Name == f.Path {
		return key{-1, path.Join(filepath.ToSlash(filepath.Dir(s.Path)), f.Path)}
	}
	return key{f.Source, f.Path}
}

// dirOf is the folder of a file, and beside one that is named from there.
func (k key) dirOf() key             { return key{k.source, path.Dir(k.path)} }
func (k key) beside(name string) key { return key{k.source, path.Join(path.Dir(k.path), name)} }

// whose says of each file of a tree whose it is.
type whose struct {
	tree    *intake.Tree
	folders map[key]*folder
	kinds   map[key]kind
}

// survey looks at all places, and at the heads of so many Markdown files whose place
// says nothing; 0 is of all.
func survey(ctx context.Context, tree *intake.Tree, looks int) (*whose, error) {
	w := &whose{tree, map[key]*folder{}, map[key]kind{}}
	for _, f := range tree.Files() {
		dir := w.folder(f)
		name := strings.ToLower(f.Base())
		dir.names = append(dir.names, name)
		dir.mixed = dir.mixed || !strings.HasPrefix(name, ".") && path.Ext(name) != ".md" || name == "readme.md"
	}
	if err := w.keepers(ctx); err != nil {
		return nil, err
	}
	looked := 0
	for _, f := range tree.Files() {
		k := w.byPlace(f)
		if k.tool == "" && importer.HasEnding(f, ".md") && (looks == 0 || looked < looks) {
			looked++
			head, err := w.head(ctx, f)
			if err != nil {
				return nil, err
			}
			k = byHead(f, head)
		}
		w.kinds[w.keyOf(f)] = k
	}
	return w, nil
}

// folder is the one that a file lies in.
func (w *whose) folder(f intake.File) *folder {
	at := w.keyOf(f).dirOf()
	if w.folders[at] == nil {
		w.folders[at] = &folder{}
	}
	return w.folders[at]
}

// at is the path of a file in lower case, with the name of what was dropped before it.
// Whole is the path on this computer where there is one.
func (w *whose) at(f intake.File) (inner, whole string) {
	s := w.tree.Sources()[f.Source]
	inner, whole = f.Path, filepath.ToSlash(s.Path)
	if s.Name != f.Path { // a folder or an archive
		inner, whole = s.Name+"/"+f.Path, whole+"/"+f.Path
	}
	return strings.ToLower("/" + inner), strings.ToLower("/" + whole + "/" + inner)
}

// in reports a folder around a file. One with a dot is a program's own: it counts
// also above what was dropped.
func (w *whose) in(f intake.File, name string) bool {
	inner, whole := w.at(f)
	if strings.HasPrefix(name, ".") {
		inner = whole
	}
	return strings.Contains(inner, "/"+name+"/")
}

// head is the beginning of a file, as text.
func (w *whose) head(ctx context.Context, f intake.File) (string, error) {
	_, head, err := importer.LookAt(ctx, w.tree, f)
	text, _ := importer.PlainText(head)
	return text, err
}

// keepers finds out whose memory lies in which folder.
func (w *whose) keepers(ctx context.Context) error {
	for _, f := range w.tree.Files() {
		dir, base := w.folder(f), strings.ToLower(f.Base())
		switch base {
		case "memory.md", "user.md", "soul.md", "identity.md", "memory_summary.md", "raw_memories.md":
		default:
			continue
		}
		text, err := w.head(ctx, f)
		if err != nil {
			return err
		}
		if base == "memory.md" {
			for _, m := range linked.FindAllStringSubmatch(text, -1) {
				dir.links = append(dir.links, strings.ToLower(m[1]))
			}
		}
		is := w.keeper(f, dir, text)
		if dir.keeper == "" || dir.keeper == anybody || is == hermes {
			dir.keeper = is
		}
	}
	return w.byTopics(ctx)
}

// byTopics gives Claude Code a MEMORY.md whose neighbours have the heads it writes.
func (w *whose) byTopics(ctx context.Context) error {
	for _, f := range w.tree.Files() {
		dir := w.folder(f)
		if dir.keeper != anybody || !importer.HasEnding(f, ".md") {
			continue
		}
		text, err := w.head(ctx, f)
		if err != nil {
			return err
		}
		if head, _ := importer.FrontMatter(text); topicOf(head) != "" {
			dir.keeper = claudeCode
		}
	}
	return nil
}

// keeper tells whose the memory in a folder is, by one of its files and those beside it.
func (w *whose) keeper(f intake.File, dir *folder, text string) string {
	has := func(name string) bool { return slices.Contains(dir.names, name) }
	memories := has("memory.md")
	below := w.folders[w.keyOf(f).beside("memory")]
	notes := below != nil && slices.ContainsFunc(below.names, daily.MatchString)
	switch {
	case has("memory_summary.md"), has("raw_memories.md"), memories && w.in(f, ".codex"):
		return codex
	case section.MatchString(text), w.in(f, ".hermes"), memories && has("user.md") && w.in(f, "memories"):
		return hermes
	case has("soul.md"), has("identity.md"), memories && has("user.md"), notes && (memories || has("agents.md") || has("user.md")), w.in(f, ".openclaw"):
		return openClaw
	case !memories:
		return ""
	case w.in(f, "memory") && w.in(f, "tmp"), w.in(f, ".gemini"):
		return "Gemini CLI"
	case w.in(f, ".claude"), w.in(f, "projects"), linked.MatchString(text):
		return claudeCode
	}
	return anybody
}

// byPlace tells by the path of a file and by what lies beside it.
func (w *whose) byPlace(f intake.File) kind {
	base := strings.ToLower(f.Base())
	k := byName[base]
	switch {
	case k.tool == "AGENTS.md" && w.in(f, ".codex"):
		return kind{tool: codex, scope: "user"}
	case base == "gemini.md" && w.in(f, ".gemini"):
		return kind{tool: "Gemini CLI", scope: "user"}
	case k.tool != "":
		return k
	case strings.HasSuffix(base, ".mdc"):
		return kind{tool: "Cursor", scope: "project"}
	case strings.HasSuffix(base, ".instructions.md") && w.in(f, ".github/instructions"):
		return byName["copilot-instructions.md"]
	}
	if importer.HasEnding(f, ".md", ".txt") {
		_, whole := w.at(f)
		for _, r := range rules {
			if strings.Contains(whole, "/"+r.folder) {
				return kind{tool: r.tool, scope: "project"}
			}
		}
	}
	if !strings.HasSuffix(base, ".md") {
		return kind{}
	}
	return w.kept(f, base)
}

// kept tells what of an assistant's memory a file is: one of those with a meaning of their
// own, or one of the topics that lie beside a MEMORY.md and in a folder "memory".
func (w *whose) kept(f intake.File, base string) kind {
	dir := w.folder(f)
	keeper := dir.keeper
	switch base {
	case "soul.md", "identity.md", "bootstrap.md":
		if keeper == openClaw || keeper == hermes {
			return kind{tool: keeper, by: ofAgent}
		}
	case "user.md":
		if keeper == openClaw || keeper == hermes {
			return kind{tool: keeper, scope: "user", by: ofPerson, divided: keeper == hermes}
		}
	case "memory.md", "memory_summary.md", "raw_memories.md", "dreams.md", "tools.md", "heartbeat.md":
		if keeper != "" && (base == "memory.md" || keeper == codex || keeper == openClaw) {
			return memoryOf(keeper)
		}
	}
	inner, _ := w.at(f)
	isMemory := strings.HasSuffix(path.Dir(inner), "/memory")
	switch {
	case base == "readme.md" && !isMemory:
	case keeper != "" && (isMemory || !dir.mixed || slices.Contains(dir.links, base)):
		return memoryOf(keeper)
	default:
		if above := w.around(f); above != "" {
			return memoryOf(above)
		}
		if w.in(f, "memory") && (w.in(f, ".claude") || w.in(f, "projects")) {
			return memoryOf(claudeCode)
		}
	}
	return kind{}
}

// around is whose memory a folder "memory" around a file belongs to.
func (w *whose) around(f intake.File) string {
	inner, _ := w.at(f)
	for dir, up := path.Dir(inner), w.keyOf(f).dirOf(); dir != "/"; dir, up = path.Dir(dir), up.dirOf() {
		if path.Base(dir) != "memory" {
			continue
		}
		for _, at := range []key{up, up.dirOf()} {
			if d := w.folders[at]; d != nil && d.keeper != "" {
				return d.keeper
			}
		}
	}
	return ""
}

// memoryOf is the kind of a file in which an assistant keeps its memory.
func memoryOf(keeper string) kind {
	k := kind{tool: keeper, scope: "project", by: own, divided: keeper == hermes}
	switch keeper {
	case codex:
		k.by, k.scope = drawnUp, "user"
	case openClaw, hermes:
		k.scope = "user"
	case anybody:
		k.scope = ""
	}
	return k
}

// topics are the types that Claude Code gives the files of its memory.
var topics = []string{"user", "feedback", "project", "reference"}

// topicOf is the type in the head of such a file, "" where it is none. One that stands by
// itself could be anybody's, without what Claude Code writes beside it.
func topicOf(head jsontext.Value) string {
	is := importer.TextIn(jsonstream.Member(head, "metadata"), "type")
	if is == "" && importer.TextIn(head, "name") != "" && importer.TextIn(head, "description") != "" {
		is = importer.TextIn(head, "type")
	}
	if !slices.Contains(topics, is) {
		return ""
	}
	return is
}

// byHead tells by the head of a file, and by how it begins.
func byHead(f intake.File, text string) kind {
	head, body := importer.FrontMatter(text)
	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return jsonstream.Member(head, name) == nil })
	}
	switch {
	case topicOf(head) != "":
		return kind{tool: claudeCode, scope: "project", by: own}
	case has("paths") && !has("name") && !has("title"):
		return kind{tool: claudeCode, scope: "project"}
	case has("applyTo"):
		return byName["copilot-instructions.md"]
	case has("globs", "alwaysApply"):
		return byName[".cursorrules"]
	case strings.EqualFold(f.Base(), "user.md") && aboutYou.MatchString(body):
		return kind{tool: openClaw, scope: "user", by: ofPerson}
	}
	return kind{}
}
