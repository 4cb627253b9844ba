package vectors_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"keepsake/backend/search"
	"keepsake/backend/vectors"
)

const dimensions = 48

var options = vectors.Options{Model: "test", Dimensions: dimensions}

func open(t *testing.T, store search.Store, opt vectors.Options) *vectors.Index {
	t.Helper()
	ix, err := vectors.Open(store, opt)
	if err != nil {
		t.Fatal(err)
	}
	return ix
}

// random returns a vector of length 1. As those of texts, it points somewhat in the direction
// of all others, and varies in few directions more than in many: here those of the columns of a
// fast Walsh-Hadamard transform.
func random(r *rand.Rand, size int) []float32 {
	v := make([]float32, size)
	for i := range v {
		v[i] = float32((r.NormFloat64() + 0.5) / math.Sqrt(float64(i+4)))
	}
	for half := 1; 2*half <= size; half *= 2 {
		for i := range v {
			if i&half == 0 && i+half < size {
				v[i], v[i+half] = v[i]+v[i+half], v[i]-v[i+half]
			}
		}
	}
	return unit(v)
}

func unit(v []float32) []float32 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

func memory(seq uint64) search.Unit { return search.Unit{Kind: search.Memory, Seq: seq, Mark: seq * 7} }

func put(t *testing.T, ix *vectors.Index, u search.Unit, all ...[]float32) {
	t.Helper()
	var parts []vectors.Vector
	for i, v := range all {
		parts = append(parts, vectors.Vector{Part: uint32(i), Numbers: v})
	}
	if err := ix.Put(vectors.Entry{Unit: u, Vectors: parts}); err != nil {
		t.Fatal(err)
	}
}

func flush(t *testing.T, ix *vectors.Index) {
	t.Helper()
	if err := ix.Flush(); err != nil {
		t.Fatal(err)
	}
}

// missing is what Sync returns of units.
func missing(t *testing.T, ix *vectors.Index, units ...search.Unit) []search.Unit {
	t.Helper()
	out, err := ix.Sync(slices.Values(units))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// exact is the cosine of a question and a vector, each less a mean, computed plainly.
func exact(question []float32, own []float64, v []float32, mean []float64) float64 {
	ab, aa, bb := 0.0, 0.0, 0.0
	for i := range v {
		x, y := float64(question[i])-own[i], float64(v[i])-mean[i]
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	return ab / math.Sqrt(aa*bb)
}

func meanOf(all [][]float32) []float64 {
	mean := make([]float64, len(all[0]))
	for _, v := range all {
		for i, x := range v {
			mean[i] += float64(x) / float64(len(all)+100) // the mean of texts in general, zeros here, counts as 100
		}
	}
	return mean
}

// TestNearest compares with the plain computation: the same order where all are compared,
// at least 98 of 100 of the ten nearest where signs choose first. Every other question has a
// mean of its own.
func TestNearest(t *testing.T) {
	for _, c := range []struct {
		count, size int
		recall      float64
	}{{500, dimensions, 1}, {20_000, 256, 0.98}} {
		t.Run(fmt.Sprint(c.count), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			ix := open(t, memStore{}, vectors.Options{Model: "test", Dimensions: c.size})
			var all [][]float32
			var entries []vectors.Entry
			for i := range c.count {
				all = append(all, random(r, c.size))
				entries = append(entries, vectors.Entry{Unit: memory(uint64(i)), Vectors: []vectors.Vector{{Numbers: all[i]}}})
			}
			if err := ix.Put(entries...); err != nil {
				t.Fatal(err)
			}
			mean := meanOf(all)
			found, wanted := 0, 0
			for asked := range 50 {
				question := slices.Clone(all[r.IntN(len(all))])
				for i, x := range random(r, c.size) {
					question[i] += x
				}
				unit(question)
				var less []float32
				own := mean
				if asked%2 == 1 {
					less, own = make([]float32, c.size), make([]float64, c.size)
					for i := range less {
						less[i] = float32(r.NormFloat64() / 50)
						own[i] = float64(less[i])
					}
				}
				cosines := map[uint64]float64{}
				for i, v := range all {
					cosines[uint64(i)] = exact(question, own, v, mean)
				}
				best := slices.SortedFunc(maps.Keys(cosines), func(a, b uint64) int { return cmp.Compare(cosines[b], cosines[a]) })[:10]
				hits, err := ix.Nearest(question, less, 10, nil)
				if err != nil || len(hits) != 10 {
					t.Fatalf("%d hits, %v", len(hits), err)
				}
				for _, h := range hits {
					if math.Abs(h.Cosine-cosines[h.Seq]) > 0.01 {
						t.Fatalf("unit %d has cosine %.4f, not %.4f", h.Seq, h.Cosine, cosines[h.Seq])
					}
					if h.Cosine >= cosines[best[9]]-0.01 { // 8 bits a number may swap two that are so near
						found++
					}
				}
				wanted += 10
			}
			if hits, err := ix.Nearest(all[0], nil, c.count, nil); err != nil || len(hits) != c.count {
				t.Fatalf("%d hits of %d, %v", len(hits), c.count, err)
			}
			recall := float64(found) / float64(wanted)
			t.Logf("recall@10 against the plain computation: %.3f of %d vectors", recall, c.count)
			if recall < c.recall {
				t.Errorf("recall@10 is %.3f", recall)
			}
		})
	}
}

// TestAnyOrderOfChanges puts, replaces and drops units, opens the index again now and then,
// and compares it with what it has to hold.
func TestAnyOrderOfChanges(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	store := memStore{}
	ix := open(t, store, options)
	has := map[search.Unit][][]float32{}
	for step := range 3000 {
		u := search.Unit{Kind: search.Kind(1 + r.IntN(2)), Seq: uint64(r.IntN(900)), Mark: uint64(step)}
		switch n := r.IntN(100); {
		case n < 80:
			maps.DeleteFunc(has, func(old search.Unit, _ [][]float32) bool { return old.Kind == u.Kind && old.Seq == u.Seq })
			has[u] = nil
			for range r.IntN(4) {
				has[u] = append(has[u], random(r, dimensions))
			}
			put(t, ix, u, has[u]...)
		case n < 90:
			for old := range has {
				if r.IntN(10) == 0 {
					delete(has, old)
				}
			}
			if lacking := missing(t, ix, slices.Collect(maps.Keys(has))...); lacking != nil {
				t.Fatalf("step %d: %d units are missing", step, len(lacking))
			}
		default:
			flush(t, ix)
			ix = open(t, store, options)
		}
		if step%100 == 0 {
			compare(t, ix, has, r)
		}
	}
	missing(t, ix)
	flush(t, ix)
	if ix.Count() != 0 || len(store) != 1 {
		t.Errorf("%d vectors and %d blocks are left", ix.Count(), len(store))
	}
}

func compare(t *testing.T, ix *vectors.Index, has map[search.Unit][][]float32, r *rand.Rand) {
	t.Helper()
	n := 0
	for u, want := range has {
		n += len(want)
		got, err := ix.Vectors(u)
		if err != nil || len(got) != len(want) {
			t.Fatalf("%v has %d vectors, not %d (%v)", u, len(got), len(want), err)
		}
		for _, v := range got {
			for i, x := range v.Numbers {
				if math.Abs(float64(x-want[v.Part][i])) > 0.01 {
					t.Fatalf("%v: another vector", u)
				}
			}
		}
	}
	if ix.Count() != n {
		t.Fatalf("%d vectors, not %d", ix.Count(), n)
	}
	hits, err := ix.Nearest(random(r, dimensions), nil, 1000, func(ref vectors.Ref) bool { return ref.Kind == search.Memory })
	if err != nil {
		t.Fatal(err)
	}
	last := math.Inf(1)
	seen := map[uint64]bool{}
	for _, h := range hits {
		if h.Kind != search.Memory || seen[h.Seq] || h.Cosine > last {
			t.Fatalf("%v after %.3f", h, last)
		}
		seen[h.Seq], last = true, h.Cosine
	}
	for u, want := range has {
		if seen[u.Seq] != (len(want) > 0) && u.Kind == search.Memory {
			t.Fatalf("%v is found: %t", u, seen[u.Seq])
		}
	}
}

// filled is a store with 1,000 memories.
func filled(t *testing.T) (memStore, []search.Unit) {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 6))
	store := memStore{}
	ix := open(t, store, options)
	var units []search.Unit
	for i := range uint64(1000) {
		units = append(units, memory(i))
		put(t, ix, units[i], random(r, dimensions))
	}
	flush(t, ix)
	return store, units
}

// TestDamagedPages: what is on a page that is damaged or gone is missing, and nothing else.
func TestDamagedPages(t *testing.T) {
	store, units := filled(t)
	if len(store) < 3 {
		t.Fatalf("%d blocks", len(store))
	}
	keys := slices.Sorted(maps.Keys(store))
	for i, key := range keys {
		for name, damage := range map[string]func(memStore){
			"cut short": func(s memStore) { s[key] = s[key][:len(s[key])/2] },
			"empty":     func(s memStore) { s[key] = []byte{} },
			"gone":      func(s memStore) { delete(s, key) },
			"scales":    func(s memStore) { s[key] = slices.Repeat([]byte{0xff}, len(s[key])) },
		} {
			hurt := maps.Clone(store)
			damage(hurt)
			ix := open(t, hurt, options)
			lacking := missing(t, ix, units...)
			if whole := i == 0; whole != (len(lacking) == len(units)) || len(lacking) == 0 {
				t.Errorf("block %d %s: %d units are missing", i, name, len(lacking))
			}
			r := rand.New(rand.NewPCG(7, 8))
			for _, u := range lacking {
				put(t, ix, u, random(r, dimensions))
			}
			flush(t, ix)
			if again := missing(t, open(t, hurt, options), units...); again != nil || len(hurt) != len(store) {
				t.Errorf("block %d %s: %d units are missing after they were put again, %d blocks", i, name, len(again), len(hurt))
			}
		}
	}
}

// TestAnotherModel: vectors of another model, or of another size, are not taken for its own.
func TestAnotherModel(t *testing.T) {
	for _, other := range []vectors.Options{{Model: "other", Dimensions: dimensions}, {Model: "test", Dimensions: dimensions / 2}} {
		store, units := filled(t)
		ix := open(t, store, other)
		if lacking := missing(t, ix, units...); len(lacking) != len(units) || ix.Count() != 0 || len(store) != 0 {
			t.Errorf("%+v: %d units are missing, %d blocks", other, len(lacking), len(store))
		}
	}
}

// TestVectorsThatAreNone: wrong sizes, zeros and what is no number are refused.
func TestVectorsThatAreNone(t *testing.T) {
	ix := open(t, memStore{}, options)
	good := random(rand.New(rand.NewPCG(9, 9)), dimensions)
	nan, inf := slices.Clone(good), slices.Clone(good)
	nan[3], inf[3] = float32(math.NaN()), float32(math.Inf(1))
	for name, v := range map[string][]float32{"short": good[1:], "long": append(slices.Clone(good), 0), "none": nil, "zeros": make([]float32, dimensions), "NaN": nan, "infinity": inf} {
		if err := ix.Put(vectors.Entry{Unit: memory(1), Vectors: []vectors.Vector{{Numbers: good}, {Numbers: v}}}); err == nil {
			t.Errorf("%s is put", name)
		}
		if _, err := ix.Nearest(v, nil, 10, nil); err == nil {
			t.Errorf("%s is asked for", name)
		}
		if _, err := ix.Nearest(good, v, 10, nil); err == nil && len(v) != dimensions && v != nil {
			t.Errorf("%s is a mean", name)
		}
	}
	if ix.Count() != 0 {
		t.Errorf("%d vectors", ix.Count())
	}
	if _, err := vectors.Open(memStore{}, vectors.Options{Dimensions: 1 << 20}); err == nil {
		t.Error("vectors that no block holds")
	}
	if hits, err := ix.Nearest(good, nil, 10, nil); err != nil || len(hits) != 0 {
		t.Errorf("an empty index: %v %v", hits, err)
	}
}

// TestFailedFlush: what could not be stored is stored by the next Flush.
func TestFailedFlush(t *testing.T) {
	store, units := filled(t)
	failing := &failingStore{memStore: store}
	ix := open(t, failing, options)
	u := memory(5000)
	put(t, ix, u, random(rand.New(rand.NewPCG(1, 1)), dimensions))
	failing.fails = true
	if err := ix.Flush(); err == nil {
		t.Fatal("no error")
	}
	failing.fails = false
	flush(t, ix)
	if lacking := missing(t, open(t, store, options), append(units, u)...); lacking != nil {
		t.Errorf("%d units are missing", len(lacking))
	}
}

type failingStore struct {
	memStore
	fails bool
}

func (s *failingStore) Update(fn func(search.Tx) error) error {
	if s.fails {
		return fmt.Errorf("the disk is full")
	}
	return s.memStore.Update(fn)
}

func BenchmarkNearest(b *testing.B) {
	for _, count := range []int{100_000, 1_000_000} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			ix, _ := vectors.Open(memStore{}, vectors.Options{Model: "test", Dimensions: 256})
			for at := 0; at < count; {
				var entries []vectors.Entry
				for ; at < count && len(entries) < 50_000; at++ {
					entries = append(entries, vectors.Entry{Unit: memory(uint64(at)), Vectors: []vectors.Vector{{Numbers: random(r, 256)}}})
				}
				if err := ix.Put(entries...); err != nil {
					b.Fatal(err)
				}
			}
			question := random(r, 256)
			if _, err := ix.Nearest(question, nil, 1, nil); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if hits, err := ix.Nearest(question, nil, 10, nil); err != nil || len(hits) != 10 {
					b.Fatal(len(hits), err)
				}
			}
		})
	}
}

// TestPairs compares with the plain computation: nothing that is no pair, and at least 97 of
// 100 of those that are.
func TestPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	ix := open(t, memStore{}, vectors.Options{Model: "test", Dimensions: 256})
	var all [][]float32
	var entries []vectors.Entry
	for i := range 1500 {
		v := random(r, 256)
		if i%3 > 0 { // like the one before, more or less
			for j, x := range all[i-1] {
				v[j] += x * float32(r.Float64()*2)
			}
			unit(v)
		}
		all = append(all, v)
		entries = append(entries, vectors.Entry{Unit: memory(uint64(i)), Vectors: []vectors.Vector{{Numbers: v}}})
	}
	if err := ix.Put(entries...); err != nil {
		t.Fatal(err)
	}
	const least = 0.5
	even := func(ref vectors.Ref) bool { return ref.Seq%2 == 0 || ref.Seq%3 > 0 }
	pairs, err := ix.Pairs(t.Context(), least, 1_000_000, even)
	if err != nil {
		t.Fatal(err)
	}
	mean := meanOf(all)
	got := map[[2]uint64]bool{}
	for i, p := range pairs {
		if want := exact(all[p.A.Seq], mean, all[p.B.Seq], mean); math.Abs(p.Cosine-want) > 0.01 || p.Cosine < least || !even(p.A) || !even(p.B) || p.A == p.B {
			t.Fatalf("%+v, %.3f", p, want)
		}
		if i > 0 && p.Cosine > pairs[i-1].Cosine {
			t.Fatal("not the nearest first")
		}
		got[[2]uint64{min(p.A.Seq, p.B.Seq), max(p.A.Seq, p.B.Seq)}] = true
	}
	want := 0
	for i := range all {
		for j := range i {
			if even(vectors.Ref{Seq: uint64(i)}) && even(vectors.Ref{Seq: uint64(j)}) && exact(all[i], mean, all[j], mean) >= least+0.01 {
				want++
				got[[2]uint64{uint64(j), uint64(i)}] = got[[2]uint64{uint64(j), uint64(i)}] || false
			}
		}
	}
	missed := 0
	for _, found := range got {
		if !found {
			missed++
		}
	}
	t.Logf("%d pairs, %d missed", want, missed)
	if want < 500 || missed*100 > want*3 || len(got)-missed != len(pairs) {
		t.Errorf("%d pairs, %d of %d missed", len(pairs), missed, want)
	}
	if few, err := ix.Pairs(t.Context(), least, 10, even); err != nil || !slices.Equal(few, pairs[:10]) {
		t.Errorf("the first ten: %v %v", few, err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := ix.Pairs(stopped, least, 10, even); err == nil {
		t.Error("a stopped search for pairs has no error")
	}
}

// TestBetween compares vectors that are not in the index with the plain computation, less the
// mean of those that are.
func TestBetween(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	ix := open(t, memStore{}, vectors.Options{Model: "test", Dimensions: 256})
	var all [][]float32
	for seq := range 300 {
		all = append(all, random(r, 256))
		put(t, ix, memory(uint64(seq)), all[seq])
	}
	mean := meanOf(all)
	var some, others [][]float32
	for range 40 {
		v, w := random(r, 256), random(r, 256)
		near := slices.Clone(v)
		for i := range near {
			near[i] += w[i] / 3
		}
		some, others = append(some, v), append(others, unit(near))
	}
	got, err := ix.Between(some, others, 0.5, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i, neighbors := range got {
		var want []vectors.Neighbor
		for at, other := range others {
			if c := exact(some[i], mean, other, mean); c >= 0.5 {
				want = append(want, vectors.Neighbor{At: at, Cosine: c})
			}
		}
		slices.SortFunc(want, func(a, b vectors.Neighbor) int { return cmp.Compare(b.Cosine, a.Cosine) })
		want = want[:min(len(want), 2)]
		if len(neighbors) != len(want) || len(want) == 0 {
			t.Fatalf("%d: %v, not %v", i, neighbors, want)
		}
		for j, n := range neighbors {
			if n.At != want[j].At || math.Abs(n.Cosine-want[j].Cosine) > 0.02 {
				t.Errorf("%d: %v, not %v", i, n, want[j])
			}
		}
	}
	if _, err := ix.Between(some, [][]float32{make([]float32, 256)}, 0.5, 2); err == nil {
		t.Error("a vector without length is compared")
	}
}

// TestProbe: whose vectors a store has can be read without knowing it, and they can be opened
// so; the probe comes back as it was, and goes with the vectors of its model.
func TestProbe(t *testing.T) {
	store, r := memStore{}, rand.New(rand.NewPCG(1, 2))
	if opt, err := vectors.StoredOptions(store); err != nil || opt.Model != "" {
		t.Errorf("an empty store: %+v, %v", opt, err)
	}
	if ix, err := vectors.OpenStored(store); err != nil || ix != nil {
		t.Errorf("an empty store: %v, %v", ix, err)
	}
	probe := random(r, dimensions)
	ix := open(t, store, vectors.Options{Model: "probed", Dimensions: dimensions, Probe: probe})
	put(t, ix, memory(1), random(r, dimensions))
	put(t, ix, memory(2), random(r, dimensions))
	flush(t, ix)
	opt, err := vectors.StoredOptions(store)
	if err != nil || opt.Model != "probed" || opt.Dimensions != dimensions || !slices.Equal(opt.Probe, probe) {
		t.Errorf("%+v, %v", opt, err)
	}
	again, err := vectors.OpenStored(store)
	if err != nil || again.Count() != 2 || again.Model() != "probed" {
		t.Fatalf("%v, %v", again, err)
	}
	missing(t, again, memory(1))
	flush(t, again)
	if opt, err := vectors.StoredOptions(store); err != nil || !slices.Equal(opt.Probe, probe) {
		t.Errorf("after a change: %+v, %v", opt, err)
	}
	store[string([]byte{8, 2})] = []byte("damaged")
	if opt, err := vectors.StoredOptions(store); err != nil || opt.Model != "probed" || opt.Probe != nil {
		t.Errorf("a damaged probe: %+v, %v", opt, err)
	}
	other := open(t, store, vectors.Options{Model: "other", Dimensions: dimensions})
	put(t, other, memory(3), random(r, dimensions))
	flush(t, other)
	if opt, err := vectors.StoredOptions(store); err != nil || opt.Model != "other" || opt.Probe != nil {
		t.Errorf("another model: %+v, %v", opt, err)
	}
	if hits, err := open(t, store, vectors.Options{Model: "other", Dimensions: dimensions}).Nearest(probe, nil, 5, nil); err != nil || len(hits) != 1 {
		t.Errorf("%v, %v", hits, err)
	}
}

// TestAStoreThatAnotherModelTook: an index that was open before reads none of the vectors of
// another model.
func TestAStoreThatAnotherModelTook(t *testing.T) {
	store, units := filled(t)
	before := open(t, store, options)
	other := open(t, store, vectors.Options{Model: "other", Dimensions: dimensions})
	r := rand.New(rand.NewPCG(1, 2))
	for _, u := range units {
		put(t, other, u, random(r, dimensions))
	}
	flush(t, other)
	if hits, err := before.Nearest(random(r, dimensions), nil, 5, nil); err != nil || len(hits) != 0 {
		t.Errorf("%v, %v", hits, err)
	}
}
