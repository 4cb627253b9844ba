package importer

import (
	"regexp"
	"slices"
	"strings"
)

// Paragraph is one statement of a Markdown text: a paragraph, a bullet with
// what is nested in it, or a block of code with the line before it.
type Paragraph struct {
	Section string // the heads above it, joined by " / "
	Text    string
}

var (
	hashHead   = regexp.MustCompile(`^(#{1,6})\s+(.{1,120}?)\s*#*$`)
	boldHead   = regexp.MustCompile(`^(?:\*\*|__)([^*_]{1,80}?)(?:\*\*|__)\s*:?$`)
	mdBullet   = regexp.MustCompile(`^(\s*)(?:[-*+•]|\d{1,3}[.)])\s+(.*)$`)
	mdFence    = regexp.MustCompile("^\\s*(```+|~~~+)")
	mdComment  = regexp.MustCompile(`(?s)<!--.*?-->`)
	mdRuleLine = regexp.MustCompile(`^\s*(?:[-*_]\s*){3,}$`)
)

// Paragraphs cuts a Markdown text into its statements: blank lines part
// paragraphs, every bullet of the first level is one of its own, heads name what
// follows. Comments are left out.
func Paragraphs(body string) []Paragraph {
	c := mdCutter{}
	for line := range strings.SplitSeq(mdComment.ReplaceAllString(body, ""), "\n") {
		c.line(line)
	}
	c.flush()
	return c.list
}

type mdCutter struct {
	list  []Paragraph
	heads [7]string
	open  []string
	fence string // of the block of code under way
	list1 bool   // the statement under way is a bullet
	base  int    // how far in bullets of the first level stand
}

func (c *mdCutter) line(line string) {
	trimmed := strings.TrimSpace(line)
	if m := mdFence.FindStringSubmatch(line); m != nil || c.fence != "" {
		c.code(line, m)
		return
	}
	hash, bold, bullet := hashHead.FindStringSubmatch(trimmed), boldHead.FindStringSubmatch(trimmed), mdBullet.FindStringSubmatch(line)
	switch {
	case trimmed == "", mdRuleLine.MatchString(line):
		c.flush()
	case hash != nil:
		c.head(len(hash[1]), hash[2])
	case bold != nil:
		c.head(6, bold[1])
	case bullet != nil && (!c.list1 || len(bullet[1]) <= c.base):
		c.flush()
		c.list1, c.base = true, len(bullet[1])
		c.open = append(c.open, bullet[2])
	case bullet != nil:
		c.open = append(c.open, line[min(c.base, len(line)-len(strings.TrimLeft(line, " \t"))):])
	default:
		c.open = append(c.open, trimmed)
	}
}

// code keeps a block of code whole, below what introduces it.
func (c *mdCutter) code(line string, m []string) {
	c.open = append(c.open, line)
	switch {
	case c.fence == "":
		c.fence = m[1]
	case m != nil && strings.HasPrefix(m[1], c.fence):
		c.fence = ""
	}
}

func (c *mdCutter) head(level int, name string) {
	c.flush()
	c.heads[level] = strings.Trim(name, " *_:")
	clear(c.heads[level+1:])
}

func (c *mdCutter) flush() {
	text := strings.TrimSpace(strings.Join(c.open, "\n"))
	c.open, c.list1, c.fence = nil, false, ""
	if text == "" {
		return
	}
	heads := slices.DeleteFunc(slices.Clone(c.heads[:]), func(h string) bool { return h == "" })
	c.list = append(c.list, Paragraph{strings.Join(heads, " / "), text})
}
