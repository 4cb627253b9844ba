package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"keepsake/app/loopback"
	"keepsake/app/owner"
)

// endpoint is the path at which MCP is spoken.
const endpoint = "/mcp"

// ServeHTTP speaks MCP over HTTP until ctx ends, with who sends the token of the agent. addr must name
// the loopback interface. The address and the path of the token's file are written to out, and the token
// nowhere.
func ServeHTTP(ctx context.Context, client *owner.Client, only []string, addr string, out io.Writer) error {
	listener, err := loopback.Listen(addr)
	if err != nil {
		return err
	}
	defer listener.Close()
	token, file, err := client.Token()
	if err != nil {
		return err
	}
	s, err := newServer(client, only)
	if err != nil {
		return err
	}
	d := &httpDoor{at: listener.Addr().(*net.TCPAddr), token: token, next: s.handler()}
	fmt.Fprintf(out, "Assistants can ask at http://%s%s\nTheir token is in %s\nCtrl+C ends it.\n", loopback.Hosts(d.at)[0], endpoint, file)
	return loopback.Serve(ctx, listener, d)
}

// handler answers messages, each in a session of its own.
func (s *server) handler() http.Handler {
	speak := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.mcp }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: longestLine, PropagateRequestCancellation: true,
	})
	mux := http.NewServeMux()
	mux.Handle("POST "+endpoint, wellFormed(speak))
	return mux
}

// httpDoor lets requests in that hold the token, and come neither from a page nor to another name: no
// page has one, and the program in which it is shown could be made to send what it has.
type httpDoor struct {
	at    *net.TCPAddr
	token string
	next  http.Handler
}

// ServeHTTP implements http.Handler.
func (d *httpDoor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	switch {
	case !loopback.IsOwnHost(r, d.at):
		loopback.Refuse(w, "Keepsake answers only to its own address.", http.StatusForbidden)
	case !loopback.IsOwnPage(r):
		loopback.Refuse(w, "Keepsake answers no page of a browser here.", http.StatusForbidden)
	case !d.admits(r):
		w.Header().Set("WWW-Authenticate", "Bearer")
		loopback.Refuse(w, "Send the token of this assistant: Authorization: Bearer TOKEN. `keepsake mcp --http` says where it is.", http.StatusUnauthorized)
	default:
		d.next.ServeHTTP(w, r)
	}
}

// admits reports whether a request holds the token, once.
func (d *httpDoor) admits(r *http.Request) bool {
	given := r.Header.Values("Authorization")
	if len(given) != 1 {
		return false
	}
	kind, token, _ := strings.Cut(given[0], " ")
	return strings.EqualFold(kind, "Bearer") && loopback.IsSame(token, d.token)
}

// wellFormed passes on bodies that are one message, within the bounds of a line.
func wellFormed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, longestLine))
		var long *http.MaxBytesError
		if err != nil && !errors.As(err, &long) {
			return // the client left
		}
		status := http.StatusBadRequest
		if long != nil {
			status = http.StatusRequestEntityTooLarge
		}
		body = bytes.TrimSpace(body)
		if wrong := malformed(body, long == nil); wrong != nil {
			refuseMessage(w, wrong, status)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

func refuseMessage(w http.ResponseWriter, wrong *jsonrpc.Error, status int) {
	text, err := unasked(wrong)
	if err != nil {
		http.Error(w, "the answer could not be written", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text)
}
