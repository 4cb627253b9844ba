package core_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/memory"
)

// subjects are labelled memories of package topics; of each subject there are twelve.
func subjects(t *testing.T) (texts []string) {
	t.Helper()
	set, err := os.ReadFile("../topics/testdata/subjects-unseen.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(set)) {
		if label, text, _ := strings.Cut(strings.TrimSpace(line), "\t"); label != "-" {
			texts = append(texts, text)
		}
	}
	return texts
}

func namesOf(all core.Topics) (names []string) {
	for _, t := range all.All {
		names = append(names, t.Name)
	}
	return names
}

// TestTopics: active memories are grouped; the same vault has the same topics in another process;
// without vectors there are none.
func TestTopics(t *testing.T) {
	k := comparing(t, "")
	ids := k.adds(subjects(t)...)
	if all := ok(k.Topics(ctx)); len(all.All) != 0 || all.Missing != len(ids) {
		t.Errorf("without vectors: %+v", all)
	}
	k.means(text("anything"))
	first := ok(k.Topics(ctx))
	if first.Missing != 0 || len(first.All) < 5 || len(first.All) > 10 {
		t.Fatalf("%v", namesOf(first))
	}
	in := map[string]bool{}
	for i, topic := range first.All {
		if topic.Name == "" || i > 0 && len(topic.Memories) > len(first.All[i-1].Memories) {
			t.Errorf("topic %d: %+v", i, topic)
		}
		for _, id := range topic.Memories {
			if in[id] || !slices.Contains(ids, id) {
				t.Errorf("%s is not there, or in two topics", id)
			}
			in[id] = true
		}
	}
	k.again()
	k.unlocks()
	equal(t, first, ok(k.Topics(ctx)))

	archived := first.All[0].Memories
	for _, id := range archived {
		ok(k.SetStatus(ctx, id, memory.Archived, ""))
	}
	for _, topic := range ok(k.Topics(ctx)).All {
		if slices.ContainsFunc(topic.Memories, func(id string) bool { return slices.Contains(archived, id) }) {
			t.Errorf("%s has memories that are archived", topic.Name)
		}
	}
}

// TestTopicsForget: as soon as memories are forgotten or edited no name has a word of theirs.
func TestTopicsForget(t *testing.T) {
	k := comparing(t, "")
	texts := subjects(t)
	ids := k.adds(texts...)
	k.means(text("anything"))
	before := namesOf(ok(k.Topics(ctx)))
	gone := map[string]bool{}
	for _, name := range before {
		gone[strings.Split(name, ", ")[0]] = true
	}
	var forget []string
	var left strings.Builder
	for i, content := range texts {
		has := false
		for word := range gone {
			has = has || strings.Contains(strings.ToLower(content), strings.ToLower(word))
		}
		if has {
			forget = append(forget, ids[i])
		} else {
			left.WriteString(content + "\n")
		}
	}
	if len(forget) < 5 || len(forget) > 25 {
		t.Fatalf("%d memories have a first word of %v", len(forget), before)
	}
	edited := forget[len(forget)-1]
	ok(k.EditMemory(ctx, edited, core.MemoryEdit{Content: to("Walks in the hills.")}))
	left.WriteString("Walks in the hills.")
	ok(k.Forget(ctx, forget[:len(forget)-1], nil))
	check := func() {
		t.Helper()
		after := ok(k.Topics(ctx))
		if len(after.All) < 4 {
			t.Errorf("%v is left of %v", namesOf(after), before)
		}
		for _, topic := range after.All {
			for _, word := range strings.Split(topic.Name, ", ") {
				if !strings.Contains(left.String(), word) {
					t.Errorf("%q of %q stands in no memory", word, topic.Name)
				}
			}
			if slices.ContainsFunc(topic.Memories, func(id string) bool { return id != edited && slices.Contains(forget, id) }) {
				t.Errorf("%s has memories that are forgotten", topic.Name)
			}
		}
	}
	check()
	k.means(text("anything"))
	check()
}

// TestFewTopics: a vault of none, one and five memories.
func TestFewTopics(t *testing.T) {
	k := comparing(t, "")
	if all := ok(k.Topics(ctx)); len(all.All) != 0 {
		t.Errorf("an empty vault: %v", namesOf(all))
	}
	running := []string{"Runs ten kilometres three times a week.", "Trains for a half marathon.", "Corre no parque antes do trabalho.", "Wears trail running shoes.", "Ran a marathon in May."}
	k.adds(running[0])
	k.means(text("anything"))
	if all := ok(k.Topics(ctx)); len(all.All) != 0 {
		t.Errorf("one memory: %v", namesOf(all))
	}
	k.adds(running[1:]...)
	k.means(text("anything"))
	if all := ok(k.Topics(ctx)); len(all.All) != 1 || len(all.All[0].Memories) != 5 || !strings.Contains(all.All[0].Name, "marathon") {
		t.Errorf("five memories about the same: %+v", all)
	}
}

// edgesOf counts the edges of a graph by their types.
func edgesOf(g core.Graph) map[string]int {
	counts := map[string]int{}
	for _, e := range g.Edges {
		counts[string(e.Type)]++
	}
	return counts
}

// TestGraphWithoutRelations: a vault with memories has a picture before anybody relates any; what
// came from one conversation is joined, each memory to the next three; a relation takes the
// place of that.
func TestGraphWithoutRelations(t *testing.T) {
	k := fresh(t)
	related := core.MemoryQuery{HasRelations: true}
	if g := ok(k.Graph(ctx, related)); g.TotalNodes != 0 {
		t.Errorf("an empty vault: %+v", g)
	}
	lone := k.adds("One.", "Two.")
	if g := ok(k.Graph(ctx, related)); g.TotalNodes != 2 || g.TotalEdges != 0 {
		t.Errorf("nothing is joined: %+v", g)
	}
	c := talk{ID: "sea", Title: "The sea", At: dayOne, Updated: dayOne, Lines: []line{{ID: "l", Role: "user", Text: "Words", At: dayOne}}}
	for _, key := range strings.Split("abcdef", "") {
		c.Memories = append(c.Memories, statement{Key: key, Text: "User has a boat called " + key, Message: "l", At: dayOne})
	}
	k.imports(k.write("sea.json", book{Conversations: []talk{c}}))
	g := ok(k.Graph(ctx, related))
	if g.TotalNodes != 6 || slices.ContainsFunc(g.Nodes, func(n core.GraphNode) bool { return slices.Contains(lone, n.ID) || n.Degree != 0 }) {
		t.Errorf("%+v", g.Nodes)
	}
	equal(t, map[string]int{"same_conversation": 12}, edgesOf(g))
	if all := ok(k.Graph(ctx, core.MemoryQuery{})); all.TotalNodes != 8 || all.TotalEdges != 12 {
		t.Errorf("all: %+v", all)
	}
	ok(k.Relate(ctx, g.Edges[0].From, memory.Supports, g.Edges[0].To))
	g = ok(k.Graph(ctx, related))
	equal(t, map[string]int{"supports": 1, "same_conversation": 11}, edgesOf(g))
	if g.Edges[0].Type != "supports" || g.Nodes[0].Degree != 1 || g.Nodes[2].Degree != 0 {
		t.Errorf("relations come first: %+v", g)
	}
	if part := ok(k.Graph(ctx, core.MemoryQuery{Limit: 2, Offset: 1})); part.TotalEdges != 12 || len(part.Edges) != 2 || part.Edges[0].Type != "same_conversation" {
		t.Errorf("a window: %+v", part)
	}
	ok(k.Forget(ctx, []string{g.Nodes[5].ID}, nil))
	if left := ok(k.Graph(ctx, related)); left.TotalNodes != 5 || slices.ContainsFunc(left.Edges, func(e core.GraphEdge) bool { return e.From == g.Nodes[5].ID || e.To == g.Nodes[5].ID }) {
		t.Errorf("after forget: %+v", left)
	}
}

// TestGraphByMeaning: memories that are near in meaning are joined, and each node says its topic.
func TestGraphByMeaning(t *testing.T) {
	k := comparing(t, "")
	k.adds(subjects(t)...)
	twins := k.adds("Is allergic to peanuts and shellfish.", "Tem alergia a amendoim e a frutos do mar.")
	alone := k.adds("Zzz.")[0]
	k.means(text("anything"))
	g := ok(k.Graph(ctx, core.MemoryQuery{HasRelations: true}))
	topics := map[string]int{}
	for _, n := range g.Nodes {
		topics[n.Topic]++
		if n.ID == alone {
			t.Error("a memory without anything near it is there")
		}
	}
	for _, topic := range ok(k.Topics(ctx)).All {
		if topics[topic.Name] != len(topic.Memories) {
			t.Errorf("%s: %d nodes, %d memories", topic.Name, topics[topic.Name], len(topic.Memories))
		}
	}
	joins := func(e core.GraphEdge) bool {
		return e.Type == "near_in_meaning" && slices.Contains(twins, e.From) && slices.Contains(twins, e.To)
	}
	if !slices.ContainsFunc(g.Edges, joins) || len(g.Edges) > 40 {
		t.Errorf("%d edges, the same in two languages among them: %v", len(g.Edges), slices.ContainsFunc(g.Edges, joins))
	}
	ok(k.SetStatus(ctx, twins[0], memory.Archived, ""))
	if slices.ContainsFunc(ok(k.Graph(ctx, core.MemoryQuery{})).Edges, joins) {
		t.Error("an archived memory is joined by its meaning")
	}
}
