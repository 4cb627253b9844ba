package search_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"keepsake/backend/search"
)

func nothing() iter.Seq[search.Unit] { return slices.Values([]search.Unit(nil)) }

func one(text string) iter.Seq[search.Doc] { return slices.Values([]search.Doc{{Text: text}}) }

func total(t *testing.T, ix *search.Index, typed string) int {
	t.Helper()
	res, err := ix.Search(context.Background(), parse(t, typed), search.SearchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return res.Total
}

func TestOnlyTheBeginningOfALongTextIsIndexed(t *testing.T) {
	ix := open(t, newStore(), search.Options{})
	ix.Sync(nothing())
	text := "first " + strings.Repeat("lorem ipsum ", 64<<20/12) + "last"
	if err := ix.Put(search.Unit{Kind: search.Memory, Seq: 1, Mark: 1}, one(text)); err != nil {
		t.Fatal(err)
	}
	if total(t, ix, "first") != 1 || total(t, ix, "last") != 0 {
		t.Error("not the beginning only")
	}
	if st := ix.Stats(); st.Cut != 1 || st.LiveBytes > 1<<20 {
		t.Errorf("%+v", st)
	}
	solid := strings.Repeat("é", search.MaxText)
	if err := ix.Put(search.Unit{Kind: search.Memory, Seq: 1, Mark: 2}, one(solid)); err != nil {
		t.Fatal(err)
	}
	if total(t, ix, "first") != 0 || total(t, ix, "eeee*") != 1 {
		t.Error("the replacement is not found")
	}
}

func TestAUnitMayHaveVeryManyDocuments(t *testing.T) {
	store := newStore()
	ix := open(t, store, search.Options{LiveBytes: 2 << 20})
	ix.Sync(nothing())
	const n = 200_000
	u := search.Unit{Kind: search.Conversation, Seq: 9, Mark: 1}
	err := ix.Put(u, func(yield func(search.Doc) bool) {
		for i := range uint32(n) {
			if i%50_000 == 0 && total(t, ix, "all") != 0 {
				t.Error("a part of a unit is found before the whole is there")
			}
			if !yield(search.Doc{Part: 2 * i, Time: int64(i), Text: fmt.Sprintf("all of them number%d", i)}) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := ix.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	ix = open(t, store, search.Options{})
	if again := ix.Sync(slices.Values([]search.Unit{u})); len(again) > 0 {
		t.Error("a unit in pieces is not recognised")
	}
	mergeAll(t, ix)
	res, err := ix.Search(context.Background(), parse(t, "number199999"), search.SearchOptions{})
	if err != nil || len(res.Hits) != 1 || res.Hits[0].Part != 2*199_999 || total(t, ix, "all") != n {
		t.Errorf("%+v, %v", res, err)
	}
	ix = open(t, store, search.Options{})
	if again := ix.Sync(slices.Values([]search.Unit{u})); len(again) > 0 || ix.Stats().Units != 1 {
		t.Error("a merged unit in pieces is not recognised")
	}
	if store.largest > 8<<20 {
		t.Errorf("a transaction of %d bytes", store.largest)
	}
}

func TestVeryManyUnitsOfOneDocument(t *testing.T) {
	const n = 100_000
	store := newStore()
	ix := open(t, store, search.Options{})
	units := func(yield func(search.Unit) bool) {
		for i := range uint64(n) {
			if !yield(search.Unit{Kind: search.Memory, Seq: i, Mark: i ^ 77}) {
				return
			}
		}
	}
	for _, u := range ix.Sync(units) {
		if err := ix.Put(u, one(fmt.Sprintf("memory number%d", u.Seq))); err != nil {
			t.Fatal(err)
		}
	}
	if err := ix.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	if st := ix.Stats(); st.Segments > 12 {
		t.Errorf("%+v: too many segments for a bulk", st)
	}
	ix = open(t, store, search.Options{})
	if again := ix.Sync(units); len(again) != 0 || total(t, ix, "memory") != n {
		t.Errorf("%d to be indexed again", len(again))
	}
}

func TestSmallEditsStayInMemoryUntilThereAreMany(t *testing.T) {
	store := newStore()
	ix := open(t, store, search.Options{LiveUnits: 10, LiveBytes: 600 << 10})
	ix.Sync(nothing())
	for i := range uint64(200) {
		if err := ix.Put(search.Unit{Kind: search.Memory, Seq: i % 3, Mark: i}, one(fmt.Sprintf("edit%d", i))); err != nil {
			t.Fatal(err)
		}
	}
	if len(store.blocks) > 0 || ix.Stats().LiveDocs != 200 || ix.Stats().Docs != 3 {
		t.Errorf("%+v", ix.Stats())
	}
	for i := range uint64(2000) {
		if err := ix.Put(search.Unit{Kind: search.Memory, Seq: i % 3, Mark: i}, one(fmt.Sprintf("more edits of all sorts, edit%d", i))); err != nil {
			t.Fatal(err)
		}
	}
	if ix.Stats().Segments == 0 {
		t.Errorf("%+v", ix.Stats())
	}
}

func TestAnIterationThatPanicsLeavesNothing(t *testing.T) {
	ix := open(t, newStore(), search.Options{})
	ix.Sync(nothing())
	func() {
		defer func() { _ = recover() }()
		_ = ix.Put(search.Unit{Kind: search.Memory, Seq: 1, Mark: 1}, func(yield func(search.Doc) bool) {
			yield(search.Doc{Text: "half"})
			panic("the vault is gone")
		})
	}()
	if err := ix.Put(search.Unit{Kind: search.Memory, Seq: 2, Mark: 1}, one("whole")); err != nil {
		t.Fatal(err)
	}
	if total(t, ix, "half") != 0 || total(t, ix, "whole") != 1 {
		t.Error("half a unit is found")
	}
}

func TestPhrasesStreamAndCanBeCutShort(t *testing.T) {
	ix := open(t, newStore(), search.Options{})
	ix.Sync(nothing())
	texts := map[uint64]string{}
	for i := range uint64(300) {
		texts[i] = []string{"red green", "green red"}[i%2]
		if err := ix.Put(search.Unit{Kind: search.Memory, Seq: i, Mark: 1}, slices.Values([]search.Doc{{Time: int64(i + 1), Text: texts[i]}})); err != nil {
			t.Fatal(err)
		}
	}
	var reads atomic.Int64
	opt := search.SearchOptions{Limit: 10, Text: func(_ context.Context, _ search.Kind, seq uint64, _ uint32) (string, error) {
		reads.Add(1)
		return texts[seq], nil
	}}
	streamed := 0
	opt.Each = func(search.Hit) { streamed++ }
	res, err := ix.Search(context.Background(), parse(t, `"red green"`), opt)
	if err != nil || res.Total != 150 || !res.Exact || streamed != 10 || reads.Load() != 300 {
		t.Errorf("%d of %v, %d streamed, %d read, %v", res.Total, res.Exact, streamed, reads.Load(), err)
	}
	var told []uint64
	opt.Each = func(h search.Hit) { told = append(told, h.Seq) }
	kept := texts[7] // green red
	if err := ix.Put(search.Unit{Kind: search.Memory, Seq: 7, Mark: 2}, slices.Values([]search.Doc{{Time: 1, Text: "blue"}})); err != nil {
		t.Fatal(err)
	}
	if res, err = ix.Search(context.Background(), parse(t, `blue OR "red green"`), opt); err != nil || res.Total != 151 || len(told) != 10 || told[0] != 7 {
		t.Errorf("%d, told of %v, %v", res.Total, told, err)
	}
	if err := ix.Put(search.Unit{Kind: search.Memory, Seq: 7, Mark: 3}, slices.Values([]search.Doc{{Time: 8, Text: kept}})); err != nil {
		t.Fatal(err)
	}
	opt.Each = nil
	reads.Store(0)
	opt.Verify = 40
	res, err = ix.Search(context.Background(), parse(t, `"red green"`), opt)
	if err != nil || res.Total != 20 || res.Exact || reads.Load() != 40 || res.Hits[0].Seq != 298 {
		t.Errorf("%+v, %d read, %v", res, reads.Load(), err)
	}
	reads.Store(0)
	opt.Limit = 50 // more than are in the first 40
	res, err = ix.Search(context.Background(), parse(t, `"red green"`), opt)
	if err != nil || res.Total < 50 || len(res.Hits) != 50 {
		t.Errorf("a page is not filled: %d of %d, %d read, %v", len(res.Hits), res.Total, reads.Load(), err)
	}
	res, err = ix.Search(context.Background(), parse(t, `"red green"`), search.SearchOptions{})
	if err != nil || res.Total != 300 || res.Exact {
		t.Errorf("without texts: %d of %v, %v", res.Total, res.Exact, err)
	}
	opt = search.SearchOptions{Text: func(context.Context, search.Kind, uint64, uint32) (string, error) { return "", errStore }}
	if _, err = ix.Search(context.Background(), parse(t, `"red green"`), opt); !errors.Is(err, errStore) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	opt.Text = func(context.Context, search.Kind, uint64, uint32) (string, error) { cancel(); return "x", nil }
	if _, err = ix.Search(ctx, parse(t, `"red green"`), opt); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestStoppedWorkLeavesNothingBehind(t *testing.T) {
	v, store := newVault(31, 200), newStore()
	ix := open(t, store, small)
	v.catchUp(t, ix)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := ix.Flush(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := ix.Flush(context.Background()); err != nil {
		t.Error(err)
	}
	for len(store.blocks) > 0 { // until there is nothing to merge
		if _, err := ix.Merge(ctx); err == nil {
			break
		} else if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if left := unreachable(store); left != "" {
			t.Fatal(left)
		}
		if more, err := ix.Merge(context.Background()); !more || err != nil {
			t.Fatal(more, err)
		}
	}
	v.compare(t, "in the end", ix, 40)
	if _, err := ix.Search(ctx, parse(t, "день"), search.SearchOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := search.Open(ctx, store, small); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestFiltersAreAnsweredByTheCaller(t *testing.T) {
	ix := open(t, newStore(), search.Options{})
	ix.Sync(nothing())
	if _, err := ix.Search(context.Background(), parse(t, "tag:x"), search.SearchOptions{}); err == nil {
		t.Error("a filter that nobody answers")
	}
	ix = open(t, newStore(), search.Options{Field: field})
	ix.Sync(nothing())
	if _, err := ix.Search(context.Background(), parse(t, "a (b OR -role:user)"), search.SearchOptions{}); err == nil || err.Error() != "no filter role" {
		t.Error(err)
	}
}

func TestAnyPageMayBeAskedFor(t *testing.T) {
	ix := open(t, newStore(), search.Options{})
	ix.Sync(nothing())
	if err := ix.Put(search.Unit{Kind: search.Memory, Seq: 1, Mark: 1}, one("zebra")); err != nil {
		t.Fatal(err)
	}
	for _, opt := range []search.SearchOptions{{Offset: math.MaxInt}, {Limit: math.MaxInt}, {Offset: math.MaxInt, Limit: math.MaxInt}, {Offset: math.MinInt, Limit: math.MinInt}} {
		res, err := ix.Search(context.Background(), parse(t, "zebra"), opt)
		if err != nil || res.Total != 1 || len(res.Hits) > 0 != (opt.Offset <= 0) {
			t.Errorf("%+v: %+v, %v", opt, res, err)
		}
	}
}

// TestWhatIsGoneMakesNoWordCommon: a word of which all documents but a few were
// taken away is rare again, before any merge.
func TestWhatIsGoneMakesNoWordCommon(t *testing.T) {
	ix := open(t, newStore(), search.Options{})
	ix.Sync(nothing())
	for i := range uint64(6) {
		text := "recieve"
		if i == 0 {
			text = "receive"
		}
		if err := ix.Put(search.Unit{Kind: search.Memory, Seq: i, Mark: 1}, one(text)); err != nil {
			t.Fatal(err)
		}
	}
	if got := total(t, ix, "recieve"); got != 5 {
		t.Errorf("a common word is widened: %d", got)
	}
	for i := uint64(1); i < 6; i++ {
		ix.Drop(search.Memory, i)
		if got, want := total(t, ix, "recieve"), int(5-i); got != want+min(1, max(0, 3-want)) {
			t.Errorf("with %d left: %d", want, got)
		}
	}
}

func TestNoPhraseStandsAcrossABreak(t *testing.T) {
	text := "red" + search.Break + "green blue"
	whole := search.SearchOptions{Text: func(context.Context, search.Kind, uint64, uint32) (string, error) { return text, nil }}
	for typed, want := range map[string]int{`"red green"`: 0, `"green blue"`: 1, `"re*`: 1, `"red gre*"`: 0, "red green": 1} {
		if res := find(t, []string{text}, typed, whole); res.Total != want {
			t.Errorf("%s: %d", typed, res.Total)
		}
	}
	if got := marked(search.Excerpt(text, parse(t, `"red green" OR "green blue"`), 0)); got != "red [green blue]" {
		t.Error(got)
	}
}
