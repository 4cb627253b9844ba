package search_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"keepsake/backend/search"
)

// TestScoresAreBM25 compares the ranking of an index without tombs with BM25
// worked out from the texts.
func TestScoresAreBM25(t *testing.T) {
	v := newVault(11, 400)
	ix := open(t, newStore(), small)
	v.catchUp(t, ix)
	v.change(t, ix, 100)
	if err := ix.Purge(context.Background()); err != nil {
		t.Fatal(err)
	}
	mergeAll(t, ix)
	all := newStatistics(v)
	for _, asked := range [][]string{
		{"café"}, {"привет", "день"}, {"κόσμος", "OR", "нового", "OR", "новый"}, {"cafe*"}, {"gar*", "OR", "سلام"}, {"日本"}, {"नमस्ते", "-день"}, {"nosuchword"},
	} {
		res, err := ix.Search(context.Background(), parse(t, strings.Join(asked, " ")), search.SearchOptions{Limit: 1 << 20, Exactly: true})
		if err != nil {
			t.Fatal(err)
		}
		before := search.Hit{Kind: search.Memory, Score: math.Inf(1)}
		for _, h := range res.Hits {
			if want := all.score(docID{unitID{h.Kind, h.Seq}, h.Part}, asked); math.Abs(h.Score-want) > 1e-4*want {
				t.Errorf("%s: %+v; BM25 is %f", asked, h, want)
			}
			if inOrder(before, h) > 0 {
				t.Errorf("%s: %+v after %+v", asked, h, before)
			}
			before = h
		}
	}
}

// statistics is what BM25 needs of all texts.
type statistics struct {
	docs    map[docID]*reading
	average float64
}

func newStatistics(v *vault) *statistics {
	s := &statistics{docs: map[docID]*reading{}}
	for u, r := range v.units {
		for i, d := range r.docs {
			s.docs[docID{u, d.Part}] = r.read[i]
			s.average += search.Length(r.read[i].words)
		}
	}
	s.average /= float64(len(s.docs))
	return s
}

// score is BM25 with k1 1.2 and b 0.75. A prefix is a word that each document
// holds as often as all its terms, and its df is the sum of theirs.
func (s *statistics) score(id docID, asked []string) (sum float64) {
	for _, w := range asked {
		if w == "OR" || w[0] == '-' {
			continue
		}
		bare, isPrefix := strings.CutSuffix(w, "*")
		term := search.Words(bare)[0].Term
		df, tf := 0, 0
		for other, r := range s.docs {
			for have, n := range r.terms {
				if have == term || isPrefix && strings.HasPrefix(have, term) {
					df++
					if other == id {
						tf += n
					}
				}
			}
		}
		length := search.Length(s.docs[id].words)
		sum += search.Idf(len(s.docs), min(df, len(s.docs))) * float64(tf) * 2.2 / (float64(tf) + 1.2*(0.25+0.75*length/s.average))
	}
	return sum
}

func TestHitsCanBePaged(t *testing.T) {
	v := newVault(3, 300)
	ix := open(t, newStore(), small)
	v.catchUp(t, ix)
	for _, typed := range []string{"день OR cafe", "in:memories", "-cafe"} {
		ask := func(offset, limit int) search.Results {
			res, err := ix.Search(context.Background(), parse(t, typed), search.SearchOptions{Offset: offset, Limit: limit})
			if err != nil {
				t.Fatal(err)
			}
			return res
		}
		all := ask(0, 100_000).Hits
		var paged []search.Hit
		for len(paged) < len(all) {
			page := ask(len(paged), 7)
			if page.Total != len(all) || len(page.Hits) == 0 {
				t.Fatalf("%s: a page of %d, total %d of %d", typed, len(page.Hits), page.Total, len(all))
			}
			paged = append(paged, page.Hits...)
		}
		if !slices.Equal(paged, all) {
			t.Errorf("%s: pages differ from the whole", typed)
		}
		if past := ask(len(all)+5, 7); len(past.Hits) != 0 || past.Total != len(all) {
			t.Errorf("%s: %d hits beyond the last", typed, len(past.Hits))
		}
	}
}

func TestFiltersAloneListTheNewestFirst(t *testing.T) {
	v := newVault(4, 200)
	ix := open(t, newStore(), small)
	v.catchUp(t, ix)
	res, err := ix.Search(context.Background(), parse(t, "tag:red in:memories"), search.SearchOptions{Limit: 1000})
	if err != nil || len(res.Hits) == 0 {
		t.Fatal(res, err)
	}
	if !slices.IsSortedFunc(res.Hits, func(a, b search.Hit) int { return int(b.Time - a.Time) }) {
		t.Error("not the newest first")
	}
	res, err = ix.Search(context.Background(), parse(t, "день"), search.SearchOptions{Limit: 1000, Kinds: []search.Kind{search.Memory}})
	if err != nil || len(res.Hits) == 0 || slices.ContainsFunc(res.Hits, func(h search.Hit) bool { return h.Kind != search.Memory }) {
		t.Error(res, err)
	}
}

// TestAnyCrashIsMadeGood stops the store at every operation of a short life, and
// goes on with what is in it.
func TestAnyCrashIsMadeGood(t *testing.T) {
	life := func(v *vault, store *memStore) error {
		ix, err := search.Open(context.Background(), store, small)
		if err != nil {
			return err
		}
		for _, u := range ix.Sync(v.list()) {
			if err := ix.Put(u, slices.Values(v.units[unitID{u.Kind, u.Seq}].docs)); err != nil {
				return err
			}
		}
		for range 2 {
			v.changeUnseen(20)
			for _, u := range ix.Sync(v.list()) {
				if err := ix.Put(u, slices.Values(v.units[unitID{u.Kind, u.Seq}].docs)); err != nil {
					return err
				}
			}
			if err := ix.Flush(context.Background()); err != nil {
				return err
			}
			if _, err := ix.Merge(context.Background()); err != nil {
				return err
			}
		}
		return ix.Purge(context.Background())
	}
	for n, crashed := 1, true; crashed; n++ {
		v, store := newVault(21, 60), newStore()
		v.long(400)
		store.failAt = n
		err := life(v, store)
		crashed = err != nil
		if crashed && !errors.Is(err, errStore) {
			t.Fatalf("operation %d: %v", n, err)
		}
		store.failAt = 0
		ix := open(t, store, small)
		v.catchUp(t, ix)
		v.compare(t, fmt.Sprintf("after a crash at operation %d", n), ix, 12)
		if err := ix.Purge(context.Background()); err != nil {
			t.Fatal(err)
		}
		v.compare(t, fmt.Sprintf("and a purge after operation %d", n), ix, 6)
		if left := unreachable(store); left != "" {
			t.Fatalf("after a crash at operation %d: %s", n, left)
		}
	}
}

// unreachable tells of blocks that belong to no segment.
func unreachable(store *memStore) string {
	roots := map[string]bool{}
	for k := range store.blocks {
		if k[0] == 0 {
			roots[k[1:9]] = true
		}
	}
	for k := range store.blocks {
		if !roots[k[1:9]] {
			return fmt.Sprintf("block %x belongs to no segment", k)
		}
	}
	return ""
}

// TestAnIndexGoesOnAfterAFailedFlush lets the store fail once, in the middle.
func TestAnIndexGoesOnAfterAFailedFlush(t *testing.T) {
	for n := 1; n < 40; n++ {
		v, store := newVault(22, 80), newStore()
		v.long(300)
		ix := open(t, store, small)
		store.failAt = n
		missing := ix.Sync(v.list())
		for i := 0; i < len(missing); {
			u := missing[i]
			if err := ix.Put(u, slices.Values(v.units[unitID{u.Kind, u.Seq}].docs)); err != nil {
				if !errors.Is(err, errStore) {
					t.Fatal(err)
				}
				store.failAt = 0
				continue // put it again
			}
			i++
		}
		v.compare(t, "after a failure", ix, 10)
		v.change(t, ix, 20)
		mergeAll(t, ix)
		v.compare(t, "later", ix, 10)
	}
}

// TestWhatIsNotInTheVaultIsNeverFound holds Search back until Sync.
func TestWhatIsNotInTheVaultIsNeverFound(t *testing.T) {
	v, store := newVault(5, 50), newStore()
	ix := open(t, store, small)
	if _, err := ix.Search(context.Background(), parse(t, "день"), search.SearchOptions{}); !errors.Is(err, search.ErrUnsynced) {
		t.Errorf("a search before Sync: %v", err)
	}
	v.catchUp(t, ix)
	if err := ix.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	ix = open(t, store, small)
	clear(v.units)
	if n := v.catchUp(t, ix); n != 0 {
		t.Errorf("%d units of an empty vault to index", n)
	}
	res, err := ix.Search(context.Background(), parse(t, "-nosuchword"), search.SearchOptions{})
	if err != nil || res.Total != 0 {
		t.Error(res, err)
	}
	if err := ix.Purge(context.Background()); err != nil || len(store.blocks) != 0 {
		t.Errorf("%d blocks left, %v", len(store.blocks), err)
	}
}

// TestADamagedStoreIsNoticed alters, swaps, cuts and removes each block.
func TestADamagedStoreIsNoticed(t *testing.T) {
	v, store := newVault(6, 300), newStore()
	ix := open(t, store, small)
	v.catchUp(t, ix)
	if err := ix.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	whole := maps.Clone(store.blocks)
	keys := slices.Clone(store.keys)
	for _, harm := range []struct {
		name string
		do   func(i int, block []byte) []byte
	}{
		{"altered", func(i int, b []byte) []byte { b[i*31%len(b)] ^= 1 << (i % 8); return b }},
		{"cut", func(i int, b []byte) []byte { return b[:len(b)*2/3] }},
		{"another's", func(i int, b []byte) []byte { return slices.Clone(whole[keys[(i+1)%len(keys)]]) }},
		{"empty", func(int, []byte) []byte { return []byte{} }},
		{"missing", func(int, []byte) []byte { return nil }},
	} {
		for i, key := range keys {
			bad := newStore()
			bad.blocks = maps.Clone(whole)
			if b := harm.do(i, slices.Clone(whole[key])); b == nil {
				delete(bad.blocks, key)
			} else {
				bad.blocks[key] = b
			}
			bad.keys = slices.Sorted(maps.Keys(bad.blocks))
			if err := useAll(bad, v); key[0] == 0 && harm.name == "missing" {
				if err != nil { // without its root a segment is not there, and Sync says so
					t.Errorf("without root %x: %v", key, err)
				}
			} else if !errors.Is(err, search.ErrDamaged) {
				t.Errorf("block %x %s: %v", key, harm.name, err)
			}
			if err := search.Reset(context.Background(), bad); err != nil || len(bad.blocks) > 0 {
				t.Fatalf("reset: %v, %d blocks left", err, len(bad.blocks))
			}
		}
	}
}

// useAll opens an index and reads every block of it.
func useAll(store *memStore, v *vault) error {
	ix, err := search.Open(context.Background(), store, search.Options{Field: field, MergeAt: 2})
	if err != nil {
		return err
	}
	ix.Sync(v.list())
	for range 2 {
		for id := range v.units {
			ix.Drop(id.kind, id.seq)
			break
		}
	}
	for more := true; more && err == nil; {
		more, err = ix.Merge(context.Background())
	}
	return err
}

// TestSearchesGoOnMeanwhile is for the race detector, and sees that a unit that
// is never touched is found at every moment.
func TestSearchesGoOnMeanwhile(t *testing.T) {
	v, store := newVault(7, 200), newStore()
	ix := open(t, store, small)
	v.catchUp(t, ix)
	fixed := search.Unit{Kind: search.Memory, Seq: 1 << 40, Mark: 1}
	if err := ix.Put(fixed, slices.Values([]search.Doc{{Text: "unmoved alpha beta"}})); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var group sync.WaitGroup
	text := func(context.Context, search.Kind, uint64, uint32) (string, error) { return "unmoved alpha beta", nil }
	for i, typed := range []string{"unmoved", `"alpha beta" unmoved`, "unmov* in:memories"} {
		q := parse(t, typed)
		group.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				res, err := ix.Search(context.Background(), q, search.SearchOptions{Text: text})
				if err != nil || res.Total != 1 {
					t.Errorf("%d: %+v, %v", i, res, err)
					return
				}
				ix.Stats()
			}
		})
	}
	group.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				mergeAll(t, ix)
			}
		}
	})
	for range 15 {
		v.change(t, ix, 20)
		if err := ix.Flush(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	group.Wait()
	ix.Drop(fixed.Kind, fixed.Seq)
	v.compare(t, "in the end", ix, 60)
}

// TestABlockOfAnotherMakeNeverPanics changes blocks and gives them checksums
// that fit, as only a store that seals for somebody else could.
func TestABlockOfAnotherMakeNeverPanics(t *testing.T) {
	v, store := newVault(8, 120), newStore()
	ix := open(t, store, small)
	v.catchUp(t, ix)
	if err := ix.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	whole := maps.Clone(store.blocks)
	for range 4000 {
		bad := newStore()
		bad.blocks, bad.keys = maps.Clone(whole), store.keys
		key := store.keys[v.rng.IntN(len(store.keys))]
		b := slices.Clone(whole[key])
		for range 1 + v.rng.IntN(3) {
			b[v.rng.IntN(len(b))] = byte(v.rng.Uint32())
		}
		if v.rng.IntN(4) == 0 {
			b = b[:v.rng.IntN(len(b))]
		}
		bad.blocks[key] = search.Reseal([]byte(key), b)
		if err := useAll(bad, v); err != nil && !errors.Is(err, search.ErrDamaged) {
			t.Fatal(err)
		}
		other, err := search.Open(context.Background(), bad, small)
		if err != nil {
			continue
		}
		other.Sync(v.list())
		for _, typed := range []string{"день", "ca*", "-日本", "in:titles", "привте"} {
			if _, err := other.Search(context.Background(), parse(t, typed), search.SearchOptions{}); err != nil && !errors.Is(err, search.ErrDamaged) {
				t.Fatal(err)
			}
		}
	}
}
