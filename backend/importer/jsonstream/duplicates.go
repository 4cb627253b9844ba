package jsonstream

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Doubled is the member of a mended object that holds what stood in it under a
// name that came again: a list of {"at": JSON pointer, "value": …}. No reader
// knows it, so it is kept as whatever is not understood.
const Doubled = "keepsake_doubled"

// unique is v without members that a later one of the same name stands for, and
// their number. An object keeps them in [Doubled]. Depth is bounded by the scanner.
func unique(v jsontext.Value) (jsontext.Value, int) {
	var u uniquer
	u.value(v)
	if u.count > 0 && v.Kind() == '{' {
		u.keep(v)
	}
	return u.out, u.count
}

type uniquer struct {
	out   []byte
	left  []byte // what was left out, as items of a list
	path  []string
	count int
}

func (u *uniquer) value(v jsontext.Value) {
	switch v.Kind() {
	case '[':
		u.items(v)
	case '{':
		last := map[string]int{}
		n := 0
		for name := range Members(v) {
			last[name] = n
			n++
		}
		u.members(v, last)
	default:
		u.out = append(u.out, v...)
	}
}

func (u *uniquer) items(v jsontext.Value) {
	u.out = append(u.out, '[')
	for i, item := range Items(v) {
		if i > 0 {
			u.out = append(u.out, ',')
		}
		u.below(strconv.Itoa(i), item)
	}
	u.out = append(u.out, ']')
}

func (u *uniquer) members(v jsontext.Value, last map[string]int) {
	u.out = append(u.out, '{')
	n, first := 0, true
	for name, value := range Members(v) {
		if last[name] != n {
			u.leave(name, value)
		} else {
			if !first {
				u.out = append(u.out, ',')
			}
			first = false
			u.out, _ = jsontext.AppendQuote(u.out, name)
			u.out = append(u.out, ':')
			u.below(name, value)
		}
		n++
	}
	u.out = append(u.out, '}')
}

// below goes over what lies at that step.
func (u *uniquer) below(step string, v jsontext.Value) {
	u.path = append(u.path, step)
	u.value(v)
	u.path = u.path[:len(u.path)-1]
}

// leave notes a member that a later one stands for. What is double inside it is
// of no place any more and goes with it.
func (u *uniquer) leave(name string, v jsontext.Value) {
	inner, more := unique(v)
	u.count += 1 + more
	if u.left != nil {
		u.left = append(u.left, ',')
	}
	u.left = append(u.left, `{"at":`...)
	u.left, _ = jsontext.AppendQuote(u.left, pointer(append(u.path, name)))
	u.left = append(append(append(u.left, `,"value":`...), inner...), '}')
}

// keep puts what was left out into the object that was written.
func (u *uniquer) keep(v jsontext.Value) {
	name := Doubled
	for Member(v, name) != nil {
		name += "_"
	}
	u.out = u.out[:len(u.out)-1]
	if len(u.out) > 1 {
		u.out = append(u.out, ',')
	}
	u.out = append(append(append(u.out, `"`+name+`":[`...), u.left...), ']', '}')
}

// pointer is the JSON pointer of steps.
func pointer(steps []string) string {
	var b strings.Builder
	for _, step := range steps {
		b.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(step))
	}
	return b.String()
}
