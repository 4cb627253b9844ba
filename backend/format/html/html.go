// Package html writes memories as one page that needs nothing else: no scripts,
// no pictures, nothing from outside.
package html

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html"
	"io"
	"net/url"
	"strconv"
	"strings"

	"keepsake/backend/memory"
)

//go:embed page.css
var style string

// policy lets the page show its own style and load nothing.
func policy() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}

// Write writes a collection as one page. Texts stand in it as they were said.
func Write(w io.Writer, c memory.Collection) error {
	titles, err := c.Titles()
	if err != nil {
		return err
	}
	p := page{w: bufio.NewWriter(w), words: c.Words, titles: titles, links: c.Links(), talks: map[string]bool{}}
	for _, t := range c.Talks {
		p.talks[t.ID] = true
	}
	p.begin(c)
	if err := p.memories(c); err != nil {
		return err
	}
	if c.Conversations != nil {
		if err := p.conversations(c); err != nil {
			return err
		}
	}
	p.raw("</main>\n</body>\n</html>\n")
	return p.w.Flush()
}

// page is being written. What goes wrong with a bufio.Writer shows at the flush.
type page struct {
	w      *bufio.Writer
	words  memory.Wording
	titles map[string]string
	links  map[string][]memory.Link
	talks  map[string]bool
}

// raw writes HTML. What somebody may have written goes through escape first.
func (p *page) raw(parts ...string) {
	for _, s := range parts {
		p.w.WriteString(s)
	}
}

// escape is a text as HTML. Control characters that HTML does not know become
// the sign for what cannot be shown.
func escape(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' && r != '\r' || r >= 0x7f && r < 0xa0 {
			return '\ufffd'
		}
		return r
	}, s)
	return html.EscapeString(s)
}

func memoryAnchor(id string) string { return "m-" + url.QueryEscape(id) }
func talkAnchor(id string) string   { return "c-" + url.QueryEscape(id) }

func (p *page) begin(c memory.Collection) {
	day := c.Made.Format("2006-01-02")
	p.raw("<!DOCTYPE html>\n<html lang=\"", c.Words.Language, "\">\n<head>\n<meta charset=\"utf-8\">\n",
		`<meta http-equiv="Content-Security-Policy" content="`, escape(policy()), "\">\n",
		"<meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<meta name=\"generator\" content=\"Keepsake\">\n",
		"<title>", c.Words.Memories, ", ", day, "</title>\n<style>", style, "</style>\n</head>\n<body>\n<header><h1>", c.Words.Memories, "</h1>\n<p>",
		c.Words.On(c.Words.Written, c.Made), "</p></header>\n<nav aria-label=\"", c.Words.Contents, "\"><ul>\n")
	for _, kind := range memory.Types() {
		if n := c.Types[kind]; n > 0 {
			p.raw(`<li><a href="#`, string(kind), `">`, c.Words.Type(kind), "</a> ", strconv.Itoa(n), "</li>\n")
		}
	}
	if n := len(c.Talks); n > 0 {
		p.raw(`<li><a href="#conversations">`, c.Words.Conversations, `</a> `, strconv.Itoa(n), "</li>\n")
	}
	p.raw("</ul></nav>\n<main>\n")
}

func (p *page) memories(c memory.Collection) error {
	var section memory.Type
	for m, err := range c.Memories {
		if err != nil {
			return err
		}
		if m.Type != section {
			if section != "" {
				p.raw("</section>\n")
			}
			section = m.Type
			p.raw(`<section id="`, string(section), `"><h2>`, c.Words.Type(section), "</h2>\n")
		}
		p.memory(m)
	}
	if section != "" {
		p.raw("</section>\n")
	}
	return nil
}

func (p *page) memory(m memory.Record) {
	p.raw(`<article id="`, memoryAnchor(m.ID), "\">\n")
	p.said("p", m.Content)
	if m.Summary != "" {
		p.raw(`<p class="summary" dir="auto">`, escape(m.Summary), "</p>\n")
	}
	p.raw(`<p class="facts">`)
	p.instant(m.Temporal.CreatedAt)
	facts := []string{m.CustomType, m.Provenance.Platform, strings.Join(m.Tags, ", ")}
	if m.Status != memory.Active {
		facts = append(facts, p.words.Status(m.Status))
	}
	if t := m.Temporal.ValidUntil; !t.IsZero() {
		facts = append(facts, p.words.On(p.words.ValidUntil, t))
	}
	for _, fact := range facts {
		if fact != "" {
			p.raw(" · <bdi>", escape(fact), "</bdi>")
		}
	}
	if id := m.Provenance.ConversationRef; p.talks[id] {
		p.raw(` · <a href="#`, talkAnchor(id), `">`, p.words.FromTalk, "</a>")
	}
	p.raw("</p>\n")
	if links := p.links[m.ID]; len(links) > 0 {
		p.raw("<ul class=\"links\">\n")
		for _, l := range links {
			p.raw("<li>", p.words.Link(l), ` <a href="#`, memoryAnchor(l.ID), `"><bdi>`, escape(p.titles[l.ID]), "</bdi></a></li>\n")
		}
		p.raw("</ul>\n")
	}
	p.raw("</article>\n")
}

func (p *page) instant(t memory.Time) {
	if !t.IsZero() {
		p.raw(`<time datetime="`, t.String(), `">`, t.UTC().Format("2006-01-02 15:04"), "</time>")
	}
}

// said is a text with its lines, in the direction of its own script.
func (p *page) said(tag, s string) {
	p.raw("<", tag, ` class="said" dir="auto">`, escape(s), "</", tag, ">\n")
}

func (p *page) conversations(c memory.Collection) error {
	p.raw("<section id=\"conversations\"><h2>", c.Words.Conversations, "</h2>\n")
	for talk, err := range c.Conversations {
		if err != nil {
			return err
		}
		p.conversation(talk)
	}
	p.raw("</section>\n")
	return nil
}

func (p *page) conversation(c *memory.Conversation) {
	p.raw(`<details id="`, talkAnchor(c.ID), `"><summary><bdi>`, escape(p.words.Titled(c.Heading())), `</bdi> <span class="facts">`)
	if at := c.Began(); !at.IsZero() {
		p.instant(at)
		p.raw(" · ")
	}
	p.raw(escape(c.Provider.Name), "</span></summary>\n")
	path, others := c.Reading()
	for _, m := range path {
		p.message(m)
	}
	if len(others) > 0 {
		p.raw("<h3>", p.words.Branches, "</h3>\n")
	}
	for _, m := range others {
		p.message(m)
	}
	p.raw("</details>\n")
}

func (p *page) message(m *memory.Message) {
	p.raw(`<div class="message"><p class="facts"><strong>`, escape(p.words.Role(m.Role)))
	if m.IsThought {
		p.raw(", ", p.words.Thinking)
	}
	p.raw("</strong> ")
	p.instant(m.CreatedAt)
	p.raw("</p>\n")
	if text := m.Content.PlainText(); text != "" {
		p.said("div", text)
	}
	for _, call := range m.ToolCalls {
		p.raw("<details><summary>", p.words.Tool, ": <bdi>", escape(call.Name), "</bdi></summary>\n")
		p.said("pre", string(call.Input))
		p.said("pre", call.Output)
		p.raw("</details>\n")
	}
	for _, a := range m.Attachments {
		p.raw(`<p class="facts">`, p.words.File, `: <bdi>`, escape(a.Name), "</bdi></p>\n")
	}
	for _, q := range m.Citations {
		p.raw(`<p class="facts">`, p.words.Source, `: <bdi>`, escape(q.Title), "</bdi> ", address(q.URL), "</p>\n")
	}
	p.raw("</div>\n")
}

// address is a link that shows where it leads; only the web is linked to.
func address(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return escape(s)
	}
	to := escape(u.String())
	return `<a rel="noreferrer noopener" href="` + to + `"><bdi>` + to + "</bdi></a>"
}
