package clients

import (
	"strings"

	"github.com/tailscale/hujson"
)

// item is a member of an object or an element of an array: where it is, and the white space and
// comments around it. after is not nil where a comma stands behind the last one.
type item struct {
	before, after hujson.Extra
	start, end    int
}

// itemsOf lists what an object or an array holds, and what stands behind the last of it.
func itemsOf(v hujson.Value) (all []item, rest hujson.Extra) {
	switch v := v.Value.(type) {
	case *hujson.Object:
		for _, m := range v.Members {
			all = append(all, item{m.Name.BeforeExtra, m.Value.AfterExtra, m.Name.StartOffset, m.Value.EndOffset})
		}
		return all, v.AfterExtra
	case *hujson.Array:
		for _, e := range v.Elements {
			all = append(all, item{e.BeforeExtra, e.AfterExtra, e.StartOffset, e.EndOffset})
		}
		return all, v.AfterExtra
	}
	return nil, nil
}

// insert writes an item behind the last one of an object or an array, each comment left with what
// it is about.
func (d document) insert(at hujson.Value, value jsonValue) []edit {
	items, rest := itemsOf(at)
	if len(items) == 0 {
		return d.insertFirst(at, rest, value)
	}
	last := items[len(items)-1]
	separator, unit, end := " ", "", ""
	indent := indentation(d.text, last.start)
	line := splitLine(rest)
	if line < len(rest) || splitLine(last.before) < len(last.before) {
		end = newline(d.text)
		unit = d.unit(at, indent)
		separator = end + indent
	}
	if line == len(rest) {
		line = len(strings.TrimRight(string(rest), " \t\r\n"))
	}
	text := separator + value.text(indent, unit, end)
	place := last.end
	if last.after != nil {
		place += len(last.after) + len(",") + line
		return []edit{{place, place, text + ","}}
	}
	return []edit{{place, place, ","}, {place + line, place + line, text}}
}

// insertFirst writes the only item of an object or an array. It follows the brace at once, by
// which isMadeFor tells one that was there from one that was made for the item; only a file with
// nothing but {} gets lines of its own.
func (d document) insertFirst(at hujson.Value, rest hujson.Extra, value jsonValue) []edit {
	place := at.StartOffset + len("{")
	if at.StartOffset == d.root.StartOffset && len(rest) == 0 {
		end := newline(d.text)
		return []edit{{place, place, end + "  " + value.text("  ", "  ", end) + end}}
	}
	return []edit{{place, place, value.text("", "", "")}}
}

// isMadeFor reports an object or an array that was made for the one item that it holds.
func (d document) isMadeFor(at hujson.Value) bool {
	items, _ := itemsOf(at)
	return len(items) == 1 && len(items[0].before) > 0 && isBlank(d.inside(at, items[0]))
}

// unit is by how much the items of an object or an array stand further in than it.
func (d document) unit(at hujson.Value, indent string) string {
	outer := indentation(d.text, at.StartOffset)
	if unit, deeper := strings.CutPrefix(indent, outer); deeper && unit != "" {
		return unit
	}
	return "  "
}

// cut takes an item out, with the comma and the white space that belong to it, and no comment:
// what insert does, backwards.
func (d document) cut(at hujson.Value, i int) []edit {
	items, _ := itemsOf(at)
	m := items[i]
	start := m.start - d.space(m.before)
	comma := m.end + len(m.after)
	whole := edit{start, m.end, ""}
	switch {
	case i < len(items)-1:
		next := items[i+1].before
		if splitLine(next) == len(next) { // on the same line
			blank := len(next) - len(strings.TrimLeft(string(next), " \t\r\n"))
			return []edit{{m.start, m.end, ""}, {comma, comma + 1 + blank, ""}}
		}
		return []edit{whole, {comma, comma + 1, ""}}
	case m.after != nil:
		return []edit{whole, {comma, comma + 1, ""}}
	case i > 0:
		before := items[i-1]
		comma = before.end + len(before.after)
		return []edit{{comma, comma + 1, ""}, whole}
	case splitLine(m.before) < len(m.before) && isBlank(d.inside(at, m)):
		return []edit{{at.StartOffset + 1, at.EndOffset - 1, ""}}
	}
	return []edit{whole}
}

// inside returns the text between the brackets of an object or an array, without its item m.
func (d document) inside(at hujson.Value, m item) string {
	return string(d.text[at.StartOffset+1:m.start]) + string(d.text[m.end:at.EndOffset-1])
}

// space is how much of the white space before an item was made with it: its line, or what
// stands between it and the item before.
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
