package claude

import (
	"regexp"
	"strconv"
	"strings"
)

// paragraph is one statement of a memory summary: Markdown prose under bold heads.
type paragraph struct {
	section string // "Work context"
	part    string // a lesser head below it: "Recent months"
	place   string // number within the section
	text    string
}

var (
	boldHead   = regexp.MustCompile(`^(?:\*\*|__)([^*_].{0,78}?)(?:\*\*|__)\s*:?$`)
	hashHead   = regexp.MustCompile(`^#{1,6}\s+(.{1,80}?)\s*#*$`)
	slantHead  = regexp.MustCompile(`^(?:\*|_)([^*_].{0,78}?)(?:\*|_)\s*:?$`)
	bulletLine = regexp.MustCompile(`^(\s*)(?:[-*+•]|\d{1,3}[.)])\s+(.*)$`)
)

// paragraphs cuts a summary into its statements: blank lines part paragraphs,
// every bullet is one of its own, heads name what follows.
func paragraphs(body string) []paragraph {
	c := cutter{counts: map[string]int{}}
	for line := range strings.SplitSeq(strings.ReplaceAll(body, "\r\n", "\n"), "\n") {
		c.line(line)
	}
	c.flush()
	return c.list
}

type cutter struct {
	list          []paragraph
	section, part string
	open          string
	counts        map[string]int
}

func (c *cutter) line(line string) {
	trimmed := strings.TrimSpace(line)
	bold, hash := boldHead.FindStringSubmatch(trimmed), hashHead.FindStringSubmatch(trimmed)
	slant, bullet := slantHead.FindStringSubmatch(trimmed), bulletLine.FindStringSubmatch(line)
	switch {
	case trimmed == "", trimmed == "---":
		c.flush()
	case bold != nil:
		c.head(bold[1], "")
	case hash != nil:
		c.head(hash[1], "")
	case slant != nil:
		c.head(c.section, slant[1])
	case bullet != nil && bullet[1] == "":
		c.flush()
		c.open = bullet[2]
	case bullet != nil:
		c.open += "\n" + trimmed // a list inside a statement
	default:
		c.open += " " + trimmed
	}
}

func (c *cutter) head(section, part string) {
	c.flush()
	c.section, c.part = strings.Trim(section, " *_:"), strings.Trim(part, " *_:")
}

func (c *cutter) flush() {
	text := strings.TrimSpace(c.open)
	c.open = ""
	if text == "" {
		return
	}
	at := c.section + "\x00" + c.part
	c.counts[at]++
	c.list = append(c.list, paragraph{c.section, c.part, strconv.Itoa(c.counts[at]), text})
}
