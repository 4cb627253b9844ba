package cli_test

import (
	"encoding/json"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// embeds NAME runs an embedding server of Ollama's kind, which has a model called words that
// knows which words a text has, until the script ends. Its address is in $NAME.
func embeds(ts *testscript.TestScript, _ bool, args []string) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Model string
			Input []string
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || asked.Model != "words" || r.URL.Path != "/api/embed" {
			http.Error(w, "no such model", http.StatusNotFound)
			return
		}
		all := make([][]float64, len(asked.Input))
		for i, text := range asked.Input {
			all[i] = make([]float64, 128)
			all[i][0] = 0.001
			for _, word := range strings.Fields(strings.ToLower(text)) {
				h := fnv.New32a()
				_, _ = h.Write([]byte(strings.Trim(word, ".,?!")))
				all[i][h.Sum32()%128]++
			}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"model": asked.Model, "embeddings": all})
	}))
	ts.Defer(s.Close)
	ts.Setenv(args[0], s.URL)
}
