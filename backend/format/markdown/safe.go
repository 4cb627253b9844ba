package markdown

import (
	"slices"
	"strings"
)

// Safe is a text that somebody may have written, as part of a note. It is shown
// as Markdown, but loads nothing, runs nothing and ends where it ends: pictures,
// HTML and templates outside code are escaped. Where Markdown's dialects differ about
// what is code, and it would matter, the whole text is shown as it stands, in one
// block of code.
func Safe(text string) string {
	text = apart(strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "\ufffd").Replace(text))
	if out, ok := escaped(text); ok {
		return out
	}
	return fenced(text)
}

// apart separates the signs with which Templater, a plugin of Obsidian, begins a
// command: it runs what follows wherever it stands, in code as well, and knows no
// escape.
func apart(text string) string { return strings.ReplaceAll(text, "<%", "< %") }

// loads reports that a text has in it what may load or run something, if it is not in
// code, or code that a plugin of Obsidian may take for its own: a picture, an embedded
// note, HTML, a template, an address that a program answers, a question to a plugin.
func loads(text string) bool {
	for i := range len(text) {
		rest := text[i:]
		switch rest[0] {
		case '!':
			if strings.HasPrefix(rest, "![") {
				return true
			}
		case '<':
			if len(rest) > 1 && opensHTML(rest[1]) {
				return true
			}
		case '{':
			if opensTemplate(rest) {
				return true
			}
		case ']':
			if leadsOut(rest) {
				return true
			}
		case '`':
			if runs(strings.TrimLeft(rest, "`")) {
				return true
			}
		}
	}
	return false
}

func opensHTML(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.IndexByte("/!?", c) >= 0
}

// escaped escapes outside code. It vouches only for code that everybody finds in
// the same places: blocks whose fences stand at the beginning of a line, and are
// closed; and spans that begin and end on one line. Mathematics and comments of
// Obsidian may hold fences of their own, so beside these it vouches for none.
func escaped(text string) (string, bool) {
	loads, fences := loads(text), strings.Contains(text, "```") || strings.Contains(text, "~~~")
	mathematics := strings.Count(text, "$$")
	switch {
	case strings.Contains(text, "%%") || mathematics%2 != 0 || mathematics > 0 && (loads || fences):
		return "", false
	case !loads && !fences:
		return text, true
	}
	var b strings.Builder
	fence := ""
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		run, rest, isFence := fenceIn(line)
		switch {
		case isFence && run == "": // in a list, a quotation or after spaces
			return "", false
		case fence == "" && isFence:
			if strings.Contains(rest, "`") {
				return "", false
			}
			fence = run
			b.WriteString(run + language(rest))
		case fence != "":
			if isFence && run[0] == fence[0] && len(run) >= len(fence) && strings.TrimSpace(rest) == "" {
				fence = ""
			}
			b.WriteString(line)
		case !loads:
			b.WriteString(line)
		case !escapeLine(&b, line):
			return "", false
		}
	}
	return b.String(), fence == ""
}

// fenceIn finds the run of a fence at the beginning of a line; "" where it stands
// after something that may belong to a list or a quotation.
func fenceIn(line string) (run, rest string, isFence bool) {
	bare := strings.TrimLeft(line, " \t>*+-0123456789.)")
	if !strings.HasPrefix(bare, "```") && !strings.HasPrefix(bare, "~~~") {
		return "", "", false
	}
	if len(bare) != len(line) {
		return "", "", true
	}
	rest = strings.TrimLeft(bare, bare[:1])
	return bare[:len(bare)-len(rest)], rest, true
}

// languages are those that a block of code may name. Others could be the names
// under which a plugin of Obsidian runs what stands in a block.
const languages = "awk bash c clojure cmake conf cpp cs csharp css csv dart diff docker dockerfile elixir erlang fortran fsharp glsl go graphql groovy haskell " +
	"html http ini java javascript js json jsonc jsx julia kotlin latex less lisp lua make makefile markdown md nginx nim nix objc ocaml pascal perl php plaintext " +
	"powershell prolog properties proto protobuf ps1 py python r rb rs ruby rust sass scala scheme scss sh shell sql svg swift tex text toml ts tsx txt typescript " +
	"vb vim vue xml yaml yml zig zsh"

func language(info string) string {
	words := strings.Fields(strings.ToLower(info))
	if len(words) > 0 && slices.Contains(strings.Fields(languages), words[0]) {
		return words[0]
	}
	return ""
}

// escapeLine escapes a line outside blocks, but for its spans of code.
func escapeLine(b *strings.Builder, line string) bool {
	for line != "" {
		at := strings.IndexByte(line, '`')
		if at < 0 {
			escapeWords(b, line)
			return true
		}
		escapeWords(b, line[:at])
		rest := strings.TrimLeft(line[at:], "`")
		size := len(line) - at - len(rest)
		end := closing(rest, size)
		if end < 0 || at > 0 && line[at-1] == '\\' || strings.Contains(line, "$") { // mathematics may hold backticks
			return false
		}
		writeSpan(b, line[at:at+size], rest[:end])
		line = rest[end+size:]
	}
	return true
}

// closing is where the next run of exactly size backticks begins, -1 for nowhere.
func closing(s string, size int) int {
	for from := 0; ; {
		at := strings.IndexByte(s[from:], '`')
		if at < 0 {
			return -1
		}
		at += from
		rest := strings.TrimLeft(s[at:], "`")
		if len(s)-at-len(rest) == size {
			return at
		}
		from = len(s) - len(rest)
	}
}

// writeSpan writes a span of code. One that a plugin of Obsidian takes for a question
// or a field of its own is shown as text with its marks.
func writeSpan(b *strings.Builder, marks, code string) {
	if runs(code) {
		marks = strings.Repeat("\\`", len(marks))
		b.WriteString(marks)
		escapeWords(b, code)
		b.WriteString(marks)
		return
	}
	b.WriteString(marks + code + marks)
}

// spanSigns are how code begins that is run where it is shown: of Dataview (= and $=,
// and dv: as people set it), Meta Bind, R Markdown and Quarto.
var spanSigns = []string{"=", "$=", "dv:", "INPUT[", "VIEW[", "BUTTON[", "r ", "python ", "{"}

func runs(code string) bool {
	code = strings.TrimSpace(code)
	return slices.ContainsFunc(spanSigns, func(sign string) bool { return strings.HasPrefix(code, sign) })
}

// opensTemplate reports how Liquid, Jinja, Handlebars and their like begin what they
// fill in.
func opensTemplate(s string) bool {
	return len(s) > 1 && s[0] == '{' && strings.IndexByte("{%#", s[1]) >= 0
}

// leadsOut reports the end of the words of a link, or of the name of an address, that
// leads to a program of this computer.
func leadsOut(s string) bool {
	return (strings.HasPrefix(s, "](") || strings.HasPrefix(s, "]:")) && isForeign(s[2:])
}

// escapeWords escapes what would load or run something, unless it is escaped already.
func escapeWords(b *strings.Builder, s string) {
	slashes := 0
	for i := range len(s) {
		rest := s[i:]
		picture := strings.HasPrefix(rest, "![")
		html := rest[0] == '<' && len(rest) > 1 && opensHTML(rest[1])
		if (picture || html || leadsOut(rest)) && slashes%2 == 0 {
			b.WriteByte('\\')
		}
		if opensTemplate(rest) {
			b.WriteString("&#123;") // these know no backslash
			slashes = 0
			continue
		}
		if s[i] == '\\' {
			slashes++
		} else {
			slashes = 0
		}
		b.WriteByte(s[i])
	}
}

// isForeign reports an address that begins with another scheme than those of the web
// and of mail: a program of this computer answers it.
func isForeign(address string) bool {
	address = strings.TrimLeft(address, " \t<")
	scheme, _, ok := strings.Cut(address, ":")
	if !ok || strings.ContainsAny(scheme, "/?#) \t") {
		return false
	}
	return !slices.Contains([]string{"http", "https", "mailto"}, strings.ToLower(scheme))
}

// fenced is a text in a block of code that nothing in it can end.
func fenced(text string) string {
	text = apart(text)
	longest, run := 2, 0
	for i := range len(text) {
		if text[i] == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	fence := strings.Repeat("`", longest+1)
	return fence + "text\n" + text + "\n" + fence
}

// Inline is a short text on one line in which nothing is a sign of Markdown.
func Inline(s string) string {
	var b strings.Builder
	for _, r := range strings.Join(strings.Fields(s), " ") {
		if strings.ContainsRune("\\`*_{}[]<>#!|~$%=^&", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// linkWords are words inside a link of Obsidian, which knows no escapes there.
func linkWords(s string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("[", "(", "]", ")", "{", "(", "}", ")", "|", "/", "\\", "/", "<", "‹", ">", "›", "`", "'").Replace(s)), " ")
}
