package loopback

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"keepsake/backend/fault"
)

// How long things may take; a body may take as long as it needs.
const (
	headerTimeout   = 10 * time.Second
	idleTimeout     = 30 * time.Second // of a connection between two requests
	shutdownTimeout = 3 * time.Second
	refusedTimeout  = time.Second // for the body of a refused request
)

// Listen opens addr where it is on the loopback interface, and nowhere else.
func Listen(addr string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fault.New(fault.Invalid, "bad-address", "{address} is not an address like 127.0.0.1:0.").With("address", addr).Because(err)
	}
	ip := net.ParseIP(host)
	if host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fault.New(fault.Refused, "not-loopback", "{address} can be reached from other computers; Keepsake serves only this one.").
			With("address", addr).Advise("Use 127.0.0.1 with a port, or 0 for any free port.")
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fault.New(fault.Busy, "address-taken", "Nothing can listen at {address}.").
			With("address", addr).Advise("Choose another port, or 0 for any free one.").Because(err)
	}
	if tcp, ok := listener.Addr().(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
		listener.Close()
		return nil, fault.New(fault.Refused, "name-not-loopback", "The name localhost does not mean this computer here.")
	}
	return listener, nil
}

// Serve answers requests until ctx ends, as do the contexts of those under way.
func Serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	h := server(handler, headerTimeout, idleTimeout)
	h.BaseContext = func(net.Listener) context.Context { return ctx }
	failed := make(chan error, 1)
	go func() { failed <- h.Serve(listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	if err := h.Shutdown(end); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("end server: %w", err)
	}
	return nil
}

// server closes a connection that sends no header for as long as header, or nothing after an answer
// for as long as idle.
func server(handler http.Handler, header, idle time.Duration) *http.Server {
	return &http.Server{Handler: handler, ReadHeaderTimeout: header, IdleTimeout: idle}
}

// Hosts are the names under which a listener is reached; the first is the one to tell. Browsers leave
// out the port of plain HTTP.
func Hosts(at *net.TCPAddr) []string {
	names := []string{at.IP.String()}
	if at.IP.To4() == nil {
		names = []string{"[" + at.IP.String() + "]"}
	}
	if at.IP.Equal(net.IPv4(127, 0, 0, 1)) || at.IP.Equal(net.IPv6loopback) {
		names = append(names, "localhost")
	}
	var all []string
	for _, name := range names {
		all = append(all, name+":"+strconv.Itoa(at.Port))
		if at.Port == 80 {
			all = append(all, name)
		}
	}
	return all
}

// IsOwnHost reports whether a request names the listener, and not a name that somebody else made point
// here.
func IsOwnHost(r *http.Request, at *net.TCPAddr) bool {
	return slices.ContainsFunc(Hosts(at), func(own string) bool { return strings.EqualFold(r.Host, own) })
}

// IsOwnPage reports whether a request, whose host is our own, comes from no page or from one of ours.
func IsOwnPage(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host {
		return false
	}
	return slices.Contains([]string{"", "same-origin", "none"}, r.Header.Get("Sec-Fetch-Site"))
}

// IsSame compares secrets, and takes as long wherever they differ.
func IsSame(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// Refuse answers and closes the connection: who may not ask holds none open, neither idle nor by a
// body that never comes, which net/http would wait for.
func Refuse(w http.ResponseWriter, text string, status int) {
	w.Header().Set("Connection", "close")
	// httptest's recorder has no deadline, a real connection always has.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(refusedTimeout))
	http.Error(w, text, status)
}
