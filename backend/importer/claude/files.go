package claude

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

// memoryFile is one of memory_files: front matter, then bullets.
type memoryFile struct {
	path    string // "/areas/health.md"
	name    string // front matter
	about   string // its description
	sources []string
	aliases []string
	body    string
	updated memory.Time
	raw     json.RawMessage // members that are not understood
}

// fileSet is the files of one account, findable by what links say.
type fileSet struct {
	list  []memoryFile
	names map[string]string // slug → name
}

// about reports whether files say anything of a project; "" is of the person.
func (s fileSet) about(project string) bool {
	return slices.ContainsFunc(s.list, func(f memoryFile) bool { return f.project() == project && strings.TrimSpace(f.body) != "" })
}

// memoryFiles reads the files, and learns the names of projects from them.
func (r *reading) memoryFiles(list jsontext.Value) fileSet {
	s := fileSet{names: map[string]string{}}
	for _, v := range jsonstream.Items(list) {
		f := memoryFile{
			path: path.Clean("/" + importer.TextIn(v, "path")), updated: when(jsonstream.Member(v, "updated_at")),
			raw: jsonstream.Without(v, "path", "content", "updated_at"),
		}
		f.split(importer.TextIn(v, "content"))
		if f.name != "" {
			s.names[f.slug()] = f.name
			s.names[strings.TrimPrefix(strings.TrimSuffix(f.path, ".md"), "/")] = f.name
		}
		if id := f.project(); id != "" && f.slug() == "index" && r.names[id] == "" {
			r.names[id] = f.name
		}
		s.list = append(s.list, f)
	}
	return s
}

func (f *memoryFile) slug() string { return strings.TrimSuffix(path.Base(f.path), path.Ext(f.path)) }

// folder is the first folder of the path: "areas", "people", "topics",
// "projects"; "" for /profile.md and /preferences.md.
func (f *memoryFile) folder() string {
	first, _, inside := strings.Cut(strings.TrimPrefix(f.path, "/"), "/")
	if !inside {
		return ""
	}
	return first
}

// project is the id in /projects/<uuid>/….
func (f *memoryFile) project() string {
	parts := strings.Split(f.path, "/")
	if len(parts) < 4 || parts[1] != "projects" {
		return ""
	}
	return parts[2]
}

// unclosed is front matter whose end is missing.
var unclosed = regexp.MustCompile(`\A---\n(?:[a-z_]+:.*\n)*`)

// split takes the front matter off. It is no YAML: a description may hold a
// colon, so each line is cut at its first one.
func (f *memoryFile) split(content string) {
	content = strings.ReplaceAll(content, "\r\n", "\n")
	rest, ok := strings.CutPrefix(content, "---\n")
	head, body, closed := strings.Cut(rest, "\n---")
	if !ok || !closed {
		f.body = unclosed.ReplaceAllString(content, "")
		return
	}
	_, f.body, _ = strings.Cut(body, "\n")
	last := ""
	for line := range strings.SplitSeq(head, "\n") {
		name, value, isPair := strings.Cut(line, ":")
		if entry, ok := strings.CutPrefix(strings.TrimSpace(line), "- "); ok {
			f.add(last, []string{unquote(entry)})
		} else if isPair {
			last = strings.TrimSpace(name)
			f.set(last, strings.TrimSpace(value))
		}
	}
}

func (f *memoryFile) set(name, value string) {
	switch name {
	case "name":
		f.name = unquote(value)
	case "description":
		f.about = unquote(value)
	case "sources", "aliases":
		var list []string
		for entry := range strings.SplitSeq(strings.Trim(value, "[] "), ",") {
			if entry = unquote(entry); entry != "" {
				list = append(list, entry)
			}
		}
		f.add(name, list)
	}
}

func (f *memoryFile) add(name string, list []string) {
	switch name {
	case "sources":
		f.sources = append(f.sources, list...)
	case "aliases":
		f.aliases = append(f.aliases, list...)
	}
}

func unquote(s string) string {
	s = strings.TrimSpace(s)
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// mark is [stated] or [inferred] before a statement.
var mark = regexp.MustCompile(`^\[([A-Za-z][A-Za-z_-]{2,20})\]\s+`)

// file takes each bullet of one file.
func (r *reading) file(account string, set fileSet, f memoryFile) error {
	for _, p := range paragraphs(f.body) {
		d := importer.MemoryDraft{
			Method: memory.APIExport, Confidence: sureFile,
			PlatformUserID: account, UpdatedAt: f.updated, Metadata: f.metadata(p),
		}
		plain := r.marked(&d, p.text)
		d.Content = set.readable(&f, &d, plain)
		d.Type = f.typeOf(plain)
		r.label(&d, f, p)
		digest := sha256.Sum256([]byte(strings.ToLower(plain)))
		d.SourceKey, d.Under = key("memory-file", account, f.path, hex.EncodeToString(digest[:8])), joinNames(p.section, p.part)
		if err := r.remember(d); err != nil {
			return err
		}
	}
	return nil
}

// marked takes the mark off and believes it.
func (r *reading) marked(d *importer.MemoryDraft, text string) string {
	m := mark.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	switch strings.ToLower(m[1]) {
	case "stated":
		d.Method, d.Confidence = memory.ExplicitUserInput, sureStated
	case "inferred":
		d.Method, d.Confidence = memory.LLMInference, sureInferred
	default:
		r.Sink.Unknown("memory_mark:" + m[1])
		return text
	}
	return text[len(m[0]):]
}

// label tags a statement with where it stood.
func (r *reading) label(d *importer.MemoryDraft, f memoryFile, p paragraph) {
	if id := f.project(); id != "" {
		r.inProject(d, id, "")
	} else {
		d.Tags = importer.AddTag(d.Tags, f.folder())
		d.Tags = importer.AddTag(d.Tags, f.slug())
	}
	d.Tags = importer.AddTag(d.Tags, p.section)
}

// metadata is what the file says of all its statements.
func (f *memoryFile) metadata(p paragraph) map[string]any {
	m := importer.Facts(nil, "file", f.path, "file_name", f.name, "file_description", f.about, "section", joinNames(p.section, p.part))
	if len(f.sources) > 0 {
		m["file_sources"] = f.sources
	}
	if len(f.aliases) > 0 {
		m["file_aliases"] = f.aliases
	}
	if f.raw != nil {
		m["file_raw"] = f.raw
	}
	return m
}

// link is [[slug]] or [[slug|words]].
var link = regexp.MustCompile(`\[\[([^\[\]|]{1,120})(?:\|([^\[\]]{1,120}))?\]\]`)

// readable puts names in the place of links, and the name of a person before a
// statement that would not say whom it is about.
func (s fileSet) readable(f *memoryFile, d *importer.MemoryDraft, text string) string {
	var links []string
	text = link.ReplaceAllStringFunc(text, func(whole string) string {
		m := link.FindStringSubmatch(whole)
		links = append(links, m[1])
		slug := strings.TrimSuffix(m[1], ".md")
		return importer.FirstOf(m[2], s.names[slug], s.names[path.Base(slug)], strings.ReplaceAll(path.Base(slug), "-", " "))
	})
	if links != nil {
		d.Metadata = with(d.Metadata, "links", links)
	}
	if f.folder() == "people" && f.name != "" && !strings.Contains(strings.ToLower(text), strings.ToLower(f.name)) {
		return f.name + ": " + text
	}
	return text
}

// typeOf sorts a statement by its file, then by its words.
func (f *memoryFile) typeOf(text string) memory.Type {
	switch f.folder() {
	case "people":
		return memory.Relationship
	case "projects":
		return memory.Project
	}
	guess := importer.GuessType(text)
	if f.slug() == "preferences" && guess == memory.Fact {
		return memory.Preference
	}
	return guess
}
