package importer

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// PeekBytes is how much of a file Peek reads at most.
const PeekBytes = 256 << 10

// shapeDepth is how many open brackets deep Peek keeps names.
const shapeDepth = 6

// Shape is what the beginning of a JSON file looks like, enough to tell whose
// it is without reading it.
type Shape struct {
	// Kind is '[' or '{'; 0 when the file is neither.
	Kind byte
	// Whole says that Peek saw the file to its end.
	Whole bool
	// Cut says that the file ends before its text does, or holds no JSON.
	Cut bool
	// Elements counts the elements seen: of the top-level array, or of the
	// array in the member "conversations" of the top-level object.
	Elements int

	paths map[string]string // "" for what is no string
}

// Peek reads at most [PeekBytes] of r. A file that ends early, or is broken
// further on, has the shape of what came before.
func Peek(r io.Reader) (Shape, error) {
	head, err := io.ReadAll(io.LimitReader(r, PeekBytes))
	if err != nil {
		return Shape{}, err
	}
	p := peeker{Shape: Shape{paths: map[string]string{}}}
	p.look(head)
	p.Cut = !p.Whole && len(head) < PeekBytes
	p.Whole = p.Whole && len(head) < PeekBytes
	return p.Shape, nil
}

// Has reports whether the top-level object has a member at that path. Arrays
// on the way are looked through: "data_files.export_url".
func (s Shape) Has(path string) bool {
	_, ok := s.paths[slashed(path)]
	return ok && s.Kind == '{'
}

// ItemHas reports whether an element, or the top-level object where it is the
// only one, has a member at that path: "mapping", "chat_messages.sender".
func (s Shape) ItemHas(path string) bool {
	_, ok := s.item(path)
	return ok
}

// ItemText is the first text seen at that path of an element.
func (s Shape) ItemText(path string) string {
	text, _ := s.item(path)
	return text
}

func (s Shape) item(path string) (string, bool) {
	if text, ok := s.paths[slashed(path)]; ok {
		return text, true
	}
	text, ok := s.paths[slashed("conversations."+path)]
	return text, ok && s.Kind == '{'
}

func slashed(path string) string { return "/" + strings.ReplaceAll(path, ".", "/") }

// Empty reports a whole file without any element: [] or {"conversations":[]} or {}.
func (s Shape) Empty() bool {
	if !s.Whole || s.Kind == 0 || s.Elements > 0 {
		return false
	}
	return s.Kind == '[' || len(s.paths) == 0 || len(s.paths) == 1 && s.Has("conversations")
}

// peeker collects the paths of the names it meets.
type peeker struct {
	Shape
	names []string // path of each open bracket
	next  string   // path of the value that comes
}

func (p *peeker) look(head []byte) {
	if len(head) >= 3 && string(head[:3]) == "\xEF\xBB\xBF" {
		head = head[3:]
	}
	for broken := false; ; broken = true {
		at, err := p.values(head)
		if p.Whole = errors.Is(err, io.EOF) && p.Kind != 0 && !broken; p.Whole || p.Kind != '{' {
			return
		}
		// Of lines a torn one says nothing of the others, which begin as it does.
		next := bytes.Index(head[at:], []byte("\n{"))
		if next < 0 {
			return
		}
		head = head[at+next+1:]
		p.names, p.next = nil, ""
	}
}

// values takes the tokens of a text, up to the first that is none, and tells where that
// is.
func (p *peeker) values(head []byte) (at int, err error) {
	dec := jsontext.NewDecoder(bytes.NewReader(head),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		tok, err := dec.ReadToken()
		if err != nil {
			return int(dec.InputOffset()), err
		}
		if !p.token(dec, tok) {
			return len(head), nil
		}
	}
}

// token takes one token; false ends the look.
func (p *peeker) token(dec *jsontext.Decoder, tok jsontext.Token) bool {
	kind := tok.Kind()
	if len(p.names) == 0 && p.Kind == 0 {
		if kind != '[' && kind != '{' {
			return false
		}
		p.Kind = byte(kind)
	}
	switch kind {
	case '{', '[':
		p.count()
		p.names = append(p.names, p.next)
		return true
	case '}', ']':
		p.names = p.names[:len(p.names)-1]
		p.again()
		return true
	}
	if p.isName(dec) {
		if len(p.names) <= shapeDepth { // below it paths would grow with the depth
			p.next = p.names[len(p.names)-1] + "/" + tok.String()
			p.note(p.next, "")
		}
		return true
	}
	p.count()
	if kind == '"' {
		p.note(p.next, tok.String())
	}
	p.again()
	return true
}

// isName reports whether the string just read names a member.
func (p *peeker) isName(dec *jsontext.Decoder) bool {
	kind, length := dec.StackIndex(dec.StackDepth())
	return kind == '{' && length%2 == 1
}

// again sets the path of the next value where it has no name: in an array it
// is the array's own.
func (p *peeker) again() {
	p.next = ""
	if n := len(p.names); n > 0 {
		p.next = p.names[n-1]
	}
}

// count adds an element when one begins.
func (p *peeker) count() {
	n := len(p.names)
	if n == 1 && p.Kind == '[' || n == 2 && p.names[1] == "/conversations" && p.next == "/conversations" {
		p.Elements++
	}
}

// note keeps the first text of a path.
func (p *peeker) note(path, text string) {
	if path == "" || len(p.names) > shapeDepth {
		return
	}
	if old, ok := p.paths[path]; !ok || old == "" {
		p.paths[path] = text
	}
}
