package core

import (
	"testing"

	"keepsake/backend/memory"
)

// Promise: the find bar counts what a person reads of a message.
func TestTimesInContent(t *testing.T) {
	says := func(text string) *memory.Content { return &memory.Content{Type: "text", Text: text} }
	code := &memory.Content{Type: "multipart", Parts: []memory.Part{{Type: "code", Text: "a  *b*\n# c"}, {Type: "text", Text: "*b*"}}}
	for _, c := range []struct {
		wanted string
		in     *memory.Content
		times  int
	}{
		{" cha ", says("Chá, chá e CHA"), 3},
		{"CAFE", says("o café"), 1},
		{"οδος", says("Η ΟΔΌΣ"), 1},
		{"   ", says("anything"), 0},
		{"x", nil, 0},
		{"loose leaf", says("**loose** leaf, [loose](https://loose.example/leaf)\nleaf"), 2},
		{"loose.example", says("[loose](https://loose.example/leaf)"), 0},
		{"one two", says("## one\n> two\n- one\n+ two"), 2},
		{"snake_case", says("a snake_case, `snake_case`"), 2},
		{"2 * 3", says("2 * 3 is 6"), 1},
		{"*", says("2 * 3 ** 4"), 3},
		{"go fmt", says("```go\nfmt\n```"), 0},
		{"fmt", says("```go\nfmt\n```"), 1},
		{"#1", says("#1 is #10"), 2},
		{"a *b*", code, 1},
		{"# c", code, 1},
		{"b", code, 2},
	} {
		if got := newWanted(c.wanted).timesIn(c.in); got != c.times {
			t.Errorf("%q stands %d times in %+v, want %d", c.wanted, got, c.in, c.times)
		}
	}
}
