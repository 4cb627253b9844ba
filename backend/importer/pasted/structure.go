package pasted

import (
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
)

// Assistants that are asked for a list also answer with JSON or a table. What stands in
// them is taken by the names of members and columns.

// Names of members and columns, in small letters.
var (
	textNames     = []string{"memory", "content", "text", "fact", "statement", "value"}
	dateNames     = []string{"date", "created_at", "timestamp", "saved"}
	categoryNames = []string{"category", "type", "section"}
	// otherNames are further members that assistants give a statement.
	otherNames = []string{"confidence", "evidence", "importance", "tags", "note", "notes", "number", "index", "status"}
)

// takeJSON takes the first JSON value out of a text that holds statements. What is left
// is the words around it.
func takeJSON(text string) (found []entry, isAnswer bool, rest string) {
	left := mostInVain(text)
	for at := 0; at < len(text) && left > 0; {
		line, _, _ := strings.Cut(text[at:], "\n")
		begin := at + len(line) - len(strings.TrimLeft(line, " \t"))
		if begin < len(text) && (text[begin] == '[' || text[begin] == '{') {
			all, isAnswer, n := statements(text[begin:])
			if len(all) > 0 {
				return all, isAnswer, text[:begin] + text[begin+n:]
			}
			left -= n
		}
		at += len(line) + 1
	}
	return nil, false, text
}

// isAnswer reports that the objects of a value with a statement have no members but those
// that an assistant writes, and others: a program notes more about what it keeps.
func isAnswer(v jsontext.Value, others ...string) bool {
	if v.Kind() == '[' {
		for _, item := range jsonstream.Items(v) {
			if !isAnswer(item, others...) {
				return false
			}
		}
		return true
	}
	says, sections := false, false
	for name, value := range jsonstream.Members(v) {
		name = strings.ToLower(name)
		switch {
		case slices.Contains(textNames, name):
			says = true
		case slices.Contains(dateNames, name), slices.Contains(categoryNames, name), slices.Contains(otherNames, name), slices.Contains(others, name):
		case value.Kind() != '[' && value.Kind() != '{' || !isAnswer(value, others...):
			return false
		default:
			sections = true
		}
	}
	return !says || !sections
}

// statements are those of the JSON value with which a text begins, as far as it is whole,
// and how many bytes that is, or were read to find none; answer says that it is of an
// assistant.
func statements(text string) (all []entry, answer bool, n int) {
	d := jsontext.NewDecoder(strings.NewReader(text), jsontext.AllowDuplicateNames(true))
	if text[0] == '{' {
		v, err := d.ReadValue()
		if err != nil {
			return nil, false, readInVain(err, text)
		}
		return statementsIn(v, ""), isAnswer(v), int(d.InputOffset())
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, false, readInVain(err, text)
	}
	answer = true
	for d.PeekKind() != ']' {
		v, err := d.ReadValue()
		if err != nil && len(all) == 0 {
			return nil, false, readInVain(err, text)
		}
		if err != nil {
			return all, answer, len(text) // cut off: what is there is whole
		}
		one := statementsIn(v, "")
		if len(one) == 0 {
			return nil, false, int(d.InputOffset())
		}
		all, answer = append(all, one...), answer && isAnswer(v)
	}
	_, _ = d.ReadToken()
	return all, answer, int(d.InputOffset())
}

// statementsIn are those of a value: of a text, of an object with one, of a list, or of an
// object whose members are sections of lists.
func statementsIn(v jsontext.Value, section string) (all []entry) {
	if text, ok := jsonstream.Text(v); ok {
		if text = strings.TrimSpace(text); text != "" {
			all = append(all, entry{text: text, section: section})
		}
		return all
	}
	if v.Kind() == '[' {
		for _, item := range jsonstream.Items(v) {
			all = append(all, statementsIn(item, section)...)
		}
		return all
	}
	named := map[string]jsontext.Value{}
	for name, value := range jsonstream.Members(v) {
		named[strings.ToLower(name)] = value
	}
	first := func(names []string) string {
		for _, name := range names {
			if text, ok := jsonstream.Text(named[name]); ok && strings.TrimSpace(text) != "" {
				return strings.TrimSpace(text)
			}
		}
		return ""
	}
	if text := first(textNames); text != "" {
		e := entry{text: text, section: importer.FirstOf(first(categoryNames), section)}
		if when := first(dateNames); when != "" {
			e.date = readDate(when)
		}
		return []entry{e}
	}
	for name, value := range jsonstream.Members(v) {
		if value.Kind() == '[' || value.Kind() == '{' {
			all = append(all, statementsIn(value, strings.ReplaceAll(name, "_", " "))...)
		}
	}
	return all
}

// row is a line of a table.
var (
	row     = regexp.MustCompile(`^\|.*\|$`)
	divider = regexp.MustCompile(`^\|(?:\s*:?-{2,}:?\s*\|)+$`)
)

func cells(line string) []string {
	line = strings.ReplaceAll(strings.Trim(line, "|"), `\|`, "\x00")
	all := strings.Split(line, "|")
	for i := range all {
		all[i] = strings.TrimSpace(strings.ReplaceAll(all[i], "\x00", "|"))
	}
	return all
}

// takeTables takes tables out of a text whose head names a column of statements, or that
// have one column.
func takeTables(text string) (found []entry, rest string) {
	lines := strings.Split(text, "\n")
	var kept []string
	for i := 0; i < len(lines); i++ {
		if i+1 >= len(lines) || !row.MatchString(strings.TrimSpace(lines[i])) || !divider.MatchString(strings.TrimSpace(lines[i+1])) {
			kept = append(kept, lines[i])
			continue
		}
		column := columnsOf(cells(strings.TrimSpace(lines[i])))
		for i += 2; i < len(lines) && row.MatchString(strings.TrimSpace(lines[i])); i++ {
			if e := column.entry(cells(strings.TrimSpace(lines[i]))); e.text != "" {
				found = append(found, e)
			}
		}
		i--
	}
	return found, strings.Join(kept, "\n")
}

// columns are the numbers of the columns of a table, -1 for none.
type columns struct{ text, date, category int }

func columnsOf(head []string) columns {
	find := func(names []string) int {
		return slices.IndexFunc(head, func(name string) bool { return slices.Contains(names, strings.ToLower(strings.Trim(name, "*_ "))) })
	}
	c := columns{find(textNames), find(dateNames), find(categoryNames)}
	if c.text < 0 && len(head) == 1 {
		c.text = 0
	}
	return c
}

func (c columns) entry(cells []string) (e entry) {
	at := func(i int) string {
		if i < 0 || i >= len(cells) {
			return ""
		}
		return cells[i]
	}
	e.text, e.section = at(c.text), at(c.category)
	if when := at(c.date); when != "" {
		e.date = readDate(when)
	}
	return e
}
