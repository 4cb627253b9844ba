package clients

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlSyntax is TOML. The entry is a table with a header of its own, [mcp_servers.keepsake],
// and perhaps tables below it; other forms of the same are left to an editor.
type tomlSyntax struct{ table string }

func (s tomlSyntax) servers() string { return s.table }

func (s tomlSyntax) kind() string { return "" }

func (s tomlSyntax) decode(text []byte) (map[string]any, error) {
	doc := map[string]any{}
	err := toml.Unmarshal(text, &doc)
	var wrong *toml.DecodeError
	if errors.As(err, &wrong) {
		line, _ := wrong.Position()
		return nil, errSyntax(line)
	}
	if err != nil {
		return nil, errSyntax(1)
	}
	return doc, nil
}

func (s tomlSyntax) add(text []byte, e Entry) ([]edit, error) {
	if _, err := s.find(text); err != nil {
		return nil, err
	}
	end := newline(text)
	table := strings.ReplaceAll(s.whole(e), "\n", end)
	switch {
	case len(text) == 0:
	case text[len(text)-1] == '\n':
		table = end + table
	default: // like the last line, the table does not end
		table = end + end + table[:len(table)-len(end)]
	}
	return []edit{{len(text), len(text), table}}, nil
}

func (s tomlSyntax) change(text []byte, e Entry) ([]edit, error) {
	tables, err := s.find(text)
	if err != nil {
		return nil, err
	}
	values := map[string]string{"command": quoted(e.Command).text("", "", ""), "args": s.args(e)}
	var edits []edit
	for _, t := range tables {
		for _, kv := range t.values {
			if value, ok := values[kv.key[0]]; ok && len(t.key) == 2 && len(kv.key) == 1 {
				edits = append(edits, edit{kv.value, kv.end, value})
			}
		}
	}
	if len(edits) != len(values) {
		return nil, errForm
	}
	return edits, nil
}

// remove takes out the lines of the entry's tables, each with the empty line before it: what
// add does, backwards.
func (s tomlSyntax) remove(text []byte) ([]edit, error) {
	tables, err := s.find(text)
	if err != nil {
		return nil, err
	}
	var edits []edit
	for _, t := range tables {
		from, to := lineStart(text, t.start), lineEnd(text, t.end)
		from -= len(emptyLine(text[:from]))
		if to == len(text) && text[to-1] != '\n' {
			from -= len(lastLineEnd(text[:from]))
		}
		edits = append(edits, edit{from, to, ""})
	}
	return edits, nil
}

// emptyLine is the last line of a text where there is nothing in it, "" otherwise.
func emptyLine(text []byte) string {
	end := lastLineEnd(text)
	if before := text[:len(text)-len(end)]; len(before) == 0 || lastLineEnd(before) != "" {
		return end
	}
	return ""
}

// lastLineEnd is the line end that a text ends with, "" for none.
func lastLineEnd(text []byte) string {
	for _, end := range []string{"\r\n", "\n"} {
		if bytes.HasSuffix(text, []byte(end)) {
			return end
		}
	}
	return ""
}

func (s tomlSyntax) whole(e Entry) string {
	return "[" + s.table + "." + entryName + "]\ncommand = " + quoted(e.Command).text("", "", "") + "\nargs = " + s.args(e) + "\n"
}

// args are written as JSON has them: what it escapes, TOML does in the same way.
func (s tomlSyntax) args(e Entry) string {
	all := make(array, len(e.Args))
	for i, a := range e.Args {
		all[i] = quoted(a)
	}
	return all.text("", "", "")
}

// tomlTable is a table of the entry: where its header begins, and where its last value, or
// the header where there is none, ends.
type tomlTable struct {
	key        []string
	start, end int
	values     []tomlValue
}

type tomlValue struct {
	key        []string
	value, end int
}

// find lists the tables of the entry. Where the table of servers, or the entry, is written
// in another way than with headers the file is refused.
func (s tomlSyntax) find(text []byte) ([]tomlTable, error) {
	var tables []tomlTable
	var in []string // the header that what follows is below
	p := unstable.Parser{}
	p.Reset(text)
	for p.NextExpression() {
		x := p.Expression()
		key, start, end := keyOf(x)
		if x.Kind != unstable.KeyValue {
			in = key
			if s.isServers(key) && x.Kind == unstable.ArrayTable && len(key) < 3 {
				return nil, errForm
			}
			if s.isEntry(key) {
				tables = append(tables, tomlTable{key: key, start: start, end: end})
			}
			continue
		}
		if full := append(slices.Clone(in), key...); len(in) == 0 && s.isServers(full) || len(in) == 1 && s.isEntry(full) {
			return nil, errForm
		}
		if s.isEntry(in) {
			t := &tables[len(tables)-1]
			t.end = int(x.Raw.Offset + x.Raw.Length)
			t.values = append(t.values, tomlValue{key, valueStart(text, end), t.end})
		}
	}
	return tables, p.Error()
}

func (s tomlSyntax) isServers(key []string) bool { return len(key) > 0 && key[0] == s.table }

func (s tomlSyntax) isEntry(key []string) bool {
	return len(key) > 1 && key[0] == s.table && key[1] == entryName
}

// keyOf is the key of a header or a value, and where it begins and ends.
func keyOf(x *unstable.Node) (key []string, start, end int) {
	for it := x.Key(); it.Next(); {
		k := it.Node()
		if len(key) == 0 {
			start = int(k.Raw.Offset)
		}
		key = append(key, string(k.Data))
		end = int(k.Raw.Offset + k.Raw.Length)
	}
	return key, start, end
}

// valueStart is where the value of a key begins that ends at an offset.
func valueStart(text []byte, end int) int {
	rest := text[end+bytes.IndexByte(text[end:], '=')+1:]
	return len(text) - len(bytes.TrimLeft(rest, " \t"))
}
