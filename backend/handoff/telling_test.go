package handoff

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/memory"
)

// TestGroupsTakeTurns holds that each group is in the order of what its lines tell, that ids
// decide between equals, and that the first of each group come before any second.
func TestGroupsTakeTurns(t *testing.T) {
	ranks := []Rank{
		{memory.Project, 0.9, "boat"}, {memory.Goal, 0.95, "race"}, {memory.Fact, 0.2, "tram"}, {memory.Identity, 0.8, "name"},
		{memory.Preference, 0.8, "mugs"}, {memory.Instruction, 0.1, "short"}, {memory.Skill, 0.3, "knots"},
	}
	for range 5 {
		slices.Reverse(ranks[1:])
		Order(ranks, func(r Rank) Rank { return r })
		var ids []string
		for _, r := range ranks {
			ids = append(ids, r.ID)
		}
		if want := []string{"mugs", "short", "race", "name", "boat", "knots", "tram"}; !slices.Equal(ids, want) {
			t.Fatalf("%v, want %v", ids, want)
		}
	}
}

// TestEachFigureTells holds that each figure counts, importance most and newness least, and
// that what tells is from 0 to 1.
func TestEachFigureTells(t *testing.T) {
	half := Figures{0.5, 0.5, 0.5, 0.5}
	var by []float64
	for _, f := range []Figures{{1, 0.5, 0.5, 0.5}, {0.5, 0.5, 1, 0.5}, {0.5, 1, 0.5, 0.5}, {0.5, 0.5, 0.5, 1}} {
		by = append(by, f.Telling()-half.Telling())
	}
	if !slices.IsSortedFunc(by, func(a, b float64) int { return -int(math.Copysign(1, a-b)) }) || by[3] <= 0 {
		t.Errorf("a half more of importance, of specific words, of confidence and of newness give %v", by)
	}
	if all, none := (Figures{1, 1, 1, 1}).Telling(), (Figures{}).Telling(); math.Abs(all-1) > 1e-9 || none != 0 {
		t.Errorf("from %v to %v", none, all)
	}
	now := memory.At(day1)
	if Newness(now, now) != 1 || math.Abs(Newness(memory.At(day1.AddDate(-1, 0, 0)), now)-0.5) > 0.01 || Newness(memory.At(day1.AddDate(1, 0, 0)), now) != 1 {
		t.Error("newness does not halve with a year")
	}
}

// TestRareWordsNamesAndNumbersTell holds it for lines of one vault: each is more specific
// than the one before it.
func TestRareWordsNamesAndNumbersTell(t *testing.T) {
	var v Vocabulary
	lines := []string{
		"Likes tea", "Likes oolong tea", "Likes oolong tea in the morning",
		"Likes oolong tea in the morning with Lúcia", "Likes oolong tea in the morning with Lúcia at 7",
	}
	var words []Words
	for _, line := range lines {
		words = append(words, v.Add(line))
	}
	for i := range 60 {
		v.Add(fmt.Sprintf("Likes tea with a spoon of sort %c in the morning", 'a'+i%20))
	}
	for i := 1; i < len(lines); i++ {
		if v.Specific(words[i]) <= v.Specific(words[i-1]) {
			t.Errorf("%q tells %.3f, %q %.3f", lines[i], v.Specific(words[i]), lines[i-1], v.Specific(words[i-1]))
		}
	}
	if long := v.Add(strings.Repeat("Likes tea with a spoon in the morning ", 5) + "oolong Lúcia at 7"); v.Specific(long) > 1.1*v.Specific(words[4]) {
		t.Errorf("a long text tells %.3f, a short one with the same rare words %.3f", v.Specific(long), v.Specific(words[4]))
	}
	if s := v.Specific(v.Add("")); s != 0 {
		t.Errorf("no words tell %v", s)
	}
	if got := len(v.Add("茶が好きです")); got != 6 {
		t.Errorf("%d words of Japanese", got)
	}
}
