package clients

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// jsonSyntax is JSON, with comments and commas behind the last member where a file has them.
type jsonSyntax struct{ table, typed string }

func (s jsonSyntax) servers() string { return s.table }

func (s jsonSyntax) kind() string { return s.typed }

// deepest is how many objects and arrays may be nested: reading them is recursive.
const deepest = 1000

// parse reads the text with the offsets of everything in it.
func (s jsonSyntax) parse(text []byte) (hujson.Value, error) {
	if at := tooDeep(text); at >= 0 {
		return hujson.Value{}, errSyntax(1 + bytes.Count(text[:at], []byte("\n")))
	}
	v, err := hujson.Parse(text)
	if err != nil {
		line := 1
		_, _ = fmt.Sscanf(err.Error(), "hujson: line %d,", &line)
		return v, errSyntax(line)
	}
	return v, nil
}

func (s jsonSyntax) decode(text []byte) (map[string]any, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return map[string]any{}, nil
	}
	v, err := s.parse(bytes.Clone(text))
	if err != nil {
		return nil, err
	}
	v.Standardize()
	dec := json.NewDecoder(bytes.NewReader(v.Pack()))
	dec.UseNumber()
	var doc map[string]any
	if err := dec.Decode(&doc); err != nil || doc == nil {
		return nil, errForm
	}
	return doc, nil
}

// tooDeep is the offset where nesting passes the limit, -1 where it never does.
func tooDeep(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '{' || c == '[':
			if depth++; depth > deepest {
				return i
			}
		case c == '}' || c == ']':
			depth--
		case c == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case bytes.HasPrefix(text[i:], []byte("//")):
			i = lineEnd(text, i) - 1
		case bytes.HasPrefix(text[i:], []byte("/*")):
			end := bytes.Index(text[i+2:], []byte("*/"))
			if end < 0 {
				return -1 // hujson says where
			}
			i += end + 3
		}
	}
	return -1
}

func (s jsonSyntax) add(text []byte, e Entry) ([]edit, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return []edit{{0, len(text), s.whole(e)}}, nil
	}
	at, err := s.find(text)
	if err != nil {
		return nil, err
	}
	if at.servers < 0 {
		return at.insert(at.root, member{s.table, object{member{entryName, s.object(e)}}}), nil
	}
	return at.insert(at.table(), member{entryName, s.object(e)}), nil
}

func (s jsonSyntax) change(text []byte, e Entry) ([]edit, error) {
	at, err := s.find(text)
	if err != nil {
		return nil, err
	}
	entry, ok := objectOf(at.table().Value, at.entry)
	if !ok {
		return nil, errForm
	}
	var edits []edit
	for _, m := range s.object(e) {
		if m.name == "type" {
			continue
		}
		i, err := index(entry, m.name)
		if err != nil || i < 0 {
			return nil, errForm
		}
		old := entry.Members[i].Value
		edits = append(edits, edit{old.StartOffset, old.EndOffset, m.value.text("", "", "")})
	}
	return edits, nil
}

func (s jsonSyntax) remove(text []byte) ([]edit, error) {
	at, err := s.find(text)
	if err != nil {
		return nil, err
	}
	table := at.table()
	if at.isMadeFor(table) {
		return at.cut(at.root, at.servers), nil
	}
	return at.cut(table, at.entry), nil
}

func (s jsonSyntax) whole(e Entry) string {
	doc := object{member{s.table, object{member{entryName, s.object(e)}}}}
	return doc.text("", "  ", "\n") + "\n"
}

func (s jsonSyntax) object(e Entry) object {
	args := make(array, len(e.Args))
	for i, a := range e.Args {
		args[i] = quoted(a)
	}
	o := object{member{"command", quoted(e.Command)}, member{"args", args}}
	if s.typed != "" {
		o = append(object{member{"type", quoted(s.typed)}}, o...)
	}
	return o
}

// document is a file with the places of the table of servers among the members of the root,
// and of the entry in that table; -1 where there is none.
type document struct {
	text           []byte
	root           hujson.Value
	servers, entry int
}

func (s jsonSyntax) find(text []byte) (document, error) {
	root, err := s.parse(text)
	if err != nil {
		return document{}, err
	}
	at := document{text, root, -1, -1}
	o, ok := root.Value.(*hujson.Object)
	if !ok {
		return at, errForm
	}
	if at.servers, err = index(o, s.table); err != nil || at.servers < 0 {
		return at, err
	}
	servers, ok := objectOf(o, at.servers)
	if !ok {
		return at, errForm
	}
	at.entry, err = index(servers, entryName)
	return at, err
}

// table is the table of servers.
func (d document) table() hujson.Value { return d.root.Value.(*hujson.Object).Members[d.servers].Value }

// index is the place of a member, -1 where there is none. Of two with the same name
// programs read one or the other.
func index(o *hujson.Object, name string) (int, error) {
	at := -1
	for i, m := range o.Members {
		if m.Name.Value.(hujson.Literal).String() != name {
			continue
		}
		if at >= 0 {
			return 0, errForm
		}
		at = i
	}
	return at, nil
}

// objectOf is the object that a member of another is.
func objectOf(v hujson.ValueTrimmed, i int) (*hujson.Object, bool) {
	o, ok := v.(*hujson.Object)
	if !ok || i < 0 {
		return nil, false
	}
	inner, ok := o.Members[i].Value.Value.(*hujson.Object)
	return inner, ok
}

func isBlank(text string) bool { return strings.Trim(text, " \t\r\n") == "" }

// splitLine is where the first line of white space and comments ends, or their length: a
// line that ends inside of a comment is none.
func splitLine(extra hujson.Extra) int {
	text := string(extra)
	for i := 0; i < len(text); i++ {
		switch {
		case strings.HasPrefix(text[i:], "/*"):
			i += 2 + strings.Index(text[i+2:], "*/") + 1
		case strings.HasPrefix(text[i:], "//"):
			i += strings.IndexByte(text[i:], '\n') - 1
		case text[i] == '\n':
			if i > 0 && text[i-1] == '\r' {
				i--
			}
			return i
		}
	}
	return len(text)
}
