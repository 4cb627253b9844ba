package core_test

import (
	"encoding/json"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/core/meaning"
	"keepsake/backend/embedserver"
	"keepsake/backend/fault"
)

// wordServer is an embedding server of Ollama's kind whose model knows which words a text has.
type wordServer struct {
	*httptest.Server
	mu       sync.Mutex
	model    string // what it really has; another one makes other vectors
	down     bool
	stalls   chan struct{} // until it is closed; nil: it does not
	requests int
	texts    []string // that came since they were last taken
}

func newWordServer(t testing.TB) *wordServer {
	s := &wordServer{model: "one"}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *wordServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	if stalls := s.stalls; stalls != nil {
		s.mu.Unlock()
		<-stalls
		s.mu.Lock()
	}
	if s.down {
		panic(http.ErrAbortHandler)
	}
	var asked struct {
		Model string
		Input []string
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.texts = append(s.texts, asked.Input...)
	var all [][]float64
	for _, text := range asked.Input {
		v := make([]float64, 128)
		v[0] = 0.001
		for _, word := range strings.Fields(strings.ToLower(text)) {
			h := fnv.New32a()
			_, _ = h.Write([]byte(s.model + strings.Trim(word, ".,?!")))
			v[h.Sum32()%128]++
		}
		all = append(all, v)
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"model": asked.Model, "embeddings": all})
}

func (s *wordServer) set(fn func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fn()
}

// asked returns how often it was asked.
func (s *wordServer) asked() (n int) {
	s.set(func() { n = s.requests })
	return n
}

// took returns how many of the facts came since it was last called.
func (s *wordServer) took() (n int) {
	s.set(func() {
		for _, f := range facts {
			if slices.Contains(s.texts, f) {
				n++
			}
		}
		s.texts = nil
	})
	return n
}

// served is a kit with an unlocked vault that has the facts, whose texts a server compares.
func served(t testing.TB) (*kit, *wordServer, []string) {
	t.Helper()
	k, s := bare(t, ""), newWordServer(t)
	k.cfg.Meaning.Connect = embedserver.Connect
	k.again()
	ok(k.CreateVault(ctx, passphrase, "test"))
	ids := k.adds(facts...)
	k.asks(core.EmbeddingServer{API: "ollama", Address: s.URL, Model: "words"})
	return k, s, ids
}

// asks makes an embedding server the one of the preferences.
func (k *kit) asks(server core.EmbeddingServer) {
	k.t.Helper()
	p := ok(k.Preferences(ctx))
	p.EmbeddingServer = server
	if err := k.SavePreferences(ctx, p); err != nil {
		k.t.Fatal(err)
	}
}

func (k *kit) indexed() core.IndexState {
	k.t.Helper()
	return ok(k.IndexState(ctx))
}

var hobby = core.SearchQuery{Text: "runs every autumn", Mode: "semantic"}

// TestEmbeddingServer: texts are compared by the server once it is chosen, by what it has made
// in another session too, and no longer when it is switched off.
func TestEmbeddingServer(t *testing.T) {
	k, s, ids := served(t)
	if got := k.indexed(); got.Model != "ollama:words" || got.Vectors != 0 || got.Missing != len(facts) || s.asked() != 0 {
		t.Errorf("before it is asked: %+v, %d requests", got, s.asked())
	}
	if r := k.means(hobby); r.Hits[0].ID != ids[7] {
		t.Errorf("%v", r.Hits)
	}
	equal(t, len(facts), s.took())
	was := k.indexed()
	if was.Vectors != len(facts) || was.Missing != 0 || !strings.HasPrefix(was.Model, "ollama:words/128-") {
		t.Errorf("%+v", was)
	}
	k.again()
	k.unlocks()
	equal(t, was, k.indexed()) // without asking
	if r := k.means(hobby); r.Hits[0].ID != ids[7] {
		t.Errorf("%v", r.Hits)
	}
	equal(t, was, k.indexed())
	equal(t, 0, s.took())
	k.asks(core.EmbeddingServer{})
	if _, err := k.Search(ctx, hobby); fault.From(err).Reason != "no-model" {
		t.Errorf("switched off, and no built-in model: %v", err)
	}
	equal(t, core.IndexState{Records: len(facts)}, k.indexed())
	before := s.asked()
	equal(t, 1, len(k.finds(text("greyhound"))))
	equal(t, before, s.asked())
}

// TestAModelOfAServerThatChanges: another model under the same name has all vectors made anew,
// found out by a question, by a new memory or in the next session.
func TestAModelOfAServerThatChanges(t *testing.T) {
	k, s, ids := served(t)
	k.means(hobby)
	names := map[string]bool{k.indexed().Model: true}
	s.took()
	for i, model := range []string{"two", "three", "four"} {
		s.set(func() { s.model = model })
		switch i {
		case 0:
			if _, err := k.Search(ctx, hobby); fault.From(err).Reason != "embedding-server-changed" {
				t.Errorf("a question: %v", err)
			}
		case 1:
			k.adds("Likes rain.")
		case 2:
			k.again()
			k.unlocks()
		}
		if r := k.means(hobby); r.Hits[0].ID != ids[7] {
			t.Errorf("%s: %v", model, r.Hits)
		}
		equal(t, len(facts), s.took())
		now := k.indexed()
		if names[now.Model] || now.Missing != 0 || now.Vectors != now.Records {
			t.Errorf("%s: %+v", model, now)
		}
		names[now.Model] = true
	}
}

// TestAServerThatIsDown: words are searched, texts are edited and forgotten as ever; why no
// meaning is compared is said, and the vectors of what was not forgotten are used when it is
// back.
func TestAServerThatIsDown(t *testing.T) {
	for _, reopened := range []bool{false, true} {
		k, s, ids := served(t)
		k.means(hobby)
		s.took()
		s.set(func() { s.down, s.requests = true, 0 })
		if reopened {
			k.again()
			k.unlocks()
		}
		if err := k.WaitForIndex(ctx); err != nil {
			t.Fatal(err)
		}
		if r := ok(k.Search(ctx, core.SearchQuery{Text: "adopted a greyhound", Mode: "hybrid"})); len(r.Hits) != 1 || r.NoMeaning == nil {
			t.Errorf("%v, %v", r.Hits, r.NoMeaning)
		}
		reasons := []string{"embedding-server-silent", "embedding-server-unasked"}
		if _, err := k.Search(ctx, hobby); !slices.Contains(reasons, fault.From(err).Reason) {
			t.Errorf("%v", err)
		}
		_, _ = k.Search(ctx, hobby)
		if most := map[bool]int{false: 1, true: 0}[reopened]; s.asked() > most {
			t.Errorf("asked %d times, not %d", s.asked(), most)
		}
		ok(k.EditMemory(ctx, ids[1], core.MemoryEdit{Content: ptr("Adopted a dog.")}))
		ok(k.Forget(ctx, ids[:1], nil))
		if err := k.MakeVectors(ctx, 0); fault.From(err).Reason != "embedding-server-silent" {
			t.Errorf("%v", err)
		}
		s.set(func() { s.down = false })
		if r := k.means(hobby); r.Hits[0].ID != ids[7] || slices.Contains(idsOf(r.Hits), ids[0]) {
			t.Errorf("%v", r.Hits)
		}
		equal(t, 0, s.took()) // but the edited one
		if got := k.indexed(); got.Vectors != len(facts)-1 || got.Failed != nil {
			t.Errorf("%+v", got)
		}
	}
}

// TestAServerThatStalls: a search waits for it for some seconds, once, and finds words; an edit
// does not wait, nor does the lock.
func TestAServerThatStalls(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for the limit of a question")
	}
	k, s, ids := served(t)
	k.means(hobby)
	stalls := make(chan struct{})
	defer close(stalls)
	s.set(func() { s.stalls = stalls })
	q := core.SearchQuery{Text: "adopted a greyhound", Mode: "hybrid"}
	for _, most := range []time.Duration{8 * time.Second, time.Second} {
		began := time.Now()
		r := ok(k.Search(ctx, q))
		if len(r.Hits) != 1 || fault.From(r.NoMeaning).Reason != "embedding-server-silent" || time.Since(began) > most {
			t.Errorf("%v, %v after %v", r.Hits, r.NoMeaning, time.Since(began))
		}
	}
	making := make(chan error)
	go func() { making <- k.MakeVectors(ctx, 0) }()
	within(t, 5*time.Second, func() bool { return s.asked() > 3 })
	began := time.Now()
	ok(k.EditMemory(ctx, ids[1], core.MemoryEdit{Content: ptr("Adopted a dog.")}))
	ok(k.Forget(ctx, ids[:1], nil))
	k.asks(core.EmbeddingServer{})
	if err := <-making; fault.From(err).Reason != "no-model" {
		t.Errorf("what waited for the server: %v", err)
	}
	k.asks(core.EmbeddingServer{API: "ollama", Address: s.URL, Model: "words"})
	go func() { making <- k.MakeVectors(ctx, 0) }()
	within(t, 5*time.Second, func() bool { return s.asked() > 4 })
	if err := k.Lock(ctx); err != nil {
		t.Error(err)
	}
	if err := <-making; err == nil || time.Since(began) > 10*time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
}

// TestNoReviewByAServer: the limits of pairs and topics are measured for the built-in model
// alone. What uses them goes on without them: the graph, compaction, and forgetting.
func TestNoReviewByAServer(t *testing.T) {
	k, _, ids := served(t)
	k.means(hobby)
	_, err := k.Review(ctx, nil, 0, 0)
	wantFault(t, err, fault.Unsupported, "review-not-measured")
	_, err = k.Topics(ctx)
	wantFault(t, err, fault.Unsupported, "review-not-measured")
	if g := ok(k.Graph(ctx, core.MemoryQuery{})); len(g.Nodes) != len(ids) || len(g.Edges) != 0 {
		t.Errorf("%d nodes and %d edges", len(g.Nodes), len(g.Edges))
	}
	for _, item := range ok(k.PlanCompaction(ctx)).Items {
		if item.Is(core.CompactRepeat) {
			t.Errorf("%s repeats %s", item.Title, item.KeepsTitle)
		}
	}
}

// TestServersElsewhereAreNotAsked: neither the settings take one nor a file that somebody
// changed; nor does one that is only tried become the one that is asked.
func TestServersElsewhereAreNotAsked(t *testing.T) {
	k, s, _ := served(t)
	elsewhere := core.EmbeddingServer{API: "ollama", Address: "http://192.0.2.1:11434", Model: "words"}
	p := ok(k.Preferences(ctx))
	p.EmbeddingServer = elsewhere
	wantFault(t, k.SavePreferences(ctx, p), fault.Invalid, "embedding-server-address")
	_, err := k.TryEmbeddingServer(ctx, elsewhere)
	wantFault(t, err, fault.Invalid, "embedding-server-address")
	text := ok(json.Marshal(p))
	if err := os.WriteFile(k.cfg.SettingsFile, text, 0o600); err != nil {
		t.Fatal(err)
	}
	k.again()
	k.unlocks()
	wantFault(t, k.MakeVectors(ctx, 0), fault.Invalid, "embedding-server-address")
	tried := ok(k.TryEmbeddingServer(ctx, core.EmbeddingServer{API: "ollama", Address: s.URL, Model: "words"}))
	if tried.Dimensions != 128 || tried.Elapsed <= 0 || s.took() != 0 {
		t.Errorf("%+v", tried)
	}
	wantFault(t, k.MakeVectors(ctx, 0), fault.Invalid, "embedding-server-address")
}

// TestNoServerNoConnection: without the setting no server is asked, whatever is done.
func TestNoServerNoConnection(t *testing.T) {
	k, s, ids := served(t)
	k.asks(core.EmbeddingServer{})
	k.again()
	k.unlocks()
	_ = k.MakeVectors(ctx, 0)
	_, _ = k.Search(ctx, hobby)
	_, _ = k.Retrieve(ctx, core.Retrieval{Text: "autumn"})
	_, _ = k.Similar(ctx, ids[0], core.Retrieval{})
	_, _ = k.Review(ctx, nil, 0, 0)
	ok(k.Forget(ctx, ids[:1], nil))
	equal(t, 0, s.asked())
}

// TestBackgroundWaitsForAServer: while it is down the background asks it again after pauses
// only, whatever is written meanwhile; another one is asked at once.
func TestBackgroundWaitsForAServer(t *testing.T) {
	if testing.Short() {
		t.Skip("takes the pauses of the background")
	}
	k, s, _ := served(t)
	s.set(func() { s.down = true })
	k.cfg.Meaning.InBackground = true
	k.again()
	k.unlocks()
	within(t, 10*time.Second, func() bool { return k.indexed().Failed != nil })
	for range 5 {
		k.adds("Likes rain.", "Likes snow.")
		time.Sleep(100 * time.Millisecond)
	}
	time.Sleep(2500 * time.Millisecond)
	equal(t, 1, s.asked())
	s.set(func() { s.down = false })
	other := newWordServer(t)
	k.asks(core.EmbeddingServer{API: "ollama", Address: other.URL, Model: "others"})
	within(t, 10*time.Second, func() bool { got := k.indexed(); return got.Missing == 0 && got.Failed == nil })
	if got := k.indexed(); !strings.HasPrefix(got.Model, "ollama:others/") || got.Vectors != got.Records {
		t.Errorf("%+v", got)
	}
}

func within(t *testing.T, d time.Duration, done func() bool) {
	t.Helper()
	for end := time.Now().Add(d); !done(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("not in time")
		}
	}
}

// TestRecentVaultsOfScripts: a Service for commands reads and writes the settings, and leaves
// which vault the window opens next.
func TestRecentVaultsOfScripts(t *testing.T) {
	k := bare(t, "")
	ok(k.CreateVault(ctx, passphrase, "test"))
	window := ok(k.Preferences(ctx)).Recent
	k.cfg.VaultDir, k.cfg.LeaveRecent = filepath.Join(k.root, "another"), true
	k.again()
	ok(k.CreateVault(ctx, passphrase, "test"))
	k.asks(core.EmbeddingServer{API: meaning.Ollama, Address: "http://127.0.0.1:1", Model: "words"})
	if p := ok(k.Preferences(ctx)); !slices.Equal(p.Recent, window) || len(window) != 1 || p.EmbeddingServer.Model != "words" {
		t.Errorf("%+v", p)
	}
}
