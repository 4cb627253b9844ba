package html_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"iter"
	"slices"
	"strings"
	"testing"

	nethtml "golang.org/x/net/html"

	"keepsake/backend/format/html"
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

var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=https://evil.example/x onerror=alert(1)>`, `</style><style>@import "https://evil.example"`, `</title>`, `]]>`, `<!--`,
	`javascript:alert(1)`, `https://example.org/"onmouseover="x`, "\x00\x01\u0085", "\u202eolleh", `' onclick='x`, `&lt;script&gt;`, "</p></article></main>", "https://example.org/a?b=c&d=e",
}

// book says everything hostile in every place.
func book(texts ...string) memory.Collection {
	c := memory.Collection{Words: memory.WordingIn("en"), Types: map[memory.Type]int{memory.Fact: len(texts)}, Relations: []memory.Relation{}}
	var records []memory.Record
	var talks []*memory.Conversation
	for i, text := range texts {
		id := text + string(rune('a'+i))
		records = append(records, memory.Record{ID: id, Type: memory.Fact, CustomType: text, Content: text, Summary: text, Tags: []string{text},
			Provenance: memory.Provenance{Platform: text, ConversationRef: id}, Status: memory.Status(text)})
		c.Relations = append(c.Relations, memory.Relation{From: id, To: text + "a", Type: memory.Supports})
		talk := memory.Conversation{ID: id, Title: text, Provider: memory.Provider{Name: text}, Messages: []memory.Message{{
			ID: "1", Role: memory.Role(text), Content: &memory.Content{Type: "text", Text: text},
			ToolCalls: []memory.ToolCall{{Name: text, Input: []byte(text), Output: text}}, Attachments: []memory.Attachment{{Name: text}},
			Citations: []memory.Citation{{Title: text, URL: text}},
		}}}
		talks, c.Talks = append(talks, &talk), append(c.Talks, talk)
	}
	c.Memories, c.Conversations = sequence(records...), sequence(talks...)
	return c
}

// safe holds that a page has no element or attribute that runs or loads, and that
// its policy fits its style.
func safe(t testing.TB, page []byte) {
	t.Helper()
	elements := strings.Fields("html head meta title style body header h1 h2 h3 p time nav ul li a main section article bdi details summary span div strong pre")
	attributes := strings.Fields("lang charset http-equiv content name datetime aria-label href id class dir rel")
	root, err := nethtml.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var policy, style string
	for n := range root.Descendants() {
		if n.Type == nethtml.CommentNode || n.Type == nethtml.ElementNode && !slices.Contains(elements, n.Data) {
			t.Errorf("there is a %q", n.Data)
		}
		for _, a := range n.Attr {
			link := strings.HasPrefix(a.Val, "#") || strings.HasPrefix(a.Val, "https://") || strings.HasPrefix(a.Val, "http://")
			if !slices.Contains(attributes, a.Key) || a.Key == "href" && (n.Data != "a" || !link) {
				t.Errorf("there is a %s=%q", a.Key, a.Val)
			}
			if a.Key == "content" && strings.Contains(a.Val, "default-src") {
				policy = a.Val
			}
		}
		if n.Data == "style" {
			sum := sha256.Sum256([]byte(n.FirstChild.Data))
			style = base64.StdEncoding.EncodeToString(sum[:])
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none'; style-src 'sha256-"+style+"'") {
		t.Errorf("policy: %s", policy)
	}
	if !bytes.Contains(page, []byte(`<meta http-equiv="Content-Security-Policy"`)) {
		t.Error("no policy")
	}
}

func write(t testing.TB, c memory.Collection) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := html.Write(&out, c); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Promise: nothing that is said can run or load anything, and all of it is shown.
func TestNothingRunsOrLoads(t *testing.T) {
	page := write(t, book(hostile...))
	safe(t, page)
	root, err := nethtml.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for n := range root.Descendants() {
		if n.Type == nethtml.ElementNode && n.FirstChild != nil && slices.Contains(n.Attr, nethtml.Attribute{Key: "class", Val: "said"}) {
			said = append(said, n.FirstChild.Data)
		}
	}
	for _, text := range hostile {
		if shown := strings.Map(visible, text); !slices.Contains(said, shown) {
			t.Errorf("%q is not shown", text)
		}
	}
}

func visible(r rune) rune {
	if r < ' ' || r >= 0x7f && r < 0xa0 {
		return '\ufffd'
	}
	return r
}

func TestLinksLeadSomewhere(t *testing.T) {
	page := string(write(t, book("one", "two ü%")))
	for _, id := range []string{`id="m-onea"`, `href="#m-onea"`, `id="m-two+%C3%BC%25b"`, `href="#c-two+%C3%BC%25b"`} {
		if !strings.Contains(page, id) {
			t.Errorf("no %s", id)
		}
	}
}

func FuzzPage(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { safe(t, write(t, book(text))) })
}
