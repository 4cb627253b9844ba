package chatgpt

import (
	"regexp"
	"strings"
)

// Marks of private use that the site replaces while it shows a text:
// U+E200 begins a span, U+E202 separates its fields, U+E201 ends it; the ones
// after that stand around words that are to be read.
const (
	markBegin = '\uE200'
	markEnd   = '\uE201'
	markLast  = '\uE20F'
)

var (
	footnote  = regexp.MustCompile(`\x{3010}\d+(:\d+)?\x{2020}[^\x{3011}]*\x{3011}`) // 【4†source】
	directive = regexp.MustCompile(`(?m)^:::(writing\{[^\n]*\})?[ \t]*(\n|$)`)
	products  = regexp.MustCompile(`(?m)^products\{[^\n]*\}[ \t]*(\n|$)`)
)

// display is a text as the site shows it: each private mark is replaced by
// what the provider says stands for it, or left out. Notes are left out of answers
// only: the pages that a tool gives name their links so.
func display(s string, instead map[string]string, answers bool) string {
	if strings.Contains(s, "\xee\x88") { // every mark begins with these bytes
		s = withoutMarks(s, instead)
	}
	if answers && strings.Contains(s, "\u3010") {
		s = footnote.ReplaceAllString(s, "")
	}
	if !strings.Contains(s, "{") { // most have none
		return s
	}
	if strings.Contains(s, ":::writing{") {
		s = directive.ReplaceAllString(s, "")
	}
	if strings.Contains(s, "products{") {
		s = products.ReplaceAllString(s, "")
	}
	return s
}

func withoutMarks(s string, instead map[string]string) string {
	var b strings.Builder
	for s != "" {
		i := strings.IndexFunc(s, isMark)
		if i < 0 {
			break
		}
		b.WriteString(s[:i])
		s = s[i:]
		n := spanLength(s)
		b.WriteString(instead[s[:n]])
		s = s[n:]
	}
	b.WriteString(s)
	return b.String()
}

func isMark(r rune) bool { return r >= markBegin && r <= markLast }

// spanLength is the length of the span that s begins with, or of its first
// mark where the span has no end or another one begins before it.
func spanLength(s string) int {
	single := len(string(markBegin))
	if !strings.HasPrefix(s, string(markBegin)) {
		return single
	}
	end := strings.IndexRune(s, markEnd)
	if end < 0 || strings.ContainsRune(s[single:end], markBegin) {
		return single
	}
	return end + len(string(markEnd))
}
