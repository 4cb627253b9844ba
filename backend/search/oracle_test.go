package search_test

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"keepsake/backend/search"
)

// The oracle keeps texts in a map and answers queries by reading all of them. It
// knows words only from the analyser, and nothing of segments.

type unitID struct {
	kind search.Kind
	seq  uint64
}

type docID struct {
	unitID
	part uint32
}

// vault is what the index is an index of.
type vault struct {
	rng   *rand.Rand
	units map[unitID]*record
	mark  uint64
	next  uint64
}

type record struct {
	mark uint64
	docs []search.Doc
	read []*reading
}

// reading is a text as the oracle sees it.
type reading struct {
	text  string
	main  []string
	terms map[string]int
	words int
}

func read(text string) *reading {
	r := &reading{text: text, terms: map[string]int{}}
	for _, w := range search.Words(text) {
		r.terms[w.Term]++
		r.words++
		if !w.Extra {
			r.main = append(r.main, w.Term)
		}
	}
	return r
}

// Words in scripts with spaces, alike enough for prefixes to find several.
var vocabularies = [][]string{
	{"café", "cafe", "cafeteria", "Brücke", "brucke", "naïve", "Łódź", "garçon", "garcons", "über", "uber", "señor", "Straße", "strasse", "Œuvre", "état", "etat", "don't", "l'état"},
	{"привет", "приветы", "ёлка", "елка", "Москва", "москвич", "книга", "книги", "день", "дня", "новый", "новая"},
	{"λόγος", "λογος", "Λόγοι", "θάλασσα", "θαλασσα", "Ἀθήνα", "αθηνα", "ψυχή", "ψυχής", "κόσμος"},
	{"مرحبا", "مَرحَبًا", "كتاب", "كتب", "الكتاب", "سلام", "السلام", "أحمد", "احمد", "שלום", "שָׁלוֹם", "ספר", "ספרים"},
	{"नमस्ते", "हिन्दी", "किताब", "किताबें", "पानी", "दुनिया", "दोस्त"},
	{"snake_case", "getUserName", "HTTPServer", "joe@example.com", "v1.2.3", "1.2.3", "1,000", "e-mail", "C++", "node.js", "state-of-the-art", "GPT-4o", "x-ray", "🎉"},
}

// Characters of words without spaces.
var spacelessSets = []string{"日本語東京都市人工智能タワかなひ", "สวดกมปรนทย", "한국어를공부한다서울대학교"}

func (v *vault) word() string {
	set := vocabularies[v.rng.IntN(len(vocabularies))]
	return set[v.rng.IntN(len(set))]
}

// run is n characters of a script without spaces; in Thai some carry a vowel.
func (v *vault) run(n int) string {
	i := v.rng.IntN(len(spacelessSets))
	set := []rune(spacelessSets[i])
	var b strings.Builder
	for range n {
		b.WriteRune(set[v.rng.IntN(len(set))])
		if i == 1 && v.rng.IntN(3) == 0 {
			b.WriteRune([]rune("\u0e34\u0e35\u0e48")[v.rng.IntN(3)])
		}
	}
	return b.String()
}

func (v *vault) text() string {
	var b strings.Builder
	for range v.rng.IntN(18) {
		if v.rng.IntN(4) == 0 {
			b.WriteString(v.run(1 + v.rng.IntN(6)))
		} else {
			b.WriteString(v.word())
		}
		b.WriteString([]string{" ", " ", " ", ", ", ". ", "\n", "、", " (", ") "}[v.rng.IntN(9)])
	}
	return b.String()
}

// write puts a new record, or writes one again.
func (v *vault) write(id unitID) {
	v.mark++
	r := &record{mark: v.mark}
	if id.kind == search.Memory {
		r.docs = []search.Doc{{Time: v.time(), Text: v.text()}}
	} else {
		part := uint32(0)
		for range v.rng.IntN(8) {
			r.docs = append(r.docs, search.Doc{Part: part | uint32(v.rng.IntN(3)/2)*search.ToolCalls, Time: v.time(), Text: v.text()})
			part += 1 + uint32(v.rng.IntN(5)/4)
		}
		if v.rng.IntN(3) > 0 {
			r.docs = append(r.docs, search.Doc{Part: search.Title, Time: v.time(), Text: v.text()})
		}
	}
	for _, d := range r.docs {
		r.read = append(r.read, read(d.Text))
	}
	v.units[id] = r
}

func (v *vault) time() int64 {
	if v.rng.IntN(10) == 0 {
		return 0
	}
	return time.Date(2019+v.rng.IntN(5), time.Month(1+v.rng.IntN(12)), 1+v.rng.IntN(28), v.rng.IntN(24), 0, 0, 0, time.UTC).Unix()
}

func (v *vault) fresh() unitID {
	v.next++
	return unitID{search.Kind(1 + v.rng.IntN(2)), v.next}
}

func (v *vault) some() unitID {
	ids := v.ids()
	return ids[v.rng.IntN(len(ids))]
}

func (v *vault) ids() []unitID {
	return slices.SortedFunc(maps.Keys(v.units), func(a, b unitID) int { return int(a.seq) - int(b.seq) })
}

func (v *vault) list() iter.Seq[search.Unit] {
	return func(yield func(search.Unit) bool) {
		for _, id := range v.ids() {
			if !yield(v.unit(id)) {
				return
			}
		}
	}
}

func (v *vault) unit(id unitID) search.Unit {
	return search.Unit{Kind: id.kind, Seq: id.seq, Mark: v.units[id].mark}
}

func (v *vault) textOf(_ context.Context, kind search.Kind, seq uint64, part uint32) (string, error) {
	r := v.units[unitID{kind, seq}]
	if r == nil {
		return "", nil
	}
	for _, d := range r.docs {
		if d.Part == part {
			return d.Text, nil
		}
	}
	return "", nil
}

// colour is a field that only the vault can answer.
func colour(kind search.Kind, seq uint64) string {
	return []string{"red", "green", "blue"}[(seq+uint64(kind))%3]
}

func field(name, value string) (func(search.Kind, uint64, uint32, int64) bool, error) {
	if name != "tag" {
		return nil, fmt.Errorf("no filter %s", name)
	}
	return func(kind search.Kind, seq uint64, _ uint32, _ int64) bool { return colour(kind, seq) == value }, nil
}

// answer is every document that answers, by reading.
func (v *vault) answer(a ask) map[docID]bool {
	found := map[docID]bool{}
	for u, r := range v.units {
		for i, d := range r.docs {
			id := docID{u, d.Part}
			if a.holds(id, d, r.read[i]) {
				found[id] = true
			}
		}
	}
	return found
}

// compare asks the index and the oracle the same n queries.
func (v *vault) compare(t *testing.T, when string, ix *search.Index, n int) {
	t.Helper()
	for range n {
		a := v.query(3)
		q := parse(t, a.typed)
		res, err := ix.Search(context.Background(), q, search.SearchOptions{Limit: 1 << 20, Text: v.textOf, Exactly: true})
		if err != nil {
			t.Fatalf("%s: %s: %v", when, a.typed, err)
		}
		want, got := v.answer(a), map[docID]bool{}
		for _, h := range res.Hits {
			got[docID{unitID{h.Kind, h.Seq}, h.Part}] = true
		}
		if !maps.Equal(got, want) || len(res.Hits) != len(want) || res.Total != len(want) || !res.Exact {
			v.explain(t, when, a, got, want, res)
		}
		if !slices.IsSortedFunc(res.Hits, inOrder) {
			t.Fatalf("%s: %s: not in order", when, a.typed)
		}
		from, limit := v.rng.IntN(4), 1+v.rng.IntN(6)
		page, err := ix.Search(context.Background(), q, search.SearchOptions{Offset: from, Limit: limit, Text: v.textOf, Exactly: true})
		if err != nil || !slices.Equal(page.Hits, res.Hits[min(from, len(res.Hits)):min(from+limit, len(res.Hits))]) || page.Best != res.Best {
			t.Fatalf("%s: %s: %d from %d are not a part of all, %v", when, a.typed, limit, from, err)
		}
	}
}

// inOrder is the order of an answer: memories, titles, messages, tool calls; of each
// the best first, then the newest.
func inOrder(a, b search.Hit) int {
	tier := func(h search.Hit) int {
		switch {
		case h.Kind == search.Memory:
			return 0
		case h.Part == search.Title:
			return 1
		case h.Part < search.ToolCalls:
			return 2
		}
		return 3
	}
	return cmp.Or(cmp.Compare(tier(a), tier(b)), cmp.Compare(b.Score, a.Score), cmp.Compare(b.Time, a.Time))
}

func (v *vault) explain(t *testing.T, when string, a ask, got, want map[docID]bool, res search.Results) {
	t.Helper()
	t.Errorf("%s: %s: %d hits, total %d, exact %v; want %d", when, a.typed, len(res.Hits), res.Total, res.Exact, len(want))
	shown := 0
	for u, r := range v.units {
		for _, d := range r.docs {
			if id := (docID{u, d.Part}); got[id] != want[id] && shown < 3 {
				shown++
				t.Errorf("  %v found %v, want %v: %q", id, got[id], want[id], d.Text)
			}
		}
	}
	t.FailNow()
}

// catchUp indexes what Sync says is missing.
func (v *vault) catchUp(t testing.TB, ix *search.Index) int {
	t.Helper()
	missing := ix.Sync(v.list())
	for _, u := range missing {
		if err := ix.Put(u, slices.Values(v.units[unitID{u.Kind, u.Seq}].docs)); err != nil {
			t.Fatal(err)
		}
	}
	return len(missing)
}

// change writes and removes some records, and tells the index.
func (v *vault) change(t *testing.T, ix *search.Index, n int) {
	t.Helper()
	for range n {
		id := v.some()
		switch v.rng.IntN(3) {
		case 0:
			delete(v.units, id)
			ix.Drop(id.kind, id.seq)
			continue
		case 1:
			id = v.fresh()
		}
		v.write(id)
		if err := ix.Put(v.unit(id), slices.Values(v.units[id].docs)); err != nil {
			t.Fatal(err)
		}
	}
}

// changeUnseen does so while no index is open.
func (v *vault) changeUnseen(n int) {
	for range n {
		switch id := v.some(); v.rng.IntN(3) {
		case 0:
			delete(v.units, id)
		case 1:
			v.write(v.fresh())
		default:
			v.write(id)
		}
	}
}

func newVault(seed uint64, units int) *vault {
	v := &vault{rng: rand.New(rand.NewPCG(seed, seed)), units: map[unitID]*record{}}
	for range units {
		v.write(v.fresh())
	}
	return v
}

// long gives the vault a conversation that no live segment can hold.
func (v *vault) long(docs int) {
	id := v.fresh()
	id.kind = search.Conversation
	v.mark++
	r := &record{mark: v.mark}
	for part := range docs {
		d := search.Doc{Part: uint32(part), Time: v.time(), Text: v.text() + fmt.Sprintf(" part%d", part)}
		r.docs, r.read = append(r.docs, d), append(r.read, read(d.Text))
	}
	v.units[id] = r
}

// mergeAll merges until nothing is left to do, and reports how often.
func mergeAll(t testing.TB, ix *search.Index) (n int) {
	t.Helper()
	for {
		more, err := ix.Merge(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if !more {
			return n
		}
		n++
	}
}

// small makes segments of a few hundred documents.
var small = search.Options{Field: field, LiveBytes: 120 << 10, MergeAt: 3}

const seeds = 4

// TestIndexAnswersAsReadingDoes takes an index through its life, and asks it
// whatever the oracle asks.
func TestIndexAnswersAsReadingDoes(t *testing.T) {
	for seed := range uint64(seeds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			v := newVault(seed, 500)
			store := newStore()
			ix := open(t, store, small)
			v.catchUp(t, ix)
			v.compare(t, "at first", ix, 250)
			v.change(t, ix, 150)
			v.compare(t, "after changes", ix, 150)
			if err := ix.Flush(context.Background()); err != nil {
				t.Fatal(err)
			}
			v.compare(t, "after a flush", ix, 150)
			v.long(900)
			v.catchUp(t, ix)
			v.change(t, ix, 100)
			v.compare(t, "with a long unit", ix, 150)
			if n := mergeAll(t, ix); n == 0 {
				t.Error("there was nothing to merge")
			}
			v.compare(t, "after merges", ix, 150)
			for range 3 {
				v.changeUnseen(60)
				ix = open(t, store, small)
				if n := v.catchUp(t, ix); n == 0 || n > 250 {
					t.Errorf("%d units to be indexed", n)
				}
				v.compare(t, "after another opening", ix, 100)
				v.change(t, ix, 40)
				mergeAll(t, ix)
				v.compare(t, "later", ix, 50)
			}
			if err := ix.Purge(context.Background()); err != nil {
				t.Fatal(err)
			}
			v.compare(t, "after a purge", ix, 100)
			if st := ix.Stats(); st.DeadDocs != 0 || st.Units != len(v.units) {
				t.Errorf("%+v, vault has %d units", st, len(v.units))
			}
		})
	}
}
