package embedserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"keepsake/backend/core/meaning"
	"keepsake/backend/fault"
)

// Limits of an answer.
const (
	answerWithin    = 2 * time.Minute
	mostAnswer      = 8 << 20 // bytes; 17 vectors of 4,096 numbers take 2 MB
	leastDimensions = 64
	mostDimensions  = 4096
)

// client asks one server.
type client struct {
	server meaning.Server
	http   *http.Client
}

// request is what both APIs are asked.
type request struct {
	Model string   `json:"model"`
	Input []string `json:"input"`
}

// answer has the fields of both APIs.
type answer struct {
	Model      string     `json:"model"`
	Embeddings [][]number `json:"embeddings"` // of Ollama
	Data       []struct { // of OpenAI
		Index     int      `json:"index"`
		Embedding []number `json:"embedding"`
	} `json:"data"`
}

// number is a JSON number, and not null, which would be read as 0.
type number float64

func (n *number) UnmarshalJSON(text []byte) error {
	f, err := strconv.ParseFloat(string(text), 64)
	*n = number(f)
	return err
}

// embed returns a vector of length 1 for each text, all of one size.
func (c client) embed(ctx context.Context, texts []string) ([][]float32, error) {
	within, stop := context.WithTimeout(ctx, answerWithin)
	defer stop()
	body, err := c.post(within, texts)
	if ctx.Err() != nil && errors.Is(ctx.Err(), context.Canceled) {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	a := answer{}
	if err := json.Unmarshal(body, &a); err != nil {
		return nil, c.errNonsense(err)
	}
	if withoutTag(a.Model) != withoutTag(c.server.Model) && (a.Model != "" || c.server.API == meaning.OpenAI) {
		return nil, fault.New(fault.Conflict, "embedding-server-other-model", "The embedding server at {address} was asked for {model} and answers with another model.").
			With("address", c.server.Address).With("model", c.server.Model)
	}
	return c.vectors(a, len(texts))
}

// withoutTag is the name of a model without the tag that Ollama adds where none is given.
func withoutTag(model string) string { return strings.TrimSuffix(model, ":latest") }

// post sends texts and returns what came back.
func (c client) post(ctx context.Context, texts []string) ([]byte, error) {
	body, err := json.Marshal(request{c.server.Model, texts})
	if err != nil {
		return nil, fmt.Errorf("write request: %w", err)
	}
	path := map[meaning.API]string{meaning.Ollama: "/api/embed", meaning.OpenAI: "/v1/embeddings"}[c.server.API]
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(c.server.Address, "/")+path, bytes.NewReader(body))
	if err != nil {
		return nil, c.errSilent(err)
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := c.http.Do(r)
	if err != nil {
		return nil, c.errSilent(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fault.New(fault.Refused, "embedding-server-status", "The embedding server at {address} refused the request with status {status}.").
			With("address", c.server.Address).With("status", response.StatusCode).
			Advise("Check that the server has the model, and that its kind is the right one.")
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, mostAnswer+1))
	if err != nil {
		return nil, c.errSilent(err)
	}
	if len(text) > mostAnswer {
		return nil, c.errNonsense(fmt.Errorf("more than %d bytes", mostAnswer))
	}
	return text, nil
}

// vectors checks what was answered to n texts.
func (c client) vectors(a answer, n int) ([][]float32, error) {
	raw := a.Embeddings
	if c.server.API == meaning.OpenAI {
		raw = make([][]number, len(a.Data))
		for _, d := range a.Data {
			if d.Index < 0 || d.Index >= len(raw) || raw[d.Index] != nil {
				return nil, c.errNonsense(fmt.Errorf("index %d twice or too large", d.Index))
			}
			raw[d.Index] = d.Embedding
		}
	}
	if len(raw) != n {
		return nil, c.errNonsense(fmt.Errorf("%d vectors for %d texts", len(raw), n))
	}
	size := len(raw[0])
	if size < leastDimensions || size > mostDimensions {
		return nil, fault.New(fault.Unsupported, "embedding-server-dimensions", "The embedding server at {address} gives vectors of {dimensions} numbers; Keepsake takes {least} to {most}.").
			With("address", c.server.Address).With("dimensions", size).With("least", leastDimensions).With("most", mostDimensions)
	}
	all := make([][]float32, n)
	for i, v := range raw {
		if all[i] = unit(v); all[i] == nil || len(v) != size {
			return nil, c.errNonsense(fmt.Errorf("vector %d of %d numbers has no direction, or not %d numbers", i, len(v), size))
		}
	}
	return all, nil
}

// unit makes a vector one of length 1; nil if that is not possible.
func unit(v []number) []float32 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	length := math.Sqrt(sum)
	if !(length > 0) || math.IsInf(length, 1) {
		return nil
	}
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(float64(x) / length)
	}
	return out
}

func (c client) errSilent(cause error) error {
	return fault.New(fault.Busy, "embedding-server-silent", "The embedding server at {address} does not answer.").
		With("address", c.server.Address).
		Advise("Start it, or switch it off in the settings. Until it answers, texts are compared by their words.").Because(cause)
}

func (c client) errNonsense(cause error) error {
	return fault.New(fault.Invalid, "embedding-server-answer", "The embedding server at {address} does not answer as one of the kind {api}.").
		With("address", c.server.Address).With("api", c.server.API).
		Advise("Check its address, its kind and the model.").Because(cause)
}
