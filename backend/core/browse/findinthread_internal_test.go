package browse

import (
	"encoding/json"
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
		if got := newTextQuery(c.wanted).timesIn(c.in); got != c.times {
			t.Errorf("%q stands %d times in %+v, want %d", c.wanted, got, c.in, c.times)
		}
	}
}

// Promise: the parts of a message are counted as a window counts them, and what tools
// were asked and answered comes after what is said.
func TestPartsOfAMessage(t *testing.T) {
	calls := []memory.ToolCall{{Input: json.RawMessage(`"look"`), Output: "seen"}, {Input: json.RawMessage(`{"a":1}`)}}
	for _, c := range []struct {
		in   memory.Message
		want []string
	}{
		{memory.Message{}, nil},
		{memory.Message{ToolCalls: calls}, []string{"look", "seen", `{"a":1}`, ""}},
		{memory.Message{Content: &memory.Content{Type: "text", Text: "said"}, ToolCalls: calls[:1]}, []string{"said", "look", "seen"}},
		{memory.Message{Content: &memory.Content{Type: "multipart", Parts: []memory.Part{{Text: "one"}, {}, {Text: "two"}}}, ToolCalls: calls[:1]}, []string{"one", "", "two", "look", "seen"}},
	} {
		for part := -1; part <= len(c.want); part++ {
			want := ""
			if part >= 0 && part < len(c.want) {
				want = c.want[part]
			}
			if got := partText(&c.in, part); got != want {
				t.Errorf("part %d of %+v: %q, want %q", part, c.in, got, want)
			}
		}
	}
}
