package markdown_test

import (
	"html"
	"maps"
	"math/rand/v2"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"

	"keepsake/backend/format/markdown"
)

// hostile are texts that something runs or loads, by whose they are.
var hostile = map[string][]string{
	"pictures":       {"![x](https://evil.example/x.png)", "![x][ref]", "![[note]]", "![[a.png|100]]", "[![x](https://evil.example/x)](https://a.example)"},
	"HTML":           {"<script>x()</script>", "<img src=x onerror=x()>", "<iframe src=x>", "</div>", "<!-- x -->", "<?php x() ?>", "<svg/onload=x()>", "<a href=\"javascript:x()\">x</a>", "<![CDATA[x]]>", "<SCRIPT\nsrc=x>"},
	"autolinks":      {"<javascript:x()>", "<obsidian://x>", "<file:///etc/passwd>", "<ms-word:ofe|u|x>"},
	"links":          {"[x](javascript:x())", "[x](JaVaScRiPt:x())", "[x]( javascript:x())", "[x](<javascript:x()>)", "[x](<java\tscript:x()>)", "[x](javascript&colon;x())", "[x](&#106;avascript:x())", "[x](&#x6A;avascript:x())", "[x](java&Tab;script:x())", "[x](java&NewLine;script:x())", "[x](&NewLine;javascript:x())", "[x](javascript\\:x())", "[x](\\javascript:x())", "[x](javascript%3Ax())", "[x](data:text/html;base64,eA==)", "[x](vbscript:x)", "[x](file:///etc/passwd)", "[x](obsidian://advanced-uri?commandid=x)", "[x](<obsidian://x>)", "[x](\x01javascript:x())", "[x](<\x01javascript:x()>)", "[x](javascript:x() \"title\")", "[**x**](javascript:x())", "[`x`](javascript:x())", "[x]](javascript:x())", "[x](//evil.example:80/x) [y](javascript:x())", "[x](blob:x)", "[x](vscode://x)", "[x](ms-settings:x)", "[x](x-apple:x)", "[x](<https://a.example/<b>)", "[x](<https://a.example/\n<b>)", "](<https://a.example/ onclick=x()>", "[x](<mailto:x\"<Foo/>)"},
	"links of lines": {"[x](\njavascript:x())", "[x](\n  javascript:x()\n)", "[te\nxt](javascript:x())", "[x](javascript:x() \"a\nb\")", "[x](<\njavascript:x()>)", "[x](\n&#106;avascript:x()\n'title')"},
	"definitions":    {"[x]\n\n[x]: javascript:x()", "[x]\n\n[x]:\njavascript:x()", "[x]\n\n[x]:\n   <javascript:x()>\n   'ti\ntle'", "[x]\n\n[x]: &#106;avascript:x()", "[a\nb]\n\n[a\nb]: javascript:x()", "[x]\n\n   [x]: obsidian://x", "[x]\n\n[X]: JAVASCRIPT:x()", "[x][y]\n\n[y]: <java\tscript:x()>"},
	"programs":       {"obsidian://open?vault=x", "see OBSIDIAN://x", "vscode://file/x", "ftp://a.example/x", "file:///etc/passwd", "(ms-excel://x)", "shortcuts://run?name=x"},
	"docsify":        {"[x](https://evil.example/x.md ':include')", "[x](x.html ':include :type=iframe')"},
	"MDX":            {"{x()}", "a {process.exit()} b", "{/* x */}", "{`${x()}`}", "<Foo/>", "<Foo>x</Foo>", "<>x</>", "<_x/>", "<$x/>", "<a.b/>", "<Ünit/>", "{\nx()\n}", "x{y}z", "# {x()}", "*{x()}*", "[{x()}](https://a.example)", "<Foo {...x()}/>"},
	"MDX modules":    {"import x from 'https://evil.example/x.js'", "export const x = run()", "import 'x'", "import{x} from 'x'", "export default () => x()", "export function x() {}", "export {x} from 'y'", "import x, {y} from 'z'", "import {\nx} from 'y'", "import\n'x'", "import * as x from 'y'", "export * from 'x'"},
	"templates":      {"{{ site.x }}", "a {{x}} b", "{% include x %}", "{%- raw -%}", "{# x #}", "{{{ x }}}", "{{{{ x }}}}", "{{{% x %}}}", `\{{ x }}`, `\{\{ x }}`, "&#123;&#123; x }}", "{&lcub; x }}", "&#x07B;{ x }}", "{%\nx\n%}"},
	"shortcodes":     {"{{< include x >}}", "{{% x %}}", "{{< video https://evil.example/x >}}", "{{<include x>}}"},
	"Logseq":         {"{{query (todo now)}}", "{{video https://evil.example}}", "{{embed ((x))}}", "#+BEGIN_QUERY\n{:query [:find x]}\n#+END_QUERY", "{{renderer :x}}"},
	"Templater":      {"<% tp.file.title %>", "<%* await tp.system.prompt('x') %>", "<%+ x %>", "<%~ x -%>", "<%_ x _%>", "<<%* x %>", "<%%* x %>", `\<% x %>`, "$$\n<%* x %>\n$$"},
	"comments":       {"%% x %%", "%%\nx\n%%", "%%% x %%%", "a %%"},
	"Dataview":       {"`= this.file.name`", "`=this.x`", "` = this.x `", "``= `this` ``", "`$= dv.current()`", "`$=dv.pages()`", "`dv: x`", "```dataview\nLIST\n```", "```dataviewjs\ndv.list()\n```", "~~~dataviewjs\nx\n~~~", "``` dataviewjs\nx\n```", "```DataviewJS\nx\n```", "````dataviewjs\nx\n````"},
	"plugins":        {"`INPUT[text:x]`", "`VIEW[{x}]`", "`BUTTON[run]`", "`button-run`", "```button\nname x\n```", "```meta-bind-js-view\nx\n```", "```js-engine\nx\n```", "```tasks\nnot done\n```", "```mermaid\nclick A call x()\n```", "```run-python\nx\n```", "```datacorejsx\nx\n```", "```query\nx\n```", "```jsx live\nx()\n```", "```js {cmd=node}\nx()\n```", "```mdx-code-block\n<Foo/>\n```", "```tikz\nx\n```", "```customjs\nx\n```", "```{=html}\n<b>\n```", "`jsx-X`", "`emera:X`"},
	"knitr":          {"`r system('id')`", "`r system('id') #\\`", "``r x``", "`r#x\nsystem('id')`", "```{r}\nsystem('id')\n```", "```{r x, echo=FALSE}\nx\n```", "``` {r}\nx\n```", "````text\n```{r}\nx\n```\n````", "```text\n`r system('id')`\n```"},
	"Quarto":         {"`{python} x`", "`{r} x`", "`{=html} x`", "`<b>`{=html}", "```{python}\nx\n```", "```{=html}\n<script>x</script>\n```", "~~~{=html}\n<b>\n~~~", "````text\n```{python}\nx\n```\n````", "::: {.x onclick=x}\nx\n:::", "[x]{onclick=x}", "```{{python}}\nx\n```"},
	"kramdown":       {"{: onclick=\"x()\"}", "{:.x}", "{::options x=\"y\" /}", "{::nomarkdown}<b>{:/}", "x{: onclick=x}", "{:toc}"},
	"MyST":           {"{eval}`x`", "{raw}`x`", "{download}`/etc/passwd`", "```{include} /etc/passwd\n```", "```{code-cell}\nx\n```", ":::{include} x\n:::", "```{raw} html\n<b>\n```", "````{note}\n```{eval-rst}\nx\n```\n````", "{{ x }}", "::::{note}\nx\n::::"},
	"directives":     {"::youtube[x]{#x}", ":::note\nx\n:::", "::: mermaid\nx\n:::", "::: module.path", ":abbr[x]{onclick=x}", "see :youtube[x]", "> ::youtube[x]"},
	"includes":       {"@import \"x.md\"", "<<[x](x.rb)", "<<(x.md)", "<<{x}", "<<< @/x.js", "<!--@include: ./x.md-->", "<!-- @include: x -->", "--8<-- \"x.md\"", "-8<- \"x\"", "{!x.md!}", "!INCLUDE \"x.md\"", "!!!include(x.md)!!!", ":[x](x.md)", "[!INCLUDE [x](x.md)]", "[!code-csharp[x](x.cs)]", "[!VIDEO https://evil.example]", "[embedmd]:# (x.go)", "@[youtube](x)", "![](x){include}"},
	"front matter":   {"---\ntitle: x\n---\ny", "---\nx: !!js/function y\n---", "+++\nx = 1\n+++", ";;;\n{}\n;;;", "---js\n{x:run()}\n---", "---javascript\nx\n---", "a\n\n---\nheader-includes: x\n---\nb", "a\n\n---\nsrc: ./x.md\n---", "---  \nx: y\n---"},
	"mathematics":    {"$\\href{javascript:x()}{y}$", "$$\\href{javascript:x()}{y}$$", "$$\n\\require{x}\n$$", "costs $5 {x()} or $6", "a $ b $x{y()}$", "$x$ {y()}", "$`x{y()}`$", "$$\na{b}\n$$ c\n$$\n{d()}\n$$"},
	"nested":         {"`a` {x()} `b` <b> ``c``", "\\`{x()}`", "`a\n{x()}`", "``` {x()}", "    {x()}", "\t<Foo/>", "- a\n\n      {x()}", "> ```\n> {x()}\n> ```\n{y()}", "- ```\n  {x()}\n  ```", "~~~\n{x()}\n```\n<b>\n~~~\n{y()}", "\\<b>", "\\\\<b>", "\\{x()}", "\\\\{x()}", "&lt;b&gt; <b>", "a\\\n{x()}"},
}

// places are where such a text may stand in what somebody wrote.
var places = map[string]func(string) string{
	"alone":     func(s string) string { return s },
	"amid":      func(s string) string { return "Before.\n\n" + s + "\n\nAfter `x` and *y*." },
	"in a line": func(s string) string { return "Words " + s + " and more." },
	"list":      func(s string) string { return "- a\n- " + indented(s, "  ") + "\n- c" },
	"numbers":   func(s string) string { return "1. a\n2. " + indented(s, "   ") },
	"quote":     func(s string) string { return "> " + indented(s, "> ") },
	"deep":      func(s string) string { return "> - a\n>   - " + indented(s, ">     ") },
	"heading":   func(s string) string { return "## " + s },
	"table":     func(s string) string { return "| a | b |\n|---|---|\n| " + s + " | c |" },
	"code":      func(s string) string { return "```text\n" + s + "\n```" },
	"tildes":    func(s string) string { return "~~~~\n" + s + "\n~~~~" },
	"span":      func(s string) string { return "a `" + s + "` b" },
	"emphasis":  func(s string) string { return "**" + s + "**" },
	"after":     func(s string) string { return "Title\n---\n\n" + s },
	"link":      func(s string) string { return "[" + s + "](https://a.example)" },
	"address":   func(s string) string { return "see https://a.example/" + s },
	"www":       func(s string) string { return "see www.a.example/" + s + " now" },
	"mail":      func(s string) string { return "a@b.example" + s + " or mailto:a@b.example" + s },
	"target":    func(s string) string { return "[x](https://a.example/" + s + ") y" },
	"no target": func(s string) string { return "](https://a.example/" + s },
	"twice":     func(s string) string { return s + "\n" + s },
}

func indented(s, by string) string { return strings.ReplaceAll(s, "\n", "\n"+by) }

// Promise (L9): of every dialect that runs or loads something, nothing that begins it
// is left, wherever it stands: in what is said, in code, in titles, tags and summaries.
func TestNoDialectRuns(t *testing.T) {
	texts, notes := 0, 0
	for of, all := range hostile {
		for _, text := range all {
			for place, put := range places {
				texts++
				if out := markdown.Safe(put(text)); active(out) != "" {
					t.Errorf("%s, %s: %q became %q: %s", of, place, put(text), out, active(out))
				}
			}
			for _, flavour := range []markdown.Flavour{markdown.Plain, markdown.Obsidian} {
				for name, note := range write(t, notesOf(text), flavour) {
					notes++
					front, said, isNote := strings.Cut(strings.TrimPrefix(note, "---\n"), "\n---\n")
					if !isNote {
						front, said = "", note // the index has none
					}
					front = strings.ReplaceAll(front, "`", "'") // no plugin shows code there
					if found := filledIn(note) + active(front) + active(said); found != "" {
						t.Errorf("%s: %q in %s: %s:\n%s", of, text, name, found, note)
					}
				}
			}
		}
	}
	t.Logf("%d texts, %d notes", texts, notes)
}

// Promise (L9): neither does anything run in what such texts make together.
func TestNoMixtureRuns(t *testing.T) {
	var all []string
	for _, of := range slices.Sorted(maps.Keys(hostile)) {
		all = append(all, hostile[of]...)
	}
	glue := []string{" ", "\n", "\n\n", "", "\n- ", "\n> ", "`", "``", "$", "\n```\n", "\n~~~\n", "\\", "<", "{", "*", "[", "](", "\n    ", "\n\t", "| ", "\n# ", "%", "!", "&", "\n```js\n", "words", "\n\n```text\n", "$$", "\n$$\n", "---\n", ":"}
	rnd := rand.New(rand.NewPCG(35, 9))
	const tried = 20000
	for range tried {
		var b strings.Builder
		for range 1 + rnd.IntN(5) {
			if rnd.IntN(2) == 0 {
				b.WriteString(all[rnd.IntN(len(all))])
			}
			b.WriteString(glue[rnd.IntN(len(glue))])
		}
		out := markdown.Safe(b.String())
		if found := active(out); found != "" || !holds(out, b.String()) {
			t.Errorf("%q became %q: %s", b.String(), out, found)
		}
	}
	t.Logf("%d mixtures", tried)
}

var patterns sync.Map // compiled, by their text

func pattern(text string) *regexp.Regexp {
	if known, ok := patterns.Load(text); ok {
		return known.(*regexp.Regexp)
	}
	made := regexp.MustCompile(text)
	patterns.Store(text, made)
	return made
}

// filledIn is what programs that know no Markdown would run in a note, "" for nothing.
func filledIn(note string) string {
	for _, sign := range []string{`<%`, `\{\\?[{%#!]`, "`r[ #]", "(?m)^[\t >]*```+[ \t]*\\{[=\\w]", "`\\{\\w+\\}[ \t]", `-8<-`, `<!--\s*@include`, `(?m)^!INCLUDE`, `(?i)!!!\s*include`} {
		if found := pattern(sign).FindString(note); found != "" {
			return found
		}
	}
	return ""
}

// active is what programs would run or load in a note, "" for nothing. It knows code as
// CommonMark does, where its fences stand at the beginning of a line.
func active(note string) string {
	if found := filledIn(note); found != "" {
		return found
	}
	said, code := taken(note)
	said = pattern(`\(<((?i:https?://|mailto:)[^<>\s]*)>`).ReplaceAllString(said, "($1")
	for _, span := range code {
		if found := pattern(`^\s*(\$?=|dv:|INPUT\[|VIEW\[|BUTTON\[|button-)`).FindString(span); found != "" {
			return "`" + found
		}
	}
	for _, sign := range []string{
		`(?:://|www\.)[^\s<]*(?:‹·[\pL_$/!?>]|›·\((?i:javascript|data|vbscript|obsidian|file):)`, // GitHub takes the backslash for a part of the address
		`!\[`, `<[\pL_$/!?>]`, `<<`, `\{`, `%%`, `&(?i:#0*123|#x0*7b|lcub|lbrace);`, `@\[`, `(?m)^\s*@import`, `(?m)^[ \t>*+\-\d.)]*::[A-Za-z:]`, `:[A-Za-z][\w-]*\[`, `:\[`, `\[![A-Za-z-]+[ (\[]`,
		`\[embedmd\]`, `(?i)#\+begin_`, `\A(\+\+\+|;;;)`, `(?m)^---[a-z]`, `(?m)^(?:[ \t>]|[*+-] |\d+[.)] )*---[ \t]*\n[ \t>]*[^ \t>\n]`, `(?m)^import\s*(["'{*]|\w+ from)`, `(?m)^export (default|const|let|var|function|class|[{*])`,
		`(?i)\b(ftp|obsidian|vscode|file|ms-excel|shortcuts)://`,
	} {
		if found := pattern(sign).FindString(pattern(`\[\[.*?\]\]`).ReplaceAllString(said, "·")); found != "" && !isRule(said, found) {
			return found
		}
	}
	for _, link := range pattern(`\](?:\(|:)[\s<]*([^\s)>]*)`).FindAllStringSubmatch(said, -1) {
		address, err := url.PathUnescape(html.UnescapeString(link[1]))
		if err != nil {
			address = link[1]
		}
		if scheme := pattern(`^[\x00-\x20]*([A-Za-z][^/?#]*):`).FindStringSubmatch(address); scheme != nil && !pattern(`^(?i:https?|mailto)$`).MatchString(scheme[1]) {
			return link[0]
		}
	}
	return ""
}

// isRule reports a line below words: a heading, to every program.
func isRule(said, found string) bool {
	at := strings.Index(said, found)
	return strings.HasPrefix(found, "---") && at > 0 && !strings.HasSuffix(said[:at], "\n\n")
}

// taken parts a note into what is said outside code, with a dot for each escaped
// sign, and its spans of code. A block may name a language of programmers alone.
func taken(note string) (said string, spans []string) {
	fence := ""
	var b strings.Builder
	for _, line := range strings.Split(note, "\n") {
		run := pattern("^(`{3,}|~{3,})(.*)$").FindStringSubmatch(line)
		switch {
		case fence == "" && run != nil && (run[1][0] == '~' || !strings.Contains(run[2], "`")):
			fence = run[1]
			if !pattern(`^(?i:|text|js|jsx|go)$`).MatchString(strings.TrimSpace(run[2])) {
				b.WriteString("{a block of " + run[2])
			}
		case fence != "":
			if run != nil && run[1][0] == fence[0] && len(run[1]) >= len(fence) && strings.TrimSpace(run[2]) == "" {
				fence = ""
			}
		default:
			words, code := withoutSpans(pattern("\\\\[!-/:-@\\[-`{-~]").ReplaceAllStringFunc(line, func(sign string) string {
				return map[string]string{`\<`: "‹", `\]`: "›"}[sign] + "·"
			}))
			b.WriteString(words)
			spans = append(spans, code...)
		}
		b.WriteString("\n")
	}
	return b.String(), spans
}

func withoutSpans(line string) (words string, spans []string) {
	for {
		at := strings.IndexByte(line, '`')
		if at < 0 {
			return words + line, spans
		}
		rest := strings.TrimLeft(line[at:], "`")
		marks := line[at : len(line)-len(rest)]
		end := pattern("(?:^|[^`])(" + marks + ")(?:[^`]|$)").FindStringSubmatchIndex(rest)
		if end == nil {
			return words + line, spans
		}
		spans = append(spans, rest[:end[2]])
		words, line = words+line[:at]+"·", rest[end[3]:]
	}
}

// Promise: every letter and digit of a text stands in what is shown of it, in order.
func TestNoWordIsLost(t *testing.T) {
	tried := 0
	for _, all := range hostile {
		for _, text := range all {
			for _, put := range places {
				tried++
				if out := markdown.Safe(put(text)); !holds(out, put(text)) {
					t.Errorf("%q became %q", put(text), out)
				}
			}
		}
	}
	t.Logf("%d texts", tried)
}

func holds(out, text string) bool {
	isWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	rest := []rune(out)
	for _, r := range text {
		if isWord(r) {
			at := slices.Index(rest, r)
			if at < 0 {
				return false
			}
			rest = rest[at+1:]
		}
	}
	return true
}

// Promise: what runs nothing comes out as it is, byte for byte.
func TestPlainTextsStay(t *testing.T) {
	pieces := []string{
		"User drinks green tea.", "He said: 10:30, or 3 < 4 && 5 > 2?", "**bold** and *thin* and ~~gone~~", "`code` and ``a ` b``", "a `Vec<T>` b", "`python x.py`", "`{a: 1}`", "[page](https://example.org/a_(b)?c=d#e \"title\")",
		"[mail](mailto:a@example.org)", "[page](<https://example.org/a>)", "[note](folder/My%20note.md#head)", "[x][y]\n\n[y]: https://example.org", "https://example.org/a?b=c:d", "a@example.org", "## A heading", "Title\n=====", "Title\n---\n", "---\n", "***\nb",
		"- one\n- two\n  - three", "1. one\n2. two", "- [ ] to do\n- [x] done", "> said\n> again", "> [!note] Title\n> words", "| a | b |\n|---|:-:|\n| 1 | 2 |", "```go\nfunc main() { fmt.Println(\"<b>\", a[0]) }\n```",
		"```Python\nx = {'a': 1}  # <b>\n```", "~~~\n![x](y)\n~~~\n", "```\n<!-- x -->\n```", "$x^2$ and $a+b$", "It costs $5 or $6.", "日本語 שלום 👩‍👩‍👧‍👦 é", "C++ std::vector, a::b", "#tag and [[Note|words]] and ==mark==", "[^1] and\n\n[^1]: A note.",
		"50% of 100%", "R&D &amp; &lt;b&gt; &copy;", "line one  \nline two", "export of goods is up; imports, too", "at @ noon", "a - b -- c --- d", "Hello!", "(see [1]): done", "\\* no list", "x\u00a0y\tz", "::", "key:: value", "3:4", "C:\\Windows",
	}
	rnd := rand.New(rand.NewPCG(9, 9))
	const tried = 20000
	for range tried {
		var all []string
		for range 1 + rnd.IntN(6) {
			all = append(all, pieces[rnd.IntN(len(pieces))])
		}
		text := strings.Join(all, "\n\n")
		if out := markdown.Safe(text); out != text {
			t.Fatalf("%q became %q", text, out)
		}
	}
	t.Logf("%d texts of %d pieces", tried, len(pieces))
}

// TestEveryDialectIsTried: what stands in the table is tried by the tests.
func TestEveryDialectIsTried(t *testing.T) {
	tried := map[string]bool{}
	for _, all := range hostile {
		for _, text := range all {
			for _, of := range markdown.DialectsIn(text) {
				tried[of] = true
			}
		}
	}
	for _, of := range markdown.Dialects() {
		if !tried[of] {
			t.Errorf("nothing tries %s", of)
		}
	}
	t.Logf("%d dialects", len(markdown.Dialects()))
}
