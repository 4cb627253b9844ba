package core_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/memory"
)

// TestSearchTellsMeanwhile: a search for a phrase that takes a while tells what it has
// found by then, the best first, and each time more; the answer holds all of it.
func TestSearchTellsMeanwhile(t *testing.T) {
	k := fresh(t)
	var b book
	for i := range 60 {
		c := talk{ID: fmt.Sprint("c", i), Title: "Zoo", At: dayOne, Updated: dayOne}
		for n := range 50 {
			c.Lines = append(c.Lines, line{ID: fmt.Sprint("q", n), Role: "user", Text: fmt.Sprintf("A %d quiet zoo.", i*50+n), At: dayOne.Add(time.Duration(i*50+n) * time.Minute)})
		}
		b.Conversations = append(b.Conversations, c)
	}
	b.Conversations[0].Memories = []statement{{Key: "k", Text: "User loves the quiet zoo", Message: "q0", At: dayOne}}
	k.imports(k.write("a.zip", b))
	ok(k.SetStatus(ctx, strings.TrimPrefix(k.finds(text("loves"))[0], core.FoundMemory+" "), memory.Archived, ""))
	if err := k.WaitForIndex(ctx); err != nil {
		t.Fatal(err)
	}
	calls := 0
	for range 200 { // a fast machine may be through before anything can be told
		told := 0
		q := core.SearchQuery{Text: `"quiet zoo"`, Limit: 200, Patience: time.Nanosecond}
		q.Meanwhile = func(part core.SearchResult) {
			calls++
			if len(part.Hits) <= told || part.Total != len(part.Hits) || part.Exact || part.Hits[0].Score != 1 || len(part.Hits[0].Snippet) < 2 {
				t.Errorf("told of %d after %d: %+v", len(part.Hits), told, part)
			}
			if part.Archived != 1 || slices.ContainsFunc(part.Hits, func(h core.Hit) bool { return h.Kind == core.FoundMemory }) {
				t.Errorf("told of what was put away: %+v", part)
			}
			for i := range part.Hits[1:] {
				if part.Hits[i].Score < part.Hits[i+1].Score {
					t.Error("not the best first")
				}
			}
			told = len(part.Hits)
		}
		got, err := k.Search(ctx, q)
		if err != nil || got.Total != 3000 || !got.Exact || len(got.Hits) != 200 {
			t.Fatalf("%d of %d, %v, %v", len(got.Hits), got.Total, got.Exact, err)
		}
		if calls > 2 {
			break
		}
	}
	if calls == 0 {
		t.Error("nothing was told meanwhile")
	}
	quiet := core.SearchQuery{Text: `"quiet zoo"`, Offset: 20, Patience: time.Nanosecond, Meanwhile: func(core.SearchResult) { t.Error("told of a page further on") }}
	ok(k.Search(ctx, quiet))
	stopped, stop := context.WithCancel(ctx)
	stop()
	if _, err := k.Search(stopped, core.SearchQuery{Text: `"quiet zoo"`, Meanwhile: func(core.SearchResult) { t.Error("told after it was stopped") }}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
