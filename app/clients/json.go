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
		return at.insert(at.root, s.table, object{member{entryName, s.object(e)}}), nil
	}
	return at.insert(at.table(), entryName, s.object(e)), nil
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
	servers := table.Value.(*hujson.Object)
	if m := servers.Members; len(m) == 1 && len(m[0].Name.BeforeExtra) > 0 && isBlank(at.inside(table, servers, 0)) {
		return at.cut(at.root, at.servers), nil // made for it
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

// insert writes a member behind the last one of an object, each comment left with what it
// is about.
func (d document) insert(at hujson.Value, name string, value object) []edit {
	o := at.Value.(*hujson.Object)
	if len(o.Members) == 0 {
		return d.insertFirst(at, o, member{name, value})
	}
	last := o.Members[len(o.Members)-1]
	separator, unit, end := " ", "", ""
	indent := indentation(d.text, last.Name.StartOffset)
	line := splitLine(o.AfterExtra)
	if line < len(o.AfterExtra) || splitLine(last.Name.BeforeExtra) < len(last.Name.BeforeExtra) {
		end = newline(d.text)
		unit = d.unit(at, indent)
		separator = end + indent
	}
	if line == len(o.AfterExtra) {
		line = len(strings.TrimRight(string(o.AfterExtra), " \t\r\n"))
	}
	text := separator + member{name, value}.text(indent, unit, end)
	place := last.Value.EndOffset
	if trailing := last.Value.AfterExtra; trailing != nil {
		place += len(trailing) + len(",") + line
		return []edit{{place, place, text + ","}}
	}
	return []edit{{place, place, ","}, {place + line, place + line, text}}
}

// insertFirst writes the only member of an object. It follows the brace at once, by which
// cut tells an object that was there from one that was made for the member; only a file
// with nothing but {} gets lines of its own.
func (d document) insertFirst(at hujson.Value, o *hujson.Object, m member) []edit {
	place := at.StartOffset + len("{")
	if at.StartOffset == d.root.StartOffset && len(o.AfterExtra) == 0 {
		end := newline(d.text)
		return []edit{{place, place, end + "  " + m.text("  ", "  ", end) + end}}
	}
	return []edit{{place, place, m.text("", "", "")}}
}

// unit is by how much the members of an object stand further in than the object.
func (d document) unit(at hujson.Value, indent string) string {
	outer := indentation(d.text, at.StartOffset)
	if unit, deeper := strings.CutPrefix(indent, outer); deeper && unit != "" {
		return unit
	}
	return "  "
}

// cut takes a member out of an object, with the comma and the white space that belong to
// it, and no comment: what insert does, backwards.
func (d document) cut(at hujson.Value, i int) []edit {
	o := at.Value.(*hujson.Object)
	m := o.Members[i]
	start := m.Name.StartOffset - d.space(m.Name.BeforeExtra)
	comma := m.Value.EndOffset + len(m.Value.AfterExtra)
	whole := edit{start, m.Value.EndOffset, ""}
	switch {
	case i < len(o.Members)-1:
		next := o.Members[i+1].Name.BeforeExtra
		if splitLine(next) == len(next) { // on the same line
			blank := len(next) - len(strings.TrimLeft(string(next), " \t\r\n"))
			return []edit{{m.Name.StartOffset, m.Value.EndOffset, ""}, {comma, comma + 1 + blank, ""}}
		}
		return []edit{whole, {comma, comma + 1, ""}}
	case m.Value.AfterExtra != nil:
		return []edit{whole, {comma, comma + 1, ""}}
	case i > 0:
		before := o.Members[i-1].Value
		comma = before.EndOffset + len(before.AfterExtra)
		return []edit{{comma, comma + 1, ""}, whole}
	case splitLine(m.Name.BeforeExtra) < len(m.Name.BeforeExtra) && isBlank(d.inside(at, o, i)):
		return []edit{{at.StartOffset + 1, at.EndOffset - 1, ""}}
	}
	return []edit{whole}
}

// inside is all that an object with one member holds beside it.
func (d document) inside(at hujson.Value, o *hujson.Object, i int) string {
	m := o.Members[i]
	return string(d.text[at.StartOffset+1:m.Name.StartOffset]) + string(d.text[m.Value.EndOffset:at.EndOffset-1])
}

// space is how much of the white space before a member was made with it: its line, or what
// stands between it and the member before.
func (d document) space(before hujson.Extra) int {
	blank := string(before[len(strings.TrimRight(string(before), " \t\r\n")):])
	if i := strings.LastIndexByte(blank, '\n'); i >= 0 {
		if i > 0 && blank[i-1] == '\r' && newline(d.text) == "\r\n" {
			i--
		}
		return len(blank) - i
	}
	return len(blank)
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
