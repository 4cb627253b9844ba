package core_test

import (
	"fmt"
	"testing"
	"time"

	"keepsake/backend/chapters"
	"keepsake/backend/core"
	"keepsake/backend/memory"
)

// TestFocus: a chapter is named where more than half of what an assistant remembers is in it, of all or
// of what it was told since a month, and not where it is half, where there are too few memories to say,
// or of what the person wrote here.
func TestFocus(t *testing.T) {
	spoke := func(month, count int, sentence string) (all []statement) {
		for i := range count {
			key := fmt.Sprint(sentence[:8], month, i)
			all = append(all, statement{Key: key, Text: fmt.Sprintf("%s %d.%d", sentence, month, i), At: dayOne.AddDate(0, month, 0).Add(time.Duration(i) * time.Minute)})
		}
		return all
	}
	work := func(month, count int) []statement {
		return spoke(month, count, "User works in the office with colleague")
	}
	home := func(month, count int) []statement {
		return spoke(month, count, "User has a new flat with a garden in street")
	}
	other := func(month, count int) []statement { return spoke(month, count, "User is someone") }
	most := func(chapter chapters.Chapter, count, of int) core.Focus {
		return core.Focus{Platform: "parrot", Chapter: chapter, Count: count, Of: of}
	}
	since := func(month string, f core.Focus, before int) core.Focus { f.Since, f.OfBefore = month, before; return f }
	for name, one := range map[string]struct {
		told [][]statement
		want []core.Focus
	}{
		"more than half":      {[][]statement{work(0, 6), other(0, 5)}, []core.Focus{most(chapters.Work, 6, 11)}},
		"half":                {[][]statement{work(0, 6), other(0, 6)}, []core.Focus{}},
		"too few":             {[][]statement{work(0, 9)}, []core.Focus{}},
		"most without a word": {[][]statement{other(0, 20)}, []core.Focus{}},
		"since a month": {[][]statement{work(0, 10), home(3, 4), other(3, 1), home(4, 1)}, []core.Focus{
			most(chapters.Work, 10, 16), since("2026-06", most(chapters.Home, 5, 6), 10)}},
		"since a month, told before as well": {[][]statement{work(0, 8), home(0, 4), home(3, 5)}, []core.Focus{most(chapters.Home, 9, 17)}},
		"since a month, too few":             {[][]statement{work(0, 10), home(3, 4)}, []core.Focus{most(chapters.Work, 10, 14)}},
	} {
		t.Run(name, func(t *testing.T) {
			k := fresh(t)
			var b book
			for _, some := range one.told {
				b.Memories = append(b.Memories, some...)
			}
			k.imports(k.write("a.zip", b))
			for range 12 {
				ok(k.AddMemory(ctx, core.NewMemory{Type: memory.Fact, Content: "I keep bees in the garden."}))
			}
			k.later(5 * 30 * 24 * time.Hour)
			equal(t, one.want, ok(k.Insights(ctx)).Focus)
		})
	}
}
