package clients

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// generator writes settings as people and programs do: with comments, commas behind the
// last member, any white space, and the table of servers or without it.
type generator struct {
	*rand.Rand
	servers string
	lines   bool // members stand on lines of their own
	human   bool // there are comments and commas behind the last member
	indent  string
	end     string
}

func (g generator) extra(b *strings.Builder, depth int) {
	if g.human && g.IntN(4) == 0 {
		b.WriteString([]string{" /* { */", " /* two\n\tlines */ ", "// \"keepsake\"" + g.end, " //" + g.end + g.end}[g.IntN(4)])
	}
	switch {
	case g.lines && g.IntN(8) > 0:
		b.WriteString(g.end + strings.Repeat(g.indent, depth))
	case g.IntN(3) == 0:
		b.WriteString(" ")
	}
}

func (g generator) object(b *strings.Builder, depth int, names []string) {
	b.WriteByte('{')
	for i, name := range names {
		if i > 0 {
			b.WriteByte(',')
		}
		g.extra(b, depth)
		fmt.Fprintf(b, "%q", name)
		b.WriteString([]string{":", ": ", " : "}[g.IntN(3)])
		g.value(b, depth+1, name)
		if g.human && g.IntN(6) == 0 {
			b.WriteString(" /* behind */ ")
		}
	}
	if len(names) > 0 && g.human && g.IntN(3) == 0 {
		b.WriteByte(',')
	}
	g.extra(b, depth-1)
	b.WriteByte('}')
}

func (g generator) value(b *strings.Builder, depth int, name string) {
	switch {
	case name == g.servers && name == hooksTable:
		g.object(b, depth, [][]string{nil, {"SessionEnd"}, {"PreCompact", "Stop", "SessionStart"}}[g.IntN(3)])
		return
	case name == g.servers:
		g.object(b, depth, [][]string{nil, {"a"}, {"a", "b", "c"}}[g.IntN(3)])
		return
	case slices.Contains(hookEvents(), name):
		g.groups(b, depth)
		return
	}
	switch g.IntN(5) {
	case 0:
		if depth < 4 {
			g.object(b, depth, []string{"x", "mcpServers"}[:g.IntN(3)])
			return
		}
		fallthrough
	case 1:
		b.WriteString(`["a", {}, [ ]]`)
	case 2:
		b.WriteString(`"\"{ é\u00e9 // \\"`)
	case 3:
		b.WriteString("-1.50e+3")
	default:
		b.WriteString("null")
	}
}

// groups writes what is started at an event, without Keepsake.
func (g generator) groups(b *strings.Builder, depth int) {
	b.WriteByte('[')
	n := g.IntN(3)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		g.extra(b, depth)
		b.WriteString([]string{`{"hooks": [{"type": "command", "command": "mine hook x"}]}`, `{"matcher": "auto", "hooks": []}`, "{\n  \"hooks\": [\n    {\"command\": \"a\"}, // keepsake hook claude-code\n  ]\n}"}[g.IntN(3)])
	}
	if n > 0 && g.human && g.IntN(3) == 0 {
		b.WriteByte(',')
	}
	g.extra(b, depth-1)
	b.WriteByte(']')
}

func (g generator) settings() []byte {
	var b strings.Builder
	if g.IntN(5) == 0 {
		b.WriteString(byteOrderMark)
	}
	names := []string{"one", g.servers, "two", "three"}
	if g.IntN(2) == 0 {
		names = []string{"one", "two"}
	}
	g.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	g.extra(&b, 0)
	g.object(&b, 1, names[:g.IntN(len(names)+1)])
	g.extra(&b, 0)
	return []byte(b.String())
}

// Promise: connected and disconnected again, a file of JSON is as it was, byte for byte, and
// in between nothing of it is missing.
func TestRoundTripOfJSON(t *testing.T) {
	refused := 0
	for seed := range uint64(10_000) {
		r := rand.New(rand.NewPCG(seed, 1))
		c := []Client{client(t, "cursor"), client(t, "vscode"), client(t, "zed")}[r.IntN(3)]
		g := generator{r, c.form.servers(), r.IntN(3) > 0, r.IntN(2) == 0, []string{"  ", "\t", "    "}[r.IntN(3)], []string{"\n", "\r\n"}[r.IntN(2)]}
		if !roundTrip(t, c, g.settings()) {
			refused++
		}
	}
	if refused > 0 {
		t.Errorf("%d are refused", refused)
	}
}

// Promise: the same of TOML.
func TestRoundTripOfTOML(t *testing.T) {
	c := client(t, "codex")
	pieces := []string{"a%d = 1", "b%d = '''\n[x]\n'''", "# [mcp_servers.keepsake]", "", "", "[t%d]", "[[u]]", "[mcp_servers.s%d]", "c%d = [\n 1, # x\n]", "  "}
	for seed := range uint64(5_000) {
		r := rand.New(rand.NewPCG(seed, 2))
		lines := make([]string, r.IntN(8))
		for i := range lines {
			if lines[i] = pieces[r.IntN(len(pieces))]; strings.Contains(lines[i], "%d") {
				lines[i] = fmt.Sprintf(lines[i], i)
			}
		}
		text := strings.Join(lines, "\n")
		if r.IntN(2) == 0 {
			text += "\n"
		}
		if r.IntN(3) == 0 {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		if !roundTrip(t, c, []byte(text)) {
			t.Errorf("refused: %q", text)
		}
	}
}

// roundTrip connects and disconnects, and reports whether the text was edited.
func roundTrip(t *testing.T, c Client, text []byte) bool {
	t.Helper()
	after, err := connected(c, text)
	if err != nil {
		return false
	}
	if !isWithin(text, after) {
		t.Errorf("of %q is missing in\n%q", text, after)
	}
	back, err := disconnected(c, after)
	if err != nil || !bytes.Equal(back, text) {
		t.Errorf("%v: %q\nconnected    %q\ndisconnected %q", err, text, after, back)
	}
	return true
}

// isWithin reports that all bytes of a text stand in another, in their order.
func isWithin(text, in []byte) bool {
	for _, b := range in {
		if len(text) > 0 && text[0] == b {
			text = text[1:]
		}
	}
	return len(text) == 0
}

// Promise: no file ends the program, and each is refused or edited so that it holds what it
// held, and the entry.
func FuzzConnect(f *testing.F) {
	for _, text := range []string{"", "{}", `{"mcpServers": {"keepsake": {"command": "keepsake", "args": ["mcp"]}, "a": {}}, // x` + "\n}", `{"a": [1, /* { */ "\"",],}`} {
		f.Add([]byte(text), false)
	}
	for _, text := range []string{"", "a = 1", "[mcp_servers.keepsake]\r\ncommand = 'keepsake'\r\nargs = ['mcp'] # x\r\n[mcp_servers.keepsake.env]\r\n", "[mcp_servers]\na.b = {c = 1}\n[[u]]"} {
		f.Add([]byte(text), true)
	}
	f.Fuzz(func(t *testing.T, text []byte, isTOML bool) {
		c := client(t, "cursor")
		if isTOML {
			c = client(t, "codex")
		}
		before, err := c.form.decode(bytes.TrimPrefix(text, []byte(byteOrderMark)))
		wasThere := err == nil && hasEntry(before, c)
		after, err := connected(c, text)
		if err != nil {
			return
		}
		doc, err := c.form.decode(bytes.TrimPrefix(after, []byte(byteOrderMark)))
		if err != nil || !hasEntry(doc, c) {
			t.Fatalf("connected it is %q: %v", after, err)
		}
		if again, err := connected(c, after); err != nil || !bytes.Equal(again, after) {
			t.Errorf("once more %q becomes %q: %v", after, again, err)
		}
		back, err := disconnected(c, after)
		if wasThere && err != nil {
			return // a comment would swallow what follows the entry
		}
		if err != nil {
			t.Fatalf("%q is connected and not disconnected: %v", after, err)
		}
		if !wasThere && len(bytes.TrimSpace(bytes.TrimPrefix(text, []byte(byteOrderMark)))) > 0 && !bytes.Equal(back, text) {
			t.Errorf("%q\nconnected    %q\ndisconnected %q", text, after, back)
		}
	})
}

func hasEntry(doc map[string]any, c Client) bool {
	servers, _ := doc[c.form.servers()].(map[string]any)
	_, has := servers[entryName]
	return has
}
