package zep_test

import (
	"fmt"
	"strings"
	"testing"

	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/importer/zep"
)

// TestSuite holds the reader to what all readers promise.
func TestSuite(t *testing.T) { RunLayers(t, zep.Importer{}, CutJSON, gen.Zep()) }

// episodes are a fact and so many episodes, as a list of them is written.
func episodes(n int, session string, words string) string {
	list := []string{`{"uuid":"f","fact":"Likes tea","source_node_uuid":"n"}`}
	for i := range n {
		list = append(list, fmt.Sprintf(`{"uuid":"e%d","session_id":"%s%d","content":"%s"}`, i, session, i, words))
	}
	return "[" + strings.Join(list, ",") + "]"
}

// TestManySessions: the session of an episode is found at once, however many there are.
func TestManySessions(t *testing.T) {
	const all = 300_000 // quadratic work would take minutes
	r := Read(t, zep.Importer{}, Loose("z.json", episodes(all, strings.Repeat("s", 30), "x")).Tree(t))
	if len(r.Conversations) != all || len(r.Memories) != 1 {
		t.Errorf("%d conversations, %d memories", len(r.Conversations), len(r.Memories))
	}
}

// TestTooManyEpisodes: more than is held of them is left out with a sentence, and
// everything else is read.
func TestTooManyEpisodes(t *testing.T) {
	r := Read(t, zep.Holding(1000), Loose("z.json", episodes(20, "s", strings.Repeat("x", 100))).Tree(t))
	if len(r.Conversations) != 0 || len(r.Memories) != 1 || len(r.Problems) != 1 || r.Problems[0].Reason != "episodes-too-large" || !r.Problems[0].Conversation {
		t.Errorf("%d conversations, %d memories, %+v", len(r.Conversations), len(r.Memories), r.Problems)
	}
}

// TestTurnsOfSeveralSpeakers: what several people say in one episode is not said by one of them.
func TestTurnsOfSeveralSpeakers(t *testing.T) {
	for text, want := range map[string]string{
		"Kendra: I like shoes.\\nBlue ones.\\nBot: Noted.\\nKendra: Note: not red\\nPS: soon": "user I like shoes.\nBlue ones.|assistant Noted.|user Note: not red\nPS: soon",
		"SalesBot: Hello\\nJohn: Hi":                  "assistant Hello|user Hi",
		"Kendra: a\\nLiam Smith: b\\nKendra: c":       "user a|assistant b|user c",
		"user: I moved\\nassistant: Noted":            "user I moved|assistant Noted",
		"Pat(user): I moved\\n(assistant): Noted":     "user I moved|assistant Noted",
		"kendra: a\\nliam: b":                         "user a|assistant b",
		"user: shopping\\nmilk: two\\nhttps://a.b: c": "user shopping\nmilk: two\nhttps://a.b: c",
		"Reminder: call":                              "user Reminder: call",
		strings.Repeat("K", 40) + ": a\\nBot: b":      "user a|assistant b",
		strings.Repeat("K", 41) + ": a\\nBot: b":      "user " + strings.Repeat("K", 41) + ": a|assistant b",
	} {
		dump := `{"entity_edges":[{"uuid":"f","fact":"Likes tea","source_node_uuid":"n"}],"episodes":[{"uuid":"e1","source":"message","group_id":"g","content":"` + text + `"}]}`
		f := Loose("dump.json", dump)
		if m, err := (zep.Importer{}).Sniff(t.Context(), f.Tree(t)); err != nil || m.Format != "graph" {
			t.Errorf("%+v, %v", m, err)
		}
		r := Read(t, zep.Importer{}, f.Tree(t))
		CheckDrafts(t, zep.Importer{}.Info(), r)
		var got []string
		for _, m := range r.Conversations[0].Messages {
			got = append(got, string(m.Role)+" "+m.Content.Text)
		}
		if strings.Join(got, "|") != want || len(r.Memories) != 1 {
			t.Errorf("%q, want %q; %d memories", got, want, len(r.Memories))
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, l := range gen.Zep() {
		f.Add(l.Files[0].Data)
	}
	FuzzReader(f, zep.Importer{}, "x.json")
}
