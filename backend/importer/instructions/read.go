package instructions

import (
	"cmp"
	"context"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// How sure a statement is, by who wrote it down.
const (
	sureTold    = 0.9
	surePerson  = 0.8
	sureOwn     = 0.7
	sureDrawnUp = 0.6
)

// Read gives the statements of each file.
func (Importer) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	w, err := survey(ctx, tree, 0)
	if err != nil {
		return err
	}
	r := &reading{importer.NewReading(ctx, tree, sink), w}
	for _, f := range tree.Files() {
		k := w.kinds[w.keyOf(f)]
		switch {
		case k.tool == "" && len(tree.Files()) > 1:
			sink.OtherFile(f)
			continue
		case k.by == ofAgent:
			sink.Skipped("persona")
			continue
		}
		text, err := r.Text(f)
		if err != nil {
			return err
		}
		if err := r.file(f, k, text); err != nil {
			return err
		}
	}
	return r.End()
}

type reading struct {
	*importer.Reading
	whose *whose
}

var (
	include = regexp.MustCompile(`^@\S+$`) // a line that names another file
	pointer = regexp.MustCompile("(?i)^(?:see |→ ?|-> ?)?(?:\\*\\*)?(?:\\[[^\\[\\]]*\\]\\(\\s*([^()\\s#:]+\\.md)(?:#[^()\\s]*)?\\s*\\)|`([^`\\s:]+\\.md)`|([\\w./-]+\\.md))(?:\\*\\*)?\\s*(?:[-–—:(,.→].*)?$")
	reason  = regexp.MustCompile(`(?i)^(?:(?:\*\*|__)(?:why|how to apply)\b[^*_\n]{0,40}(?:\*\*|__)|(?:why|how to apply):)`)
	label   = regexp.MustCompile(`^(?:\*\*([^*\n]{1,60}?):?\*\*:?|(\p{Lu}[\pL ]{1,30}):(?:[ \t]|$))[ \t]*`)
	hint    = regexp.MustCompile(`(?s)^_.*_$|^\*[^*].*[^*]\*$`)
	state   = regexp.MustCompile(`^(?:(?:applies_to|scope|updated_at|source_updated_at|cwd|git_branch|thread_id|rollout_path|rollout_summary_file): ?\S.*(?:\n|$))+$`)
)

// file gives the statements of one file.
func (r *reading) file(f intake.File, k kind, text string) error {
	head, body := importer.FrontMatter(text)
	said := statements(k, body)
	if len(said) == 0 {
		r.Sink.Skipped("empty-file")
	}
	var about importer.Paragraph // what a model noted of the statements below
	for _, s := range said {
		if why := r.isNone(f, k, s); why != "" {
			r.Sink.Skipped(why)
			continue
		}
		if k.by == drawnUp && state.MatchString(s.Text) {
			about = s
			r.Sink.Skipped("index-line")
			continue
		}
		d := k.draft(f, head, s)
		if top := topOf(s); about.Text != "" && top == topOf(about) {
			d.Metadata["about"] = about.Text
		}
		if err := r.Remember(d); err != nil {
			return err
		}
	}
	return nil
}

// statements cuts a text into what it says.
func statements(k kind, body string) (list []importer.Paragraph) {
	if k.divided {
		for _, entry := range section.Split(body, -1) {
			if entry = strings.TrimSpace(entry); entry != "" {
				list = append(list, importer.Paragraph{Text: entry})
			}
		}
		return list
	}
	list = importer.Paragraphs(body)
	if k.by == told {
		return list
	}
	return joined(list)
}

// joined adds reasons, and how a statement is to be applied, to the statement above them.
func joined(said []importer.Paragraph) (list []importer.Paragraph) {
	for _, s := range said {
		under := strings.ToLower(path.Base(strings.ReplaceAll(s.Section, " / ", "/")))
		isHead := under == "why" || under == "how to apply"
		if last := len(list) - 1; last >= 0 && (isHead || reason.MatchString(s.Text)) {
			if isHead {
				s.Text = "**" + strings.ToUpper(under[:1]) + under[1:] + ":** " + s.Text
			}
			list[last].Text += "\n" + s.Text
			continue
		}
		list = append(list, s)
	}
	return list
}

// isNone says why a paragraph is no statement; "" where it is one.
func (r *reading) isNone(f intake.File, k kind, s importer.Paragraph) string {
	points := ""
	if m := pointer.FindStringSubmatch(s.Text); m != nil {
		points = cmp.Or(m[1:]...)
	}
	switch {
	case include.MatchString(s.Text):
		return "include"
	case k.by == own && points != "" && r.whose.isRead(f, points):
		return "index-line"
	case k.by == drawnUp && slices.Contains([]string{"keywords", "rollout_summary_files"}, path.Base(strings.ReplaceAll(s.Section, " / ", "/"))):
		return "index-line"
	case k.by == ofPerson && label.ReplaceAllString(s.Text, "") == "":
		return "empty"
	case k.by == ofPerson && hint.MatchString(label.ReplaceAllString(s.Text, "")):
		return "template"
	}
	return ""
}

// isRead reports a file of the tree, named from where another lies, that is read itself.
func (w *whose) isRead(from intake.File, name string) bool {
	return w.kinds[w.keyOf(from).beside(name)].tool != ""
}

func topOf(s importer.Paragraph) string {
	top, _, _ := strings.Cut(s.Section, " / ")
	return top
}

// draft is a statement as a memory.
func (k kind) draft(f intake.File, head jsontext.Value, s importer.Paragraph) importer.MemoryDraft {
	d := importer.MemoryDraft{
		SourceKey: "instruction-file:" + importer.Digest(f.Path, s.Section, s.Text), Content: s.Text,
		Type: memory.Instruction, Method: memory.ExplicitUserInput, Confidence: sureTold,
		Tags:     importer.AddTag(importer.AddTag(nil, k.tool), k.scope),
		Metadata: importer.Facts(importer.Rest(head), "source", "instruction file", "file", f.Path, "tool", k.tool, "scope", k.scope, "section", s.Section),
	}
	if paths := pathsOf(head); len(paths) > 0 {
		d.Metadata["paths"] = paths
	}
	switch k.by {
	case own:
		d.Type, d.Confidence = topicType(head, s.Text), sureOwn
	case ofPerson:
		d.Content = label.ReplaceAllString(s.Text, "$1$2: ")
		d.Type, d.Confidence = personType(s.Text), surePerson
	case drawnUp:
		d.Type, d.Confidence = importer.GuessType(s.Text), sureDrawnUp
	}
	if k.by != told {
		d.Method = memory.LLMInference
	}
	if day := daily.FindStringSubmatch(strings.ToLower(f.Base())); day != nil && k.by == own {
		if at, err := memory.ParseTime(day[1] + "T00:00:00Z"); err == nil {
			d.CreatedAt, d.Metadata[memory.CreatedFromKey] = at, "day"
		}
	}
	return d
}

// apart parts paths on one line, but not the words in braces.
var apart = regexp.MustCompile(`(?:\{[^{}]*\}|[^,{}])+`)

// pathsOf are the files that a rule is for, as the head of its file says.
func pathsOf(head jsontext.Value) (paths []string) {
	for _, name := range []string{"paths", "globs", "applyTo"} {
		v := jsonstream.Member(head, name)
		one, _ := jsonstream.Text(v)
		for _, glob := range apart.FindAllString(one, -1) {
			if glob = strings.TrimSpace(glob); glob != "" {
				paths = append(paths, glob)
			}
		}
		for _, item := range jsonstream.Items(v) {
			if glob, _ := jsonstream.Text(item); glob != "" {
				paths = append(paths, glob)
			}
		}
	}
	return paths
}

// topicType sorts what an assistant wrote for itself by what the head says, then by its words.
func topicType(head jsontext.Value, text string) memory.Type {
	switch cmp.Or(importer.TextIn(jsonstream.Member(head, "metadata"), "type"), importer.TextIn(head, "type")) {
	case "feedback":
		return memory.Instruction
	case "project":
		return memory.Project
	}
	return importer.GuessType(text)
}

// identity are labels of what says who a person is.
var identity = []string{"name", "full name", "what to call them", "pronouns", "birthday", "age"}

func personType(text string) memory.Type {
	if m := label.FindStringSubmatch(text); m != nil && slices.Contains(identity, strings.ToLower(m[1]+m[2])) {
		return memory.Identity
	}
	return importer.GuessType(text)
}
