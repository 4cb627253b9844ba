package search_test

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"keepsake/backend/search"
)

// corpus makes texts with the frequencies of a language: a few words everywhere,
// most of them rare, one document in twelve in Chinese.
type corpus struct {
	rng   *rand.Rand
	vocab []string
	zipf  *rand.Zipf
}

func newCorpus(seed uint64, words int) *corpus {
	rng := rand.New(rand.NewPCG(seed, 1))
	c := &corpus{rng: rng, zipf: rand.NewZipf(rng, 1.07, 2.7, uint64(words-1))}
	seen := map[string]bool{}
	for len(c.vocab) < words {
		n := 2 + min(int(math.Log2(float64(len(c.vocab)+1))/3), 4)
		w := ""
		for range n {
			w += string("bcdfghklmnprstvw"[rng.IntN(16)]) + string("aeiou"[rng.IntN(5)])
		}
		if rng.IntN(3) == 0 {
			w += string("nrst"[rng.IntN(4)])
		}
		if !seen[w] {
			seen[w] = true
			c.vocab = append(c.vocab, w)
		}
	}
	return c
}

func (c *corpus) text(size int) string {
	var b strings.Builder
	for n := 0; b.Len() < size; n++ {
		w := c.vocab[c.zipf.Uint64()]
		if n%11 == 0 {
			w = strings.ToUpper(w[:1]) + w[1:]
		}
		b.WriteString(w)
		b.WriteString([]string{" ", " ", " ", " ", " ", " ", ", ", ". ", "'s ", "\n"}[c.rng.IntN(10)])
	}
	return b.String()
}

func (c *corpus) han(size int) string {
	var b strings.Builder
	for n := 1; b.Len() < size; n++ {
		b.WriteRune(0x4E00 + rune(min(c.zipf.Uint64()%5000, c.zipf.Uint64()%5000)))
		if n%14 == 0 {
			b.WriteString("，")
		}
	}
	return b.String()
}

// library is a corpus of conversations.
type library struct {
	texts [][]string
	bytes int
}

func newLibrary(docs int) *library {
	c, l := newCorpus(7, 200_000), &library{}
	for n := 0; n < docs; {
		var unit []string
		for range min(10+c.rng.IntN(80), docs-n) {
			size := 100 + int(c.rng.ExpFloat64()*900)
			text := ""
			if c.rng.IntN(12) == 0 {
				text = c.han(size)
			} else {
				text = c.text(size)
			}
			unit = append(unit, text)
			l.bytes += len(text)
			n++
		}
		l.texts = append(l.texts, unit)
	}
	return l
}

func (l *library) units() []search.Unit {
	var units []search.Unit
	for i := range l.texts {
		units = append(units, search.Unit{Kind: search.Conversation, Seq: uint64(i), Mark: 1})
	}
	return units
}

func (l *library) docs(i int) iter.Seq[search.Doc] {
	return func(yield func(search.Doc) bool) {
		for part, text := range l.texts[i] {
			if !yield(search.Doc{Part: uint32(part), Time: int64(1_600_000_000 + 1000*i + part), Text: text}) {
				return
			}
		}
	}
}

func (l *library) text(_ context.Context, _ search.Kind, seq uint64, part uint32) (string, error) {
	return l.texts[seq][part], nil
}

func (l *library) build(b testing.TB, store search.Store) *search.Index {
	ix := open(b, store, search.Options{})
	for _, u := range ix.Sync(slices.Values(l.units())) {
		if err := ix.Put(u, l.docs(int(u.Seq))); err != nil {
			b.Fatal(err)
		}
	}
	if err := ix.Flush(context.Background()); err != nil {
		b.Fatal(err)
	}
	return ix
}

func BenchmarkBuild(b *testing.B) {
	l := newLibrary(50_000)
	b.SetBytes(int64(l.bytes))
	b.ReportAllocs()
	for b.Loop() {
		store := newStore()
		ix := l.build(b, store)
		b.ReportMetric(float64(store.size())/float64(l.bytes), "size/text")
		b.ReportMetric(float64(ix.Stats().Segments), "segments")
	}
}

// BenchmarkWords is the analysis alone.
func BenchmarkWords(b *testing.B) {
	c := newCorpus(3, 50_000)
	english := c.text(1 << 20)
	for name, text := range map[string]string{
		"ascii":    english,
		"curly":    strings.ReplaceAll(english, "'", "’"),
		"cyrillic": cyrillic(english),
		"accents":  strings.ReplaceAll(english, "e", "é"),
		"han":      c.han(1 << 20),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				search.Scan(text)
			}
		})
	}
}

func cyrillic(s string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' {
			return 'а' + r - 'a'
		}
		return r
	}, s)
}

func BenchmarkMerge(b *testing.B) {
	l := newLibrary(50_000)
	for b.Loop() {
		b.StopTimer()
		ix := open(b, newStore(), search.Options{LiveBytes: 4 << 20})
		ix.Sync(slices.Values(l.units()))
		for _, u := range l.units() {
			if err := ix.Put(u, l.docs(int(u.Seq))); err != nil {
				b.Fatal(err)
			}
		}
		b.StartTimer()
		for more := true; more; {
			var err error
			if more, err = ix.Merge(context.Background()); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(ix.Stats().Segments), "segments")
	}
	b.SetBytes(int64(l.bytes))
}

func BenchmarkOpen(b *testing.B) {
	l := newLibrary(100_000)
	store := newStore()
	l.build(b, store)
	b.ReportAllocs()
	for b.Loop() {
		open(b, store, search.Options{})
	}
}

// BenchmarkSearch prints p50 and p95 of 200 queries of each sort.
func BenchmarkSearch(b *testing.B) {
	l := newLibrary(100_000)
	ix := l.build(b, newStore())
	rng := rand.New(rand.NewPCG(5, 5))
	pick := func() []string { // words of some document, so that there are hits
		for {
			u := l.texts[rng.IntN(len(l.texts))]
			if w := strings.Fields(u[rng.IntN(len(u))]); len(w) > 8 {
				at := rng.IntN(len(w) - 4)
				for i := range 4 {
					w[at+i] = strings.TrimSuffix(strings.Trim(w[at+i], ",."), "'s")
				}
				return w[at : at+4]
			}
		}
	}
	han := func() []rune {
		for {
			u := l.texts[rng.IntN(len(l.texts))]
			if r := []rune(u[rng.IntN(len(u))]); r[0] >= 0x4E00 {
				at := rng.IntN(len(r) - 5)
				return r[at : at+4]
			}
		}
	}
	sorts := []struct {
		name string
		make func() string
	}{
		{"word", func() string { return pick()[0] }},
		{"and2", func() string { w := pick(); return w[0] + " " + w[1] }},
		{"or2", func() string { w := pick(); return w[0] + " OR " + w[1] }},
		{"prefix2", func() string { return pick()[0][:2] + "*" }},
		{"prefix4", func() string { return pick()[0][:4] + "*" }},
		{"typo", func() string { w := []byte(pick()[0] + "x"); return string(append(w, 'x')) }},
		{"cjk", func() string { return string(han()[:2]) }},
		{"cjk1", func() string { return string(han()[:1]) }},
		{"phrase", func() string { return `"` + strings.Join(pick()[:2], " ") + `"` }},
		{"in+word", func() string { return "in:messages since:2020 " + pick()[0] }},
	}
	for _, sort := range sorts {
		b.Run(sort.name, func(b *testing.B) {
			var took []time.Duration
			hits := 0
			for b.Loop() {
				q := parse(b, sort.make())
				start := time.Now()
				r, err := ix.Search(context.Background(), q, search.SearchOptions{Limit: 20, Text: l.text})
				if err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start))
				hits += r.Total
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
			b.ReportMetric(float64(hits)/float64(len(took)), "hits")
		})
	}
}

func open(t testing.TB, store search.Store, opt search.Options) *search.Index {
	t.Helper()
	ix, err := search.Open(context.Background(), store, opt)
	if err != nil {
		t.Fatal(err)
	}
	return ix
}

func parse(t testing.TB, text string) search.Query {
	t.Helper()
	q, err := search.Parse(text)
	if err != nil {
		t.Fatal(fmt.Errorf("parse %q: %w", text, err))
	}
	return q
}
