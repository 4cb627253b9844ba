package embedserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"keepsake/backend/core/meaning"
	"keepsake/backend/embedserver"
	"keepsake/backend/fault"
)

const dimensions = 128

// vector is what a model makes of a text.
func vector(model, text string, size int) []float64 {
	h := fnv.New64a()
	h.Write([]byte(model + "\n" + text))
	r := rand.New(rand.NewPCG(h.Sum64(), 1))
	v := make([]float64, size)
	for i := range v {
		v[i] = 3 * r.NormFloat64()
	}
	return v
}

// server is an embedding server whose answers a test chooses.
type server struct {
	*httptest.Server
	model atomic.Pointer[string]                           // that it really has
	wrong atomic.Pointer[func(http.ResponseWriter, asked)] // answers instead
	asked atomic.Int64
}

type asked struct {
	Model string
	Input []string
}

func serve(t *testing.T) *server {
	s := &server{}
	s.has("small")
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		var a asked
		body, err := io.ReadAll(r.Body)
		if err != nil || json.Unmarshal(body, &a) != nil || r.Method != http.MethodPost {
			t.Errorf("%s %q: %v", r.Method, body, err)
		}
		if wrong := s.wrong.Load(); wrong != nil {
			(*wrong)(w, a)
			return
		}
		s.answer(w, r.URL.Path, a)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) has(model string) { s.model.Store(&model) }

func (s *server) answers(wrong func(http.ResponseWriter, asked)) { s.wrong.Store(&wrong) }

func (s *server) answer(w http.ResponseWriter, path string, a asked) {
	var all [][]float64
	type datum struct {
		Index     int       `json:"index"`
		Embedding []float64 `json:"embedding"`
	}
	var data []datum
	for i, text := range a.Input {
		v := vector(*s.model.Load(), text, dimensions)
		all, data = append(all, v), slices.Insert(data, 0, datum{i, v}) // in another order
	}
	switch path {
	case "/api/embed":
		_ = json.NewEncoder(w).Encode(map[string]any{"model": a.Model, "embeddings": all})
	case "/v1/embeddings":
		_ = json.NewEncoder(w).Encode(map[string]any{"model": a.Model, "data": data})
	default:
		http.NotFound(w, nil)
	}
}

func (s *server) at(api meaning.API) meaning.Server {
	return meaning.Server{API: api, Address: s.URL, Model: "small"}
}

func connect(t *testing.T, s meaning.Server, probe []float32) (meaning.Encoder, []float32) {
	t.Helper()
	e, probe, err := embedserver.Connect(t.Context(), s, probe)
	if err != nil {
		t.Fatal(err)
	}
	return e, probe
}

func reason(err error) string {
	if err == nil {
		return ""
	}
	return fault.From(err).Reason
}

// TestVectorsOfAServer: both APIs give the vectors of the server in the order of the texts and
// of length 1, of more texts than a request has, of texts of any kind.
func TestVectorsOfAServer(t *testing.T) {
	texts := []string{"", "one", strings.Repeat("ä", 3000), "a\xffb", "\x00", "日本語", strings.Repeat("x", 1<<20)}
	for i := range 40 {
		texts = append(texts, fmt.Sprint("text ", i))
	}
	for _, api := range meaning.APIs() {
		s := serve(t)
		e, _ := connect(t, s.at(api), nil)
		if e.Dimensions() != dimensions || !strings.HasPrefix(e.Name(), string(api)+":small/128-") || len(e.Mean()) != dimensions || e.QuestionMean() != nil {
			t.Errorf("%s %d", e.Name(), e.Dimensions())
		}
		all, err := e.Embed(t.Context(), texts)
		if err != nil || len(all) != len(texts) {
			t.Fatalf("%d vectors: %v", len(all), err)
		}
		for i, v := range all {
			text := texts[i]
			switch i {
			case 2:
				text = strings.Repeat("ä", 1000)
			case 3:
				text = "a\ufffdb"
			case 6:
				text = text[:2000]
			}
			if c, length := cosine(v, vector("small", text, dimensions)); c < 0.99999 || math.Abs(length-1) > 1e-5 {
				t.Errorf("%s, text %d: cosine %f, length %f", api, i, c, length)
			}
		}
		if n := s.asked.Load(); n != 1+3 {
			t.Errorf("%d requests for %d texts", n, len(texts))
		}
		if none, err := e.Embed(t.Context(), nil); err != nil || len(none) != 0 {
			t.Errorf("no texts: %v, %v", none, err)
		}
	}
}

func cosine(a []float32, b []float64) (cosine, length float64) {
	var ab, aa, bb float64
	for i := range a {
		ab, aa, bb = ab+float64(a[i])*b[i], aa+float64(a[i])*float64(a[i]), bb+b[i]*b[i]
	}
	return ab / math.Sqrt(aa*bb), math.Sqrt(aa)
}

// TestNamesOfModels: the name stays as long as the model does, also where its numbers are
// rounded otherwise, and is another one where the model, the API or the size is another.
func TestNamesOfModels(t *testing.T) {
	s := serve(t)
	e, probe := connect(t, s.at(meaning.Ollama), nil)
	near := slices.Clone(probe)
	near[0] += 0.01
	for _, before := range [][]float32{nil, probe, near} {
		again, kept := connect(t, s.at(meaning.Ollama), before)
		if (again.Name() == e.Name()) != (before == nil || slices.Equal(before, probe)) {
			t.Errorf("%s, not %s", again.Name(), e.Name())
		}
		if before != nil && !slices.Equal(kept, before) {
			t.Error("the probe is not the one that was first")
		}
		if _, err := again.Embed(t.Context(), []string{"a"}); err != nil {
			t.Error(err)
		}
	}
	names := map[string]bool{e.Name(): true}
	other, _ := connect(t, s.at(meaning.OpenAI), probe)
	names[other.Name()] = true
	s.has("swapped")
	other, kept := connect(t, s.at(meaning.Ollama), probe)
	names[other.Name()] = true
	if len(names) != 3 || slices.Equal(kept, probe) {
		t.Errorf("%v", names)
	}
}

// TestAModelThatIsSwapped: a server that has another model under the same name is found out
// with the next request, in the middle of one call too.
func TestAModelThatIsSwapped(t *testing.T) {
	s := serve(t)
	e, _ := connect(t, s.at(meaning.Ollama), nil)
	s.has("swapped")
	if _, err := e.Embed(t.Context(), []string{"a"}); reason(err) != "embedding-server-changed" {
		t.Errorf("%v", err)
	}
	s.has("small")
	s.answers(func(w http.ResponseWriter, a asked) {
		if slices.Contains(a.Input, "text 20") {
			s.has("swapped")
		}
		s.answer(w, "/api/embed", a)
	})
	texts := make([]string, 40)
	for i := range texts {
		texts[i] = fmt.Sprint("text ", i)
	}
	if all, err := e.Embed(t.Context(), texts); reason(err) != "embedding-server-changed" || all != nil {
		t.Errorf("%d vectors, %v", len(all), err)
	}
	s.answers(func(w http.ResponseWriter, a asked) { vectors(w, a, len(a.Input), dimensions/2, nil) })
	if _, err := e.Embed(t.Context(), []string{"a"}); reason(err) != "embedding-server-changed" {
		t.Errorf("another size: %v", err)
	}
}

// vectors answers with n vectors of a size; change changes the JSON.
func vectors(w io.Writer, a asked, n, size int, change func(string) string) {
	all := make([][]float64, n)
	for i := range all {
		all[i] = vector("small", fmt.Sprint(i), size)
	}
	text, _ := json.Marshal(map[string]any{"model": a.Model, "embeddings": all})
	if change == nil {
		change = func(s string) string { return s }
	}
	_, _ = io.WriteString(w, change(string(text)))
}

// TestWrongAnswers: what a server must not answer is refused in a sentence, when it is
// connected to and later.
func TestWrongAnswers(t *testing.T) {
	elsewhere := serve(t)
	numbers := func(number string) func(http.ResponseWriter, asked) {
		return func(w http.ResponseWriter, a asked) {
			vectors(w, a, len(a.Input), 64, func(s string) string {
				from := strings.LastIndex(s[:strings.LastIndex(s, "]]")], ",")
				return s[:from+1] + number + s[strings.LastIndex(s, "]]"):]
			})
		}
	}
	body := func(text string) func(http.ResponseWriter, asked) {
		return func(w http.ResponseWriter, _ asked) { _, _ = io.WriteString(w, text) }
	}
	count := func(more, size int) func(http.ResponseWriter, asked) {
		return func(w http.ResponseWriter, a asked) { vectors(w, a, len(a.Input)+more, size, nil) }
	}
	zeros := "[" + strings.Repeat("0,", 63) + "0]"
	for name, wrong := range map[string]struct {
		answers func(http.ResponseWriter, asked)
		reason  string
	}{
		"one vector less":      {count(-1, 64), "embedding-server-answer"},
		"one vector more":      {count(1, 64), "embedding-server-answer"},
		"no vectors":           {body(`{"model":"small","embeddings":[]}`), "embedding-server-answer"},
		"few dimensions":       {count(0, 63), "embedding-server-dimensions"},
		"too many dimensions":  {count(0, 4097), "embedding-server-dimensions"},
		"no dimensions":        {count(0, 0), "embedding-server-dimensions"},
		"NaN":                  {numbers("NaN"), "embedding-server-answer"},
		"NaN in quotes":        {numbers(`"NaN"`), "embedding-server-answer"},
		"null":                 {numbers("null"), "embedding-server-answer"},
		"too large a number":   {numbers("1e999"), "embedding-server-answer"},
		"too long a vector":    {numbers("1e200"), "embedding-server-answer"},
		"one number more":      {numbers("1,1"), "embedding-server-answer"},
		"text for a number":    {numbers(`"x"`), "embedding-server-answer"},
		"HTML":                 {body("<!doctype html><title>Sign in</title>"), "embedding-server-answer"},
		"nothing at all":       {body(""), "embedding-server-answer"},
		"a list":               {body("[]"), "embedding-server-answer"},
		"cut off":              {body(`{"model":"small","embeddings":[[0.1,`), "embedding-server-answer"},
		"more than 8 MiB":      {body(strings.Repeat(" ", 9<<20)), "embedding-server-answer"},
		"another model's name": {body(`{"model":"large","embeddings":[]}`), "embedding-server-other-model"},
		"an error":             {func(w http.ResponseWriter, _ asked) { http.Error(w, "model not found", http.StatusNotFound) }, "embedding-server-status"},
		"a redirect": {func(w http.ResponseWriter, _ asked) {
			w.Header().Set("Location", elsewhere.URL+"/api/embed")
			w.WriteHeader(http.StatusTemporaryRedirect)
		}, "embedding-server-status"},
		"zeros": {func(w http.ResponseWriter, a asked) {
			_, _ = io.WriteString(w, `{"model":"small","embeddings":[`+strings.Repeat(zeros+",", len(a.Input)-1)+zeros+"]}")
		}, "embedding-server-answer"},
		"closed": {func(http.ResponseWriter, asked) { panic(http.ErrAbortHandler) }, "embedding-server-silent"},
	} {
		s := serve(t)
		e, _ := connect(t, s.at(meaning.Ollama), nil)
		s.answers(wrong.answers)
		if all, err := e.Embed(t.Context(), []string{"a"}); reason(err) != wrong.reason || all != nil {
			t.Errorf("%s: %v, not %s", name, err, wrong.reason)
		}
		if _, _, err := embedserver.Connect(t.Context(), s.at(meaning.Ollama), nil); reason(err) != wrong.reason {
			t.Errorf("connect, %s: %v, not %s", name, err, wrong.reason)
		}
	}
	if n := elsewhere.asked.Load(); n != 0 {
		t.Errorf("%d redirects were followed", n)
	}
}

// TestWrongAnswersOfOpenAI: what only that API can have wrong.
func TestWrongAnswersOfOpenAI(t *testing.T) {
	one, _ := json.Marshal(vector("small", "a", 64))
	for name, text := range map[string]string{
		"an index twice":      strings.Repeat(fmt.Sprintf(`{"index":0,"embedding":%s},`, one), 16),
		"an index too large":  strings.Repeat(fmt.Sprintf(`{"index":99,"embedding":%s},`, one), 16),
		"an index below zero": strings.Repeat(fmt.Sprintf(`{"index":-1,"embedding":%s},`, one), 16),
		"vectors of Ollama":   "",
		"vectors in base64":   strings.Repeat(`{"index":0,"embedding":"AAAA"},`, 16),
	} {
		s := serve(t)
		s.answers(func(w http.ResponseWriter, _ asked) {
			fmt.Fprintf(w, `{"model":"small","embeddings":[%s],"data":[%s]}`, one, strings.TrimSuffix(text, ","))
		})
		if _, _, err := embedserver.Connect(t.Context(), s.at(meaning.OpenAI), nil); reason(err) != "embedding-server-answer" {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := serve(t)
	s.answers(func(w http.ResponseWriter, _ asked) { _, _ = io.WriteString(w, `{"data":[]}`) })
	if _, _, err := embedserver.Connect(t.Context(), s.at(meaning.OpenAI), nil); reason(err) != "embedding-server-other-model" {
		t.Errorf("no model named: %v", err)
	}
}

// TestAServerThatStalls: the caller's limit and its stop hold, before the header, in the
// middle of the body, and where nobody listens.
func TestAServerThatStalls(t *testing.T) {
	for name, stall := range map[string]func(http.ResponseWriter, <-chan struct{}){
		"before the header": func(_ http.ResponseWriter, end <-chan struct{}) { <-end },
		"in the body": func(w http.ResponseWriter, end <-chan struct{}) {
			_, _ = io.WriteString(w, `{"model":"small",`)
			w.(http.Flusher).Flush()
			<-end
		},
	} {
		s := serve(t)
		e, _ := connect(t, s.at(meaning.Ollama), nil)
		end := make(chan struct{})
		s.answers(func(w http.ResponseWriter, _ asked) { stall(w, end) })
		within, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
		began := time.Now()
		if _, err := e.Embed(within, []string{"a"}); reason(err) != "embedding-server-silent" || time.Since(began) > 5*time.Second {
			t.Errorf("%s: %v after %v", name, err, time.Since(began))
		}
		stop()
		stopped, stop := context.WithCancel(t.Context())
		time.AfterFunc(50*time.Millisecond, stop)
		if _, err := e.Embed(stopped, []string{"a"}); !fault.Stopped(err) {
			t.Errorf("%s, stopped: %v", name, err)
		}
		close(end)
	}
	s := serve(t)
	s.Close()
	if _, _, err := embedserver.Connect(t.Context(), s.at(meaning.Ollama), nil); reason(err) != "embedding-server-silent" {
		t.Errorf("nobody listens: %v", err)
	}
}

// TestServersElsewhere: what is not on this computer, or no server at all, is refused before
// anything is sent.
func TestServersElsewhere(t *testing.T) {
	s := serve(t)
	port := s.URL[strings.LastIndex(s.URL, ":"):]
	for _, address := range []string{
		"", "http://", "127.0.0.1" + port, "https://127.0.0.1" + port, "http://127.0.0.1", "http://127.0.0.1:0", "http://127.0.0.1:70000",
		"http://192.0.2.1" + port, "http://0.0.0.0" + port, "http://[::]" + port, "http://[2001:db8::1]" + port, "http://[fe80::1%25lo]" + port,
		"http://example.org" + port, "http://localhost.example.org" + port, "http://127.0.0.1.example.org" + port, "http://127.1" + port, "http://2130706433" + port,
		"http://127.0.0.1@192.0.2.1" + port, "http://me:secret@127.0.0.1" + port, "http://127.0.0.1" + port + "/proxy", "http://127.0.0.1" + port + "?a", "http://127.0.0.1" + port + "#a",
		"unix:///run/server", "file:///etc/passwd", "http://127.0.0.1" + port + "\n", " http://127.0.0.1" + port,
	} {
		for _, api := range meaning.APIs() {
			server := meaning.Server{API: api, Address: address, Model: "small"}
			if _, _, err := embedserver.Connect(t.Context(), server, nil); reason(err) != "embedding-server-address" {
				t.Errorf("%q: %v", address, err)
			}
		}
	}
	for _, model := range []string{"", strings.Repeat("m", 201), "a\nb", "\xff"} {
		if _, _, err := embedserver.Connect(t.Context(), meaning.Server{API: meaning.Ollama, Address: s.URL, Model: model}, nil); reason(err) != "embedding-server-model" {
			t.Errorf("%q: %v", model, err)
		}
	}
	if _, _, err := embedserver.Connect(t.Context(), meaning.Server{API: "grpc", Address: s.URL, Model: "small"}, nil); reason(err) != "embedding-server-api" {
		t.Errorf("%v", err)
	}
	if n := s.asked.Load(); n != 0 {
		t.Errorf("%d requests came", n)
	}
	for _, address := range []string{s.URL, s.URL + "/", "http://localhost" + port} {
		connect(t, meaning.Server{API: meaning.Ollama, Address: address, Model: "small"}, nil)
	}
}
