package handoff

import (
	"slices"
	"strings"

	"keepsake/backend/memory"
)

// form is how a text looks.
type form struct {
	head     func(wording) string // nil: none
	foot     string
	sections []section // in the order in which they are written
	heading  func(title string) string
	entry    func(Line) string // ends its line
	oldest   bool              // lines of a section stand oldest first, else by rank
}

// section is a heading, and the types of memories that stand under it.
type section struct {
	title func(wording, Person) string
	types []memory.Type
}

// groups are the sections of every form that is ours.
var groups = []section{
	{aboutTitle, []memory.Type{memory.Identity, memory.Preference, memory.Relationship, memory.Skill, memory.Environment, memory.Fact, memory.Custom}},
	{answerTitle, []memory.Type{memory.Instruction}},
	{projectsTitle, []memory.Type{memory.Project, memory.Goal, memory.Context}},
}

// sectionOf returns the place of the section of a type. A type that this program does not
// know is custom.
func sectionOf(sections []section, t memory.Type) int {
	for i, s := range sections {
		if slices.Contains(s.types, t) {
			return i
		}
	}
	return sectionOf(sections, memory.Custom)
}

// called is the title of a section that is the same in every language.
func called(title string) func(wording, Person) string {
	return func(wording, Person) string { return title }
}

// field is one line a memory under its heading, for a field of settings.
var field = form{
	sections: groups,
	heading:  func(title string) string { return "\n" + title + ":\n" },
	entry:    func(l Line) string { return l.Text + "\n" },
}

// listed is plain text with headings, for a prompt.
var listed = form{
	head:     func(w wording) string { return w.know + "\n" },
	sections: groups,
	heading:  func(title string) string { return "\n" + title + ":\n" },
	entry:    func(l Line) string { return "- " + l.Text + "\n" },
}

// remember is a message that asks an assistant to keep what it says.
var remember = form{
	head:     func(w wording) string { return w.remember + "\n" },
	sections: groups, heading: listed.heading, entry: listed.entry,
}

// markdown is a file beside code.
var markdown = form{
	head:     func(w wording) string { return "# " + w.file + "\n" },
	sections: groups,
	heading:  func(title string) string { return "\n## " + title + "\n\n" },
	entry:    func(l Line) string { return "- " + withoutImports(l.Text) + "\n" },
}

// claudeImport is what Claude's import asks other assistants for (formats.md §9.2):
// one code block, five categories, oldest first within each, a date or [unknown].
var claudeImport = form{
	head: func(wording) string { return "```text\n" }, foot: "```\n", oldest: true,
	sections: []section{
		{called("1. Instructions"), []memory.Type{memory.Instruction}},
		{called("2. Identity"), []memory.Type{memory.Identity, memory.Relationship, memory.Fact, memory.Custom}},
		{called("3. Career"), []memory.Type{memory.Skill}},
		{called("4. Projects"), []memory.Type{memory.Project, memory.Goal, memory.Context}},
		{called("5. Preferences"), []memory.Type{memory.Preference, memory.Environment}},
	},
	heading: func(title string) string { return "# " + title + "\n\n" },
	entry:   func(l Line) string { return "[" + day(l.Created) + "] - " + fenceless(l.Text) + "\n" },
}

// geminiImport is what Gemini's import asks for (formats.md §9.3): five numbered
// categories, entries with a nested line of evidence and its date, whose text it was last.
var geminiImport = form{
	foot: "\nImported from: Keepsake\n",
	sections: []section{
		{called("1. Demographics Information"), []memory.Type{memory.Identity, memory.Fact, memory.Custom}},
		{called("2. Interests & Preferences"), []memory.Type{memory.Preference, memory.Skill, memory.Environment}},
		{called("3. Relationships"), []memory.Type{memory.Relationship}},
		{called("4. Dated Events, Projects & Plans"), []memory.Type{memory.Project, memory.Goal, memory.Context}},
		{called("5. Instructions"), []memory.Type{memory.Instruction}},
	},
	heading: func(title string) string { return "\n" + title + "\n\n" },
	entry: func(l Line) string {
		return "* " + l.Text + "\n    * Evidence: kept by the user. Date: [" + day(l.Created) + "].\n"
	},
}

// write writes lines under their headings: one text, or messages of at most most UTF-16
// units, each with the head and the headings of what it says.
func (f form) write(lines []Line, w wording, p Person, most int) (messages []string) {
	head := ""
	if f.head != nil {
		head = f.head(w)
	}
	var text strings.Builder
	size, empty := 0, UTF16(head)
	add := func(s string) {
		text.WriteString(s)
		size += UTF16(s)
	}
	end := func() {
		messages = append(messages, strings.Trim(text.String()+f.foot, "\n"))
		text.Reset()
		size = 0
		add(head)
	}
	add(head)
	for i, s := range f.sections {
		heading := f.heading(s.title(w, p))
		next := heading
		for _, l := range f.inSection(lines, i) {
			entry := f.entry(l)
			if most > 0 && size > empty && size+UTF16(next)+UTF16(entry) > most {
				end()
				next = heading
			}
			add(next + entry)
			next = ""
		}
	}
	end()
	return messages
}

// inSection returns the lines of a section in the order in which they stand.
func (f form) inSection(lines []Line, i int) (own []Line) {
	for _, l := range lines {
		if l.section == i {
			own = append(own, l)
		}
	}
	if f.oldest {
		slices.SortStableFunc(own, func(a, b Line) int { return a.Created.Compare(b.Created) })
	}
	return own
}

// oneLine keeps an entry from ending early, or from looking like a heading.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// fenceless keeps an entry from closing the code block it stands in.
func fenceless(s string) string { return strings.ReplaceAll(s, "```", "'''") }

func day(created memory.Time) string {
	if created.IsZero() {
		return "unknown"
	}
	return created.Format("2006-01-02")
}

// withoutImports is text for a file beside code, whose readers put the file in its
// place that a word after @ names: it could be any of this computer.
func withoutImports(text string) string {
	words := strings.Split(text, " ")
	for i, word := range words {
		at := strings.TrimLeft(word, "(\"'[<")
		if strings.HasPrefix(at, "@") && len(at) > 1 {
			words[i] = word[:len(word)-len(at)] + `\` + at
		}
	}
	return strings.Join(words, " ")
}
