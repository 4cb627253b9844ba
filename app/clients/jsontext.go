package clients

import (
	"strings"

	"github.com/tailscale/hujson"
)

// jsonValue is JSON that is written: its lines are indented by indent and units of unit,
// and end with end, or all of it is one line where end is "".
type jsonValue interface {
	text(indent, unit, end string) string
}

type (
	object []member
	member struct {
		name  string
		value jsonValue
	}
	array  []quoted
	list   []object // of which each has lines of its own
	quoted string
)

func (q quoted) text(string, string, string) string { return string(hujson.String(string(q))) }

// An array is one line wherever it stands: arguments are short.
func (a array) text(string, string, string) string {
	all := make([]string, len(a))
	for i, q := range a {
		all[i] = q.text("", "", "")
	}
	return "[" + strings.Join(all, ", ") + "]"
}

func (m member) text(indent, unit, end string) string {
	return quoted(m.name).text("", "", "") + ": " + m.value.text(indent, unit, end)
}

func (o object) text(indent, unit, end string) string {
	all := make([]string, len(o))
	for i, m := range o {
		all[i] = m.text(indent+unit, unit, end)
	}
	if end != "" {
		return "{" + lined(all, indent, unit, end) + "}"
	}
	body := strings.Join(all, ", ")
	switch o[0].value.(type) {
	case object, list:
		body = " " + body + " " // made with the member: see insertFirst
	}
	return "{" + body + "}"
}

func (l list) text(indent, unit, end string) string {
	all := make([]string, len(l))
	for i, o := range l {
		all[i] = o.text(indent+unit, unit, end)
	}
	if end != "" {
		return "[" + lined(all, indent, unit, end) + "]"
	}
	return "[ " + strings.Join(all, ", ") + " ]"
}

// lined puts each of several texts on a line of its own.
func lined(all []string, indent, unit, end string) string {
	return end + indent + unit + strings.Join(all, ","+end+indent+unit) + end + indent
}
