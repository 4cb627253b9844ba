package gemini

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

// outerCell is the class of the block that one record of a page is.
const outerCell = "outer-cell"

// Limits of a page: bytes of one token, and of one record.
const (
	maxToken = 16 << 20
	maxCell  = 16 << 20
)

// cells gives the records of a page as they are written, from the first on. A
// page that ends inside of one, or without its own end, was cut off.
func (r *reading) cells(f intake.File, take func(at int, cell []byte) error) error {
	body, err := r.Tree.OpenText(r.Ctx, f)
	if err != nil {
		return r.Break(fmt.Errorf("open %s: %w", f.Path, err))
	}
	defer body.Close()
	z := html.NewTokenizer(body)
	z.SetMaxBuf(maxToken)
	c := cellCutter{take: take, refuse: func(at int) { r.TooLarge(f, at, false, maxCell) }}
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		if err := c.token(kind, z); err != nil {
			return err
		}
		r.Progress()
	}
	switch err := z.Err(); {
	case !errors.Is(err, io.EOF):
		return r.Break(fmt.Errorf("read %s: %w", f.Path, err))
	case c.depth > 0 || !c.ended:
		return r.Break(fault.New(fault.Invalid, "page-truncated", "{name} ends in the middle; the {count} records before that were read.").
			With("name", f.Path).With("count", c.count).
			Advise("The download was cut off. Download the export again and import it; at most the conversation at the cut is there twice then."))
	}
	return r.Ctx.Err()
}

// cellCutter collects the bytes of one record after the other.
type cellCutter struct {
	take   func(at int, cell []byte) error
	refuse func(at int)
	cell   []byte
	depth  int // open div elements of the record, 0 between two
	count  int
	ended  bool // the page's end was seen
	over   bool
}

func (c *cellCutter) token(kind html.TokenType, z *html.Tokenizer) error {
	raw := z.Raw()
	if c.depth > 0 {
		if c.over = c.over || len(c.cell)+len(raw) > maxCell; !c.over {
			c.cell = append(c.cell, raw...)
		}
	}
	if kind != html.StartTagToken && kind != html.EndTagToken {
		return nil
	}
	raw = bytes.Clone(raw) // reading the name changes it
	name, more := z.TagName()
	tag := string(name)
	switch {
	case kind == html.EndTagToken && tag == "html":
		c.ended = true
	case tag != "div":
	case c.depth > 0 && kind == html.StartTagToken:
		c.depth++
	case c.depth > 0:
		if c.depth--; c.depth == 0 {
			return c.done()
		}
	case kind == html.StartTagToken && more && isOuter(z):
		c.depth, c.over, c.cell = 1, false, append(c.cell[:0], raw...)
	}
	return nil
}

func (c *cellCutter) done() error {
	c.count++
	if c.over {
		c.refuse(c.count)
		return nil
	}
	return c.take(c.count, c.cell)
}

func isOuter(z *html.Tokenizer) bool {
	for more := true; more; {
		var key, value []byte
		key, value, more = z.TagAttr()
		if string(key) == "class" && bytes.Contains(value, []byte(outerCell)) {
			return true
		}
	}
	return false
}

// pageTurn reads a record of a page; false where it is none.
func pageTurn(f intake.File, cell []byte) (turn, bool) {
	text := strings.ToValidUTF8(string(cell), "\uFFFD")
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return turn{}, false
	}
	t := turn{file: f}
	var head, body, foot []*html.Node
	for n := range root.Descendants() {
		switch class := attr(n, "class"); {
		case n.Data != "div":
		case strings.Contains(class, "header-cell"):
			head = append(head, n)
		case !strings.Contains(class, "content-cell"):
		case strings.Contains(class, "caption"):
			foot = append(foot, n)
		case n.FirstChild != nil:
			body = append(body, n)
		}
	}
	for _, n := range foot {
		for d := range n.Descendants() {
			t.addChat(attr(d, "href"))
			t.addChat(d.Data)
			t.ours = t.ours || d.Type == html.TextNode && brand.MatchString(d.Data)
		}
	}
	verb := t.header(head)
	t.ours = t.ours || isOurPlace(f.Path) && (len(head) == 0 || len(foot) == 0) // both say what product it is of
	if len(body) > 0 {
		t.body(body[0], verb)
	}
	importer.KeepText(&t.raw, "html", text)
	return t, t.title != "" || t.answered()
}

// header reads the first block of a record: the product, and in the second
// layout the verb and the time.
func (t *turn) header(blocks []*html.Node) (verb string) {
	for _, block := range blocks {
		for i, line := range lines(block.ChildNodes()) {
			switch text := strings.TrimSpace(plainSpaces(line.text())); {
			case i == 0:
				t.ours = t.ours || brand.MatchString(text)
			case isStamp(text):
				t.stamp = text
			case text != "" && verb == "":
				verb = text
			}
		}
	}
	return verb
}

// body reads the block of question and answer. In the first layout the line with
// the time parts them: the last such line before the answer's first block. In
// the second the answer begins with the first block.
func (t *turn) body(block *html.Node, verb string) {
	all := lines(block.ChildNodes())
	end, blocks := len(all), slices.IndexFunc(all, func(l line) bool { return l.block })
	if blocks < 0 {
		blocks = len(all)
	}
	if t.stamp == "" {
		for i := range all[:blocks] {
			if isStamp(all[i].text()) {
				end = i
			}
		}
	}
	answer := end + 1
	switch {
	case end < len(all):
		t.stamp = strings.TrimSpace(all[end].text())
	case t.stamp != "" && blocks == 0 && len(all) > 0: // the question is a block itself
		end, answer = 1, 1
	default:
		end, answer = blocks, blocks
	}
	t.when, t.zoned = parseStamp(t.stamp)
	t.title = t.question(all[:end])
	if verb != "" {
		t.title = verb + " " + t.title
	}
	if answer < len(all) {
		if page := render(all[answer:]); strings.TrimSpace(page) != "" {
			t.page, t.answers = page, 1
		}
	}
}

// question is the text of lines before the time, without those that name files:
// "Attached 1 file." and "-  photo.png", in any language.
func (t *turn) question(all []line) string {
	var text []string
	files, first := 0, 0
	for _, l := range all {
		name := l.file()
		if name == "" {
			text = append(text, strings.TrimRight(l.text(), " \t\n\u00A0"))
			continue
		}
		if files == 0 {
			first = len(text)
		}
		files++
		t.addFile(name)
	}
	if files > 0 && first > 1 && strings.Contains(text[first-1], strconv.Itoa(files)) {
		text = append(text[:first-1], text[first:]...)
	}
	return strings.TrimSpace(strings.Join(text, "\n"))
}

// line is what stands between two line breaks, or one block.
type line struct {
	nodes []*html.Node
	block bool
}

func (l line) text() string {
	var b strings.Builder
	for _, n := range l.nodes {
		b.WriteString(textOf(n))
	}
	return b.String()
}

// file is the name of a file that a link in the line leads to.
func (l line) file() string {
	for _, n := range l.nodes {
		if href := attr(n, "href"); n.Data == "a" && href != "" && !isAddress(href) && !strings.HasPrefix(href, "mailto:") {
			return href
		}
	}
	return ""
}

// lines parts nodes at line breaks and blocks. Empty ones stay, in a question
// they are the person's.
func lines(nodes iter.Seq[*html.Node]) []line {
	var all []line
	var open line
	flush := func() {
		if len(open.nodes) > 0 {
			all = append(all, open)
		}
		open = line{}
	}
	for n := range nodes {
		switch {
		case n.Type == html.ElementNode && n.Data == "br":
			if len(open.nodes) == 0 && len(all) > 0 && !all[len(all)-1].block {
				all = append(all, line{})
			}
			flush()
		case n.Type == html.ElementNode && isBlock(n.Data):
			flush()
			all = append(all, line{nodes: []*html.Node{n}, block: true})
		default:
			open.nodes = append(open.nodes, n)
		}
	}
	flush()
	return all
}

// render writes lines as HTML again.
func render(all []line) string {
	var b strings.Builder
	for _, l := range all {
		for _, n := range l.nodes {
			if err := html.Render(&b, n); err != nil {
				return b.String() // what was written stands
			}
		}
		if !l.block {
			b.WriteString("<br>")
		}
	}
	return b.String()
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func textOf(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var b strings.Builder
	for d := range n.Descendants() {
		switch {
		case d.Type == html.TextNode:
			b.WriteString(d.Data)
		case d.Data == "br":
			b.WriteByte('\n')
		}
	}
	return b.String()
}
