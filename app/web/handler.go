package web

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"path"
	"sync/atomic"

	"keepsake/app/bridge"
	"keepsake/backend/core"
	"keepsake/backend/fault"
)

// Limits of what a browser may send.
const (
	maxCall   = 8 << 20  // bytes of one call; the longest is a memory being written
	maxUpload = 64 << 30 // bytes of one file, the limit of an archive
)

type server struct {
	bridge  *bridge.Bridge
	service *core.Service
	host    *host
	assets  fs.FS
	methods map[string]method

	port    int
	token   string      // works once
	session string      // value of the cookie
	used    atomic.Bool // the token was exchanged
}

func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/call", s.call)
	mux.HandleFunc("GET /api/events", s.host.stream)
	mux.HandleFunc("POST /api/upload", s.upload)
	mux.HandleFunc("GET /download/{token}", s.host.download)
	mux.HandleFunc("GET "+bridge.AttachmentPath, s.bridge.ServeAttachment)
	mux.HandleFunc("GET /", s.page)
	return s.guard(mux)
}

// call answers {"name","args"} with {"result"} or {"error"}.
func (s *server) call(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Name string            `json:"name"`
		Args []json.RawMessage `json:"args"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxCall)).Decode(&asked); err != nil {
		answer(w, nil, bridge.Wire(fault.New(fault.Invalid, "bad-call", "The page sent something that is no call.").Because(err)))
		return
	}
	m, ok := s.methods[asked.Name]
	if !ok {
		answer(w, nil, bridge.Wire(fault.New(fault.NotFound, "no-method", "There is no call of that name.")))
		return
	}
	result, err := m.invoke(asked.Args)
	answer(w, result, err)
}

// upload seals what the browser sends and answers with an Offer.
func (s *server) upload(w http.ResponseWriter, r *http.Request) {
	name := path.Base(path.Clean("/" + r.URL.Query().Get("name")))
	if name == "/" {
		name = "upload"
	}
	id, size, err := s.service.AddUpload(r.Context(), name, http.MaxBytesReader(w, r.Body, maxUpload))
	if err != nil {
		answer(w, nil, bridge.Wire(err))
		return
	}
	answer(w, s.bridge.Upload(id, name, size), nil)
}

// answer writes the one form of every reply. A fault is no HTTP error: the
// call itself went well.
func answer(w http.ResponseWriter, result any, err error) {
	reply := struct {
		Result any             `json:"result,omitempty"`
		Error  json.RawMessage `json:"error,omitempty"`
	}{Result: result}
	if err != nil {
		reply.Result, reply.Error = nil, json.RawMessage(err.Error())
	}
	body, err := json.Marshal(reply)
	if err != nil {
		http.Error(w, "the answer could not be written", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body)
}

// page serves the built files, and nothing that is a folder.
func (s *server) page(w http.ResponseWriter, r *http.Request) {
	name := path.Clean("/" + r.URL.Path)[1:]
	if name == "" {
		name = "index.html"
	}
	info, err := fs.Stat(s.assets, name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && name == "index.html":
		http.Error(w, "This Keepsake was built without its page. Run `make build`.", http.StatusNotFound)
	case err != nil || info.IsDir():
		http.NotFound(w, r)
	case name == "index.html":
		body, err := fs.ReadFile(s.assets, name) // ServeFileFS would redirect to ./
		if err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(body)
	default:
		http.ServeFileFS(w, r, s.assets, name)
	}
}
