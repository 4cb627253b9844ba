package markdown

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"keepsake/backend/memory"
)

// front is the front matter of a note: YAML in which every text is quoted, so
// that none can be taken for something else. Some programs read those as Markdown
// (Pandoc), so they are escaped as in a note; others take the whole front matter for
// Markdown, so what is escaped is written as a number.
type front struct{ w *bufio.Writer }

func (f front) begin() { f.w.WriteString("---\n") }
func (f front) end()   { f.w.WriteString("---\n") }

func (f front) text(name, value string) {
	if value != "" {
		f.w.WriteString(name + ": " + Quote(inserted(value, prose)) + "\n")
	}
}

func (f front) number(name string, value float64) {
	f.w.WriteString(name + ": " + strconv.FormatFloat(value, 'f', -1, 64) + "\n")
}

func (f front) instant(name string, t memory.Time) {
	if !t.IsZero() {
		f.w.WriteString(name + ": " + t.String() + "\n")
	}
}

func (f front) list(name string, values []string) {
	if len(values) == 0 {
		return
	}
	f.w.WriteString(name + ":\n")
	for _, v := range values {
		f.w.WriteString("  - " + Quote(inserted(v, prose)) + "\n")
	}
}

// Quote is a text as YAML in double quotes, on one line. What cannot be seen is
// escaped, and so are the controls of writing direction and what would run wherever it
// stands in a file.
func Quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	marks := marksIn(s, anywhere)
	for i, r := range s {
		isMarked := len(marks) > 0 && marks[0].at == i
		if isMarked {
			marks = marks[1:]
		}
		switch {
		case isMarked || i > 0 && s[i-1] == '\\' && isASCIISign(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r > 0xffff && !unicode.IsGraphic(r):
			fmt.Fprintf(&b, `\U%08x`, r)
		case !unicode.IsGraphic(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func isASCIISign(r rune) bool { return r < 0x80 && (unicode.IsPunct(r) || unicode.IsSymbol(r)) }
