package chatgpt_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"keepsake/backend/importer"
	"keepsake/backend/memory"
)

// nodeJSON is a node of a mapping; parent "" is null.
func nodeJSON(id, parent, text string, at float64) string {
	up := "null"
	if parent != "" {
		up = `"` + parent + `"`
	}
	return fmt.Sprintf(`%q:{"id":%q,"parent":%s,"message":{"id":%q,"author":{"role":"user"},"create_time":%v,"content":{"content_type":"text","parts":[%q]}}}`,
		id, id, up, id, at, text)
}

func talkJSON(current string, nodes ...string) string {
	return fmt.Sprintf(`{"id":"c-1","title":"T","create_time":1719800000,"update_time":1719800900,"current_node":%s,"mapping":{%s}}`,
		current, strings.Join(nodes, ","))
}

const at0 = 1719800000.0

// links gives "child<parent" for every message, in order.
func links(d importer.ConversationDraft) string {
	var all []string
	for _, m := range d.Messages {
		all = append(all, m.ID+"<"+m.ParentID)
	}
	return strings.Join(all, " ")
}

// TestCase03SlimNodesHangTogetherByParent: case 3, no children anywhere and messages
// without status, weight, recipient or metadata.
func TestCase03SlimNodesHangTogetherByParent(t *testing.T) {
	_, d := one(t, talkJSON(`"c"`, `"r":{"id":"r","message":null,"parent":null}`,
		nodeJSON("c", "b", "three", at0+3), nodeJSON("b", "r", "two", at0+2), nodeJSON("x", "r", "other", at0+1)))
	if got := links(d); got != "r< x<r b<r c<b" {
		t.Errorf("links %s", got)
	}
	if d.Provider.ExportFormatVersion != "loose" || d.Leaf != "c" || len(d.ActivePath()) != 3 {
		t.Errorf("leaf %s, path %d, format %s", d.Leaf, len(d.ActivePath()), d.Provider.ExportFormatVersion)
	}
	checkGraph(t, d)
}

// TestCase04ConversationsWithoutMessages: case 4, none, an empty and an all-null
// mapping are counted and do not stop the others.
func TestCase04ConversationsWithoutMessages(t *testing.T) {
	c := read(t, "conversations.json", []byte(`[
		{"id":"a","conversation_id":"a","title":"no mapping","create_time":1719800000},
		{"id":"b","title":"empty","create_time":1719800000,"mapping":{}},
		{"id":"n","title":"null","create_time":1719800000,"mapping":null},
		{"id":"d","title":"nulls","create_time":1719800000,"mapping":{"r":{"id":"r","message":null,"parent":null,"children":["s"]},"s":{"id":"s","message":null,"parent":"r"},"t":null}},
		{"id":"w","title":"wrong","create_time":1719800000,"mapping":["x"]},
		`+talkJSON("null", nodeJSON("m", "", "hello", at0))+`]`))
	if len(c.conversations) != 1 || c.skipped["empty"] != 4 {
		t.Errorf("%d conversations, skipped %v", len(c.conversations), c.skipped)
	}
	if len(c.problems) != 1 || c.problems[0].Fault.Reason != "conversation-unreadable" || c.problems[0].At != "conversation 5" {
		t.Errorf("problems %+v", c.problems)
	}
}

// TestCase05ActivePathWithoutCurrentNode: case 5, the leaf with the greatest time,
// of equal ones the last in the file.
func TestCase05ActivePathWithoutCurrentNode(t *testing.T) {
	nodes := []string{nodeJSON("a", "", "1", at0), nodeJSON("b", "a", "2", at0+9), nodeJSON("c", "a", "3", at0+5), nodeJSON("d", "a", "4", at0+9)}
	for _, current := range []string{"null", `"gone"`, `""`, `7`} {
		_, d := one(t, talkJSON(current, nodes...))
		if d.Leaf != "d" {
			t.Errorf("current_node %s: leaf %s", current, d.Leaf)
		}
	}
	_, d := one(t, talkJSON(`"c"`, nodes...))
	if d.Leaf != "c" {
		t.Errorf("leaf %s", d.Leaf)
	}
}

// TestCase06BrokenGraphs: case 6, everything that was said survives, links agree,
// and the parent that could not be used is kept.
func TestCase06BrokenGraphs(t *testing.T) {
	for name, c := range map[string]struct {
		nodes []string
		want  string
		odd   []string
	}{
		"self-parent":      {[]string{nodeJSON("a", "a", "1", at0), nodeJSON("b", "a", "2", at0)}, "a< b<a", []string{"a"}},
		"cycle of two":     {[]string{nodeJSON("a", "b", "1", at0), nodeJSON("b", "a", "2", at0)}, "a< b<a", []string{"a"}},
		"cycle with tail":  {[]string{nodeJSON("t", "c", "0", at0), nodeJSON("c", "b", "1", at0), nodeJSON("b", "a", "2", at0), nodeJSON("a", "c", "3", at0)}, "c< t<c a<c b<a", []string{"c"}},
		"two cycles":       {[]string{nodeJSON("a", "b", "1", at0), nodeJSON("b", "a", "2", at0), nodeJSON("c", "d", "3", at0), nodeJSON("d", "c", "4", at0)}, "a< b<a c< d<c", []string{"a", "c"}},
		"several roots":    {[]string{nodeJSON("a", "", "1", at0), nodeJSON("b", "", "2", at0)}, "a< b<", nil},
		"orphan":           {[]string{nodeJSON("a", "", "1", at0), nodeJSON("b", "gone", "2", at0)}, "a< b<", []string{"b"}},
		"known by a child": {[]string{`"r":{"id":"r","parent":null,"children":["b"],"message":null}`, nodeJSON("b", "gone", "2", at0)}, "r< b<r", []string{"b"}},
		"empty id":         {[]string{nodeJSON("a", "", "1", at0), nodeJSON("", "a", "2", at0)}, "a< node-1<a", nil},
	} {
		t.Run(name, func(t *testing.T) {
			_, d := one(t, talkJSON("null", c.nodes...))
			if got := links(d); got != c.want {
				t.Errorf("links %s, want %s", got, c.want)
			}
			checkGraph(t, d)
			for _, m := range d.Messages {
				if kept := m.RawMetadata["parent"] != nil; kept != slices.Contains(c.odd, m.ID) {
					t.Errorf("%s: parent kept raw: %v", m.ID, kept)
				}
			}
		})
	}
}

// TestCase07TwentyThousandMessages: case 7, neither recursion nor quadratic time. A
// chain and a fan, in the worst order of the file.
func TestCase07TwentyThousandMessages(t *testing.T) {
	const n = 20_000
	var chain, fan []string
	fan = append(fan, nodeJSON("m0", "", "root", at0))
	for i := n; i > 0; i-- {
		chain = append(chain, nodeJSON(fmt.Sprint("m", i), fmt.Sprint("m", i-1), "x", at0+float64(i)))
		fan = append(fan, nodeJSON(fmt.Sprint("m", i), "m0", "x", at0+float64(i)))
	}
	chain = append(chain, nodeJSON("m0", fmt.Sprint("m", n), "x", at0)) // and it bites its tail
	start := time.Now()
	for _, nodes := range [][]string{chain, fan} {
		_, d := one(t, talkJSON("null", nodes...))
		if len(d.Messages) != n+1 {
			t.Fatalf("%d messages", len(d.Messages))
		}
		checkGraph(t, d)
	}
	t.Logf("2 × %d messages in %v", n, time.Since(start))
}

// TestCase08HiddenNodesStayInTheChain: case 8, the path runs through them, flagged.
func TestCase08HiddenNodesStayInTheChain(t *testing.T) {
	_, d := one(t, talkJSON(`"u2"`,
		`"r":{"id":"r","message":null,"parent":null,"children":["s"]}`,
		`"s":{"id":"s","parent":"r","children":["u"],"message":{"id":"s","author":{"role":"system"},"weight":0,"content":{"content_type":"text","parts":[""]},"metadata":{"is_visually_hidden_from_conversation":true}}}`,
		nodeJSON("u", "s", "question", at0),
		`"w":{"id":"w","parent":"u","message":{"id":"w","author":{"role":"assistant"},"weight":0.0,"content":{"content_type":"text","parts":["draft"]}}}`,
		`"h":{"id":"h","parent":"w","message":{"id":"h","author":{"role":"user"},"weight":1,"content":{"content_type":"text","parts":["hidden"]},"metadata":{"is_visually_hidden_from_conversation":true}}}`,
		nodeJSON("u2", "h", "again", at0+5)))
	var seen []string
	for _, m := range d.ActivePath() {
		seen = append(seen, m.ID+string(m.RawMetadata["keepsake_hidden"]))
	}
	if got := strings.Join(seen, " "); got != `r"root" s"system" u w"weight" h"flag" u2` {
		t.Errorf("path %s", got)
	}
}

// TestCase09AbandonedEditsAreBranches: case 9, they keep weight 1 and are off the path.
func TestCase09AbandonedEditsAreBranches(t *testing.T) {
	_, d := one(t, talkJSON(`"b2"`, nodeJSON("q", "", "start", at0), nodeJSON("e1", "q", "first try", at0+1), nodeJSON("a1", "e1", "answer", at0+2),
		nodeJSON("e2", "q", "second try", at0+3), nodeJSON("b2", "e2", "answer", at0+4)))
	var path []string
	for _, m := range d.ActivePath() {
		path = append(path, m.ID)
	}
	if !slices.Equal(path, []string{"q", "e2", "b2"}) || len(d.Messages) != 5 {
		t.Errorf("path %v of %d", path, len(d.Messages))
	}
}

// TestCase12UnknownTimesStayUnknown: case 12, never 1970 and never now; derived ones
// say where they came from.
func TestCase12UnknownTimesStayUnknown(t *testing.T) {
	message := func(create string) string {
		return fmt.Sprintf(`{"id":"c","title":"T","create_time":%s,"mapping":{"m":{"id":"m","parent":null,"message":{"id":"m","author":{"role":"user"},"create_time":%s,"content":{"content_type":"text","parts":["hi"]}}}}}`, create, create)
	}
	for _, create := range []string{"null", "0", "0.0", "-1", "1.5", `""`, `"soon"`, "{}", "true", "1e300", `"1970-01-01T00:00:00Z"`} {
		_, d := one(t, message(create))
		if !d.Messages[0].CreatedAt.IsZero() || !d.Temporal.CreatedAt.IsZero() || d.TimeSource != "none" {
			t.Errorf("%s: message %v, conversation %v from %q", create, d.Messages[0].CreatedAt, d.Temporal.CreatedAt, d.TimeSource)
		}
	}
	for create, want := range map[string]string{
		"1719800000.123456": "2024-07-01T02:13:20.123456Z", "1719800000123": "2024-07-01T02:13:20.123000Z",
		`"2024-07-01T04:13:20+02:00"`: "2024-07-01T02:13:20Z", "4102444800": "2100-01-01T00:00:00Z",
	} {
		_, d := one(t, message(create))
		if got := d.Messages[0].CreatedAt.String(); got != want || d.TimeSource != "" {
			t.Errorf("%s: %s from %q", create, got, d.TimeSource)
		}
	}
	_, d := one(t, strings.Replace(talkJSON("null", nodeJSON("a", "", "1", at0+50), nodeJSON("b", "a", "2", at0+7)), `"create_time":1719800000,`, `"create_time":0,`, 1))
	if d.TimeSource != "message" || d.Temporal.CreatedAt != memory.FromUnix(at0+7) {
		t.Errorf("from message: %v %q", d.Temporal.CreatedAt, d.TimeSource)
	}
}

// TestCase20Titles: case 20, null, empty, with line breaks, long, with separators.
func TestCase20Titles(t *testing.T) {
	long := strings.Repeat("é/:", 100)
	for in, want := range map[string]string{
		"null": "", `""`: "", `"two\nlines\r\n"`: "two lines", `"a/b: c"`: "a/b: c", `"` + long + `"`: long, "17": "", `{"t":1}`: "",
	} {
		_, d := one(t, strings.Replace(talkJSON("null", nodeJSON("a", "", "1", at0)), `"title":"T"`, `"title":`+in, 1))
		if d.Title != want {
			t.Errorf("%s: %q", in, d.Title)
		}
		exact := in == "null" || in == `""` || in == `"`+want+`"`
		if raw := d.RawMetadata["title"]; exact != (raw == nil) {
			t.Errorf("%s: kept raw %s", in, raw)
		}
	}
}

// TestLooseFields: the same member of another type loses nothing around it.
func TestLooseFields(t *testing.T) {
	c, d := one(t, `{"conversation_id":"c-9","title":"T","create_time":1719800000,"voice":{"name":"v"},"pinned_time":"2024","is_starred":null,"is_archived":"no","default_model_slug":4,
		"mapping":{"m":{"id":5,"parent":["x"],"children":"y","message":{"id":["m"],"author":"user","create_time":1719800001,"content":{"content_type":"text","parts":"oops"},"metadata":[1],"weight":"1","recipient":7}},
		"n":{"id":"n","parent":"m","message":"not an object"},"o":17,"p":{"message":{"id":"p","author":{"role":"user"},"content":"a bare string"},"parent":"m"}}}`)
	if len(d.Messages) != 4 || d.Provider.ConversationID != "c-9" || string(d.RawMetadata["voice"]) != `{"name":"v"}` {
		t.Errorf("%d messages, raw %v", len(d.Messages), d.RawMetadata)
	}
	for _, m := range d.Messages {
		if m.ID == "p" && m.Content.PlainText() != "a bare string" {
			t.Errorf("content %+v", m.Content)
		}
		if m.ID == "m" && (string(m.RawMetadata["content"]) == "" || string(m.RawMetadata["metadata"]) != "[1]") {
			t.Errorf("raw %v", m.RawMetadata)
		}
	}
	if c.unknown["role:"] != 1 {
		t.Errorf("unknown %v", c.unknown)
	}
}

// TestCase25SameConversationTwice: case 25, the newest version stands whatever the
// order, and the order of the mapping plays no part.
func TestCase25SameConversationTwice(t *testing.T) {
	version := func(updated int, nodes ...string) string {
		return strings.Replace(talkJSON("null", nodes...), "1719800900", fmt.Sprint(updated), 1)
	}
	a, b := nodeJSON("a", "", "1", at0), nodeJSON("b", "a", "2", at0+1)
	older, newer := version(1719800900, a), version(1719800950, b, a)
	for _, order := range []string{older + "," + newer, newer + "," + older, newer + "," + newer} {
		c := read(t, "conversations.json", []byte("["+order+"]"))
		last := c.conversations[len(c.conversations)-1]
		if got := links(last); got != "a< b<a" {
			t.Errorf("ends with %s", got)
		}
		if first, again := c.conversations[0], last; first.ID != again.ID {
			t.Errorf("ids %s and %s", first.ID, again.ID)
		}
	}
}

// TestCase25RicherOfEquallyNew: of a full and a slim export of one moment the
// full one stands, whichever is read first.
func TestCase25RicherOfEquallyNew(t *testing.T) {
	slim := talkJSON("null", nodeJSON("a", "", "1", at0))
	full := talkJSON("null", nodeJSON("a", "", "1", at0), nodeJSON("tool", "a", "2", at0+1))
	for _, order := range []string{slim + "," + full, full + "," + slim} {
		c := read(t, "conversations.json", []byte("["+order+"]"))
		if got := links(c.conversations[len(c.conversations)-1]); got != "a< tool<a" {
			t.Errorf("ends with %s", got)
		}
	}
}

// TestConversationWithoutID is known again by its time, title and beginning.
func TestConversationWithoutID(t *testing.T) {
	json := strings.Replace(talkJSON("null", nodeJSON("a", "", "1", at0), nodeJSON("b", "a", "2", at0+1)), `"id":"c-1",`, "", 1)
	longer := strings.Replace(talkJSON("null", nodeJSON("c", "b", "3", at0+2), nodeJSON("a", "", "1", at0), nodeJSON("b", "a", "2", at0+1)), `"id":"c-1",`, "", 1)
	_, d := one(t, json)
	_, e := one(t, longer)
	if d.ID != e.ID || d.ID == "" {
		t.Errorf("ids %q and %q", d.ID, e.ID)
	}
}
