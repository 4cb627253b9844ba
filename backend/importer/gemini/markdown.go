package gemini

import (
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
)

// maxPage is the largest piece of HTML that is made Markdown of, in bytes. What
// is larger becomes plain text.
const maxPage = 1 << 20

// newConverter makes Markdown of HTML. Marks in its text are not escaped: it was
// made of Markdown, and escaping takes time with the square of a text that consists
// of marks (57 s for 256 KiB).
func newConverter() *converter.Converter {
	return converter.NewConverter(converter.WithEscapeMode(converter.EscapeModeDisabled),
		converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin()))
}

// markdown is what a piece of HTML says.
func markdown(convert *converter.Converter, page string) string {
	if len(page) <= maxPage {
		if text, err := convert.ConvertString(page); err == nil {
			return strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD"))
		}
	}
	var text strings.Builder
	z := html.NewTokenizer(strings.NewReader(page))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return strings.TrimSpace(strings.ToValidUTF8(text.String(), "\uFFFD"))
		case html.TextToken:
			text.Write(z.Text())
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			if name, _ := z.TagName(); isBlock(string(name)) {
				text.WriteByte('\n')
			}
		}
	}
}

// isBlock knows the tags that begin a line of their own.
func isBlock(tag string) bool {
	switch tag {
	case "p", "div", "br", "ul", "ol", "li", "pre", "table", "tr", "blockquote", "hr", "h1", "h2", "h3", "h4", "h5", "h6":
		return true
	}
	return false
}
