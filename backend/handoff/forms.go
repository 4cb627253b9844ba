package handoff

import (
	"slices"
	"strings"

	"keepsake/backend/memory"
)

// form is how a text looks. section gives the heading under which a type stands,
// "" for none; entry ends its line.
type form struct {
	head, foot string
	sections   []string // in the order in which they are written
	section    func(memory.Type) string
	heading    func(section string) string
	entry      func(memory.Record) string
	oldest     bool // entries of a section stand oldest first, else by rank
}

// write puts entries under their sections.
func (f form) write(all []memory.Record) string {
	var b strings.Builder
	b.WriteString(f.head)
	if f.oldest {
		all = slices.SortedStableFunc(slices.Values(all), func(a, b memory.Record) int { return a.Temporal.CreatedAt.Compare(b.Temporal.CreatedAt) })
	}
	for _, section := range f.sections {
		headed := false
		for _, r := range all {
			if f.section(r.Type) != section {
				continue
			}
			if !headed && section != "" {
				b.WriteString(f.heading(section))
			}
			headed = true
			b.WriteString(f.entry(r))
		}
	}
	b.WriteString(f.foot)
	return strings.Trim(b.String(), "\n")
}

func noSection(memory.Type) string { return "" }

// paragraphs is one line a memory, for a field of settings.
var paragraphs = form{
	sections: []string{""}, section: noSection,
	entry: func(r memory.Record) string { return oneLine(r.Content) + "\n" },
}

// remember is a message that asks an assistant to keep what it says.
var remember = form{
	head:     "Please remember these things about me, each as its own memory:\n",
	sections: []string{""}, section: noSection,
	entry: func(r memory.Record) string { return "- " + oneLine(r.Content) + "\n" },
}

// titles of the sections that people read, by type.
var titles = map[memory.Type]string{
	memory.Instruction: "How to work with me", memory.Identity: "Who I am", memory.Preference: "What I prefer", memory.Project: "What I am working on",
	memory.Goal: "What I want to reach", memory.Skill: "What I can do", memory.Environment: "What I work with", memory.Relationship: "People around me",
	memory.Fact: "About me", memory.Context: "What is going on", memory.Custom: "Also",
}

func titled(t memory.Type) string { return titles[t] }

func inTitleOrder() (all []string) {
	for _, t := range order {
		all = append(all, titles[t])
	}
	return all
}

// sections is plain text with headings, for a prompt.
var sections = form{
	head:     "What you should know about the person you are working with.\n",
	sections: inTitleOrder(), section: titled,
	heading: func(s string) string { return "\n" + s + ":\n" },
	entry:   func(r memory.Record) string { return "- " + oneLine(r.Content) + "\n" },
}

// markdown is a file beside code.
var markdown = form{
	head:     "# About the person you work with\n",
	sections: inTitleOrder(), section: titled,
	heading: func(s string) string { return "\n## " + s + "\n\n" },
	entry:   func(r memory.Record) string { return "- " + withoutImports(oneLine(r.Content)) + "\n" },
}

// claudeImport is what Claude's import asks other assistants for (formats.md §9.2):
// one code block, five categories, oldest first within each, a date or [unknown].
var claudeImport = form{
	head: "```text\n", foot: "```\n", oldest: true,
	sections: []string{"1. Instructions", "2. Identity", "3. Career", "4. Projects", "5. Preferences"},
	section: func(t memory.Type) string {
		switch t {
		case memory.Instruction:
			return "1. Instructions"
		case memory.Skill:
			return "3. Career"
		case memory.Project, memory.Goal, memory.Context:
			return "4. Projects"
		case memory.Preference, memory.Environment:
			return "5. Preferences"
		}
		return "2. Identity"
	},
	heading: func(s string) string { return "# " + s + "\n\n" },
	entry:   func(r memory.Record) string { return "[" + day(r) + "] - " + fenceless(oneLine(r.Content)) + "\n" },
}

// geminiImport is what Gemini's import asks for (formats.md §9.3): five numbered
// categories, entries with a nested line of evidence and its date, whose text it was last.
var geminiImport = form{
	foot: "\nImported from: Keepsake\n",
	sections: []string{
		"1. Demographics Information", "2. Interests & Preferences", "3. Relationships", "4. Dated Events, Projects & Plans", "5. Instructions",
	},
	section: func(t memory.Type) string {
		switch t {
		case memory.Preference, memory.Skill, memory.Environment:
			return "2. Interests & Preferences"
		case memory.Relationship:
			return "3. Relationships"
		case memory.Project, memory.Goal, memory.Context:
			return "4. Dated Events, Projects & Plans"
		case memory.Instruction:
			return "5. Instructions"
		}
		return "1. Demographics Information"
	},
	heading: func(s string) string { return "\n" + s + "\n\n" },
	entry: func(r memory.Record) string {
		return "* " + oneLine(r.Content) + "\n    * Evidence: kept by the user. Date: [" + day(r) + "].\n"
	},
}

// oneLine keeps an entry from ending early, or from looking like a heading.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// fenceless keeps an entry from closing the code block it stands in.
func fenceless(s string) string { return strings.ReplaceAll(s, "```", "'''") }

func day(r memory.Record) string {
	if r.Temporal.CreatedAt.IsZero() {
		return "unknown"
	}
	return r.Temporal.CreatedAt.Format("2006-01-02")
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
