package markdown

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// place says where in a note a dialect runs what it finds.
type place int

const (
	anywhere place = iota // in code as well: the file is filled in before it is read as Markdown, or after
	prose                 // outside code
	span                  // where a span of code begins
)

// dialect is something that programs which read Markdown load or run. Each group of
// its sign gets insert in front.
type dialect struct {
	of     string // whose it is
	where  place
	sign   *regexp.Regexp // in a text with a line break in front
	insert string
	except func(before, after string) bool // where the sign is harmless
}

// in is a dialect of prose, which a backslash makes plain: every reader of Markdown
// takes the sign after it for a character.
func in(of, sign string) dialect { return dialect{of, prose, regexp.MustCompile(sign), `\`, nil} }

// raw is a dialect that knows no Markdown, and so neither code nor backslashes: a
// space makes it plain.
func raw(of, sign string) dialect { return dialect{of, anywhere, regexp.MustCompile(sign), " ", nil} }

// begins is a dialect of spans of code; these are shown as text with their marks.
func begins(of, sign string) dialect {
	return dialect{of, span, regexp.MustCompile(`^[ \t]*(?:` + sign + `)`), "", nil}
}

// dialects are all that is known.
var dialects = []dialect{
	raw("templates: Templater, EJS, ERB", `<(%)`),
	raw("templates: Liquid, Jinja, Handlebars, Hugo, Quarto, Vue; macros: Logseq; includes: markdown-include", `\{(\\?[{%#!])`),
	raw("blocks of code: knitr, Quarto, MyST", "```[ \\t]*\\{(\\S)"),
	raw("code in a line: knitr, Quarto", "`(?:(r)[ #\\n]|\\{(\\w+\\}[ \\t\\n]))"),
	raw("includes: VitePress", `<(!--\s*@include)`),
	raw("includes: MkDocs (snippets)", `-8<(-)`),
	raw("includes: MarkdownPP", `!(INCLUDE)`),
	raw("includes: markdown-it-include", `(?i)!!(!)\s*include`),

	in("pictures: all; notes: Obsidian", `(!)\[`),
	{"HTML and addresses: all; components: MDX", prose, regexp.MustCompile(`(<)[\pL_$/?>]`), `\`, isAddressOfLink},
	in("comments and declarations: all", `(<)(!)`),
	in("includes: Marked, Leanpub, VitePress", `(<)(<)`),
	in("expressions: MDX, Svelte; attributes: Pandoc, kramdown; roles: MyST", `(\{)`),
	in("braces that are written out: Vue", `(&)(?i:#0*123|#x0*7b|lcub|lbrace);`),
	{"links to programs of this computer: all", prose, regexp.MustCompile(`(\])[(:]`), `\`, leadsToWeb},
	in("pages in the place of links: docsify", `(\])\([^()]*:include`),
	{"addresses of programs of this computer: Obsidian", prose, regexp.MustCompile(`:(/)/`), `\`, isOfWeb},
	in("comments: Obsidian", `(%)(%)`),
	in("comments: MyST", `\n[ \t>]*(%)`),
	in("players: markdown-it, HackMD", `(@)\[`),
	in("imports: Markdown Preview Enhanced", `\n[ \t]*(@)import\b`),
	in("directives: remark, Docusaurus, MyST, Pandoc, MkDocs", `\n[ \t>*+\-\d.)]*(:):[A-Za-z:]`),
	in("directives in a line: remark", `(:)[A-Za-z][\w-]*\[`),
	in("transclusion: Hercule", `(:)\[`),
	in("includes: DocFX", `(\[)![A-Za-z-]+[ \[(]`),
	in("includes: embedmd", `(\[)embedmd\]`),
	in("queries: Logseq", `(?i)(#)\+begin_`),
	in("front matter: Hugo, JSON, gray-matter", `\n(?:(\+\+\+)|(;;;)|(---)[A-Za-z])`),
	{"front matter: MyST", prose, regexp.MustCompile(`\n()---[ \t]*\n[ \t]*\S`), " ", nil},
	{"front matter amid a note: Pandoc, Slidev", prose, regexp.MustCompile(`\n(?:[ \t>]|[*+-] |\d+[.)] )*---()[ \t]*\n[ \t>]*[^ \t>\n]`), "-", nil},
	{"modules: MDX", prose, regexp.MustCompile(`\n()(?:import\s*(?:["'{*/]|[\pL\w$]+\s*(?:from\b|,\s*[{*]))|export\s*(?:[{*]|(?:default|const|let|var|function|async|class)\b))`), " ", nil},

	begins("queries: Dataview, Datacore", `\$?=|dv:`),
	begins("fields: Meta Bind", `(?:INPUT|VIEW|BUTTON|EMBED)\[`),
	begins("buttons: Buttons", `button-`),
	begins("components: Emera, React Components", `emera:|jsx[:-]`),
}

// leadsToWeb reports that a link, or the address of a name, leads to the web, to mail,
// or has no scheme: no other program answers it.
func leadsToWeb(_, after string) bool { return webLink.MatchString(after) }

// webLink lets nothing stand before the scheme that may hide one: no entity, no escape,
// no line break.
var webLink = regexp.MustCompile(`^\][(:][ \t]*(?:(?i:https?://|mailto:)|<(?i:https?://|mailto:)[^<>\s]*>|<(?:` + noScheme + `| )*[/?#>]|` + noScheme + `*[/?#)"]|` + noScheme + `+(?:[ \t\n]|$))`)

const noScheme = `(?:[^:&\\%/?#()<>"\x00-\x20\x7f]|%[0-24-9A-Fa-f]|%3[0-9])`

// isAddressOfLink reports an address of the web between the brackets of a link.
func isAddressOfLink(before, after string) bool {
	return strings.HasSuffix(before, "](") && webAddress.MatchString(after)
}

var webAddress = regexp.MustCompile(`^<(?i:https?://|mailto:)[^<>\s]*>`)

// isOfWeb reports that the scheme before a "://" is one of the web, or none.
func isOfWeb(before, _ string) bool {
	other := strings.TrimRightFunc(before, func(r rune) bool {
		return r == '+' || r == '-' || r == '.' || r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r))
	})
	return slices.Contains([]string{"", "http", "https"}, strings.ToLower(before[len(other):]))
}

// mark is where something is inserted.
type mark struct {
	at     int
	insert string
}

// marksIn finds where what runs in a place begins, the first first.
func marksIn(text string, where place) (marks []mark) {
	text = "\n" + text
	bare := addressesIn(text)
	for _, d := range dialects {
		if d.where != where {
			continue
		}
		for from := 0; from < len(text); {
			found := d.sign.FindStringSubmatchIndex(text[from:])
			if found == nil {
				break
			}
			start := from + found[0]
			next := start + 1
			for i := 2; i < len(found); i += 2 {
				if found[i] < 0 {
					continue
				}
				next = max(next, from+found[i])
				if d.except == nil || !d.except(text[:start], text[start:]) {
					marks = d.mark(marks, text, from+found[i], bare)
				}
			}
			from = next
		}
	}
	slices.SortStableFunc(marks, func(a, b mark) int { return cmp.Compare(a.at, b.at) })
	return slices.CompactFunc(marks, func(a, b mark) bool { return a.at == b.at })
}

// mark appends the mark before a sign. What has a backslash in front already gets no
// other.
func (d dialect) mark(marks []mark, text string, at int, bare addresses) []mark {
	insert := d.insert
	if insert == `\` && strings.IndexByte("<![]@", text[at]) >= 0 && bare.hold(at) {
		insert = ` \`
	} else if insert == `\` && isEscaped(text, at) {
		return marks
	}
	return append(marks, mark{at - 1, insert})
}

// addresses are where bare addresses of the web may begin and end. GitHub's dialect
// takes backslashes and backticks for parts of one: it ends at a space or a tag.
type addresses [][2]int

func addressesIn(text string) (all addresses) {
	for from := 0; from < len(text); {
		to := from + strings.IndexAny(text[from:], " \t\n<")
		if to < from {
			to = len(text)
		}
		for _, sign := range []string{"://", "www."} {
			if at := strings.Index(text[from:to], sign); at >= 0 {
				all = append(all, [2]int{from + at, to})
			}
		}
		from = to + 1
	}
	return all
}

// hold reports a place in an address, or at its end. Two may end there.
func (all addresses) hold(at int) bool {
	i, _ := slices.BinarySearchFunc(all, at, func(a [2]int, at int) int { return cmp.Compare(a[1], at) })
	return i < len(all) && (all[i][0] < at || i+1 < len(all) && all[i+1][0] < at)
}

// isEscaped reports an odd number of backslashes before a place.
func isEscaped(text string, at int) bool {
	return (at-len(strings.TrimRight(text[:at], `\`)))%2 != 0
}

// runs reports a span of code that is run where it is shown.
func runs(code string) bool {
	return slices.ContainsFunc(dialects, func(d dialect) bool { return d.where == span && d.sign.MatchString(code) })
}
