package markdown_test

import (
	"bytes"
	"io"
	"iter"
	"net/url"
	"path"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"keepsake/backend/format/markdown"
	"keepsake/backend/memory"
)

func sequence[T any](all ...T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, x := range all {
			if !yield(x, nil) {
				return
			}
		}
	}
}

var titles = []string{
	"User drinks green tea", "user drinks GREEN tea", "User drinks green tea 2", "CON", "con.txt", "aux", "COM¹", "LPT9.tar.gz", "nul ", "NUL .x", "CONIN$", "CON …", "ＣＯＮ",
	"a/b\\c:d*e?f\"g<h>i|j", "..", ".", "...hidden", "-rf", "~", "trailing dot.", "trailing space ", "\u202eenog\u202c RTL", "שלום עולם", "مرحبا", "日本語のタイトル",
	"👩‍👩‍👧‍👦 family", strings.Repeat("👍🏽", 60), strings.Repeat("é", 200), strings.Repeat("e\u0301", 200), strings.Repeat("ж", 255), "Café", "Cafe\u0301", "", " \t\n", "\x00\x1b[31m",
	"[[link]] #tag ^block", "\u200d\u200c", "\ufeffbom", "100%", "straße", "STRASSE", "../../etc/passwd", "memory", "a\r\nb", "\xff\xfe", "\U000e0041tag",
}

// checkName holds that a name is one in every file system we know of.
func checkName(t testing.TB, name string) {
	t.Helper()
	if name == "" || len(name) > 143 || !utf8.ValidString(name) {
		t.Errorf("%q (%d bytes) is no name", name, len(name))
	}
	if strings.ContainsAny(name, "/\\:*?\"<>|#^[]\x00\n\r\t\u202e\u202c\u200e\u200f\ufeff") || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "-") {
		t.Errorf("%q is no safe name", name)
	}
	bare := strings.TrimSuffix(name, ".md")
	if strings.TrimRight(bare, ". ") != bare {
		t.Errorf("%q ends as Windows does not let it", name)
	}
	base, _, _ := strings.Cut(norm.NFKC.String(bare), ".")
	for _, kept := range strings.Fields("CON PRN AUX NUL COM1 LPT9 CONIN$ CONOUT$") {
		if strings.EqualFold(strings.TrimSpace(base), kept) {
			t.Errorf("%q is a device of Windows", name)
		}
	}
}

func write(t testing.TB, c memory.Collection, flavour markdown.Flavour) map[string]string {
	t.Helper()
	files := map[string]*bytes.Buffer{}
	folded := map[string]string{}
	err := markdown.Write(c, flavour, func(name string) (io.Writer, error) {
		for _, part := range strings.Split(name, "/") {
			checkName(t, part)
		}
		key := cases.Fold().String(norm.NFKD.String(name))
		if other, taken := folded[key]; taken {
			t.Errorf("%q and %q are one in some file systems", name, other)
		}
		folded[key], files[name] = name, &bytes.Buffer{}
		return files[name], nil
	})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for name, text := range files {
		out[name] = text.String()
	}
	return out
}

func notesOf(all ...string) memory.Collection {
	c := memory.Collection{Words: memory.WordingIn("en"), Types: map[memory.Type]int{}}
	var records []memory.Record
	var talks []*memory.Conversation
	for i, title := range all {
		id := string(rune('A' + i))
		records = append(records, memory.Record{ID: id, Type: memory.Fact, Content: title, Summary: title, Tags: []string{"2024", "tea"},
			Temporal: memory.Temporal{SupersededBy: title}, Provenance: memory.Provenance{Platform: title, ConversationRef: id}})
		talk := memory.Conversation{ID: id, Title: title, Messages: []memory.Message{{ID: "1", Role: memory.User, Content: &memory.Content{Type: "text", Text: title}}}}
		talks, c.Talks = append(talks, &talk), append(c.Talks, talk)
		c.Relations = append(c.Relations, memory.Relation{From: id, To: "A", Type: memory.Supports})
	}
	c.Memories, c.Conversations = sequence(records...), sequence(talks...)
	return c
}

// frontOf reads the front matter of a note as another program does.
func frontOf(t testing.TB, note string) map[string]any {
	t.Helper()
	rest, ok := strings.CutPrefix(note, "---\n")
	matter, _, found := strings.Cut(rest, "\n---\n")
	var out map[string]any
	if err := yaml.Unmarshal([]byte(matter), &out); !ok || !found || err != nil {
		t.Fatalf("%v in the front matter:\n%s", err, matter)
	}
	return out
}

// Promise: every title makes a name that every file system takes, no two are the
// same, and every link leads to a note that is there.
func TestNamesAndLinks(t *testing.T) {
	for _, flavour := range []markdown.Flavour{markdown.Plain, markdown.Obsidian} {
		files := write(t, notesOf(titles...), flavour)
		if want := 2*len(titles) + 1; len(files) != want {
			t.Errorf("%d files, want %d", len(files), want)
		}
		links := 0
		for name, text := range files {
			for _, to := range linksIn(t, flavour, name, text) {
				links++
				if _, there := files[to]; !there {
					t.Errorf("%s leads to %q, which is not there", name, to)
				}
			}
		}
		if want := 5 * len(titles); links < want {
			t.Errorf("%d links, want %d at least", links, want)
		}
	}
}

// linksIn finds the links of the lines that are lists of links.
func linksIn(t testing.TB, flavour markdown.Flavour, name, text string) (all []string) {
	t.Helper()
	if at := strings.LastIndex(text, "\n## Links\n"); at > 0 {
		text = text[at:]
	} else if name != "index.md" {
		return nil
	}
	for _, line := range strings.Split(text, "\n") {
		switch {
		case !strings.HasPrefix(line, "- "):
		case flavour == markdown.Obsidian:
			_, line, _ = strings.Cut(line, "[[")
			to, _, _ := strings.Cut(line, "|")
			all = append(all, to+".md")
		default:
			at := strings.LastIndex(line, "](")
			to, err := url.PathUnescape(strings.TrimSuffix(line[at+2:], ")"))
			if err != nil {
				t.Error(err)
			}
			all = append(all, path.Join(path.Dir(name), to))
		}
	}
	return all
}

func TestFrontMatter(t *testing.T) {
	for name, text := range write(t, notesOf(titles...), markdown.Obsidian) {
		if name != "index.md" {
			frontOf(t, text)
		}
	}
	texts := append([]string{"yes", "null", "- a", "a: b", "# c", "---", "...", "!!binary x", "&a *a", "{}", "\"", `\`, "\u2028\u2029\u0085\ufeff\ufffe", "\U0001f600\U000e0001"}, titles...)
	for _, text := range texts {
		var got string
		if err := yaml.Unmarshal([]byte(markdown.Quote(text)), &got); err != nil || got != strings.ToValidUTF8(text, "\ufffd") && utf8.ValidString(text) {
			t.Errorf("%q came back as %q, %v", text, got, err)
		}
	}
	files := write(t, notesOf("tea"), markdown.Obsidian)
	if tags := frontOf(t, files["memories/tea.md"])["tags"].([]any); tags[0] != "_2024" || tags[1] != "tea" {
		t.Errorf("tags: %v", tags)
	}
}

// Promise: what is said loads nothing, runs nothing, and ends where it ends; code
// stays as it is.
func TestSafe(t *testing.T) {
	long := "https://a.example/" + strings.Repeat("a", 5000)
	for text, want := range map[string]string{
		"plain *words* and `code`":      "plain *words* and `code`",
		"![a](https://evil.example/x)":  `\![a](https://evil.example/x)`,
		`\![a](x)`:                      `\![a](x)`,
		`\\![a](x)`:                     `\\\![a](x)`,
		"<img src=x>":                   `\<img src=x>`,
		"1 < 2":                         "1 < 2",
		"a `Vec<T>` b":                  "a `Vec<T>` b",
		"```rust\nvec![1]\n```":         "```rust\nvec![1]\n```",
		"```dataviewjs\nrun()\n```":     "dataviewjs\n\n```\nrun()\n```",
		"```jsx live\n<b>\n```":         "jsx live\n\n```jsx\n<b>\n```",
		"- a\n  ```\nx\n![a](b)":        "````text\n- a\n  ```\nx\n![a](b)\n````",
		"   ```\n```\n![a](b)":          "````text\n   ```\n```\n![a](b)\n````",
		"```\nnever closed":             "````text\n```\nnever closed\n````",
		"` a\nb ` ![x](y) ` z":          "```text\n` a\nb ` ![x](y) ` z\n```",
		"$$\n```\n$$\n![a](b)\n```":     "````text\n$$\n```\n$$\n![a](b)\n```\n````",
		"%% hidden":                     `\%\% hidden`,
		"$$x^2$$":                       "$$x^2$$",
		"$$ open":                       "```text\n$$ open\n```",
		"~~~\n<b>\n~~~\n<b>":            "~~~\n<b>\n~~~\n\\<b>",
		"> ```\n> x\n![a](b)":           "````text\n> ```\n> x\n![a](b)\n````",
		"a\r\n```\r\nb\r```":            "a\n```\nb\n```",
		"\\`![a](b)`":                   "```text\n\\`![a](b)`\n```",
		"``a ` ![b](c)`` and <i>":       "``a ` ![b](c)`` and \\<i>",
		"`$a`$ ![x](y) `b`":             "```text\n`$a`$ ![x](y) `b`\n```",
		"~~~ a`b\n![x](y)\n~~~":         "```text\n~~~ a`b\n![x](y)\n~~~\n```",
		"```js\n```` \n<b>":             "```js\n```` \n\\<b>",
		"$$x$$ and `code`":              "$$x$$ and `code`",
		"a {b} c { {":                   `a \{b} c \{ \{`,
		"is $x^{2}$ so":                 "is `$x^{2}$` so",
		"costs $5, is $x^{2}$":          "```text\ncosts $5, is $x^{2}$\n```",
		"so\n\n$$\na_{1}\n$$\n\nis {b}": "so\n\n```text\n$$\na_{1}\n$$\n```\n\nis \\{b}",
		"f() {\n    return {}\n}":       "```text\nf() {\n    return {}\n}\n```",
		"- a\n    - {b}":                "- a\n    - \\{b}",
		"a![x](https://b.example/y)":    `a\![x](https://b.example/y)`,
		"https://a.example/<b>":         `https://a.example/ \<b>`,
		"https://a.example/`<b>`":       "```text\nhttps://a.example/`<b>`\n```",
		"import x from 'y'":             " import x from 'y'",
		"---\na: b\n---":                " ----\na: b\n---",
		"in `{{ x }}`":                  "in `{ { x }}`",
		"```yaml\nx: {{ y }}\n```":      "```yaml\nx: { { y }}\n```",
		"words\n~~~\n<b>\n~~~":          "```text\nwords\n~~~\n<b>\n~~~\n```",
		long + "<b>":                    long + ` \<b>`,
	} {
		if got := markdown.Safe(text); got != want {
			t.Errorf("%q became\n%q, want\n%q", text, got, want)
		}
	}
}

func TestConversationIsOneNote(t *testing.T) {
	c := notesOf("tea")
	talk := c.Talks[0]
	talk.Leaf = "2"
	talk.Messages = append(talk.Messages,
		memory.Message{ID: "2", ParentID: "1", Role: memory.Assistant, Content: &memory.Content{Type: "text", Text: "Green?"},
			ToolCalls:   []memory.ToolCall{{Name: "look_up", Input: []byte(`{"a":"<b>"}`), Output: "```"}},
			Attachments: []memory.Attachment{{Name: "![x](y).png"}}, Citations: []memory.Citation{{Title: "T", URL: "https://example.org"}}},
		memory.Message{ID: "3", ParentID: "1", Role: memory.Assistant, Content: &memory.Content{Type: "text", Text: "Black?"}})
	c.Conversations = sequence(&talk)
	note := write(t, c, markdown.Plain)["conversations/tea.md"]
	for _, want := range []string{"# tea\n", "## user\n\ntea\n", "Green?", "## Other branches\n\n## assistant\n\nBlack?", "Tool: look\\_up", "````text\n```\n````", `\!\[x\](y).png`, "https://example.org"} {
		if !strings.Contains(note, want) {
			t.Errorf("no %q in\n%s", want, note)
		}
	}
}

func FuzzNote(f *testing.F) {
	for _, title := range titles {
		f.Add(title)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for name, note := range write(t, notesOf(text, text), markdown.Obsidian) {
			if name != "index.md" {
				frontOf(t, note)
			}
		}
		if utf8.ValidString(text) {
			var got string
			if err := yaml.Unmarshal([]byte(markdown.Quote(text)), &got); err != nil || got != text {
				t.Errorf("%q came back as %q, %v", text, got, err)
			}
		}
	})
}
