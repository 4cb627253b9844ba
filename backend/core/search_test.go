package core_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// finds searches once everything is indexed, and returns what was found as
// "kind id".
func (k *kit) finds(q core.SearchQuery) []string {
	k.t.Helper()
	if err := k.WaitForIndex(ctx); err != nil {
		k.t.Fatal(err)
	}
	r, err := k.Search(ctx, q)
	if err != nil {
		k.t.Fatal(err)
	}
	out := []string{}
	for _, h := range r.Hits {
		out = append(out, h.Kind+" "+h.ID)
		for _, other := range h.Alike {
			out = append(out, other.Kind+" "+other.ID)
		}
	}
	if len(out) != r.Total || r.Missing != 0 || !r.Exact {
		k.t.Errorf("%+v: %d hits of %d, %d missing", q, len(out), r.Total, r.Missing)
	}
	return out
}

func text(s string) core.SearchQuery { return core.SearchQuery{Text: s} }

func talks() book {
	var b book
	for i := range 30 {
		b.Conversations = append(b.Conversations, talk{
			ID: fmt.Sprint("c", i), Title: fmt.Sprintf("About zebra%d", i), At: dayOne, Updated: dayOne,
			Lines: []line{
				{ID: "q", Role: "user", Text: fmt.Sprintf("Where does giraffe%d live, in São Tomé?", i), At: dayOne.Add(time.Duration(i) * time.Hour)},
				{ID: "a", Parent: "q", Role: "assistant", Text: "In a zoo, a quiet zoo.", At: dayOne.Add(time.Duration(i) * time.Hour)},
			},
			Memories: []statement{{Key: fmt.Sprint("k", i), Text: fmt.Sprintf("User keeps %d okapis%d", i, i), Message: "q", At: dayOne}},
		})
	}
	return b
}

// TestSearch: what is in the vault is found, in all its kinds, and what leaves
// it is not.
func TestSearch(t *testing.T) {
	k := fresh(t)
	k.imports(k.write("a.zip", talks()))
	message := k.finds(text("giraffe7"))
	if len(message) != 1 || !strings.HasPrefix(message[0], core.FoundMessage) {
		t.Fatalf("%v", message)
	}
	if got := k.finds(text("zebra7")); len(got) != 1 || !strings.HasPrefix(got[0], core.FoundConversation) {
		t.Errorf("%v", got)
	}
	found := k.finds(text("okapis7"))
	if len(found) != 1 || !strings.HasPrefix(found[0], core.FoundMemory) {
		t.Fatalf("%v", found)
	}
	id := strings.TrimPrefix(found[0], core.FoundMemory+" ")
	k.later(time.Hour)
	ok(k.EditMemory(ctx, id, core.MemoryEdit{Content: to("Keeps one quagga")}))
	if a, b := k.finds(text("okapis7")), k.finds(text("quagga")); len(a) != 0 || len(b) != 1 {
		t.Errorf("after an edit: %v, %v", a, b)
	}
	ok(k.Undo(ctx))
	if a, b := k.finds(text("okapis7")), k.finds(text("quagga")); len(a) != 1 || len(b) != 0 {
		t.Errorf("after undoing it: %v, %v", a, b)
	}
	ok(k.Undo(ctx))
	if got := k.finds(text("zebra7 OR giraffe7 OR okapis7")); len(got) != 0 {
		t.Errorf("after undoing the import: %v", got)
	}
}

// TestSearchFilters: filters typed and set, phrases read from the vault, and
// limits.
func TestSearchFilters(t *testing.T) {
	k := fresh(t)
	k.imports(k.write("a.zip", talks()))
	ok(k.AddMemory(ctx, core.NewMemory{Type: memory.Goal, Content: "See giraffe7 in its country", Tags: []string{"travel", "Far Áway"}}))
	ok(k.AddMemory(ctx, core.NewMemory{Type: memory.Project, Content: "The balcony faces south", Tags: []string{"Balcony Garden"}}))
	for query, want := range map[string]int{
		`tag:"Far Áway"`:                       1,
		"tag:far-away":                         1,
		`project:"balcony garden"`:             1,
		"project:travel":                       0,
		`"country travel"`:                     0, // a tag is none of the words
		"giraffe7":                             2,
		"giraffe7 type:goal":                   1,
		"giraffe7 tag:travel":                  1,
		"giraffe7 status:retracted":            0,
		"giraffe7 platform:parrot":             1,
		"giraffe7 in:messages":                 1,
		"giraffe7 -country":                    1,
		`"sao tome" giraffe7`:                  1,
		`"tome sao"`:                           0,
		`"quiet zoo" giraffe7`:                 0,
		"type:goal":                            1,
		"giraffe7 before:2026":                 0,
		"okapis1*":                             11,
		"(okapis1 OR okapis2) platform:parrot": 2,
	} {
		if got := k.finds(text(query)); len(got) != want {
			t.Errorf("%s: %v, want %d", query, got, want)
		}
	}
	for name, c := range map[string]struct {
		q    core.SearchQuery
		want int
	}{
		"memories":  {core.SearchQuery{Text: "giraffe7", In: "memories"}, 1},
		"messages":  {core.SearchQuery{Text: "giraffe7", In: "messages"}, 1},
		"platform":  {core.SearchQuery{Text: "giraffe7", Platforms: []string{"parrot"}}, 1},
		"since":     {core.SearchQuery{Text: "quiet", Since: dayOne.Add(25 * time.Hour)}, 5},
		"until":     {core.SearchQuery{Text: "quiet", Until: dayOne.Add(3 * time.Hour)}, 3},
		"as typed":  {core.SearchQuery{Text: "okapi", AsYouType: true, Limit: 200}, 30},
		"not typed": {core.SearchQuery{Text: "xyzzyx"}, 0},
	} {
		if got := k.finds(c.q); len(got) != c.want {
			t.Errorf("%s: %d, want %d", name, len(got), c.want)
		}
	}
	for _, c := range []struct {
		query string
		of    []core.Category
		want  int
	}{
		{"giraffe7", []core.Category{"learned_context"}, 1},
		{"giraffe7", []core.Category{"conversation", "preference"}, 1},
		{"giraffe7", []core.Category{"work_pattern"}, 0},
		{"giraffe7 category:learned_context,conversation", nil, 2},
	} {
		if got := k.finds(core.SearchQuery{Text: c.query, Categories: c.of}); len(got) != c.want {
			t.Errorf("%s in %v: %v, want %d", c.query, c.of, got, c.want)
		}
	}
	r := ok(k.Search(ctx, core.SearchQuery{Text: "live", Limit: 7, Offset: 25}))
	if len(r.Hits) != 5 || r.Total != 30 {
		t.Errorf("%d hits of %d", len(r.Hits), r.Total)
	}
	if got := r.Hits[0].Snippet; len(got) != 3 || got[1].Text != "live" || !got[1].Marked {
		t.Errorf("%+v", got)
	}
	_, err := k.Search(ctx, core.SearchQuery{Text: "x", In: "attic"})
	if fault.CodeOf(err) != fault.Invalid {
		t.Error(err)
	}
}

// TestLeastScore: the best hit has the score 1, on every page, and those below
// the least score are neither shown nor counted.
func TestLeastScore(t *testing.T) {
	k := fresh(t)
	for _, said := range []string{"okapi okapi okapi okapi", "okapi and a zebra", "one okapi in a zoo far away, behind walls and under trees that nobody planted"} {
		ok(k.AddMemory(ctx, core.NewMemory{Type: memory.Fact, Content: said}))
	}
	k.finds(text("okapi"))
	all := ok(k.Search(ctx, text("okapi"))).Hits
	if len(all) != 3 || all[0].Score != 1 || all[1].Score >= 1 || all[2].Score >= all[1].Score || all[2].Score <= 0 {
		t.Fatalf("%+v", all)
	}
	if page := ok(k.Search(ctx, core.SearchQuery{Text: "okapi", Offset: 1})).Hits; page[0].Score != all[1].Score {
		t.Errorf("%v on the second page, %v on the first", page[0].Score, all[1].Score)
	}
	for least, want := range map[float64]int{0: 3, all[2].Score - 0.001: 3, all[1].Score - 0.001: 2, 1: 1} {
		for _, query := range []string{"okapi", `okapi "okapi"`} {
			if got := k.finds(core.SearchQuery{Text: query, MinScore: least}); len(got) != want {
				t.Errorf("%s at least %v: %d, want %d", query, least, len(got), want)
			}
		}
	}
	if got := ok(k.Search(ctx, core.SearchQuery{Text: "type:fact", MinScore: 1})); got.Total != 3 || got.Hits[2].Score != 1 {
		t.Errorf("filters alone: %+v", got)
	}
	for _, least := range []float64{-0.1, 1.1, math.NaN()} {
		if _, err := k.Search(ctx, core.SearchQuery{Text: "okapi", MinScore: least}); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%v: %v", least, err)
		}
	}
}

// TestSearchCatchesUp: an index that was lost, damaged or left behind is made
// good at the next unlock, without a word to anybody.
func TestSearchCatchesUp(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"lost":    os.Remove,
		"damaged": func(path string) error { return flip(path) },
		"older":   func(string) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			k := fresh(t)
			k.imports(k.write("a.zip", talks()))
			k.finds(text("giraffe1"))
			if name == "older" {
				path := filepath.Join(k.cfg.VaultDir, "index.db")
				if err := k.Lock(ctx); err != nil {
					t.Fatal(err)
				}
				old, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				k.reopen()
				ok(k.AddMemory(ctx, core.NewMemory{Type: memory.Fact, Content: "quagga"}))
				k.finds(text("quagga"))
				spoil = func(path string) error { return os.WriteFile(path, old, 0o600) }
			} else {
				ok(k.AddMemory(ctx, core.NewMemory{Type: memory.Fact, Content: "quagga"}))
			}
			if err := k.Lock(ctx); err != nil {
				t.Fatal(err)
			}
			if err := spoil(filepath.Join(k.cfg.VaultDir, "index.db")); err != nil {
				t.Fatal(err)
			}
			k.reopen()
			if a, b := k.finds(text("quagga")), k.finds(text("giraffe3")); len(a) != 1 || len(b) != 1 {
				t.Errorf("%v, %v", a, b)
			}
		})
	}
}

// flip changes a byte in every page of a file.
func flip(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for i := 4096*2 + 1000; i < len(text); i += 4096 {
		text[i] ^= 0x40
	}
	return os.WriteFile(path, text, 0o600)
}

// TestSearchRebuild makes the index again while it is used.
func TestSearchRebuild(t *testing.T) {
	k := fresh(t)
	k.imports(k.write("a.zip", talks()))
	k.finds(text("zoo giraffe1"))
	for range 3 {
		if err := k.RebuildIndex(ctx); err != nil {
			t.Fatal(err)
		}
		if r := ok(k.Search(ctx, text("giraffe3"))); r.Total == 0 && r.Missing == 0 {
			t.Error("nothing is found, and nothing is said to be missing")
		}
		if got := k.finds(text("giraffe3")); len(got) != 1 {
			t.Errorf("%v", got)
		}
	}
}

// Promise: what was put away leaves searches, is counted, and is found by its
// status.
func TestSearchLeavesArchivedOut(t *testing.T) {
	k := fresh(t)
	away := ok(k.AddMemory(ctx, core.NewMemory{Type: memory.Fact, Content: "Has a cello"})).ID
	ok(k.AddMemory(ctx, core.NewMemory{Type: memory.Fact, Content: "Sold the other cello"}))
	found := func(text string) core.SearchResult {
		t.Helper()
		if err := k.WaitForIndex(ctx); err != nil {
			t.Fatal(err)
		}
		return ok(k.Search(ctx, core.SearchQuery{Text: text}))
	}
	if r := found("cello"); r.Total != 2 || r.Archived != 0 {
		t.Fatalf("%d found, %d archived", r.Total, r.Archived)
	}
	ok(k.SetStatus(ctx, away, memory.Archived, ""))
	for text, want := range map[string][2]int{
		"cello": {1, 1}, "cello status:archived": {1, 0}, "cello status:active": {1, 0}, "status:archived": {1, 0},
		"cello -status:active": {1, 0}, "has OR sold": {1, 1}, "trumpet": {0, 0},
	} {
		if r := found(text); r.Total != want[0] || r.Archived != want[1] || len(r.Hits) != want[0] {
			t.Errorf("%s: %d found, %d archived", text, r.Total, r.Archived)
		}
	}
}
