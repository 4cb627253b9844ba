package markdown

import (
	"regexp"
	"slices"
	"strings"
)

// Safe is a text that somebody may have written, as part of a note. It is shown
// as Markdown, but loads nothing, runs nothing and ends where it ends: what begins
// something of that kind is escaped outside code, and set apart where code is no
// shelter (see dialects). Where Markdown's dialects differ about what is code, and it
// would matter, the whole text is shown as it stands, in one block of code.
func Safe(text string) string {
	text = apart(strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "\ufffd").Replace(text))
	if out, ok := escaped(text); ok {
		return out
	}
	return fenced(text)
}

// apart puts a space into what runs wherever it stands, in code as well.
func apart(text string) string { return inserted(text, anywhere) }

// inserted is a text with all marks of a place.
func inserted(text string, where place) string {
	e := escaper{text: text, marks: marksIn(text, where)}
	e.words(len(text))
	return e.b.String()
}

// escaped escapes outside code. It vouches only for code that everybody finds in
// the same places: blocks whose fences stand at the beginning of a line, and are
// closed; and spans that begin and end on one line. Mathematics may hold fences of
// its own, so it vouches for none beside them.
func escaped(text string) (string, bool) {
	e := escaper{text: text, marks: marksIn(text, prose), bare: addressesIn(text)}
	fences := strings.Contains(text, "```") || strings.Contains(text, "~~~")
	formulas := strings.Count(text, "$$")
	e.matters = len(e.marks) > 0 || holdsRun(text)
	switch {
	case formulas%2 != 0 || formulas > 0 && fences:
		return "", false
	case !e.matters && !fences:
		return text, true
	}
	for e.at < len(text) {
		if !e.line() {
			return "", false
		}
	}
	return e.b.String(), e.fence == "" && !(e.coded && e.loose)
}

// holdsRun reports a run of backticks after which code would begin that is run.
func holdsRun(text string) bool {
	for rest := text; ; {
		at := strings.IndexByte(rest, '`')
		if at < 0 {
			return false
		}
		if rest = strings.TrimLeft(rest[at:], "`"); runs(rest) {
			return true
		}
	}
}

// escaper copies a text with what its marks insert, line by line.
type escaper struct {
	text    string
	at      int    // up to where it is copied
	marks   []mark // from there on
	bare    addresses
	b       strings.Builder
	matters bool   // there is something to escape: what is code decides where
	fence   string // of the block of code under way
	listed  bool   // there was a list: what is further in may belong to it
	coded   bool   // a formula was made code
	loose   bool   // there was a dollar sign of no formula
}

// words copies text outside code.
func (e *escaper) words(to int) {
	for ; e.marked(to); e.marks = e.marks[1:] {
		e.b.WriteString(e.text[e.at:e.marks[0].at] + e.marks[0].insert)
		e.at = e.marks[0].at
	}
	e.code(to)
}

// code copies code as it stands.
func (e *escaper) code(to int) {
	e.b.WriteString(e.text[e.at:to])
	e.skip(to)
}

func (e *escaper) skip(to int) {
	for e.marked(to) {
		e.marks = e.marks[1:]
	}
	e.at = to
}

// marked reports that something is to be inserted before to.
func (e *escaper) marked(to int) bool { return len(e.marks) > 0 && e.marks[0].at < to }

// line copies a line with its end. It reports false where it vouches for nothing.
func (e *escaper) line() bool {
	line, _, _ := strings.Cut(e.text[e.at:], "\n")
	end := min(e.at+len(line)+1, len(e.text))
	run, info, isFence := fenceIn(line)
	switch {
	case isFence && run == "": // in a list, a quotation or after spaces
		return false
	case e.fence == "" && isFence && run[0] == '~' && !e.afterBlank(): // words to Pandoc
		return false
	case e.fence == "" && isFence:
		e.fence = run
		return e.open(run, info, end)
	case e.fence != "":
		if isFence && run[0] == e.fence[0] && len(run) >= len(e.fence) && strings.TrimSpace(info) == "" {
			e.fence = ""
		}
		e.code(end)
	case !e.matters:
		e.code(end)
	case strings.TrimSpace(line) == "$$":
		return e.display(end)
	default:
		return e.outside(line, end)
	}
	return true
}

// afterBlank reports that nothing stands above a line, or a blank line.
func (e *escaper) afterBlank() bool {
	above := e.text[:e.at]
	end := strings.TrimRight(above, " \t\n")
	return end == "" || strings.Count(above[len(end):], "\n") > 1
}

// open copies the line that begins a block of code. Where it says more than a language
// that runs nothing, that stands above it.
func (e *escaper) open(run, info string, end int) bool {
	if strings.Contains(info, "`") {
		return false
	}
	info = strings.TrimSpace(info)
	language, _, _ := strings.Cut(strings.ReplaceAll(info, "\t", " "), " ")
	if !slices.Contains(strings.Fields(languages), strings.ToLower(language)) {
		language = ""
	}
	if info == language {
		e.code(end)
		return true
	}
	e.b.WriteString(Safe(info) + "\n\n" + run + language + "\n")
	e.skip(end)
	return true
}

// display copies a formula between two lines of "$$". With something to escape in it,
// it becomes a block of code: escapes would spoil it.
func (e *escaper) display(end int) bool {
	inside, after, closed := strings.Cut(e.text[end:], "$$")
	last, _, _ := strings.Cut(after, "\n")
	if !closed || inside != "" && !strings.HasSuffix(inside, "\n") || strings.TrimSpace(last) != "" {
		return false
	}
	end += len(inside) + len("$$") + len(last)
	if e.marked(end) || holdsRun(inside) {
		e.b.WriteString(fenced(e.text[e.at:end]))
		e.skip(end)
	}
	e.words(min(end+1, len(e.text)))
	return true
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

// outside copies a line outside blocks, but for its spans of code and its formulas.
func (e *escaper) outside(line string, end int) bool {
	e.listed = e.listed || isItem(line)
	if isIndented := strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t"); isIndented && !e.listed && e.marked(end) {
		return false // code to most, where escapes would be seen, but not to MDX
	}
	for e.at < end {
		at := strings.IndexAny(e.text[e.at:end], "`$")
		if at < 0 {
			e.words(end)
			return true
		}
		copies := e.span
		if e.text[e.at+at] == '$' {
			copies = e.dollar
		}
		if !copies(line, e.at+at, end) {
			return false
		}
	}
	return true
}

func isSpace(c byte) bool { return strings.IndexByte(" \t\n", c) >= 0 }

func isItem(line string) bool {
	line = strings.TrimLeft(line, " \t>")
	item := strings.TrimLeft(line, "-*+0123456789.)")
	return len(item) < len(line) && strings.HasPrefix(item, " ")
}

// span copies a span of code. One that is run where it is shown becomes text with its
// marks.
func (e *escaper) span(line string, start, end int) bool {
	rest := strings.TrimLeft(e.text[start:end], "`")
	size := end - start - len(rest)
	to := closing(rest, size)
	if to < 0 || isEscaped(e.text, start) || e.bare.hold(start) || strings.Contains(line, "$") { // mathematics may hold backticks
		return false
	}
	e.words(start)
	from, to := start+size, start+size+to
	switch code := e.text[from:to]; {
	case strings.HasSuffix(code, `\`): // some take the mark after it for escaped
		return false
	case runs(code):
		if strings.Contains(code, "`") {
			return false
		}
		marks := strings.Repeat("\\`", size)
		e.b.WriteString(marks)
		e.skip(from)
		e.words(to)
		e.b.WriteString(marks)
		e.skip(to + size)
	case e.marked(to) && size == 1 && isSpace(code[0]) && (start == 0 || isSpace(e.text[start-1])): // a lone mark to kramdown
		return false
	default:
		e.code(to + size)
	}
	return true
}

// dollar copies a formula of one line. With something to escape in it, it becomes a
// span of code.
func (e *escaper) dollar(_ string, start, end int) bool {
	formula, size := formulaIn(e.text[start:end])
	if isEscaped(e.text, start) {
		formula, size = "", 1
	}
	e.words(start)
	switch {
	case formula == "":
		e.loose = true
		e.words(start + size)
		return size == 1 // formulas of several lines begin and end on lines of their own
	case strings.Contains(formula, "`"):
		return false
	case !e.marked(start + len(formula)):
		e.words(start + len(formula))
		return true
	case runs(formula) || e.bare.hold(start):
		return false
	}
	e.coded = true
	e.b.WriteByte('`')
	e.code(start + len(formula))
	e.b.WriteByte('`')
	return true
}

// lineFormula is one between single dollar signs: neither end of it is a space.
var lineFormula = regexp.MustCompile(`^\$[^\s$](?:[^$]*[^\s$\\])?\$`)

// formulaIn is the formula with which s begins, "" for none, and how many dollar signs
// s begins with. No digit follows a single one at the end.
func formulaIn(s string) (formula string, size int) {
	if strings.HasPrefix(s, "$$") {
		if at := strings.Index(s[2:], "$$"); at > 0 {
			return s[:at+4], 2
		}
		return "", 2
	}
	found := lineFormula.FindString(s)
	if next := s[len(found):]; next != "" && next[0] >= '0' && next[0] <= '9' {
		found = ""
	}
	return found, 1
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

// fenced is a text in a block of code that nothing in it can end.
func fenced(text string) string {
	text = apart(text)
	longest := 2
	for run := range strings.FieldsFuncSeq(text, func(r rune) bool { return r != '`' }) {
		longest = max(longest, len(run))
	}
	fence := strings.Repeat("`", longest+1)
	return fence + "text\n" + text + "\n" + fence
}

// Inline is a short text on one line in which nothing is a sign of Markdown.
func Inline(s string) string {
	text := apart(strings.Join(strings.Fields(s), " "))
	marks := marksIn(text, prose)
	var b strings.Builder
	for i, r := range text {
		switch {
		case len(marks) > 0 && marks[0].at == i:
			b.WriteString(marks[0].insert)
			marks = marks[1:]
		case strings.ContainsRune("\\`*_{}[]<>#!|~$%=^&", r):
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// linkWords are words inside a link of Obsidian, which knows no escapes there.
func linkWords(s string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("[", "(", "]", ")", "{", "(", "}", ")", "|", "/", "\\", "/", "<", "‹", ">", "›", "`", "'", "%%", "%", "&#", "& #", "&lcub", "& lcub", "&lbrace", "& lbrace").Replace(apart(s))), " ")
}
