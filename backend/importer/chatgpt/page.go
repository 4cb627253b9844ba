package chatgpt

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"slices"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

// formatPage is the page of an export, chat.html, without the JSON beside it.
const formatPage = "page"

var (
	pageData  = regexp.MustCompile(`\bjsonData\s*=\s*[\[{]`)
	pageTitle = []byte("<title>ChatGPT Data Export</title>")
)

// lookAtPages takes the conversations of a page where there are none in JSON. The page
// holds them once more, in a script.
func (s *survey) lookAtPages(ctx context.Context, tree *intake.Tree) error {
	if len(s.sources)+len(s.nested)+len(s.cut) > 0 || s.empty {
		return nil
	}
	page, ok, err := importer.FirstLike(ctx, tree, []string{".html", ".htm"}, func(_ intake.File, _ importer.Shape, head []byte) bool {
		return bytes.Contains(head, pageTitle) || pageData.Match(head)
	})
	if err != nil || !ok {
		return err
	}
	_, head, err := importer.LookAt(ctx, tree, page)
	if err != nil {
		return err
	}
	at := located{tree, page}
	if s.page = true; pageData.Match(head) {
		s.sources = []source{{located: at, format: formatPage}}
		s.others = slices.DeleteFunc(s.others, func(other located) bool { return other == at })
	}
	return nil
}

// noConversations is the advice for a page that holds none.
func noConversations(tree *intake.Tree) *fault.Error {
	return fault.New(fault.Unsupported, "page-without-conversations", "{name} is the page of an export of ChatGPT, and the conversations are not in it.").
		With("name", tree.Name()).Advise("Drop conversations.json, which lies beside it in the export, or the zip as it was downloaded.")
}

// tellPage says that a page alone was read.
func (r *reader) tellPage(from source) {
	r.sink.Problem(importer.Problem{Path: from.file.Path, Fault: fault.New(fault.NotFound, "page-alone",
		"The conversations were read from the page {file}; files, ratings and the account stand in what lies beside it in the export, which is not here.").
		With("file", from.file.Path).
		Advise("Import the zip as it was downloaded, or conversations.json from it; nothing is imported twice.")})
}

// open gives the text of a file of conversations: all of it, or the list in a page.
func (from source) open(ctx context.Context) (io.ReadCloser, error) {
	body, err := from.tree.OpenText(ctx, from.file)
	if err != nil || from.format != formatPage {
		return body, err
	}
	head := make([]byte, importer.PeekBytes)
	n, err := io.ReadFull(body, head)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	found := pageData.FindIndex(head[:n])
	if err == nil && found == nil {
		err = noConversations(from.tree)
	}
	if err != nil {
		_ = body.Close()
		return nil, err
	}
	return &pageList{Closer: body, r: io.MultiReader(bytes.NewReader(head[found[1]-1:n]), body)}, nil
}

// pageList reads the first JSON value of a script, and ends with it.
type pageList struct {
	io.Closer
	r               io.Reader
	depth           int
	quoted, escaped bool
}

func (l *pageList) Read(p []byte) (int, error) {
	if l.depth < 0 {
		return 0, io.EOF
	}
	n, err := l.r.Read(p)
	for i, c := range p[:n] {
		switch {
		case l.escaped:
			l.escaped = false
		case l.quoted:
			l.escaped, l.quoted = c == '\\', c != '"'
		case c == '"':
			l.quoted = true
		case c == '[' || c == '{':
			l.depth++
		case c == ']' || c == '}':
			if l.depth--; l.depth == 0 {
				l.depth = -1
				return i + 1, nil
			}
		}
	}
	return n, err
}
