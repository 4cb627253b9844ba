package core_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/core/meaning"
	"keepsake/backend/embed"
	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/seal"
)

// encoder is the built-in model, loaded once for all tests.
var encoder = sync.OnceValue(func() *embed.Encoder { return &embed.Encoder{} })

// comparing is a kit with an unlocked vault that compares texts by meaning.
func comparing(t testing.TB, cipher seal.Cipher) *kit {
	t.Helper()
	if _, err := encoder().Embed(ctx, []string{"a"}); err != nil {
		t.Skip("sh scripts/model.sh fetches the language model: ", err)
	}
	k := bare(t, cipher)
	k.cfg.Meaning.Encoder = encoder()
	k.again()
	ok(k.CreateVault(ctx, passphrase, "test"))
	return k
}

// again is the same vault in a new process, locked.
func (k *kit) again() {
	k.t.Helper()
	_ = k.Close()
	s, err := core.New(k.cfg)
	if err != nil {
		k.t.Fatal(err)
	}
	k.Service = s
}

func (k *kit) unlocks() {
	k.t.Helper()
	if err := k.Unlock(ctx, passphrase); err != nil {
		k.t.Fatal(err)
	}
}

func (k *kit) adds(contents ...string) (ids []string) {
	k.t.Helper()
	for _, c := range contents {
		made, err := k.AddMemory(ctx, core.NewMemory{Content: c, Type: memory.Fact})
		if err != nil {
			k.t.Fatal(err)
		}
		ids = append(ids, made.ID)
	}
	return ids
}

// means searches once all vectors are made, and returns the hits.
func (k *kit) means(q core.SearchQuery) core.SearchResult {
	k.t.Helper()
	if err := k.WaitForIndex(ctx); err != nil {
		k.t.Fatal(err)
	}
	if err := k.MakeVectors(ctx, 0); err != nil {
		k.t.Fatal(err)
	}
	if q.Mode == "" {
		q.Mode = "hybrid"
	}
	r, err := k.Search(ctx, q)
	if err != nil || r.NoMeaning != nil {
		k.t.Fatal(err, r.NoMeaning)
	}
	return r
}

func idsOf(hits []core.Hit) (ids []string) {
	for _, h := range hits {
		ids = append(ids, h.ID)
	}
	return ids
}

var facts = []string{
	"Works as a nurse in the children's hospital.",
	"Adopted a greyhound in 2022.",
	"Trinkt morgens am liebsten schwarzen Kaffee.",
	"Pays 950 euros of rent every month.",
	"Aprendeu a tocar violoncelo na infância.",
	"Is afraid of flying.",
	"Votes in the municipal elections by post.",
	"Runs marathons in autumn.",
}

// TestSearchByMeaning: a question finds the memory that answers it without a word of it, also
// in another language; words come first; filters hold.
func TestSearchByMeaning(t *testing.T) {
	k := comparing(t, "")
	ids := k.adds(facts...)
	for question, at := range map[string]int{
		"what is my profession?":                0,
		"Welchen Hund habe ich?":                1,
		"what do I have for breakfast to drink": 2,
		"how much does my apartment cost":       3,
		"which instrument can I play?":          4,
	} {
		for _, mode := range []core.SearchMode{"hybrid", "semantic"} {
			r := k.means(core.SearchQuery{Text: question, Mode: mode})
			if len(r.Hits) == 0 || r.Hits[0].ID != ids[at] || !r.Hits[0].Close || r.Total < 1 {
				t.Errorf("%s (%s): %v", question, mode, r.Hits)
			}
		}
		if r := k.means(core.SearchQuery{Text: question, Mode: "lexical"}); len(r.Hits) != 0 {
			t.Errorf("%s: has the words of %v", question, idsOf(r.Hits))
		}
	}
	r := k.means(text("greyhound"))
	if len(r.Hits) == 0 || r.Hits[0].ID != ids[1] || r.Hits[0].Close {
		t.Errorf("words: %v", r.Hits)
	}
	if r := k.means(text("xyzzyx")); len(r.Hits) != 0 {
		t.Errorf("a word that nobody knows: %v", idsOf(r.Hits))
	}
	for _, typed := range []string{`"what is my profession"`, "what OR profession", "profess*", "profession -nurse"} {
		if r := k.means(text(typed)); len(r.Hits) != 0 {
			t.Errorf("%s finds %v", typed, idsOf(r.Hits))
		}
		if _, err := k.Search(ctx, core.SearchQuery{Text: typed, Mode: "semantic"}); fault.From(err).Reason != "search-no-question" {
			t.Errorf("%s: %v", typed, err)
		}
	}
	ok(k.SetStatus(ctx, ids[0], memory.Archived, ""))
	if r := k.means(text("what is my profession?")); slices.Contains(idsOf(r.Hits), ids[0]) {
		t.Error("a memory that was put away is found by its meaning")
	}
	if r := k.means(text("what is my profession? status:archived")); len(r.Hits) != 1 || r.Hits[0].ID != ids[0] {
		t.Errorf("among those put away: %v", r.Hits)
	}
	if r := k.means(core.SearchQuery{Text: "which instrument can I play?", In: "messages"}); len(r.Hits) != 0 {
		t.Errorf("a memory among messages: %v", r.Hits)
	}
	if _, err := k.Search(ctx, core.SearchQuery{Text: "a", Mode: "magic"}); fault.From(err).Reason != "search-mode" {
		t.Errorf("a mode of its own: %v", err)
	}
}

// TestVectorsFollowTheVault: an edit, an undo, a lock and a lost index are followed; what is
// there already is not made again.
func TestVectorsFollowTheVault(t *testing.T) {
	k := comparing(t, "")
	ids := k.adds(facts...)
	state := func(vectors, missing int) {
		t.Helper()
		if s := ok(k.IndexState(ctx)); s.Vectors != vectors || s.Missing != missing || s.Model == "" {
			t.Errorf("%+v, not %d and %d", s, vectors, missing)
		}
	}
	state(0, len(facts))
	if err := k.MakeVectors(ctx, 3); err != nil {
		t.Fatal(err)
	}
	state(3, len(facts)-3)
	k.means(text("anything"))
	state(len(facts), 0)
	k.again()
	k.unlocks()
	state(len(facts), 0)
	k.later(time.Hour)
	ok(k.EditMemory(ctx, ids[5], core.MemoryEdit{Content: to("Loves to sit in an aeroplane.")}))
	k.again()
	k.unlocks()
	state(len(facts)-1, 1)
	k.means(text("anything"))
	state(len(facts), 0)
	if err := k.RebuildIndex(ctx); err != nil {
		t.Fatal(err)
	}
	state(0, len(facts))
	_ = k.Close()
	if err := os.Remove(filepath.Join(k.cfg.VaultDir, "index.db")); err != nil {
		t.Fatal(err)
	}
	k.again()
	k.unlocks()
	if r := k.means(core.SearchQuery{Text: "which instrument can I play?", Mode: "semantic"}); r.Hits[0].ID != ids[4] {
		t.Errorf("after a lost index: %v", r.Hits)
	}
}

// TestForgottenIsNotFoundByMeaning: forget takes the vectors along, also where the program
// that forgets has no model.
func TestForgottenIsNotFoundByMeaning(t *testing.T) {
	for _, without := range []bool{false, true} {
		k := comparing(t, "")
		ids := k.adds(facts...)
		k.means(text("anything"))
		if without {
			k.cfg.Meaning.Encoder = nil
			k.again()
			k.unlocks()
		}
		ok(k.Forget(ctx, ids[:1], nil))
		k.cfg.Meaning.Encoder = encoder()
		k.again()
		k.unlocks()
		want := core.IndexState{Records: len(facts) - 1, Model: encoder().Name(), Vectors: len(facts) - 1}
		if s := ok(k.IndexState(ctx)); s != want {
			t.Errorf("%+v, not %+v", s, want)
		}
		if r := k.means(core.SearchQuery{Text: "what is my profession?", Mode: "semantic"}); slices.Contains(idsOf(r.Hits), ids[0]) {
			t.Error("what was forgotten is found")
		}
	}
}

// TestConversationsByMeaning: what the person wrote in a conversation is found, and is where
// the hit points; what the assistant wrote is not what it is about.
func TestConversationsByMeaning(t *testing.T) {
	k := comparing(t, "")
	b := book{Conversations: []talk{
		{ID: "car", Title: "Strange noise", At: dayOne, Updated: dayOne, Lines: []line{
			{ID: "q", Role: "user", Text: "The engine of my old Volvo rattles on cold mornings.", At: dayOne},
			{ID: "a", Parent: "q", Role: "assistant", Text: "Bake the bread at 230 degrees.", At: dayOne},
		}},
		{ID: "title", Title: "Planning a wedding in Tuscany", At: dayOne, Updated: dayOne, Lines: []line{
			{ID: "b", Role: "assistant", Text: "How can I help?", At: dayOne}}},
		{ID: "nothing", At: dayOne, Updated: dayOne, Lines: []line{{ID: "n", Role: "assistant", Text: "Hello.", At: dayOne}}},
	}}
	k.imports(k.write("a.zip", b))
	r := k.means(core.SearchQuery{Text: "problem with my automobile", Mode: "semantic"})
	if len(r.Hits) == 0 || r.Hits[0].Kind != core.FoundMessage || !strings.Contains(snippetOf(r.Hits[0]), "Volvo") {
		t.Errorf("%+v", r.Hits)
	}
	r = k.means(core.SearchQuery{Text: "marriage ceremony in Italy", Mode: "semantic"})
	if len(r.Hits) == 0 || r.Hits[0].Kind != core.FoundConversation || !strings.Contains(r.Hits[0].Title, "Tuscany") {
		t.Errorf("%+v", r.Hits)
	}
	if s := ok(k.IndexState(ctx)); s.Vectors != 2 || s.Missing != 0 {
		t.Errorf("%+v", s)
	}
}

// TestNoModel: without a model words are searched as ever, and a search by meaning says why not.
func TestNoModel(t *testing.T) {
	k := fresh(t)
	k.adds(facts...)
	if got := k.finds(text("greyhound")); len(got) != 1 {
		t.Errorf("%v", got)
	}
	if _, err := k.Search(ctx, core.SearchQuery{Text: "dog", Mode: "semantic"}); fault.From(err).Reason != "no-model" {
		t.Errorf("%v", err)
	}
	if _, err := k.Retrieve(ctx, core.Retrieval{Text: "dog"}); fault.From(err).Reason != "no-model" {
		t.Errorf("%v", err)
	}
	if _, err := k.Topics(ctx); fault.From(err).Reason != "no-model" {
		t.Errorf("%v", err)
	}
	if s := ok(k.IndexState(ctx)); s.Model != "" || s.Records != len(facts) {
		t.Errorf("%+v", s)
	}
}

// TestRetrieve: the answer of the Personal Memory Specification, and what it counts.
func TestRetrieve(t *testing.T) {
	k := comparing(t, "")
	ids := k.adds(facts...)
	ok(k.SetStatus(ctx, ids[1], memory.Archived, ""))
	k.means(text("anything"))
	r := ok(k.Retrieve(ctx, core.Retrieval{Text: "what is my profession?", MinSimilarity: 0.5}))
	if len(r.Memories) == 0 || r.Memories[0].ID != ids[0] || r.Memories[0].Similarity < 0.5 || r.Searched != len(facts)-1 || r.Missing != 0 {
		t.Errorf("%+v", r)
	}
	for _, m := range ok(k.Retrieve(ctx, core.Retrieval{Text: "which dog do I have?"})).Memories {
		if m.ID == ids[1] {
			t.Error("a memory that was put away is retrieved")
		}
	}
	if d := ok(k.Memory(ctx, ids[0])); d.Use.Count == 0 {
		t.Errorf("not counted as read: %+v", d.Use)
	}
	if r := ok(k.Retrieve(ctx, core.Retrieval{Text: "what is my profession?", Since: k.clock.Add(time.Hour)})); len(r.Memories) != 0 || r.Searched != 0 {
		t.Errorf("from the future: %+v", r)
	}
	if r := ok(k.Retrieve(ctx, core.Retrieval{Text: "what is my profession?", Categories: []core.Category{"work_pattern"}})); len(r.Memories) != 0 {
		t.Errorf("of another category: %+v", r)
	}
	if r := ok(k.Retrieve(ctx, core.Retrieval{Text: "what is my profession?", MaxResults: 2})); len(r.Memories) != 2 {
		t.Errorf("%d memories", len(r.Memories))
	}
	if _, err := k.Retrieve(ctx, core.Retrieval{Text: "a", MinSimilarity: 1.5}); fault.From(err).Reason != "similarity-range" {
		t.Errorf("%v", err)
	}
}

// counted counts how often texts are embedded.
type counted struct {
	meaning.Encoder
	calls int
}

func (c *counted) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	c.calls++
	return c.Encoder.Embed(ctx, texts)
}

// TestSimilarFromStoredVectors: what is like a memory or a conversation is told without the
// model once there are vectors, and by the text that it has now.
func TestSimilarFromStoredVectors(t *testing.T) {
	k := comparing(t, "")
	ids := k.adds(append(facts, "Is employed at a clinic for children, as a nurse.")...)
	like := func(id string) string {
		t.Helper()
		r := ok(k.Similar(ctx, id, core.Retrieval{MinSimilarity: 0.7}))
		if len(r.Memories) == 0 || r.Searched != len(ids)-1 {
			t.Fatalf("%+v", r)
		}
		return r.Memories[0].ID
	}
	k.means(text("anything"))
	e := &counted{Encoder: encoder()}
	k.cfg.Meaning.Encoder = e
	k.again()
	k.unlocks()
	equal(t, ids[0], like(ids[8]))
	equal(t, 0, e.calls)
	ok(k.EditMemory(ctx, ids[8], core.MemoryEdit{Content: ptr("Adopted a dog in 2022, a greyhound.")}))
	equal(t, ids[1], like(ids[8]))
	equal(t, 1, e.calls)
}

// TestReview: memories that say the same, contradict each other or belong together are listed,
// and no others; a pair that was passed over, joined, put away or forgotten is not listed again.
func TestReview(t *testing.T) {
	k := comparing(t, "")
	k.adds(facts...)
	ids := k.adds(
		"Works as a senior data engineer at a logistics company in Rotterdam.",
		"User is a senior data engineer who works for a logistics firm.",
		"Saves 20,000 euros for a new roof.",
		"Saves 35,000 euros for a new roof.",
	)
	k.means(text("anything"))
	review := func(kinds ...core.ReviewKind) (pairs [][2]string) {
		t.Helper()
		r := ok(k.Review(ctx, kinds, 0, 0))
		for _, p := range r.Pairs {
			pairs = append(pairs, [2]string{p.A.ID, p.B.ID})
		}
		if r.Total != len(pairs) || r.Missing != 0 {
			t.Errorf("%+v", r)
		}
		return pairs
	}
	engineer, roof := [2]string{ids[0], ids[1]}, [2]string{ids[2], ids[3]}
	equal(t, [][2]string{engineer}, review("near"))
	equal(t, [][2]string{roof}, review("contradict"))
	equal(t, [][2]string{engineer}, review("near")) // looking twice finds nothing twice
	if p := ok(k.Review(ctx, []core.ReviewKind{"contradict"}, 0, 0)).Pairs[0]; p.Reason != "number" || p.Similarity < 0.7 {
		t.Errorf("%+v", p)
	}
	if got := review(); !slices.Contains(got, engineer) || !slices.Contains(got, roof) {
		t.Errorf("all kinds: %v", got)
	}
	if err := k.PassOver(ctx, ids[1], ids[0], true); err != nil {
		t.Fatal(err)
	}
	k.again()
	k.unlocks()
	equal(t, nil, review("near"))
	ok(k.Relate(ctx, ids[2], memory.Contradicts, ids[3]))
	equal(t, nil, review("contradict"))
	ok(k.Undo(ctx))
	equal(t, [][2]string{roof}, review("contradict"))
	ok(k.SetStatus(ctx, ids[2], memory.Superseded, ids[3]))
	equal(t, nil, review("contradict"))
	for _, wrong := range [][2]string{{ids[0], ids[0]}, {ids[0], "nobody"}} {
		if err := k.PassOver(ctx, wrong[0], wrong[1], true); err == nil {
			t.Errorf("%v is passed over", wrong)
		}
	}
}

// TestOwnEmbeddings: the embeddings that documents gave leave as they came, all other memories
// with one of ours, valid; without the option ours stay. They come back as somebody else's.
func TestOwnEmbeddings(t *testing.T) {
	k := comparing(t, "")
	ids := k.adds(facts...)
	given := pam.Embedding{ID: "e1", MemoryID: ids[0], Model: "small", Dimensions: 3, CreatedAt: memory.At(dayOne), Vector: []float64{0.1, -1e-7, 3}}
	if err := core.PutEmbeddings(k.Service, given); err != nil {
		t.Fatal(err)
	}
	embeddings := func(r core.ExportResult) (list []pam.Embedding) {
		t.Helper()
		k.valid(r.Path)
		var doc struct {
			Embeddings []pam.Embedding `json:"embeddings"`
		}
		if err := json.Unmarshal(unpack(t, r.Path)["embeddings.json"], &doc); err != nil {
			t.Fatal(err)
		}
		return doc.Embeddings
	}
	r, _ := k.export("theirs.pam.zip", core.ExportOptions{IncludeEmbeddings: true})
	if list := embeddings(r); len(list) != 1 {
		t.Errorf("without ours: %d", len(list))
	}
	r, _ = k.export("all.pam.zip", core.ExportOptions{OwnEmbeddings: true})
	list := embeddings(r)
	if len(list) != len(facts) {
		t.Fatalf("%d embeddings", len(list))
	}
	for _, x := range list {
		switch {
		case x.MemoryID == ids[0]:
			if !reflect.DeepEqual(x, given) {
				t.Errorf("the given one: %+v", x)
			}
		case x.Model != encoder().Name() || x.Dimensions != encoder().Dimensions() || x.Check() != nil:
			t.Errorf("%s: %s, %d", x.ID, x.Model, x.Dimensions)
		}
	}
	if r, err := k.ExportMIF(ctx, filepath.Join(k.root, "a.mif.json"), core.MIFOptions{ExportOptions: core.ExportOptions{OwnEmbeddings: true}}); err != nil {
		t.Error(err)
	} else if text := ok(os.ReadFile(r.Path)); strings.Count(string(text), encoder().Name()) != len(facts)-1 {
		t.Errorf("%d of ours in MIF", strings.Count(string(text), encoder().Name()))
	}
	other := comparing(t, "")
	other.imports(r.Path)
	if p := ok(other.PreviewExport(ctx, core.ExportOptions{IncludeEmbeddings: true})); p.Embeddings != len(facts) {
		t.Errorf("%d came back", p.Embeddings)
	}
	other.cfg.Meaning.Encoder = nil
	other.again()
	other.unlocks()
	if _, err := other.ExportPAM(ctx, filepath.Join(other.root, "b.pam.zip"), core.ExportOptions{OwnEmbeddings: true}); fault.From(err).Reason != "no-model" {
		t.Errorf("without a model: %v", err)
	}
}

// TestFewVectorsOnBattery: on battery the background makes a few after each change, and says
// that the rest waits; plugged in it makes all.
func TestFewVectorsOnBattery(t *testing.T) {
	if testing.Short() {
		t.Skip("takes the pauses of the background")
	}
	k := comparing(t, "")
	for n := range 100 {
		k.adds(fmt.Sprintf("Owns book number %d.", n))
	}
	var plugged atomic.Bool
	k.cfg.Meaning.InBackground, k.cfg.Meaning.OnBattery = true, func() bool { return !plugged.Load() }
	k.again()
	k.unlocks()
	within(t, 20*time.Second, func() bool { s := ok(k.IndexState(ctx)); return s.Vectors >= 64 && s.Missing <= 36 })
	time.Sleep(3 * time.Second)
	if s := ok(k.IndexState(ctx)); s.Vectors != 64 || s.Missing != 36 || !s.OnBattery {
		t.Errorf("on battery: %+v", s)
	}
	plugged.Store(true)
	k.adds("Bought a charger.")
	within(t, 20*time.Second, func() bool { s := ok(k.IndexState(ctx)); return s.Vectors == 101 && s.Missing == 0 })
	if s := ok(k.IndexState(ctx)); s.OnBattery {
		t.Errorf("plugged in: %+v", s)
	}
}
