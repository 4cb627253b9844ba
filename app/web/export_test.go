package web

import (
	"io"
	"net/http"
	"time"
)

// Host is the shell that a browser is.
type Host = host

// NewHost and CloseHost make and end one without a server.
var NewHost = newHost

func CloseHost(h *Host) { h.close() }

// Fetch is what a browser gets for the token of a finished file, "" for nothing.
func Fetch(h *Host, token string) string { return FetchDuring(h, token, func() {}) }

// FetchDuring is Fetch of a browser that something happens to before it has all.
func FetchDuring(h *Host, token string, happen func()) string {
	file, err := h.files.open(token)
	if err != nil {
		return ""
	}
	defer file.Close()
	happen()
	text, _ := io.ReadAll(file)
	return string(text)
}

// Secrets are what lets a request in, by a clock of the test.
type Secrets struct{ s *secrets }

func NewSecrets(now func() time.Time) Secrets         { return Secrets{newSecrets(now)} }
func (s Secrets) Issue(path string, once bool) string { return s.s.issue(path, once) }
func (s Secrets) Redeem(ticket, path string) bool     { return s.s.redeem(ticket, path) }
func (s Secrets) Renew() string                       { return s.s.renew() }
func (s Secrets) Admits(r *http.Request) bool         { return s.s.admits(r) }
