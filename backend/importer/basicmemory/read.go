package basicmemory

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// sure is how sure a statement is that stands in a note: a person or an
// assistant wrote it down to keep it.
const sure = 0.8

var (
	observation = regexp.MustCompile(`(?m)^\s*[-*]\s+\[([^\[\]\n]{2,40})\]\s+(\S.*)$`)
	relation    = regexp.MustCompile(`^\s*[-*]\s+(?:"([^"]{1,60})"|([^\[\]"]{1,60}?))\s*\[\[([^\[\]]{1,200})\]\]\s*(?:\(([^()]*)\))?\s*$`)
	hashtag     = regexp.MustCompile(`(?:^|\s)#([\pL\pN][\pL\pN_/-]*)`)
	aside       = regexp.MustCompile(`\s*\(([^()]{1,200})\)\s*$`)
	titleHead   = regexp.MustCompile(`^#{1,6}\s`)
)

// Read gives what each note states.
func (Importer) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	r := &reading{importer.NewReading(ctx, tree, sink)}
	return r.Files(r.file, endings...)
}

func (r *reading) file(f intake.File) error {
	text, err := r.Text(f)
	if err != nil {
		return err
	}
	return r.note(f, text)
}

type reading struct{ *importer.Reading }

// note is one file, taken apart.
type note struct {
	file        intake.File
	head        jsontext.Value
	title, link string
	tags        []string
	made, moved memory.Time
}

func (r *reading) note(f intake.File, text string) error {
	head, body := importer.FrontMatter(text)
	n := note{
		file: f, head: head, title: importer.Line(importer.FirstOf(importer.TextIn(head, "title"), strings.TrimSuffix(f.Base(), ".md"))),
		made:  importer.AnyTime(jsonstream.FirstMember(head, "created", "created_at", "date")),
		moved: importer.AnyTime(jsonstream.FirstMember(head, "modified", "updated", "updated_at")),
	}
	n.link = importer.FirstOf(importer.TextIn(head, "permalink"), f.Path)
	n.addTags(jsonstream.Member(head, "tags"))
	given := 0
	var prose []string
	fenced := false
	for line := range strings.SplitSeq(body, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		d, ok := importer.MemoryDraft{}, false
		if !fenced {
			d, ok = n.statement(line)
		}
		if !ok {
			prose = append(prose, line)
			continue
		}
		given++
		if err := r.Remember(d); err != nil {
			return err
		}
	}
	said := filled(prose)
	if said == "" {
		if given == 0 {
			r.Sink.Skipped("empty")
		}
		return nil
	}
	return r.Remember(n.draft("body", said, memory.Context, n.tags))
}

// filled is what is left of a note, without heads that have nothing below them.
func filled(lines []string) string {
	var kept []string
	below := false
	for i := len(lines) - 1; i >= 0; i-- {
		isHead := titleHead.MatchString(lines[i])
		if isHead && !below {
			continue
		}
		if isHead {
			below = strings.HasPrefix(lines[i], "##") // a head over this one has something below it
		} else {
			below = below || strings.TrimSpace(lines[i]) != ""
		}
		kept = append(kept, lines[i])
	}
	slices.Reverse(kept)
	return strings.TrimSpace(strings.Join(kept, "\n"))
}

func (n *note) addTags(v jsontext.Value) {
	if s, ok := jsonstream.Text(v); ok {
		for tag := range strings.SplitSeq(s, ",") {
			n.tags = importer.AddTag(n.tags, tag)
		}
	}
	n.tags = importer.TagsIn(n.tags, v)
}

// statement reads an observation or a relation.
func (n *note) statement(line string) (importer.MemoryDraft, bool) {
	if m := relation.FindStringSubmatch(line); m != nil {
		kind := importer.FirstOf(m[1], strings.TrimSpace(m[2]), "relates to")
		d := n.draft(kind+m[3], importer.Edge(n.title, kind, m[3]), memory.Relationship, n.tags)
		d.Metadata["relation"], d.Metadata["target"] = kind, m[3]
		return d, true
	}
	m := observation.FindStringSubmatch(line)
	if m == nil {
		return importer.MemoryDraft{}, false
	}
	text, category := strings.TrimSpace(m[2]), strings.ToLower(strings.TrimSpace(m[1]))
	tags := importer.AddTag(n.tags[:len(n.tags):len(n.tags)], category)
	about := ""
	if a := aside.FindStringSubmatch(text); a != nil {
		text, about = aside.ReplaceAllString(text, ""), a[1]
	}
	for _, t := range hashtag.FindAllStringSubmatch(text, -1) {
		tags = importer.AddTag(tags, t[1])
	}
	if text = strings.TrimSpace(hashtag.ReplaceAllString(text, "")); text == "" {
		return importer.MemoryDraft{}, false
	}
	d := n.draft(category+text, text, categories[category], tags)
	d.Metadata["category"] = category
	if about != "" {
		d.Metadata["context"] = about
	}
	return d, true
}

func (n *note) draft(key, content string, is memory.Type, tags []string) importer.MemoryDraft {
	return importer.MemoryDraft{
		SourceKey: "basic-memory:" + importer.Digest(n.link, key), Content: content, Summary: n.title, Type: is,
		Method: memory.APIExport, Confidence: sure, Tags: tags, CreatedAt: n.made, UpdatedAt: n.moved,
		Metadata: importer.Facts(importer.Rest(n.head, "title", "tags", "permalink", "created", "created_at", "date", "modified", "updated", "updated_at"),
			"source", "basic-memory", "note", n.title, "permalink", importer.TextIn(n.head, "permalink"), "file", n.file.Path),
	}
}

// categories are what observations are called, by type; others are sorted by their words.
var categories = map[string]memory.Type{
	"preference": memory.Preference, "like": memory.Preference, "dislike": memory.Preference, "goal": memory.Goal, "plan": memory.Goal, "intention": memory.Goal,
	"skill": memory.Skill, "technique": memory.Skill, "method": memory.Skill, "person": memory.Relationship, "relationship": memory.Relationship,
	"instruction": memory.Instruction, "rule": memory.Instruction, "project": memory.Project, "requirement": memory.Project, "feature": memory.Project,
	"tool": memory.Environment, "tech": memory.Environment, "environment": memory.Environment, "setup": memory.Environment,
	"identity": memory.Identity, "context": memory.Context, "fact": memory.Fact,
}
