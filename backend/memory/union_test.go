package memory_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/memory"
)

// graph is a conversation as "id<parent:words" for each message. An id with a star is
// the provider's.
func graph(lines ...string) *memory.Conversation {
	c := &memory.Conversation{}
	for _, line := range lines {
		head, words, _ := strings.Cut(line, ":")
		id, parent, _ := strings.Cut(head, "<")
		m := memory.Message{ID: strings.TrimSuffix(id, "*"), ParentID: parent, Role: memory.User, Content: &memory.Content{Type: "text", Text: words}}
		if strings.HasSuffix(id, "*") {
			m.ProviderMessageID = m.ID
		}
		c.Messages = append(c.Messages, m)
	}
	return c
}

// TestUnion adds what one of two exports lacks where it stood in the other.
func TestUnion(t *testing.T) {
	for name, c := range map[string]struct {
		newer, older *memory.Conversation
		want         string
	}{
		"nothing is lacking": {graph("a*:A", "b*<a:B"), graph("a*:A"), "a b<a"},
		"it went on":         {graph("a*:A", "b*<a:B"), graph("a*:A", "b*<a:B", "c*<b:C"), "a b<a c<b"},
		"each went on":       {graph("a*:A", "b*<a:B", "d*<b:D"), graph("a*:A", "b*<a:B", "c*<b:C"), "a b<a c<b d<b"},
		"only its end":       {graph("c*:C", "d*<c:D"), graph("a*:A", "b*<a:B", "c*<b:C"), "a b<a c<b d<c"},
		"nothing in common":  {graph("c*:C", "d*<c:D"), graph("a*:A", "b*<a:B"), "a b<a c d<c"},
		"edited":             {graph("a*:A", "b*<a:B2"), graph("a*:A", "b*<a:B"), "a b<a"},
		"by place":           {graph("0:C", "1<0:D"), graph("0:A", "1<0:B", "2<1:C"), "0~2 1~2<0~2 0<1~2 1<0"},
		"by place, edited":   {graph("0:A", "1<0:B2"), graph("0:A", "1<0:B"), "0 1~2<0 1<0"},
		"by place, one gone": {graph("0:A", "1<0:C"), graph("0:A", "1<0:B", "2<1:C"), "0 1~2<0 1<0"},
		"an id only now":     {graph("a*:A", "b*<a:B"), graph("0:A", "1<0:B", "2<1:C"), "a b<a 2<b"},
		"an id only before":  {graph("0:A", "1<0:B", "2<1:C"), graph("a*:A", "b*<a:B"), "0 1<0 2<1"},
		"said twice":         {graph("0:ok", "1<0:ok"), graph("0:ok", "1<0:ok", "2<1:ok"), "0 1<0 2<1"},
	} {
		pairs, err := memory.Pair(c.older.Each(), c.newer.Each())
		if err != nil {
			t.Fatal(err)
		}
		all, err := memory.Union(c.newer.Messages, c.older.Each(), pairs)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range all {
			says := m.ID
			if m.ParentID != "" {
				says += "<" + m.ParentID
			}
			got = append(got, says)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %s, not %s", name, strings.Join(got, " "), c.want)
		}
	}
}

// TestUnionOfAnyWindows: two windows on one history, in either order, end in all of
// what they show, and none of it twice.
func TestUnionOfAnyWindows(t *testing.T) {
	for _, provider := range []string{"*", ""} {
		window := func(from, to int) *memory.Conversation {
			var lines []string
			for i := from; i < to; i++ {
				id, parent := fmt.Sprint("m", i), fmt.Sprint("m", i-1)
				if provider == "" { // numbered from where it begins
					id, parent = fmt.Sprint(i-from), fmt.Sprint(i-from-1)
				}
				if i == from {
					parent = ""
				}
				lines = append(lines, id+provider+"<"+parent+":"+fmt.Sprint("words ", i%3, i))
			}
			return graph(lines...)
		}
		for from := range 6 {
			for to := from + 1; to <= 6; to++ {
				for other := range 6 {
					for end := other + 1; end <= 6; end++ {
						newer, older := window(from, to), window(other, end)
						pairs, err := memory.Pair(older.Each(), newer.Each())
						if err != nil {
							t.Fatal(err)
						}
						all, err := memory.Union(newer.Messages, older.Each(), pairs)
						if err != nil {
							t.Fatal(err)
						}
						said := map[string]int{}
						for _, m := range all {
							said[m.Content.Text]++
						}
						for i := range 6 {
							want := 0
							if i >= from && i < to || i >= other && i < end {
								want = 1
							}
							if said[fmt.Sprint("words ", i%3, i)] != want {
								t.Fatalf("%d-%d and %d-%d: %v", from, to, other, end, said)
							}
						}
						if ids := slices.Collect(func(yield func(string) bool) {
							for _, m := range all {
								if !yield(m.ID) {
									return
								}
							}
						}); len(slices.Compact(slices.Sorted(slices.Values(ids)))) != len(ids) {
							t.Fatalf("an id stands twice: %v", ids)
						}
					}
				}
			}
		}
	}
}
