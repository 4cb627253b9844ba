package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"keepsake/app/bridge"
	"keepsake/app/loopback"
	"keepsake/backend/core"
	"keepsake/backend/fault"
)

// Limits of what a browser may send.
const (
	maxCall   = 8 << 20  // bytes of one call; the longest is a memory being written
	maxUpload = 64 << 30 // bytes of one file, the limit of an archive

	maxAddress = 8 << 10 // bytes of a call for a ticket
)

type server struct {
	bridge  *bridge.Bridge
	service *core.Service
	host    *host
	assets  fs.FS
	methods map[string]method

	address *net.TCPAddr
	secrets *secrets
	session string    // value of the cookie
	out     io.Writer // where addresses are printed
}

// announce prints the address that a token opens.
func (s *server) announce(token string) {
	fmt.Fprintf(s.out, "Keepsake is at http://%s%s%s\n", loopback.Hosts(s.address)[0], openPath, token)
}

func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/call", s.call)
	mux.HandleFunc("GET /api/events", s.host.stream)
	mux.HandleFunc("POST /api/upload", s.upload)
	mux.HandleFunc("POST /api/ticket", s.ticket)
	mux.HandleFunc("GET "+downloadPath+"{token}", s.host.download)
	mux.HandleFunc("GET "+bridge.AttachmentPath, s.bridge.ServeAttachment)
	mux.HandleFunc("GET /", s.page)
	return s.guard(mux)
}

// call answers {"name","args"} with {"result"} or {"error"}.
func (s *server) call(w http.ResponseWriter, r *http.Request) {
	asked, err := readCall(http.MaxBytesReader(w, r.Body, maxCall))
	if err != nil {
		answer(w, nil, bridge.Wire(err))
		return
	}
	m, ok := s.methods[asked.Name]
	if !ok {
		answer(w, nil, bridge.Wire(fault.New(fault.NotFound, "no-method", "There is no call of that name.")))
		return
	}
	result, err := m.invoke(asked.Args)
	if opensVault(asked.Name) && (err == nil || !s.isLocked(r.Context())) {
		w.Header().Set(secretHeader, s.secrets.renew())
		s.host.endStreams() // the page comes back with the new secret
	}
	answer(w, result, err)
}

// isLocked reports that the vault is known to be locked after a call that failed.
// Keys.UseRecovery opens it first, and may then fail to set the new passphrase.
func (s *server) isLocked(ctx context.Context) bool {
	state, err := s.service.VaultState(ctx)
	return err == nil && !state.Unlocked
}

// opensVault reports a call after which the page goes on with a new secret: whoever
// could read the one before has seen nothing of an open vault with it.
func opensVault(name string) bool {
	return slices.Contains([]string{
		"Vault.Unlock", "Vault.UnlockRecovery", "Vault.Create", "Vault.TrySample", "Keys.UnlockKeychain", "Keys.UseRecovery",
	}, name)
}

// ticket answers the address of a file with one that opens it for a short while.
func (s *server) ticket(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		URL string `json:"url"`
	}
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxAddress)).Decode(&asked)
	address, parsed := url.Parse(asked.URL)
	if err != nil || parsed != nil || address.Host != "" || address.Scheme != "" || !isFile(address.Path) {
		answer(w, nil, bridge.Wire(fault.New(fault.Invalid, "bad-call", "The page sent something that is no call.")))
		return
	}
	query := address.Query()
	query.Set(ticketParam, s.secrets.issue(address.Path, strings.HasPrefix(address.Path, downloadPath)))
	address.RawQuery = query.Encode()
	answer(w, address.String(), nil)
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
	if name == "" || name == "index.html" {
		s.index(w, "")
		return
	}
	if info, err := fs.Stat(s.assets, name); err != nil || info.IsDir() {
		http.NotFound(w, r)
		return
	}
	http.ServeFileFS(w, r, s.assets, name)
}

// index serves the page, with the secret in it where it is handed over: the page
// puts it into sessionStorage and takes the address out of the history.
func (s *server) index(w http.ResponseWriter, secret string) {
	body, err := fs.ReadFile(s.assets, "index.html")
	if errors.Is(err, fs.ErrNotExist) {
		http.Error(w, "This Keepsake was built without its page. Run `make build`.", http.StatusNotFound)
		return
	}
	if err != nil {
		http.Error(w, "the page could not be read", http.StatusInternalServerError)
		return
	}
	if secret != "" {
		meta := `<meta name="keepsake-secret" content="` + html.EscapeString(secret) + `">`
		body = bytes.Replace(body, []byte("<title>"), []byte(meta+"<title>"), 1)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(body)
}
