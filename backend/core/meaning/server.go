package meaning

import (
	"context"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"keepsake/backend/core/library"
	"keepsake/backend/fault"
	"keepsake/backend/vectors"
)

// API is how an embedding server is asked.
type API string

// The APIs.
const (
	Ollama API = "ollama" // POST /api/embed
	OpenAI API = "openai" // POST /v1/embeddings
)

// APIs lists the APIs.
func APIs() []API { return []API{Ollama, OpenAI} }

// Server is a program on this computer that turns texts into vectors. Its zero value is none.
type Server struct {
	API     API    `json:"api"`
	Address string `json:"address"` // as in "http://127.0.0.1:11434"
	Model   string `json:"model"`
}

// Label is the API and the model. The names of all encoders of the server begin with it and
// a slash.
func (s Server) Label() string { return string(s.API) + ":" + s.Model }

// Connect asks a server what its vectors are like. It returns an encoder, and the vector of a
// text that never changes. probe is what that was before: as long as the two are close, the
// encoder keeps its Name, and probe is returned.
//
// An encoder returns ErrModelChanged if the server has another model than when it was asked.
type Connect func(ctx context.Context, server Server, probe []float32) (Encoder, []float32, error)

// mostModelName is the longest name of a model, in bytes.
const mostModelName = 200

// Check refuses a server that is not on this computer, before anything is sent to it.
func (s Server) Check() error {
	if !slices.Contains(APIs(), s.API) {
		return fault.New(fault.Invalid, "embedding-server-api", "There is no kind of embedding server called {api}; there are ollama and openai.").With("api", s.API)
	}
	if !isLoopback(s.Address) {
		return fault.New(fault.Invalid, "embedding-server-address", "{address} is not an address on this computer, such as http://127.0.0.1:11434.").With("address", s.Address)
	}
	if s.Model == "" || len(s.Model) > mostModelName || !utf8.ValidString(s.Model) || strings.ContainsFunc(s.Model, isNotPrinted) {
		return fault.New(fault.Invalid, "embedding-server-model", "The name of a model has one line of 1 to {most} bytes.").With("most", mostModelName)
	}
	return nil
}

func isNotPrinted(r rune) bool { return !unicode.IsPrint(r) }

// isLoopback tells whether an address is http, a host that can only be this computer, a port
// and no more.
func isLoopback(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" || u.User != nil || strings.Trim(u.Path, "/") != "" || strings.ContainsAny(address, "?#") {
		return false
	}
	if port, err := strconv.Atoi(u.Port()); err != nil || port < 1 || port > 65535 {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && ip.IsLoopback() && ip.Zone() == ""
}

// Use asks another server, or none, from now on. Vectors of another model are dropped, and
// made anew.
func (x *Embedder) Use(server Server) {
	x.stop()
	x.working.Lock()
	defer x.working.Unlock()
	x.batch.Lock()
	defer x.batch.Unlock()
	x.set(func() {
		x.cfg.Server, x.model, x.failed = server, nil, nil
	})
	x.Wake()
	x.told()
}

// connect asks the server, if there is one, what its model is, unless that is known. The
// caller holds working.
func (x *Embedder) connect(ctx context.Context) error {
	x.mu.Lock()
	server, before, reconnect := x.cfg.Server, x.model, x.reconnect
	x.mu.Unlock()
	if server == (Server{}) || before != nil && !reconnect {
		return nil
	}
	probe, err := x.probeOf(before)
	if err != nil {
		return err
	}
	encoder, probe, err := x.cfg.Connect(ctx, server, probe)
	if err != nil {
		return err
	}
	x.batch.Lock()
	defer x.batch.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.reconnect, x.failed = false, nil
	if before != nil && before.Name() == encoder.Name() {
		x.model = &model{encoder, before.index, probe}
		return nil
	}
	_, err = x.openIndex(encoder, probe)
	return err
}

// probeOf returns the probe that the vectors of a model, nil: those in the store, came with.
func (x *Embedder) probeOf(m *model) ([]float32, error) {
	if m != nil {
		return m.probe, nil
	}
	store, err := library.IndexStore(x.session.Vault)
	if err != nil {
		return nil, err
	}
	opt, err := vectors.StoredOptions(store)
	return opt.Probe, err
}

// questionWithin bounds how long somebody waits for a server.
const questionWithin = 5 * time.Second

// embed turns what somebody waits for into vectors. After a server has failed it is not asked
// again before CatchUp has connected to it anew.
func (x *Embedder) embed(ctx context.Context, m *model, texts ...string) ([][]float32, error) {
	server, failed := x.trouble()
	if !server {
		return m.Embed(ctx, texts)
	}
	if failed != nil {
		return nil, failed
	}
	within, stop := context.WithTimeout(ctx, questionWithin)
	defer stop()
	numbers, err := m.Embed(within, texts)
	if err != nil && ctx.Err() == nil {
		x.set(func() { x.failed, x.reconnect = err, true })
		x.Wake()
	}
	return numbers, err
}

// storedState returns the State of the vectors on disk, for use before the first connection to
// the server.
func (x *Embedder) storedState(records int) (State, error) {
	x.mu.Lock()
	label := x.cfg.Server.Label()
	s := State{Records: records, Model: label, Missing: records, Failed: x.failed}
	x.mu.Unlock()
	ix, err := x.stored()
	if err != nil || ix == nil || !strings.HasPrefix(ix.Model(), label+"/") {
		return s, err
	}
	todo, err := ix.Sync(x.session.Rows.Units())
	s.Model, s.Vectors, s.Missing = ix.Model(), ix.Count(), len(todo)
	return s, err
}

// ErrModelChanged is returned by an encoder whose server has another model than before.
func ErrModelChanged() *fault.Error {
	return fault.New(fault.Conflict, "embedding-server-changed", "The embedding server answers with another model than before, so all texts are compared anew.")
}

func errNotConnected(s Server) *fault.Error {
	return fault.New(fault.Busy, "embedding-server-unasked", "The embedding server at {address} was not asked yet.").With("address", s.Address).
		Advise("Try again in a moment.")
}
