package web

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"time"

	"keepsake/app/bridge"
	"keepsake/backend/atomicfile"
	"keepsake/backend/core"
	"keepsake/backend/fault"
)

// How long things may take; a body may take as long as it needs.
const (
	headerTimeout   = 10 * time.Second
	idleTimeout     = 30 * time.Second // of a connection between two requests
	shutdownTimeout = 3 * time.Second
)

// Serve answers a browser on this machine until ctx ends. addr must name the
// loopback interface. The address to open is written to out, once.
func Serve(ctx context.Context, service *core.Service, assets fs.FS, addr string, out io.Writer) error {
	listener, err := listen(addr)
	if err != nil {
		return err
	}
	defer listener.Close()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	atomicfile.TidyPassing()
	host := newHost()
	defer host.close()
	b := bridge.New(ctx, service, host)
	defer b.Close()
	s := &server{
		bridge: b, service: service, host: host, assets: assets, methods: methods(b.Bound()),
		address: listener.Addr().(*net.TCPAddr), secrets: newSecrets(time.Now), session: rand.Text(), out: out,
	}
	s.announce(s.secrets.token)
	fmt.Fprintln(out, "The address works once, on this computer. Ctrl+C ends it.")
	return run(ctx, listener, s)
}

func run(ctx context.Context, listener net.Listener, s *server) error {
	h := httpServer(s.handler(), headerTimeout, idleTimeout)
	h.BaseContext = func(net.Listener) context.Context { return ctx }
	failed := make(chan error, 1)
	go func() { failed <- h.Serve(listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve page: %w", err)
	case <-ctx.Done():
	}
	s.host.close() // ends the event streams, which Shutdown would wait for
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	if err := h.Shutdown(end); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("end server: %w", err)
	}
	return nil
}

// httpServer closes a connection that sends no header for as long as header, or
// nothing after an answer for as long as idle.
func httpServer(handler http.Handler, header, idle time.Duration) *http.Server {
	return &http.Server{Handler: handler, ReadHeaderTimeout: header, IdleTimeout: idle}
}

// listen opens addr where it is on the loopback interface, and nowhere else.
func listen(addr string) (net.Listener, error) {
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
