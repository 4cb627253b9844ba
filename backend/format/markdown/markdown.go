// Package markdown writes memories and conversations as notes: one file each, in
// plain Markdown or as Obsidian reads it.
package markdown

import (
	"bufio"
	"cmp"
	"io"
	"net/url"
	"strings"

	"keepsake/backend/memory"
)

// Flavour says how notes lead to one another.
type Flavour int

const (
	Plain    Flavour = iota // [words](folder/Note.md)
	Obsidian                // [[folder/Note|words]]
)

// Folders of the notes, and the page that leads to them.
const (
	memoriesFolder      = "memories"
	conversationsFolder = "conversations"
	indexName           = "index.md"
)

// Write writes the notes of a collection and a page that leads to them. create
// makes one file after the other; names are slashed and differ in every file
// system.
func Write(c memory.Collection, flavour Flavour, create func(name string) (io.Writer, error)) error {
	b := &book{words: c.Words, flavour: flavour, create: create, links: c.Links(), notes: map[string]note{}, talks: map[string]note{}}
	taken := names{}
	for _, t := range c.Talks {
		name := t.Heading()
		if at := t.Temporal.CreatedAt; !at.IsZero() {
			name = at.Format("2006-01-02") + " " + name
		}
		b.talks[t.ID] = note{conversationsFolder + "/" + taken.take(name, "conversation"), c.Words.Titled(t.Heading())}
	}
	for _, links := range b.links {
		for _, l := range links {
			b.notes[l.ID] = note{}
		}
	}
	if err := b.index(c); err != nil {
		return err
	}
	if err := b.memories(c); err != nil {
		return err
	}
	if c.Conversations == nil {
		return nil
	}
	for talk, err := range c.Conversations {
		if err == nil {
			err = b.conversation(talk)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// note is where something stands, without .md, and what it is called.
type note struct{ path, title string }

type book struct {
	words   memory.Wording
	flavour Flavour
	create  func(name string) (io.Writer, error)
	links   map[string][]memory.Link
	notes   map[string]note // of the memories that others lead to, by id; known once the index is written
	talks   map[string]note // by id
}

// file writes one file. What goes wrong with a bufio.Writer shows at the flush.
func (b *book) file(name string, write func(w *bufio.Writer)) error {
	out, err := b.create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	write(w)
	return w.Flush()
}

// eachMemory walks the memories with the names of their notes, which are the same
// in every walk.
func eachMemory(c memory.Collection, visit func(m memory.Record, name string) error) error {
	taken := names{}
	for m, err := range c.Memories {
		if err == nil {
			err = visit(m, memoriesFolder+"/"+taken.take(m.Title(), "memory"))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// index writes the page that leads to every note, and remembers where those are
// that others lead to.
func (b *book) index(c memory.Collection) error {
	var failed error
	err := b.file(indexName, func(w *bufio.Writer) {
		w.WriteString("# " + c.Words.Memories + "\n\n" + c.Words.On(c.Words.Written, c.Made) + "\n")
		var section memory.Type
		failed = eachMemory(c, func(m memory.Record, name string) error {
			n := note{name, m.Title()}
			if _, wanted := b.notes[m.ID]; wanted {
				b.notes[m.ID] = n
			}
			if m.Type != section {
				section = m.Type
				w.WriteString("\n## " + c.Words.Type(section) + "\n\n")
			}
			w.WriteString("- " + b.link("", n) + "\n")
			return nil
		})
		if len(c.Talks) > 0 {
			w.WriteString("\n## " + c.Words.Conversations + "\n\n")
		}
		for _, t := range c.Talks {
			w.WriteString("- " + b.link("", b.talks[t.ID]) + "\n")
		}
	})
	return cmp.Or(failed, err)
}

// link leads to a note; up leads from the folder of this one to the top.
func (b *book) link(up string, to note) string {
	if b.flavour == Obsidian {
		return "[[" + to.path + "|" + linkWords(to.title) + "]]"
	}
	address := strings.ReplaceAll((&url.URL{Path: to.path + ".md"}).EscapedPath(), "&", "%26") // nothing in it is an entity
	return "[" + Inline(to.title) + "](" + up + address + ")"
}

func (b *book) memories(c memory.Collection) error {
	return eachMemory(c, func(m memory.Record, name string) error {
		return b.file(name+".md", func(w *bufio.Writer) { b.memory(w, m) })
	})
}

func (b *book) memory(w *bufio.Writer, m memory.Record) {
	f := front{w: w}
	f.begin()
	f.text("id", m.ID)
	f.text("type", string(m.Type))
	f.text("custom_type", m.CustomType)
	f.text("status", string(m.Status))
	f.text("summary", m.Summary)
	f.list("tags", b.tags(m.Tags))
	f.instant("created", m.Temporal.CreatedAt)
	f.instant("updated", m.Temporal.UpdatedAt)
	f.instant("valid_from", m.Temporal.ValidFrom)
	f.instant("valid_until", m.Temporal.ValidUntil)
	f.text("platform", m.Provenance.Platform)
	if m.Confidence.IsStated() {
		f.number("confidence", m.Confidence.Value())
	}
	f.end()
	w.WriteString("\n" + Safe(m.Content) + "\n")
	links := b.links[m.ID]
	talk, fromTalk := b.talks[m.Provenance.ConversationRef]
	if len(links) == 0 && !fromTalk {
		return
	}
	w.WriteString("\n## " + b.words.Links + "\n\n")
	for _, l := range links {
		w.WriteString("- " + b.words.Link(l) + " " + b.link("../", b.notes[l.ID]) + "\n")
	}
	if fromTalk {
		w.WriteString("- " + b.words.FromTalk + ": " + b.link("../", talk) + "\n")
	}
}

// tags are as Obsidian takes them: none of digits alone.
func (b *book) tags(tags []string) []string {
	if b.flavour != Obsidian {
		return tags
	}
	out := make([]string, len(tags))
	for i, tag := range tags {
		if out[i] = tag; strings.Trim(tag, "0123456789") == "" {
			out[i] = "_" + tag
		}
	}
	return out
}

func (b *book) conversation(c *memory.Conversation) error {
	n, ok := b.talks[c.ID]
	if !ok {
		return nil
	}
	return b.file(n.path+".md", func(w *bufio.Writer) {
		f := front{w: w}
		f.begin()
		f.text("id", c.ID)
		f.text("title", c.Title)
		f.text("platform", c.Provider.Name)
		f.text("model", c.Model)
		f.list("tags", b.tags(c.Tags))
		f.instant("created", c.Began())
		f.instant("updated", c.Temporal.UpdatedAt)
		f.end()
		w.WriteString("\n# " + Inline(n.title) + "\n")
		Messages(w, c, b.words, "##")
	})
}

// Messages writes what was said in a conversation, below headings of a level ("##").
func Messages(w *bufio.Writer, c *memory.Conversation, words memory.Wording, level string) {
	path, others := c.Reading()
	for _, m := range path {
		message(w, m, words, level)
	}
	if len(others) > 0 {
		w.WriteString("\n" + level + " " + words.Branches + "\n")
	}
	for _, m := range others {
		message(w, m, words, level)
	}
}

func message(w *bufio.Writer, m *memory.Message, words memory.Wording, level string) {
	w.WriteString("\n" + level + " " + Inline(words.Role(m.Role)))
	if m.IsThought {
		w.WriteString(", " + words.Thinking)
	}
	if !m.CreatedAt.IsZero() {
		w.WriteString(" · " + m.CreatedAt.UTC().Format("2006-01-02 15:04"))
	}
	w.WriteString("\n")
	if text := m.Content.PlainText(); text != "" {
		w.WriteString("\n" + Safe(text) + "\n")
	}
	for _, call := range m.ToolCalls {
		w.WriteString("\n" + words.Tool + ": " + Inline(call.Name) + "\n")
		for _, said := range []string{string(call.Input), call.Output} {
			if said != "" {
				w.WriteString("\n" + fenced(said) + "\n")
			}
		}
	}
	for _, a := range m.Attachments {
		w.WriteString("\n" + words.File + ": " + Inline(a.Name) + "\n")
	}
	for _, q := range m.Citations {
		w.WriteString("\n" + words.Source + ": " + strings.TrimSpace(Inline(q.Title)+" "+Inline(q.URL)) + "\n")
	}
}
